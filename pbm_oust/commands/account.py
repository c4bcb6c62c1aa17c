"""The commands for an account: signup, verify, add, change address, change password and forgot."""

from msgspec import structs

from pbm_oust.accounts.account import Account, Proof
from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address
from pbm_oust.accounts.password import Match, Secret
from pbm_oust.accounts.settings import USUAL
from pbm_oust.accounts.tags import CODE, Pending, Purpose, name_of, salt_for
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Command, Cost, Form
from pbm_oust.grammar.notation import Heading, Text
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.vocabulary import fold, in_english, is_of
from pbm_oust.play import authentication, verification
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import Notice, OutcomeNotice, Reader
from pbm_oust.play.request import Actor, Handled, Outcome
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer, Service, UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable, UnreadableReason
from pbm_oust.store import verifications
from pbm_oust.store.message_keys import KeyOutcome, outcome_of, settle_key
from pbm_oust.store.open_boards import has_played

HEADING = Heading.ACCOUNT


class AccountRemoved(NotAllowedReason, frozen=True):
    """The account that the same mail made has been removed since."""


class WelcomeNotice(Notice, frozen=True):
    """The reader's account was made."""

    has_house: bool
    """Whether the house plays here."""


def sign_up(work: UnitOfWork, userid: str, password: Secret, addresses: tuple[str, ...]) -> Handled:
    """Mail codes to the addresses of a new account; no answer says whether it can be made.

    Without addresses, that is the one that the command came from. A signup that repeats that of an
    existing account is answered as the first one was.
    """
    addresses = addresses or (work.request.sender,)
    account = _with_this_password(userid, password, addresses, work)
    if account:
        come_back(account.userid, work)
        return _welcome_again(account, work, at_sender=True)
    salt = salt_for(work.home.key(), userid)
    stored = work.passwords.hash(password, salt)
    key = work.request.message_key(userid)
    asked = verification.ask_each(
        [
            Pending(Purpose.SIGNUP, userid, address, work.now(), key, stored, work.request.language)
            for address in addresses
        ],
        work,
    )
    if verification.Asked.USED_BEFORE in asked:
        made = work.account_if_any(userid)
        if made is None or made.message_key != key:
            raise NotAllowed(AccountRemoved(), userid)
        return _welcome_again(made, work, at_sender=False)
    if verification.is_among(work.request.sender, addresses):
        return verification.silence_about(asked)
    sent = verification.CodeSentNotice(work.sender(), addresses)
    return work.answer(sent, verification.MAILED)


def _with_this_password(
    userid: str, password: Secret, addresses: tuple[str, ...], work: UnitOfWork
) -> Account | None:
    """Return the account that a signup would make, if it exists; finding none takes as long."""
    account = work.account_if_any(userid)
    if account and {*map(normal_address, addresses)} != {*map(normal_address, account.addresses)}:
        account = None
    stored = authentication.stored_password(account, userid)
    found = work.passwords.match(password, stored)
    if account is None:
        return None
    authentication.refuse_if_guessed(account, userid, work)
    if found is not Match.RIGHT:
        authentication.note_wrong_password([userid], work)
        return None
    return account


def _welcome_again(account: Account, work: UnitOfWork, at_sender: bool) -> Handled:
    reader = work.player_at(account) if at_sender else work.player(account)
    with work.posting([WelcomeNotice(reader, work.has_house)]):
        return Handled(Outcome.DONE_BEFORE)


class TooManyAddresses(NotAllowedReason, frozen=True):
    """The account would have too many addresses."""

    most: int
    """How many it may have."""


def add(actor: Actor, work: UnitOfWork, addresses: tuple[str, ...]) -> Handled:
    """Mail codes to addresses that are added to an account; without any, to the sender's."""
    addresses = addresses or (work.request.sender,)
    new = tuple(each for each in addresses if not actor.account.has_address(each))
    if len(actor.account.addresses) + len(new) > MOST_ADDRESSES:
        raise NotAllowed(TooManyAddresses(MOST_ADDRESSES))
    return _ask_for(Purpose.ADD, new, actor, work)


def change_address(actor: Actor, work: UnitOfWork, addresses: tuple[str, ...]) -> Handled:
    """Mail codes to the addresses that will replace those of an account; or to the sender's."""
    return _ask_for(Purpose.CHANGE, addresses or (work.request.sender,), actor, work)


def _ask_for(
    purpose: Purpose, addresses: tuple[str, ...], actor: Actor, work: UnitOfWork
) -> Handled:
    """Mail codes to addresses. If none is the sender's, the account's addresses get an answer."""
    language = actor.account.all_settings.language
    asked = verification.ask_each(
        [
            Pending(
                purpose, actor.userid, address, work.now(), actor.message_key, language=language
            )
            for address in addresses
        ],
        work,
    )
    waiting = tuple(
        address
        for address, became in zip(addresses, asked, strict=True)
        if became is not verification.Asked.USED_BEFORE
    )
    if waiting and verification.is_among(work.request.sender, waiting):
        return verification.silence_about(asked)
    reader = work.player_at(actor.account)
    sent = verification.CodeSentNotice(reader, waiting, actor.account.addresses)
    return work.answer(sent, verification.MAILED)


class PasswordChangedNotice(OutcomeNotice, frozen=True):
    """The reader's password was changed."""


class ForgotNotice(Notice, frozen=True):
    """A code was mailed, if there is such an account."""


_NEW_PASSWORD = Parameter(
    "NEWPASSWORD", "new", values.read_new_password, is_secret=True, is_new=True
)


def change_password(actor: Actor, work: UnitOfWork, new: Secret) -> Handled:
    """Give an account another password, and drop the verifications that wait under the old one."""
    salt = salt_for(work.home.key(), actor.userid, actor.message_key)
    stored = work.passwords.hash(new, salt)

    handled = work.change_account(
        lambda account: structs.replace(account, password=stored),
        lambda account: PasswordChangedNotice(work.player_at(account)),
        actor,
    )
    work.home.do(
        verifications.forget_verifications_of, actor.account.userid, actor.account.message_key
    )
    return handled


def forgot(work: UnitOfWork, userid: str) -> Handled:
    """Mail a code to the addresses of an account, if there is one; the answer does not say so.

    A mail from one of these addresses is charged nothing but that code, so that nothing that others
    cause, or send with a forged From, keeps a player from it. Raises NotAllowed for others.
    """
    account = work.account_if_any(userid)
    is_own = account is not None and account.has_address(work.request.sender)
    if not is_own:
        authentication.charge_stranger(Cost(codes=1), work)
    reader = None
    if account:
        reader = work.player_at(account) if is_own else work.player(account)
    if not (account and reader and reader.addresses):
        verification.spend_time_for_a_code(work, userid)
        return work.answer(ForgotNotice(work.sender()), verification.MAILED)
    pending = Pending(
        Purpose.FORGOT,
        account.userid,
        account.addresses[0],
        work.now(),
        work.request.message_key(userid),
        language=account.all_settings.language,
    )
    asked = verification.ask(pending, reader.addresses, work)
    if is_own and asked is not verification.Asked.USED_BEFORE:
        return verification.silence_about([asked])
    return work.answer(ForgotNotice(work.sender()), verification.MAILED)


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


class CodeUsedNotice(Notice, frozen=True):
    """A code has come back again."""


class SaidNoNotice(Notice, frozen=True):
    """What waited for a code was dropped."""


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
    work: UnitOfWork, service: Service, code: Secret, new: Secret | None, is_agreed: bool
) -> Handled:
    """Do what waits for a code, once however often the code comes.

    `new` is the new password, if the code is for that. What waits is dropped if they do not agree.
    """
    name = name_of(code)
    home = work.home
    pending = home.ask(verifications.find_verification, name, work.now())
    if pending is None or pending.purpose is Purpose.SIGN_IN:
        if home.ask(outcome_of, name) is None:
            raise NotAllowed(NoSuchCode())
        done_before = Handled(Outcome.DONE_BEFORE)
        return work.answer(CodeUsedNotice(work.sender()), done_before)
    if not is_agreed:
        home.do(verifications.forget_verification, name)
        return work.answer(SaidNoNotice(work.sender()))
    account = work.account_if_any(pending.userid)
    if pending.purpose is Purpose.CHALLENGE:
        return _challenged(pending, account, name, work, service)
    changed = _changed(pending, account, code, new, work)
    changed = changed.with_proof(Proof(name, pending.message_key))
    with work.posting(_notices(pending, account, changed, work)):
        work.save(changed)
        home.do(settle_key, name, KeyOutcome.DONE, work.now())
        if pending.purpose is Purpose.FORGOT:
            home.do(verifications.forget_verifications_of, changed.userid, changed.message_key)
        home.do(verifications.forget_verification, name)
    return Handled(Outcome.DONE)


def _changed(
    pending: Pending, account: Account | None, code: Secret, new: Secret | None, work: UnitOfWork
) -> Account:
    """Return the account as it is once the code has come back. Raises NotAllowed."""
    if pending.purpose is Purpose.SIGNUP:
        return _signed_up(pending, account, work)
    if account is None:
        raise NotAllowed(NoSuchCode())
    if pending.purpose is Purpose.FORGOT:
        if new is None and has_new_password(work.request.chat):
            new = values.read_new_password(_first_words(work.request.chat)[1])
        if new is None:
            raise NotAllowed(PasswordMissing())
        if is_of(work.vocabulary | {account.userid}, new.text):
            raise Unreadable(values.BadPassword())
        salt = salt_for(work.home.key(), account.userid, name_of(code))
        return structs.replace(account, password=work.passwords.hash(new, salt))
    # Another address of the same mail may have replaced the old ones already.
    has_begun = pending.message_key in (proof.message_key for proof in account.verified)
    if pending.purpose is Purpose.CHANGE and not has_begun:
        return structs.replace(account, addresses=(pending.address,))
    return _with_address(account, pending.address)


def _challenged(
    pending: Pending, account: Account | None, name: str, work: UnitOfWork, service: Service
) -> Handled:
    """Carry out a challenge that its player has confirmed. Whatever comes of it, it waits no more.

    `name` is that of the code. Raises NotAllowed.
    """
    if account is None:
        raise NotAllowed(NoSuchCode())
    home = work.home
    confirmed = structs.replace(
        work.request,
        line=pending.line,
        chat="",
        code=None,
        confirmed=Actor(account, pending.message_key),
    )
    handled = service.carry_out(work.answering(confirmed))
    if handled.outcome is not Outcome.REFUSED:
        home.do(settle_key, name, KeyOutcome.DONE, work.now())
    home.do(verifications.forget_verification, name)
    return handled


def _signed_up(pending: Pending, account: Account | None, work: UnitOfWork) -> Account:
    """Return the account that a signup makes or has made. Raises NotAllowed."""
    userid, address = pending.userid, pending.address
    if account is None:
        if has_played(userid, work.home):
            raise _taken(userid, work)
        account = Account(userid, pending.password, (address,), work.now(), pending.message_key)
        return account.with_settings(structs.replace(USUAL, language=pending.language))
    if account.message_key == pending.message_key:
        return _with_address(account, address)
    if not account.has_address(address):
        raise _taken(userid, work)
    if account.password != pending.password:
        raise NotAllowed(HasAccount(userid), userid)
    return account.with_signed_off(None)


def _notices(
    pending: Pending, before: Account | None, after: Account, work: UnitOfWork
) -> list[Notice]:
    """Return the notices once a code has come back, the answer to its sender first."""
    reader = work.player_at(after)
    if pending.purpose is Purpose.FORGOT:
        return [PasswordChangedNotice(reader)]
    if pending.purpose is Purpose.SIGNUP and (
        before is None or pending.message_key != after.message_key
    ):
        return [WelcomeNotice(reader, work.has_house)]
    notices: list[Notice] = [AddressesNotice(reader, pending.address)]
    dropped = before.addresses if before else ()
    dropped = tuple(each for each in dropped if each not in reader.addresses)
    if dropped:
        former = Reader(dropped, after.userid, settings=after.all_settings)
        notices.append(AddressesReplacedNotice(former, after))
    return notices


def has_new_password(text: str) -> bool:
    """Return whether the first line of a text is `password NEWPASSWORD`, in any language.

    The word in front tells it from the automatic answer of somebody who is away.
    """
    words = _first_words(text)
    return len(words) == 2 and in_english(words[0].rstrip(":"), ["password"]) == "password"


def _first_words(text: str) -> list[str]:
    return text.strip().partition("\n")[0].split()


def _with_address(account: Account, address: str) -> Account:
    if account.has_address(address):
        return account
    return structs.replace(account, addresses=(*account.addresses, address))


def _taken(userid: str, work: UnitOfWork) -> NotAllowed:
    """Return the refusal of a userid, with a similar one that is free."""
    number = 2
    while work.has_account(free := f"{userid[:17]}{number}") or has_played(free, work.home):
        number += 1
    return NotAllowed(UseridTaken(userid, free), userid)


def _codes(command: Command) -> int:
    """Return how many codes a command mails."""
    return len(command["addresses"]) or 1


SIGNUP = Form(
    "signup",
    (
        Parameter("USERID", "userid", values.read_new_userid),
        Parameter("PASSWORD", "password", values.read_new_password, is_secret=True, is_new=True),
    ),
    values.ADDRESSES,
    is_of_kind=False,
    needs_own_mail=True,
    cost=lambda command: Cost(accounts=1, codes=_codes(command)),
    run=ForAnybody(sign_up),
)
VERIFY = Form(
    "verify",
    (Parameter("CODE", "code", _read_code, is_secret=True),),
    values.secret_if_any("NEWPASSWORD", "new", values.read_new_password, is_new=True),
    is_of_kind=False,
    implied={"is_agreed": True},
    # A code may come back with the new password in the text.
    text=Text.UNSEEN,
    cost=Cost(work=0),
    instead=_other_userid,
    run=ForAnybody(verify, takes_service=True),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (
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
        run=ForPlayer(change_address, may_be_sender=False),
    ),
    Form(
        "change password",
        (*values.OWN, _NEW_PASSWORD),
        is_of_kind=False,
        needs_own_mail=True,
        run=ForPlayer(change_password, may_be_sender=False),
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
