"""What the server and its operator do to a game. Pure."""

from itertools import takewhile
from typing import TYPE_CHECKING

from pbm_oust.board import reasons
from pbm_oust.board.record import Deed, Ruling, Verb
from dataclasses import replace
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import How, Result, Side

if TYPE_CHECKING:
    from pbm_oust.board.game import Game


def ruled(game: "Game", ruling: Ruling) -> "Game":
    """Return a game that is not over after what the server or its operator did, without a record.

    Raises NotAllowed if one player would own both sides, if a side would get more time that is not
    to move, and if there is no move to take back.
    """
    side = ruling.side
    match ruling.verb:
        case Verb.FORFEIT if side and game.has_played(side):
            return replace(game, result=Result(side.other, How.FORFEIT))
        case Verb.AWARD:
            return replace(game, result=Result(side, How.AGREED))
        case Verb.VOID | Verb.FORFEIT:
            return replace(game, result=Result(None, How.VOID))
        case Verb.ADOPT if side:
            if game.side_of(ruling.userid):
                raise NotAllowed(reasons.SamePlayer(), ruling.userid)
            x = ruling.userid if side is Side.X else game.x
            return replace(game, x=x, o=ruling.userid if side is Side.O else game.o)
        case Verb.EXTEND if side:
            game.check_turn(side)
        case Verb.UNDO:
            kept = sum(move.number <= ruling.back_to for move in game.line)
            if kept == len(game.line):
                raise NotAllowed(reasons.NothingToUndo(game))
            return game.with_moves(kept)
    return game


def before_latest_turn(game: "Game") -> int:
    """Return the number of the record after which the latest turn of a game began.

    It is the whole turn, also if it came in parts. Raises NotAllowed if no turn stands.
    """
    if not game.line:
        raise NotAllowed(reasons.NothingToUndo(game))
    *earlier, latest = game.line
    parts = takewhile(
        lambda move: move.side is latest.side and Deed.SWAP not in (move.action, latest.action),
        reversed(earlier),
    )
    return min([latest.number, *(move.number for move in parts)]) - 1
