"""Placing the stones that a player wishes to place, one after the other. Pure."""

from typing import TYPE_CHECKING

from pbm_oust.board import reasons
from pbm_oust.board.record import Place, Placement
from pbm_oust.refusal import Illegal, NotAllowed
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.rules.position import IllegalPlacement, Position, taken

if TYPE_CHECKING:
    from pbm_oust.board.game import Game


def placed(game: "Game", wish: Place) -> tuple[Position, tuple[Placement, ...]]:
    """Return the position after placements on a board, and what each of them was.

    Raises NotAllowed or Illegal.
    """
    position, done = game.position, list[Placement]()
    for nth, name in enumerate(wish.cells, 1):
        played = wish.cells[: nth - 1]
        if done and not position.is_mid_turn:
            over = position.result is not None
            raise Illegal(reasons.AfterTurn(game, nth, played, over=over), name)
        try:
            cell = game.header.grid.parse_cell(name)
            following = position.place(cell)
        except (NoSuchCell, IllegalPlacement) as wrong:
            if game.must_pass:
                raise NotAllowed(reasons.MustPass(game)) from None
            if isinstance(wrong, NoSuchCell):
                raise Illegal(reasons.OffGrid(game, nth), name) from None
            reason = reasons.AgainstRules(game, nth, played, wrong.fault, position)
            raise Illegal(reason, name) from None
        gone = taken(position, following)
        done.append(Placement(game.header.grid.format_cell(cell), gone.bit_count(), gone))
        position = following
    return position, tuple(done)


def taken_in_turn(game: "Game") -> int:
    """Return the cells from which the latest turn has taken stones so far."""
    cells, side = 0, game.line[-1].side if game.line else None
    for record in reversed(game.line):
        if record.side is not side:
            break
        if isinstance(record.action, tuple):
            for done in record.action:
                cells |= done.taken
    return cells
