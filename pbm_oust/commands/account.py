"""The commands for an account: signup, add, change address, change password and forgot."""

from dataclasses import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import MOST_ADDRESSES, normal_address
from pbm_oust.accounts.password import Match, Secret
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.verification import Pending, Purpose, salt_for
from pbm_oust.grammar.form import ADDRESSES, Cost, Form
from pbm_oust.grammar.notation import Command, Heading, OwnCommand
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.values import OWN, USERID, read_new_password, read_new_userid
from pbm_oust.play.authentication import (
    note_wrong_password,
    of_stranger,
    refuse_if_guessed,
    spend,
    stored_password,
)
from pbm_oust.play.forms import ForAnybody, ForPlayer
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import (
    MAILED,
    Asked,
    CodeSentNotice,
    ask,
    ask_each,
    is_among,
    silence_about,
    spend_time_for_a_code,
)
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.store.verifications import forget_verifications_of


class AccountRemoved(NotAllowedReason, frozen=True):
    """The account that the same mail made has been removed since."""


class Signup(Command, frozen=True):
    """Make an account; without addresses, with the one that the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


class WelcomeNotice(Notice, frozen=True):
    """An account was made."""

    template = "welcome"
    account: Account
    has_house: bool
    """Whether the house plays here."""


def sign_up(command: Signup, request: Request, work: UnitOfWork) -> Handled:
    """Mail codes to the addresses of a new account; no answer says whether it can be made.

    A signup that repeats that of an existing account is answered as the first one was.
    """
    addresses = command.addresses or (request.sender,)
    account = _with_this_password(command, addresses, request, work)
    if account:
        come_back(account.userid, work)
        return _welcome_again(account, request, work, at_sender=True)
    salt = salt_for(work.home.key(), command.userid)
    stored = work.passwords.hash(command.password, salt)
    key = request.message_key(command.userid)
    asked = ask_each(
        [
            Pending(
                Purpose.SIGNUP,
                command.userid,
                address,
                work.now(),
                key,
                stored,
                request.language,
            )
            for address in addresses
        ],
        request,
        work,
    )
    if Asked.USED_BEFORE in asked:
        made = work.account_if_any(command.userid)
        if made is None or made.message_key != key:
            raise NotAllowed(AccountRemoved(), command.userid)
        return _welcome_again(made, request, work, at_sender=False)
    if is_among(request.sender, addresses):
        return silence_about(asked)
    sent = CodeSentNotice(work.sender_of(request), addresses)
    return work.answer(sent, request, MAILED)


def _with_this_password(
    command: Signup, addresses: tuple[str, ...], request: Request, work: UnitOfWork
) -> Account | None:
    """Return the account that a signup would make, if it exists; finding none takes as long."""
    account = work.account_if_any(command.userid)
    if account and not _are_same(addresses, account.addresses):
        account = None
    stored = stored_password(account, command.userid)
    found = work.passwords.match(command.password, stored)
    if account is None:
        return None
    refuse_if_guessed(account, command.userid, request, work)
    if found is not Match.RIGHT:
        note_wrong_password([command.userid], request, work)
        return None
    return account


def _welcome_again(
    account: Account, request: Request, work: UnitOfWork, at_sender: bool
) -> Handled:
    reader = work.player_at(account, request) if at_sender else work.player(account)
    with work.posting([WelcomeNotice(reader, account, work.has_house)], request):
        return Handled(Outcome.DONE_BEFORE)


def _are_same(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return set(map(normal_address, some)) == set(map(normal_address, others))


class TooManyAddresses(NotAllowedReason, frozen=True):
    """The account would have too many addresses."""

    most: int
    """How many it may have."""


class Add(OwnCommand, frozen=True):
    """Add addresses to an account; if none are given, the sender's."""

    addresses: tuple[str, ...]


class ChangeAddress(OwnCommand, frozen=True):
    """Replace the addresses of an account; if none are given, by the sender's."""

    addresses: tuple[str, ...]


def add(command: Add, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Mail codes to addresses that an account does not have yet."""
    addresses = command.addresses or (request.sender,)
    new = tuple(each for each in addresses if not actor.account.has_address(each))
    if len(actor.account.addresses) + len(new) > MOST_ADDRESSES:
        raise NotAllowed(TooManyAddresses(MOST_ADDRESSES))
    return _ask_for(Purpose.ADD, new, actor, request, work)


def change_address(
    command: ChangeAddress, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Mail codes to the addresses that will replace those of an account."""
    addresses = command.addresses or (request.sender,)
    return _ask_for(Purpose.CHANGE, addresses, actor, request, work)


def _ask_for(
    purpose: Purpose, addresses: tuple[str, ...], actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Mail codes to addresses. If none is the sender's, the account's addresses get an answer."""
    language = settings_of(actor.account).language
    asked = ask_each(
        [
            Pending(
                purpose, actor.userid, address, work.now(), actor.message_key, language=language
            )
            for address in addresses
        ],
        request,
        work,
    )
    waiting = tuple(
        address
        for address, became in zip(addresses, asked, strict=True)
        if became is not Asked.USED_BEFORE
    )
    if waiting and is_among(request.sender, waiting):
        return silence_about(asked)
    reader = work.player_at(actor.account, request)
    sent = CodeSentNotice(reader, waiting, actor.account.addresses)
    return work.answer(sent, request, MAILED)


def _cost(command: Add | ChangeAddress) -> Cost:
    return Cost(codes=len(command.addresses) or 1)


class ChangePassword(OwnCommand, frozen=True):
    """Give an account another password."""

    new: Secret


class Forgot(Command, frozen=True):
    """Mail a code to the addresses of an account whose password is forgotten."""

    userid: str


class PasswordChangedNotice(OutcomeNotice, frozen=True):
    """The reader's password was changed."""

    template = "password_changed"


class ForgotNotice(Notice, frozen=True):
    """A code was mailed, if there is such an account."""

    template = "forgot"


_NEW_PASSWORD = Parameter("NEWPASSWORD", read_new_password, is_secret=True, is_new=True)


def change_password(
    command: ChangePassword, actor: Actor, request: Request, work: UnitOfWork
) -> Handled:
    """Give an account another password, and drop the verifications that wait under the old one."""
    salt = salt_for(work.home.key(), actor.userid, actor.message_key)
    stored = work.passwords.hash(command.new, salt)

    def change(account: Account) -> Account:
        return replace(account, password=stored)

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        return PasswordChangedNotice(work.player_at(account, request)), []

    handled = work.change_account(change, tell, actor, request, Handled(Outcome.DONE))
    work.home.do(forget_verifications_of, actor.account.userid, actor.account.message_key)
    return handled


def forgot(command: Forgot, request: Request, work: UnitOfWork) -> Handled:
    """Mail a code to the addresses of an account, if there is one; the answer does not say so.

    A mail from one of these addresses is charged nothing but that code, so that nothing that others
    cause, or send with a forged From, keeps a player from it. Raises NotAllowed for others.
    """
    account = work.account_if_any(command.userid)
    is_own = account is not None and account.has_address(request.sender)
    if not is_own:
        is_known = work.is_known(request.sender)
        spend(of_stranger(Cost(codes=1), request, is_known=is_known), work)
    reader = None
    if account:
        reader = work.player_at(account, request) if is_own else work.player(account)
    if not (account and reader and reader.addresses):
        spend_time_for_a_code(request, work, command.userid)
        return work.answer(ForgotNotice(work.sender_of(request)), request, MAILED)
    pending = Pending(
        Purpose.FORGOT,
        account.userid,
        account.addresses[0],
        work.now(),
        request.message_key(command.userid),
        language=settings_of(account).language,
    )
    asked = ask(pending, reader.addresses, request, work)
    if is_own and asked is not Asked.USED_BEFORE:
        return silence_about([asked])
    return work.answer(ForgotNotice(work.sender_of(request)), request, MAILED)


FORMS = (
    Form(
        "signup",
        Signup,
        (
            Parameter("USERID", read_new_userid),
            Parameter("PASSWORD", read_new_password, is_secret=True, is_new=True),
        ),
        ADDRESSES,
        heading=Heading.ACCOUNT,
        rank=10,
        needs_own_mail=True,
        cost=lambda command: Cost(accounts=1, codes=len(command.addresses) or 1),
        run=ForAnybody(sign_up),
    ),
    Form(
        "add",
        Add,
        OWN,
        ADDRESSES,
        heading=Heading.ACCOUNT,
        rank=30,
        needs_own_mail=True,
        cost=_cost,
        run=ForPlayer(add, may_be_sender=False),
    ),
    Form(
        "change address",
        ChangeAddress,
        OWN,
        ADDRESSES,
        heading=Heading.ACCOUNT,
        rank=40,
        needs_own_mail=True,
        cost=_cost,
        run=ForPlayer(change_address, may_be_sender=False),
    ),
    Form(
        "change password",
        ChangePassword,
        (*OWN, _NEW_PASSWORD),
        heading=Heading.ACCOUNT,
        rank=50,
        needs_own_mail=True,
        run=ForPlayer(change_password, may_be_sender=False),
    ),
    Form(
        "forgot",
        Forgot,
        (USERID,),
        heading=Heading.ACCOUNT,
        rank=55,
        needs_own_mail=True,
        cost=Cost(work=0),  # it charges strangers alone
        run=ForAnybody(forgot),
    ),
)
