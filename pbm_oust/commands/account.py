"""The commands for an account: signup, verify, add, change address, change password and forgot."""

from collections.abc import Sequence

from msgspec import structs

from pbm_oust.accounts.account import Account, Proof
from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address
from pbm_oust.accounts.asks import Topic
from pbm_oust.accounts.password import Match, Secret
from pbm_oust.accounts.settings import USUAL
from pbm_oust.accounts.tags import CODE, Pending, Purpose, salt_for
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Command, Cost, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.vocabulary import fold, is_of
from pbm_oust.grammar.wording import new_password_in
from pbm_oust.play import authentication, verification
from pbm_oust.play.context import Context, Look, Outcome, answered, done
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import Notice, Reader
from pbm_oust.play.request import Ending
from pbm_oust.play.unit_of_work import ForAnybody, ForCode, ForPlayer, Run
from pbm_oust.play.verification import NotConfirmed
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable, UnreadableReason
from pbm_oust.store import verifications
from pbm_oust.store.index import has_played

HEADING = Heading.ACCOUNT


class AccountRemoved(NotAllowedReason, frozen=True):
    """The account that the same mail made has been removed since."""


class WelcomeNotice(Notice, frozen=True):
    """The reader's account was made."""

    has_house: bool
    """Whether the house plays here."""


def sign_up(on: Context, userid: str, password: Secret, addresses: tuple[str, ...]) -> Outcome:
    """Mail codes to the addresses of a new account; no answer says whether it can be made.

    Without addresses, that is the one that the command came from. A signup that repeats that of an
    existing account is answered as the first one was.
    """
    addresses = addresses or (on.request.sender,)
    account = _with_this_password(on, userid, password, addresses)
    if account:
        come_back(on, account.userid)
        return _welcome_again(on, on.reader_at(on.account(userid)))
    stored = on.passwords.hash(password, salt_for(on.home.key(), userid))
    key, language = on.message_key(userid), on.request.language
    pendings = [
        Pending(Purpose.SIGNUP, userid, address, on.now, key, stored, language)
        for address in addresses
    ]
    is_used = any(verification.is_used(on, each) for each in pendings)
    made = on.account_if_any(userid)
    if is_used and (made is None or made.message_key != key):
        raise NotAllowed(AccountRemoved(), userid)
    asked = [verification.ask(on, each, [each.address]) for each in pendings]
    if is_used and made:
        return _welcome_again(on, on.reader(made), asked)
    if verification.is_among(on.request.sender, addresses):
        return verification.together(asked)
    return verification.together(asked, verification.CodeSentNotice(on.asker(), addresses))


def _with_this_password(
    on: Context, userid: str, password: Secret, addresses: tuple[str, ...]
) -> Account | None:
    """Return the account that a signup would make, if it exists; finding none takes as long."""
    account = on.account_if_any(userid)
    if account and {*map(normal_address, addresses)} != {*map(normal_address, account.addresses)}:
        account = None
    stored = authentication.stored_password(account, userid)
    found = on.passwords.match(password, stored)
    if account is None:
        return None
    authentication.refuse_if_guessed(on, account, userid)
    if found is not Match.RIGHT:
        authentication.note_wrong_password(on, [userid])
        return None
    return account


def _welcome_again(on: Context, reader: Reader, asked: Sequence[Outcome] = ()) -> Outcome:
    """Welcome a player whose account is there; `asked` are the codes for more addresses."""
    made = verification.together(asked, WelcomeNotice(reader, on.has_house))
    return structs.replace(made, ending=Ending.DONE_BEFORE)


class TooManyAddresses(NotAllowedReason, frozen=True):
    """The account would have too many addresses."""

    most: int
    """How many it may have."""


def add(on: Context, addresses: tuple[str, ...]) -> Outcome:
    """Mail codes to addresses that are added to an account; without any, to the sender's."""
    addresses, own = addresses or (on.request.sender,), on.own
    new = tuple(each for each in addresses if not own.has_address(each))
    if len(own.addresses) + len(new) > MOST_ADDRESSES:
        raise NotAllowed(TooManyAddresses(MOST_ADDRESSES))
    return _ask_for(on, Purpose.ADD, new)


def change_address(on: Context, addresses: tuple[str, ...]) -> Outcome:
    """Mail codes to the addresses that will replace those of an account; or to the sender's."""
    return _ask_for(on, Purpose.CHANGE, addresses or (on.request.sender,))


def _ask_for(on: Context, purpose: Purpose, addresses: tuple[str, ...]) -> Outcome:
    """Mail codes to addresses. If none is the sender's, the account's addresses get an answer."""
    account = on.own
    language = account.all_settings.language
    pendings = [
        Pending(purpose, account.userid, address, on.now, on.key, language=language)
        for address in addresses
    ]
    waiting = [each for each in pendings if not verification.is_used(on, each)]
    asked = [verification.ask(on, each, [each.address]) for each in waiting]
    to = tuple(each.address for each in waiting)
    if waiting and verification.is_among(on.request.sender, to):
        return verification.together(asked)
    reader = on.reader_at(account)
    return verification.together(asked, verification.CodeSentNotice(reader, to, account.addresses))


class PasswordChangedNotice(Notice, frozen=True):
    """The reader's password was changed."""


class ForgotNotice(Notice, frozen=True):
    """A code was mailed, if there is such an account."""


_NEW_PASSWORD = Parameter(
    "NEWPASSWORD", "new", values.read_new_password, is_secret=True, is_new=True
)


def change_password(on: Context, new: Secret) -> Outcome:
    """Give an account another password, and drop the verifications that wait under the old one."""
    stored = on.passwords.hash(new, salt_for(on.home.key(), on.player.userid, on.key))
    account = on.save(on.own.with_password(stored))
    verifications.forget_verifications_of(on.transaction, account.userid, account.message_key)
    return done([PasswordChangedNotice(on.reader_at(account))])


def ask_for_password(on: Context, new: Secret) -> Outcome:
    """Mail a code to a player who has no password; the answer to it brings one."""
    return forgot(on, on.player.userid)


def forgot(on: Context, userid: str) -> Outcome:
    """Mail a code to the addresses of an account, if there is one; the answer does not say so.

    A mail from one of these addresses is charged nothing but that code, so that nothing that others
    cause, or send with a forged From, keeps a player from it. Raises NotAllowed for others.
    """
    account = on.account_if_any(userid)
    is_own = account is not None and account.has_address(on.request.sender)
    if not is_own:
        authentication.charge_stranger(on, Cost(codes=1))
    reader = None
    if account:
        reader = on.reader_at(account) if is_own else on.reader(account)
    if not (account and reader and reader.addresses):
        asked = verification.spend_time_for_a_code(on, userid)
        return verification.together([asked], ForgotNotice(on.asker()))
    key, language = on.message_key(userid), account.all_settings.language
    address = account.addresses[0]
    pending = Pending(Purpose.FORGOT, userid, address, on.now, key, language=language)
    asked = verification.ask(on, pending, reader.addresses)
    if is_own and asked.ending is not Ending.DONE_BEFORE:
        return asked
    return verification.together([asked], ForgotNotice(on.asker()))


class NoSuchCode(NotAllowedReason, frozen=True):
    """There is no such code, or it has expired."""


class PasswordMissing(NotAllowedReason, frozen=True):
    """The new password that should replace a forgotten one is missing."""


class HasAccount(NotAllowedReason, frozen=True):
    """The account already exists, with another password."""

    userid: str


class UseridTaken(NotAllowedReason, frozen=True):
    """Somebody else has the userid."""

    userid: str
    free: str
    """A similar one that nobody has."""


def _other_userid(_command: Command, refusal: Refusal) -> Command | None:
    """Return a signup with another userid, if somebody else has taken the first."""
    if isinstance(refusal.reason, UseridTaken):
        return SIGNUP.command(userid=refusal.reason.free)
    return None


class BadCode(UnreadableReason, frozen=True):
    """A word does not have the form of our codes."""


class SaidNoNotice(Notice, frozen=True):
    """The reader said no, and the deed that waited for a code is dropped."""


class AddressesNotice(Notice, frozen=True):
    """An address of the reader was verified."""

    proved: str


class AddressesReplacedNotice(Notice, frozen=True):
    """The last letter to addresses that were replaced."""

    account: Account
    """The account, without them."""


def _read_code(word: str) -> Secret:
    if not CODE.fullmatch(fold(word)):
        raise Unreadable(BadCode())
    return Secret(fold(word))


def verify(
    on: Context,
    pending: Pending | None,
    vocabulary: frozenset[str],
    code: Secret,
    new: Secret | None,
    is_agreed: bool,
    chosen: tuple[str, ...],
) -> Outcome:
    """Do what waits for a code.

    `pending` is that, if there is something. `new` is the new password, if the code is for that; no
    word of the `vocabulary` can be one. What waits is dropped if they do not agree, and goes on
    waiting if they have `chosen` one of several things, though there are none.
    """
    if pending is None or pending.purpose in (Purpose.SIGN_IN, Purpose.WORDS):
        raise NotAllowed(NoSuchCode())
    if chosen:
        raise Unreadable(NotConfirmed())
    if not is_agreed:
        verifications.forget_verification(on.transaction, on.key)
        return answered(SaidNoNotice(on.asker()))
    account = on.account_if_any(pending.userid)
    changed = _changed(on, pending, vocabulary, account, new)
    changed = on.save(changed.with_proof(Proof(on.key, pending.message_key)))
    if pending.purpose is Purpose.FORGOT:
        verifications.forget_verifications_of(on.transaction, changed.userid, changed.message_key)
    verifications.forget_verification(on.transaction, on.key)
    return done(_notices(on, pending, account, changed))


def _changed(
    on: Context,
    pending: Pending,
    vocabulary: frozenset[str],
    account: Account | None,
    new: Secret | None,
) -> Account:
    """Return the account as it is once the code has come back. Raises NotAllowed."""
    if pending.purpose is Purpose.SIGNUP:
        return _signed_up(on, pending, account)
    if account is None or pending.purpose is Purpose.UNPROVED:
        raise NotAllowed(NoSuchCode())
    if pending.purpose is Purpose.FORGOT:
        if new is None and (word := new_password_in(on.request.chat)):
            new = values.read_new_password(word)
        if new is None:
            raise NotAllowed(PasswordMissing())
        if is_of(vocabulary | {account.userid}, new.text):
            raise Unreadable(values.BadPassword())
        salt = salt_for(on.home.key(), account.userid, on.key)
        return account.with_password(on.passwords.hash(new, salt))
    # Another address of the same mail may have replaced the old ones already.
    has_begun = pending.message_key in (proof.message_key for proof in account.verified)
    if pending.purpose is Purpose.CHANGE and not has_begun:
        return structs.replace(account, addresses=(pending.address,))
    return _with_address(account, pending.address)


def _signed_up(on: Context, pending: Pending, account: Account | None) -> Account:
    """Return the account that a signup makes or has made. Raises NotAllowed."""
    userid, address = pending.userid, pending.address
    if account is None:
        if has_played(on.snapshot, userid):
            raise _taken(on, userid)
        account = Account(userid, pending.password, (address,), on.now, pending.message_key)
        return account.with_settings(structs.replace(USUAL, language=pending.language))
    if account.message_key == pending.message_key:
        return _with_address(account, address)
    if not account.has_address(address):
        raise _taken(on, userid)
    if account.password != pending.password:
        raise NotAllowed(HasAccount(userid), userid)
    return account.with_signed_off(None)


def _notices(on: Context, pending: Pending, before: Account | None, after: Account) -> list[Notice]:
    """Return the notices once a code has come back, the answer to its sender first."""
    reader = on.reader_at(after)
    if pending.purpose is Purpose.FORGOT:
        return [PasswordChangedNotice(reader)]
    if pending.purpose is Purpose.SIGNUP and (
        before is None or pending.message_key != after.message_key
    ):
        return [WelcomeNotice(reader, on.has_house)]
    notices: list[Notice] = [AddressesNotice(reader, pending.address)]
    dropped = before.addresses if before else ()
    dropped = tuple(each for each in dropped if each not in reader.addresses)
    if dropped:
        former = Reader(dropped, after.userid, settings=after.all_settings)
        notices.append(AddressesReplacedNotice(former, after))
    return notices


def _with_address(account: Account, address: str) -> Account:
    if account.has_address(address):
        return account
    return structs.replace(account, addresses=(*account.addresses, address))


def free_userid(on: Look, userid: str) -> str:
    """Return a userid that nobody has or had: this one, or it with a number behind it."""
    number, free = 2, userid
    while on.has_account(free) or has_played(on.snapshot, free):
        free, number = f"{userid[:17]}{number}", number + 1
    return free


def _taken(on: Look, userid: str) -> NotAllowed:
    """Return the refusal of a userid, with a similar one that is free."""
    return NotAllowed(UseridTaken(userid, free_userid(on, userid)), userid)


def _codes(command: Command) -> int:
    """Return how many codes a command mails."""
    return len(command["addresses"]) or 1


_IN_ANSWER = {Topic.PLAY: AnsweredBy.NAME}
"""Said in any answer to a letter about a board, too."""
SIGNUP = Form(
    "signup",
    (
        Parameter("USERID", "userid", values.read_new_userid),
        Parameter("PASSWORD", "password", values.read_new_password, is_secret=True, is_new=True),
    ),
    values.ADDRESSES,
    is_of_kind=False,
    needs_own_mail=True,
    # Alone a code answers whoever signs up with the sender's address, and is counted by itself: so
    # no answers that others have caused keep anybody from it.
    cost=lambda command: Cost(int(bool(command["addresses"])), accounts=1, codes=_codes(command)),
    run=ForAnybody(sign_up),
)
VERIFY = Form(
    "verify",
    (Parameter("CODE", "code", _read_code, is_secret=True),),
    values.secret_if_any("NEWPASSWORD", "new", values.read_new_password, is_new=True),
    is_of_kind=False,
    implied={"is_agreed": True, "chosen": ()},
    # A code may come back with the new password in the text.
    text=Text.UNSEEN,
    cost=Cost(work=0),
    instead=_other_userid,
    run=ForCode(verify),
)
FORMS: tuple[Form[Run], ...] = (
    SIGNUP,
    VERIFY,
    Form(
        "add",
        values.OWN,
        values.ADDRESSES,
        is_of_kind=False,
        needs_own_mail=True,
        cost=lambda command: Cost(codes=_codes(command)),
        run=ForPlayer(add, may_be_sender=False),
    ),
    Form(
        "change address",
        values.OWN,
        values.ADDRESSES,
        is_of_kind=False,
        needs_own_mail=True,
        cost=lambda command: Cost(codes=_codes(command)),
        answers=_IN_ANSWER,
        run=ForPlayer(change_address, may_be_sender=False),
    ),
    Form(
        "change password",
        (*values.OWN, _NEW_PASSWORD),
        is_of_kind=False,
        needs_own_mail=True,
        answers=_IN_ANSWER,
        run=ForPlayer(change_password, may_be_sender=False, without_password=ask_for_password),
    ),
    Form(
        "forgot",
        (values.USERID,),
        is_of_kind=False,
        needs_own_mail=True,
        cost=Cost(work=0),  # it charges strangers alone
        run=ForAnybody(forgot),
    ),
)
