"""What players keep about single boards: notes, and which boards they watch."""

from collections.abc import Callable

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.boards import DamagedHistory, read_game
from pbm_oust.commands.masking import without_passwords
from pbm_oust.commands.personal import TakeNote, Unwatch, Watch
from pbm_oust.game import Game
from pbm_oust.notes import LONGEST, note_about, with_note
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.watching import MOST_WATCHED, watched_by, with_watched


def take_note(command: TakeNote, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Keep a note about a board, show it where nothing is written, or delete it."""
    game = read_game(desk.home, command.kind, command.board)
    if game.side_of(actor.userid) is None:
        raise NotAllowed(Barred.NOT_ON_BOARD, game=game, userid=actor.userid)
    text = "" if command.is_deleted else without_passwords(request.chat, command.password).strip()
    if len(text) > LONGEST:
        raise NotAllowed(Barred.NOTE_TOO_LONG, game=game, length=len(text), most=LONGEST)

    def told(account: Account, outcome: str) -> Told:
        note = note_about(account, game.name)
        facts = {"game": game, "note": note, "outcome": outcome}
        return Told(desk.player_at(account, request), "note", facts)

    if not text and not command.is_deleted:
        return desk.answer(told(actor.account, "shown"), request)
    outcome = "kept" if text else "deleted"
    return desk.change_account(
        lambda account: with_note(account, game.name, text),
        lambda account: (told(account, outcome), []),
        actor,
        request,
        Handled(f"note {outcome}", game.name),
    )


def watch(command: Watch, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Have the records of a board mailed to a player who does not play on it."""
    game = read_game(desk.home, command.kind, command.board)
    if game.result:
        raise NotAllowed(Barred.GAME_OVER, game=game)
    if game.side_of(actor.userid):
        raise NotAllowed(Barred.PLAYS_THERE, game=game)

    def change(account: Account) -> Account:
        names = [name for name in watched_by(account) if name != game.name]
        going_on = [name for name in names if _goes_on(name, desk)]
        if len(going_on) >= MOST_WATCHED:
            raise NotAllowed(Barred.TOO_MANY_WATCHED, game=game, most=MOST_WATCHED)
        return with_watched(account, (*going_on, game.name))

    return _change_watched(change, game, True, actor, request, desk)


def unwatch(command: Unwatch, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Have the records of a board mailed no longer."""
    game = read_game(desk.home, command.kind, command.board)

    def change(account: Account) -> Account:
        return with_watched(account, (name for name in watched_by(account) if name != game.name))

    return _change_watched(change, game, False, actor, request, desk)


def _change_watched(
    change: Callable[[Account], Account],
    game: Game,
    is_watched: bool,
    actor: Actor,
    request: Request,
    desk: Desk,
) -> Handled:
    def tell(account: Account) -> tuple[Told, list[Told]]:
        names = [name for name in watched_by(account) if _goes_on(name, desk)]
        facts = {"game": game, "is_watched": is_watched, "names": names}
        return Told(desk.player_at(account, request), "watch", facts), []

    handled = Handled("watched" if is_watched else "watched no longer", game.name)
    return desk.change_account(change, tell, actor, request, handled)


def _goes_on(name: str, desk: Desk) -> bool:
    """Return whether a board is there and not over; one that is damaged may be."""
    kind, _, board = name.partition(" ")
    if kind not in KINDS:
        return False
    try:
        return read_game(desk.home, KINDS[kind], int(board)).result is None
    except NotAllowed:
        return False
    except DamagedHistory:
        return True


SIGNED: dict[type, Action] = {TakeNote: take_note, Watch: watch, Unwatch: unwatch}
