"""Where the parts of a board lie in a picture of it, as paths of SVG. Pure.

A picture needs no font: letters and digits are strokes.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pkgutil import get_data

from msgspec import Struct

from pbm_oust.render.text import GRIDS_REMEMBERED, star_points
from pbm_oust.rules import Grid, Shape
from pbm_oust.rules.grid import COLUMNS

STROKE_HEIGHT = 14
"""How high each letter or digit is, in the units of the picture."""
_WIDTH, _ADVANCE = 10, 13
"""How wide one is, and how far its left edge is from the left edge of the next."""
STROKES: dict[str, str] = tomllib.loads((get_data(__package__, "strokes.toml") or b"").decode())
"""The commands of an SVG path that draw each of them from its upper left corner."""


def strokes_around(x: int, y: int, text: str) -> str:
    """Return the commands of an SVG path that write a text around a point."""
    left, top = x - (_ADVANCE * len(text) - _ADVANCE + _WIDTH) / 2, y - STROKE_HEIGHT // 2
    return "".join(
        f"M{left + _ADVANCE * nth:g} {top}{STROKES[letter]}" for nth, letter in enumerate(text)
    )


HALF = 20
"""Half the distance of two neighbouring cells of a row."""

_MARGIN = 56
"""From the outermost lines of a square board to its edges."""
_NAME = 20
"""From the edges of a square board to the middle of its coordinates."""

_SIDE, _SLOPE = 22, 12
"""How high the upright sides of a hexagonal cell are, and its slanting ones."""
_TIP = _SIDE // 2 + _SLOPE
"""From the middle of a hexagonal cell to its upper corner."""
_PAD = 16
"""From the corners of a hexagonal board to its edges."""

Place = tuple[int, int]
"""A point, from the left and from the top."""


class Layout(Struct, frozen=True):
    """A board without stones."""

    width: int
    height: int
    places: Mapping[int, Place]
    """The middle of each cell, top row first."""
    cell: str
    """The path around a cell whose middle is at 0 0."""
    lines: str
    """The path of the lines between the cells, or through them."""
    edge: str
    """The path around all cells of a hexagonal board; nothing on a square one."""
    stars: str
    """The path of the star points, as dots; it may be nothing."""
    names: str
    """The path of the coordinates."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def layout_of(grid: Grid) -> Layout:
    """Return the lines of a grid and the places of its cells."""
    return _square(grid) if grid.shape is Shape.SQUARE else _hexagonal(grid)


def _square(grid: Grid) -> Layout:
    columns, rows = grid.size
    right, bottom = (_MARGIN + 2 * HALF * (length - 1) for length in grid.size)
    width, height = right + _MARGIN, bottom + _MARGIN
    across = [(column, _MARGIN + 2 * HALF * (column - 1)) for column in range(1, columns + 1)]
    down = [(row, bottom - 2 * HALF * (row - 1)) for row in range(rows, 0, -1)]
    places = {grid.cell_at(column, row): (x, y) for row, y in down for column, x in across}
    lines = [f"M{_MARGIN} {y}H{right}" for _, y in down]
    lines += [f"M{x} {_MARGIN}V{bottom}" for _, x in across]
    letters = [
        strokes_around(x, y, COLUMNS[column - 1])
        for column, x in across
        for y in (_NAME, height - _NAME)
    ]
    numbers = [strokes_around(x, y, str(row)) for row, y in down for x in (_NAME, width - _NAME)]
    return Layout(
        width,
        height,
        places,
        cell=f"M{-HALF} {-HALF}h{2 * HALF}v{2 * HALF}h{-2 * HALF}z",
        lines="".join(lines),
        edge="",
        stars="".join("M{} {}h0".format(*places[star]) for star in grid.each(star_points(grid))),
        names="".join(letters + numbers),
    )


def _hexagonal(grid: Grid) -> Layout:
    lengths = [2 * column - row for column, row in map(grid.place_of, grid.names_of)]
    height = len(grid.rows)
    left = _PAD + 3 * HALF - HALF * min(lengths)
    top = _PAD + _TIP

    def place(column: int, row: int) -> Place:
        return left + HALF * (2 * column - row), top + (_SIDE + _SLOPE) * (height - row)

    places = {cell: place(*grid.place_of(cell)) for row in reversed(grid.rows) for cell in row}
    rows = [[places[cell] for cell in row] for row in reversed(grid.rows)]
    letters = [
        strokes_around(*place(column, row - 1), COLUMNS[column - 1])
        for column, row in map(grid.place_of, grid.names_of)
        if not grid.cell_at(column, row - 1)
    ]
    numbers = [
        strokes_around(row[0][0] - 2 * HALF, row[0][1], str(height - nth))
        for nth, row in enumerate(rows)
    ]
    around = f"l{HALF} {_SLOPE}v{_SIDE}l{-HALF} {_SLOPE} {-HALF} {-_SLOPE}v{-_SIDE}z"
    return Layout(
        left + HALF * max(lengths) + 3 * HALF + _PAD,
        top + (_SIDE + _SLOPE) * height + _PAD,
        places,
        cell=f"M0 {-_TIP}{around}",
        lines="".join(_inner_lines(rows)),
        edge=_edge(rows),
        stars="",
        names="".join(letters + numbers),
    )


def _inner_lines(rows: list[list[Place]]) -> Iterator[str]:
    """Yield the sides that two cells share: upright ones in rows, zigzags between rows."""
    for row in rows:
        if len(row) > 1:
            x, y = row[0]
            between = f"m{2 * HALF} {-_SIDE}v{_SIDE}" * (len(row) - 2)
            yield f"M{x + HALF} {y - _SIDE // 2}v{_SIDE}{between}"
    for upper, lower in pairwise(rows):
        first = max(upper[0][0], lower[0][0]) - HALF
        last = min(upper[-1][0], lower[-1][0]) + HALF
        # Below the middle of a cell of the upper row, the zigzag has a corner that points down.
        is_low = (first - upper[0][0]) % (2 * HALF) == 0
        corner = upper[0][1] + (_TIP if is_low else _SIDE // 2)
        yield f"M{first} {corner}{_zigzag((last - first) // HALF, HALF, is_low)}"


def _edge(rows: list[list[Place]]) -> str:
    """Return the path around all cells, clockwise from the upper left one."""
    upper, lower = rows[0], rows[-1]
    path = f"M{upper[0][0] - HALF} {upper[0][1] - _SIDE // 2}{_zigzag(2 * len(upper), HALF, True)}"
    for row, below in pairwise(rows):
        path += f"v{_SIDE}l{below[-1][0] - row[-1][0]} {_SLOPE}"
    path += f"v{_SIDE}{_zigzag(2 * len(lower), -HALF, False)}"
    for row, above in pairwise(reversed(rows)):
        path += f"v{-_SIDE}l{above[0][0] - row[0][0]} {-_SLOPE}"
    return f"{path}z"


def _zigzag(count: int, step: int, is_up: bool) -> str:
    """Return so many slanting sides, one after the other, the first of them up or down."""
    slopes = (-_SLOPE, _SLOPE) if is_up else (_SLOPE, -_SLOPE)
    return "".join(f"l{step} {slopes[nth % 2]}" for nth in range(count))
