"""Who may act on a board, and for which position a command is meant."""

from pbm_oust.actions.desk import Desk
from pbm_oust.actions.request import Actor
from pbm_oust.boards import DamagedHistory, read_game
from pbm_oust.game import Game
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Side


def side_of(actor: Actor, game: Game, desk: Desk) -> Side:
    """Return the side that a player owns, whose mail was not refused before.

    Raises NotAllowed for one that was, for a player of other boards, and for an answer to a letter
    since which the board has changed.
    """
    if desk.home.journal.ending(actor.cause):
        raise NotAllowed(Barred.REFUSED_BEFORE, game=game)
    side = game.side_of(actor.userid)
    if side is None:
        raise NotAllowed(Barred.NOT_ON_BOARD, game=game, userid=actor.userid)
    if actor.reply and not game.meets_guard(actor.reply.number):
        raise NotAllowed(Barred.OLD_ANSWER, game=game, number=actor.reply.number)
    return side


def is_over(kind: str, board: int, desk: Desk) -> bool:
    """Return whether a board has ended or is none; one that cannot be read has not."""
    if kind not in KINDS:
        return True
    try:
        return read_game(desk.home, KINDS[kind], board).result is not None
    except DamagedHistory:
        return False
    except NotAllowed:
        return True


def check_guard(guard: int | None, game: Game) -> None:
    """Raise NotAllowed where a command is meant for another position than the board's."""
    if guard is not None and not game.meets_guard(guard):
        raise NotAllowed(Barred.OTHER_RECORD, f"#{guard}", game=game, guard=guard)
