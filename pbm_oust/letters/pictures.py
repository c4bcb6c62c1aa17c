"""The boards that the help shows: a position, and the cells that its words are about."""

from functools import cache
from pkgutil import get_data

import msgspec
from msgspec import Struct

from pbm_oust.board.puzzle import steps_of
from pbm_oust.render.text import GLYPHS, Glyphs, draw_text
from pbm_oust.rules import Grid, Kind, Position, Side, parse_grid


class Picture(Struct, frozen=True):
    """A position, top row first, and the cells in it that are pointed out.

    The stones that were placed last are capitals.
    """

    grid: str
    rows: str
    marks: tuple[str, ...] = ()

    @property
    def cells(self) -> Grid:
        """The grid."""
        return parse_grid(self.grid)

    @property
    def stones(self) -> tuple[int, int, int]:
        """The stones of x and of o, and those that were placed last."""
        stones = dict.fromkeys("xoXO.", 0)
        cells = (cell for row in reversed(self.cells.rows) for cell in row)
        for cell, stone in zip(cells, "".join(self.rows.split()), strict=True):
            stones[stone] |= cell
        latest = stones["X"] | stones["O"]
        return stones["x"] | stones["X"], stones["o"] | stones["O"], latest

    @property
    def marked(self) -> int:
        """The cells that are pointed out."""
        return sum(map(self.cells.parse_cell, self.marks))

    @property
    def text(self) -> str:
        """The board as text, in which ? stands on the cells that are pointed out."""
        return _drawn(self)


PICTURES = msgspec.toml.decode(
    get_data(__package__, "pictures.toml") or b"", type=dict[str, Picture]
)
"""All of them by their names."""

_MARKING = Glyphs(x=("x", "?"))


@cache
def _drawn(drawn: Picture) -> str:
    x, o, latest = drawn.stones
    marks = drawn.marked
    glyphs = _MARKING if marks else GLYPHS
    return draw_text(drawn.cells, x | marks, o, latest | marks, glyphs)


def of_position(position: Position) -> Picture:
    """Return the picture of a position."""
    grid, x, o = position.grid, position.stones(Side.X), position.stones(Side.O)
    rows = (
        "".join("x" if cell & x else "o" if cell & o else "." for cell in row)
        for row in reversed(grid.rows)
    )
    return Picture(str(grid), " ".join(rows))


def of_steps(kind: Kind) -> tuple[tuple[str, Picture, tuple[str, ...]], ...]:
    """Return the steps of the rules of a game: the name of each, its board, and an answer."""
    return tuple(
        (step.name, of_position(step.game.position), step.answer) for step in steps_of(kind)
    )
