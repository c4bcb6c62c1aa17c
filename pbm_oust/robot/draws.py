"""When a house player offers a draw. Pure."""

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed

LONG = 4
"""A game is long that has had so many moves for each cell."""

EVEN = 0.05
"""How far from one half the likelihood may be in a game that is even."""


def offers_draw(game: Game, value: float, *, is_drawn: bool) -> bool:
    """Return whether the side to move, which is so likely to win, offers a draw after its turn.

    It does if the game is known to be drawn with best play, or is long and even; and then not
    again for as many records as the board has cells.
    """
    cells = game.header.grid.cells.bit_count()
    is_even = len(game.line) >= LONG * cells and abs(value - 0.5) < EVEN
    lately = game.records[-cells:]
    has_offered = any(
        record.action is Deed.PROPOSE and record.side is game.to_move for record in lately
    )
    return (is_drawn or is_even) and not has_offered
