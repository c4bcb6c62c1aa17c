"""Trio, on square grids. Three stones in a row lose; a full board is a draw.

The first stone may not go on the cell in the middle of the board, if there is one.
"""

from dataclasses import dataclass
from enum import Enum

from pbm_oust.rules import Grid, Kind, Position, Result, Shape, Side
from pbm_oust.rules.grid import square
from pbm_oust.rules.position import Fault, IllegalPlacement, Occupied


class Ending(Enum):
    """How the rules of Trio end a game."""

    ROW = "row"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class InTheMiddle(Fault):
    """It is the first stone, and the cell is in the middle."""

    word = "in_the_middle"


@dataclass(frozen=True, slots=True)
class Trio(Position):
    """A position of Trio."""

    def placements(self) -> int:
        """Return the cells where the side to move may place; none once there is a result."""
        occupied = self.x | self.o
        if self.result:
            return 0
        return self.grid.cells & ~(occupied or middle(self.grid))

    def place(self, cell: int) -> "Trio":
        """Return the position after the side to move has placed a stone on `cell`.

        Raises IllegalPlacement if the rules refuse it.
        """
        if cell & (self.x | self.o):
            raise IllegalPlacement(Occupied())
        if not cell & self.placements():
            raise IllegalPlacement(InTheMiddle())
        mover = self.to_move
        own = self.stones(mover) | cell
        x, o = (own, self.o) if mover is Side.X else (self.x, own)
        result = None
        if has_row(self.grid, own):
            result = Result(mover.other, Ending.ROW)
        elif x | o == self.grid.cells:
            result = Result(None, Ending.FULL)
        return Trio(self.grid, x, o, mover.other, result=result)


def middle(grid: Grid) -> int:
    """Return the cell in the middle of a grid, or the empty set if four or two share it."""
    columns, rows = grid.size
    if columns % 2 == 0 or rows % 2 == 0:
        return 0
    return grid.cell_at(columns // 2 + 1, rows // 2 + 1)


def has_row(grid: Grid, own: int) -> bool:
    """Return whether three of some stones are in a row, straight or diagonal."""
    steps = (1, grid.stride, grid.stride + 1, grid.stride - 1)
    return any(own & own >> step & own >> 2 * step for step in steps)


def _has_room(grid: Grid) -> bool:
    return min(grid.size) >= 3 and max(grid.size) <= 7


KIND = Kind(
    name="trio",
    title="Trio",
    author="Ann Example",
    year=2026,
    start=Trio,
    endings=Ending,
    defaults={Shape.SQUARE: square(4)},
    can_use=_has_room,
)
