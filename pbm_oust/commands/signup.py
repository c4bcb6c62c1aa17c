"""The command that makes an account: signup. Its addresses have to be verified first."""

from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.password import Match, Secret
from pbm_oust.accounts.verification import Pending, Purpose, salt_for
from pbm_oust.grammar.form import ADDRESSES, Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import Parameter
from pbm_oust.grammar.values import read_new_password, read_new_userid
from pbm_oust.play.authentication import note_wrong_password, refuse_if_guessed, stored_password
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.moving import come_back
from pbm_oust.play.notices import Notice
from pbm_oust.play.request import Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import (
    MAILED,
    Asked,
    CodeSentNotice,
    ask_each,
    is_among,
    silence_about,
)
from pbm_oust.refusal import NotAllowed, NotAllowedReason


class AccountRemoved(NotAllowedReason):
    """The account that the same mail made has been removed since."""


@dataclass(frozen=True, slots=True)
class Signup(Command):
    """Make an account; without addresses, with the one that the command came from."""

    userid: str
    password: Secret
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WelcomeNotice(Notice):
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
)
