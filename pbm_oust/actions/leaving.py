"""Leaving: signing off and coming back, all boards at once, and the end of an account."""

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.renaming import active_games, boards_of
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.actions.telling import tell_players
from pbm_oust.boards import open_board
from pbm_oust.commands.accounts import Delete, Signoff
from pbm_oust.commands.table import Command
from pbm_oust.journal import Ending, Entry
from pbm_oust.membership import signed_off_since, with_signed_off
from pbm_oust.notices import News, Told
from pbm_oust.players import Account, format_account
from pbm_oust.record import Deed
from pbm_oust.recovery import board_place, removal_place
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.position import Kind


def sign_off(command: Signoff, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Let a player take leave: boards that go on do so, and nobody starts new ones with him."""

    def change(account: Account) -> Account:
        return with_signed_off(account, signed_off_since(account) or desk.now())

    def tell(account: Account) -> tuple[Told, list[Told]]:
        boards = [game.name for game in active_games(account.userid, desk.home)]
        return Told(desk.player_at(account, request), "signed_off", {"boards": boards}), []

    return desk.change_account(change, tell, actor, request, Handled("signed off"))


def bring_back(command: Command, actor: Actor, handled: Handled, desk: Desk) -> None:
    """Let a player be there again who has sent a command, unless that was done before."""
    is_leaving = isinstance(command, Signoff | Delete)
    if signed_off_since(actor.account) and not is_leaving and handled.outcome != "done before":
        come_back(actor.userid, desk)


def come_back(userid: str, desk: Desk) -> None:
    """Let a player be there again, if he has signed off."""
    with desk.home.locked_players():
        account = desk.account_if_any(userid)
        if account and signed_off_since(account):
            desk.home.write_player(userid, format_account(with_signed_off(account, None)))


def delete(command: Delete, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Remove an account: its boards first, one by one, then what waits for a code, then the rest.

    A mail that comes again after a fault goes on where the first one ended.
    """
    home, userid = desk.home, actor.userid
    if home.journal.ending(actor.cause) is Ending.REFUSED:
        raise NotAllowed(Barred.REFUSED_BEFORE)
    boards = leave_boards(actor, request, desk)
    with home.locked_players():
        account = desk.account(userid)
        home.pending.forget_of(account, desk.now())
        facts = {"userid": userid, "boards": boards}
        told = Told(desk.player_at(account, request), "deleted", facts)
        with home.journal.held(), desk.posting([told], request, actor.cause, removal_place(userid)):
            if home.journal.ending(actor.cause) is None:
                home.journal.write(Entry(desk.now(), actor.cause, Ending.DONE))
            home.remove_player(userid)
        for address in account.addresses:
            home.bounces.forget(address)
    return Handled(f"deleted an account that had {len(boards)} boards")


def leave_boards(actor: Actor, request: Request, desk: Desk) -> list[str]:
    """Resign all boards of a player that go on, and decline those on which he has not moved yet.

    The other players and those who watch are told. Returns the names of the boards, those of an
    earlier try with the same mail among them. Raises DamagedHistory.
    """
    boards = boards_of(actor.userid, desk.home)
    return [
        f"{kind.name} {board}"
        for kind, board in boards
        if _leave(kind, board, actor, request, desk)
    ]


def _leave(kind: Kind, board: int, actor: Actor, request: Request, desk: Desk) -> bool:
    """Leave one board, and return whether this mail did so."""
    place = board_place(kind.name, board)
    with open_board(desk.home, kind, board) as opened:
        game = opened.game
        if game.has_cause(actor.cause):
            opened.complete()
            desk.home.sync_history(kind.name, board)
            desk.home.outbox.finish(actor.cause, place)
            return True
        side = game.side_of(actor.userid)
        if side is None or game.result:
            return False
        deed = Deed.RESIGN if game.has_played(side) else Deed.DECLINE
        left = game.act(side, deed, max(desk.now(), game.latest), actor.cause)
        told = tell_players(left, News.PLAYED, desk, request, actor=None)
        notices = [notice for notice in told if notice.reader.userid != actor.userid]
        with desk.posting(notices, request, actor.cause, place):
            opened.append(left)
        return True


SIGNED: dict[type, Action] = {Signoff: sign_off, Delete: delete}
