"""Leaving: signing off and coming back, and the end of an account."""

from collections.abc import Iterator
from contextlib import suppress

from pbm_oust.absence import Absence, absence_of, with_absence
from pbm_oust.actions.desk import Action, Actor, Desk, Handled, Request
from pbm_oust.actions.telling import tell_players
from pbm_oust.boards import DamagedHistory, open_board, read_game
from pbm_oust.commands.accounts import Delete, Signoff
from pbm_oust.commands.table import Command
from pbm_oust.game import Game
from pbm_oust.header import Header
from pbm_oust.journal import Ending, Entry
from pbm_oust.notices import News, Told
from pbm_oust.players import Account, format_account
from pbm_oust.record import Deed
from pbm_oust.recovery import board_place, removal_place
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.kinds import KINDS


def sign_off(command: Signoff, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Let a player take leave: boards that go on do so, and nobody starts new ones with him."""

    def change(account: Account) -> Account:
        return with_absence(account, absence_of(account) or Absence(desk.now()))

    def tell(account: Account) -> tuple[Told, list[Told]]:
        boards = [game.name for game in _boards_of(account.userid, desk)]
        return Told(desk.player_at(account, request), "signed_off", {"boards": boards}), []

    return desk.change_account(change, tell, actor, request, Handled("signed off"))


def bring_back(command: Command, actor: Actor, handled: Handled, desk: Desk) -> None:
    """End the absence of a player who has sent a command, unless that was done before."""
    is_leaving = isinstance(command, Signoff | Delete)
    if absence_of(actor.account) and not is_leaving and handled.outcome != "done before":
        come_back(actor.userid, desk)


def come_back(userid: str, desk: Desk) -> None:
    """End the absence of a player, if he has signed off."""
    with desk.home.locked_players():
        account = desk.account_if_any(userid)
        if account and absence_of(account):
            desk.home.write_player(userid, format_account(with_absence(account, None)))


def delete(command: Delete, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Remove an account: its boards first, one by one, then what waits for a code, then the rest.

    A mail that comes again after a fault goes on where the first one ended.
    """
    home, userid = desk.home, actor.userid
    if home.journal.ending(actor.cause) is Ending.REFUSED:
        raise NotAllowed(Barred.REFUSED_BEFORE)
    boards = list(_boards_of(userid, desk, actor.cause))
    for game in boards:
        _give_up(game.header, actor, request, desk)
    given_up = [game.name for game in boards]
    with home.locked_players():
        account = desk.account(userid)
        home.pending.forget_of(account, desk.now())
        told = Told(
            desk.player_at(account, request), "deleted", {"userid": userid, "boards": given_up}
        )
        with home.journal.held(), desk.posting([told], request, actor.cause, removal_place(userid)):
            if home.journal.ending(actor.cause) is None:
                home.journal.write(Entry(desk.now(), actor.cause, Ending.DONE))
            home.remove_player(userid)
        for address in account.addresses:
            home.bounces.forget(address)
    return Handled(f"deleted an account that had {len(boards)} boards")


def _boards_of(userid: str, desk: Desk, cause: str = "") -> Iterator[Game]:
    """Yield the games of a player that go on, or that a mail has ended; no damaged ones."""
    for kind in KINDS.values():
        for board in desk.home.boards(kind.name):
            with suppress(DamagedHistory):
                game = read_game(desk.home, kind, board)
                goes_on = game.result is None and game.side_of(userid)
                if goes_on or game.has_cause(cause):
                    yield game


def _give_up(header: Header, actor: Actor, request: Request, desk: Desk) -> None:
    """Resign a board, or decline it where the player has not played; tell both players."""
    kind, cause = header.kind.name, actor.cause
    place = board_place(kind, header.board)
    with open_board(desk.home, header.kind, header.board) as board:
        game = board.game
        side = game.side_of(actor.userid)
        if game.has_cause(cause):
            board.complete()
            desk.home.sync_history(kind, header.board)
            desk.home.outbox.finish(cause, place)
        elif side and not game.result:
            deed = Deed.RESIGN if game.has_played(side) else Deed.DECLINE
            ended = game.act(side, deed, max(desk.now(), game.latest), cause)
            notices = tell_players(ended, News.PLAYED, desk, request, actor=actor.account)
            with desk.posting(notices, request, cause, place):
                board.append(ended)


SIGNED: dict[type, Action] = {Signoff: sign_off, Delete: delete}
