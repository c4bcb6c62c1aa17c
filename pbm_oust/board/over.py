"""The remark of a history that says who won, or why nobody did. Pure.

    # over: dave won
    # over: dave won by the operator's award
    # over: carol declined

It stands right above the result, which names a side: after a swap, that may be any player's. It
follows from the records, as the result does.
"""

from pbm_oust.board.game import Game
from pbm_oust.board.notation import USERID
from pbm_oust.board.record import Deed, Ruling, Verb
import re
from pbm_oust.rules.position import How

OVER = "# over"
"""How the remark begins."""
_OF_PLAYER = re.compile(rf"{OVER}: ({USERID.pattern}) ((?:won|declined).*)")


def format_over(game: Game) -> str:
    """Return the remark about a game, without its newline; empty if it goes on."""
    return f"{OVER}: {_words(game)}" if game.result else ""


def with_other_player(line: str, old: str, new: str) -> str:
    """Return a line of a history, in which a player who is named in the remark has a new userid."""
    found = _OF_PLAYER.fullmatch(line)
    return f"{OVER}: {new} {found[2]}" if found and found[1] == old else line


def _words(game: Game) -> str:
    result, latest = game.result, game.records[-1].action if game.records else None
    is_award = isinstance(latest, Ruling) and latest.verb is Verb.AWARD
    by_award = " by the operator's award" if is_award else ""
    if result and result.winner:
        return f"{game.owner(result.winner)} won{by_award}"
    if latest is Deed.DECLINE:
        return f"{game.actor} declined"
    return "never begun" if result and result.how is How.VOID else f"a draw{by_award}"
