"""Accounts: signing up."""

from pbm_oust.actions.desk import Action, Desk, Handled, Request
from pbm_oust.boards import has_played
from pbm_oust.commands.accounts import Signup
from pbm_oust.journal import Ending
from pbm_oust.notices import WelcomeNotice
from pbm_oust.outbox import NOWHERE
from pbm_oust.players import (
    Account,
    format_account,
    hash_password,
    is_password,
    normal_address,
)
from pbm_oust.recovery import player_place
from pbm_oust.refusal import Barred, NotAllowed


def sign_up(command: Signup, request: Request, desk: Desk) -> Handled:
    """Make an account. The same signup again is answered as the first one was."""
    addresses = command.addresses or (request.sender,)
    cause = request.cause(command.userid)
    with desk.home.locked_players():
        if desk.has_account(command.userid):
            return _answer_again(command, addresses, cause, request, desk)
        if desk.home.journal.ending(cause):
            raise NotAllowed(Barred.ACCOUNT_REMOVED, command.userid)
        if has_played(command.userid, desk.home):
            raise _taken(command.userid, desk)
        stored = hash_password(command.password)
        account = Account(command.userid, stored, addresses, desk.now(), cause)
        welcome = WelcomeNotice(desk.player_at(account, request), account)
        with desk.posting([welcome], request, cause, player_place(account.userid)):
            desk.home.write_player(account.userid, format_account(account))
        desk.note(cause, Ending.DONE)
    return Handled("signed up")


def _answer_again(
    command: Signup, addresses: tuple[str, ...], cause: str, request: Request, desk: Desk
) -> Handled:
    """Welcome a player again who has an account, if the same signup made it."""
    account = desk.account(command.userid)
    if is_password(command.password, account.password) and _are_same(addresses, account.addresses):
        reader = desk.player_at(account, request)
    elif account.cause == cause:
        reader = desk.player(account)
    else:
        raise _taken(command.userid, desk)
    desk.home.sync_player(account.userid)
    if account.cause == cause and not desk.home.journal.ending(cause):
        desk.note(cause, Ending.DONE)
    with desk.posting([WelcomeNotice(reader, account)], request, cause, NOWHERE):
        return Handled("done before")


def _taken(userid: str, desk: Desk) -> NotAllowed:
    """Return the refusal of a userid, with one like it that is free."""
    known = set(desk.home.userids())
    number = 2
    while (free := f"{userid[:17]}{number}") in known:
        number += 1
    return NotAllowed(Barred.USERID_TAKEN, userid, free=free)


def _are_same(some: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return set(map(normal_address, some)) == set(map(normal_address, others))


UNSIGNED: dict[type, Action] = {Signup: sign_up}
