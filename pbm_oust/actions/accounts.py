"""Accounts: signing up, further addresses, other passwords. Addresses have to be proved first."""

from dataclasses import replace

from pbm_oust.actions.asking import MAILED, Asked, ask, ask_each, is_among, silence_about
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.leaving import come_back
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.commands.accounts import (
    MOST_ADDRESSES,
    Add,
    ChangeAddress,
    ChangePassword,
    Forgot,
    Signup,
)
from pbm_oust.limits import Counted
from pbm_oust.notices import Told, WelcomeNotice
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import (
    NOBODYS_PASSWORD,
    Account,
    hash_password,
    is_password,
    normal_address,
)
from pbm_oust.proofs import Pending, Purpose, salt_for
from pbm_oust.refusal import Barred, NotAllowed


def sign_up(command: Signup, request: Request, desk: Desk) -> Handled:
    """Mail codes to the addresses of an account to be made; no answer tells whether it can be.

    The same signup as that of an account there is, is answered as the first one was.
    """
    addresses = command.addresses or (request.sender,)
    account = _with_this_password(command, addresses, desk)
    if account:
        come_back(account.userid, desk)
        return _welcome_again(account, request, desk, at_sender=True)
    stored = hash_password(command.password, salt_for(desk.home.key(), command.userid))
    cause = request.cause(command.userid)
    asked = ask_each(
        [
            Pending(Purpose.SIGNUP, command.userid, address, desk.now(), cause, stored)
            for address in addresses
        ],
        request,
        desk,
    )
    if Asked.USED_BEFORE in asked:
        made = desk.account_if_any(command.userid)
        if made is None or made.cause != cause:
            raise NotAllowed(Barred.ACCOUNT_REMOVED, command.userid)
        return _welcome_again(made, request, desk, at_sender=False)
    if is_among(request.sender, addresses):
        return silence_about(asked)
    sent = Told(desk.sender_of(request), "code_sent", {"addresses": addresses, "present": ()})
    return desk.answer(sent, request, MAILED)


def add(command: Add, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Mail codes to addresses that an account does not have yet."""
    addresses = command.addresses or (request.sender,)
    new = tuple(each for each in addresses if not actor.account.has_address(each))
    if len(actor.account.addresses) + len(new) > MOST_ADDRESSES:
        raise NotAllowed(Barred.TOO_MANY_ADDRESSES, most=MOST_ADDRESSES)
    return _ask_for(Purpose.ADD, new, actor, request, desk)


def change_address(command: ChangeAddress, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Mail codes to the addresses that are to replace those of an account."""
    addresses = command.addresses or (request.sender,)
    return _ask_for(Purpose.CHANGE, addresses, actor, request, desk)


def change_password(command: ChangePassword, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Give an account another password; what waited for codes under the old one is forgotten."""
    salt = salt_for(desk.home.key(), actor.userid, actor.cause)
    stored = hash_password(command.new, salt)

    def change(account: Account) -> Account:
        return replace(account, password=stored)

    def tell(account: Account) -> tuple[Told, list[Told]]:
        return Told(desk.player_at(account, request), "password_changed", {}), []

    desk.home.pending.forget_of(actor.account, desk.now())
    return desk.change_account(change, tell, actor, request, Handled("changed the password"))


def forgot(command: Forgot, request: Request, desk: Desk) -> Handled:
    """Mail a code to the addresses of an account, if there is one; the answer does not tell."""
    account = desk.account_if_any(command.userid)
    asked = Asked.TOO_MANY
    if account and account.addresses:
        addresses = desk.player(account).addresses
        if account.has_address(request.sender):
            addresses = desk.player_at(account, request).addresses
        cause = request.cause(command.userid)
        first = account.addresses[0]
        pending = Pending(Purpose.FORGOT, account.userid, first, desk.now(), cause)
        asked = ask(pending, addresses, request, desk)
    if account and account.has_address(request.sender) and asked is not Asked.USED_BEFORE:
        return silence_about([asked])
    return desk.answer(Told(desk.sender_of(request), "forgot", {}), request, MAILED)


def _with_this_password(command: Signup, addresses: tuple[str, ...], desk: Desk) -> Account | None:
    """Return the account that a signup would make, if there is one; finding none takes as long."""
    account = desk.account_if_any(command.userid)
    if account and not _are_same(addresses, account.addresses):
        account = None
    is_right = is_password(command.password, account.password if account else NOBODYS_PASSWORD)
    if account is None:
        return None
    if desk.home.limits.is_reached(Counted.GUESS, command.userid, desk.now()):
        return None
    if not is_right:
        desk.home.limits.count(Counted.GUESS, command.userid, desk.now())
        return None
    return account


def _welcome_again(account: Account, request: Request, desk: Desk, at_sender: bool) -> Handled:
    reader = desk.player_at(account, request) if at_sender else desk.player(account)
    cause = request.cause(account.userid)
    with desk.posting([WelcomeNotice(reader, account)], request, cause, NOWHERE):
        return Handled("done before")


def _ask_for(
    purpose: Purpose, addresses: tuple[str, ...], actor: Actor, request: Request, desk: Desk
) -> Handled:
    """Mail codes to addresses; who asked from elsewhere is answered at the account's addresses."""
    asked = ask_each(
        [Pending(purpose, actor.userid, address, desk.now(), actor.cause) for address in addresses],
        request,
        desk,
    )
    waiting = tuple(
        address
        for address, became in zip(addresses, asked, strict=True)
        if became is not Asked.USED_BEFORE
    )
    if waiting and is_among(request.sender, waiting):
        return silence_about(asked)
    reader = desk.player_at(actor.account, request)
    facts = {"addresses": waiting, "present": actor.account.addresses}
    return desk.answer(Told(reader, "code_sent", facts), request, MAILED)


def _are_same(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return set(map(normal_address, some)) == set(map(normal_address, others))


SIGNED: dict[type, Action] = {
    Add: add,
    ChangeAddress: change_address,
    ChangePassword: change_password,
}
UNSIGNED: dict[type, Action] = {Signup: sign_up, Forgot: forgot}
