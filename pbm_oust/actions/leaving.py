"""Leaving: all boards at once, or the server for good."""

from pbm_oust.actions.desk import Action, Actor, Desk, Handled, Request
from pbm_oust.actions.renaming import (
    active_games,
    boards_of,
    check_boards,
    forget_addresses,
    mark_forgotten,
    rename_elsewhere,
    rename_on_boards,
)
from pbm_oust.actions.telling import tell_players
from pbm_oust.boards import open_board
from pbm_oust.commands.personal import Forget
from pbm_oust.journal import Ending, Entry
from pbm_oust.membership import becomes
from pbm_oust.notices import News, Told
from pbm_oust.record import Deed
from pbm_oust.recovery import board_place, gone_place
from pbm_oust.rules.position import Kind


def leave_boards(actor: Actor, request: Request, desk: Desk) -> int:
    """Resign all boards of a player that go on, and decline those on which he has not moved yet.

    The other players and those who watch are told. Returns how many boards that were, those of an
    earlier try with the same mail among them. Raises DamagedHistory.
    """
    boards = boards_of(actor.userid, desk.home)
    return sum(_leave(kind, board, actor, request, desk) for kind, board in boards)


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


def forget(command: Forget, request: Request, desk: Desk) -> Handled:
    """Remove a player from the server for good, or say what that would mean."""
    userid, cause = command.userid, request.cause(command.userid)
    if desk.home.journal.ending(cause) is Ending.DONE and not _is_under_way(userid, desk):
        facts = {"userid": userid, "left": 0, "word": ""}
        done = Told(desk.sender_of(request), "forgotten", facts, is_repeated=True)
        return desk.answer(done, request, Handled("done before"))
    actor = desk.authenticate(userid, command.password, request)
    if not command.is_sure:
        active = [game.name for game in active_games(userid, desk.home)]
        facts = {"active": active, "boards": len(boards_of(userid, desk.home))}
        return desk.answer(Told(desk.player_at(actor.account, request), "forget", facts), request)
    check_boards(userid, desk.home)
    word = mark_forgotten(userid, desk)
    left = leave_boards(actor, request, desk)
    is_named = bool(boards_of(userid, desk.home))
    rename_on_boards(userid, word, desk.home)
    facts = {"userid": userid, "left": left, "word": word if is_named else ""}
    done = Told(desk.player_at(actor.account, request), "forgotten", facts)
    with desk.home.locked_players(), desk.home.journal.held():
        rename_elsewhere(userid, None, desk.home)
        forget_addresses(desk.account(userid), desk.home)
        with desk.posting([done], request, cause, gone_place(userid)):
            # The account goes last: as long as it is there, the mail can finish what it began.
            desk.home.journal.write(Entry(desk.now(), cause, Ending.DONE))
            desk.home.remove_player(userid)
    return Handled("forgotten")


def _is_under_way(userid: str, desk: Desk) -> bool:
    """Return whether a player is about to be forgotten who is still there."""
    return desk.has_account(userid) and bool(becomes(desk.account(userid)))


UNSIGNED: dict[type, Action] = {Forget: forget}
