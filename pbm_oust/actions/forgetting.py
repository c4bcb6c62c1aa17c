"""Forgetting a player: his account goes, and his userid on all boards."""

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.leaving import leave_boards
from pbm_oust.actions.renaming import (
    active_games,
    boards_of,
    check_boards,
    forget_addresses,
    mark_forgotten,
    rename_elsewhere,
    rename_on_boards,
)
from pbm_oust.actions.request import Action, Handled, Request
from pbm_oust.actions.signing import authenticate
from pbm_oust.commands.personal import Forget
from pbm_oust.journal import Ending, Entry
from pbm_oust.membership import becomes
from pbm_oust.notices import Told
from pbm_oust.recovery import removal_place


def forget(command: Forget, request: Request, desk: Desk) -> Handled:
    """Remove a player from the server for good, or say what that would mean."""
    userid, cause = command.userid, request.cause(command.userid)
    if desk.home.journal.ending(cause) is Ending.DONE and not _is_under_way(userid, desk):
        facts = {"userid": userid, "left": 0, "word": ""}
        done = Told(desk.sender_of(request), "forgotten", facts, is_repeated=True)
        return desk.answer(done, request, Handled("done before"))
    actor = authenticate(userid, command.password, request, desk)
    if not command.is_sure:
        active = [game.name for game in active_games(userid, desk.home)]
        facts = {"active": active, "boards": len(boards_of(userid, desk.home))}
        return desk.answer(Told(desk.player_at(actor.account, request), "forget", facts), request)
    check_boards(userid, desk.home)
    word = mark_forgotten(userid, desk)
    left = leave_boards(actor, request, desk)
    is_named = bool(boards_of(userid, desk.home))
    rename_on_boards(userid, word, desk.home)
    facts = {"userid": userid, "left": len(left), "word": word if is_named else ""}
    done = Told(desk.player_at(actor.account, request), "forgotten", facts)
    with desk.home.locked_players(), desk.home.journal.held():
        account = desk.account(userid)
        rename_elsewhere(userid, None, desk.home)
        forget_addresses(account, desk.home)
        desk.home.pending.forget_of(account, desk.now())
        with desk.posting([done], request, cause, removal_place(userid)):
            # The account goes last: as long as it is there, the mail can finish what it began.
            desk.home.journal.write(Entry(desk.now(), cause, Ending.DONE))
            desk.home.remove_player(userid)
    return Handled("forgotten")


def _is_under_way(userid: str, desk: Desk) -> bool:
    """Return whether a player is about to be forgotten who is still there."""
    return desk.has_account(userid) and bool(becomes(desk.account(userid)))


UNSIGNED: dict[type, Action] = {Forget: forget}
