"""The places of the cells of a grid, and of its row and column names, in a drawn board. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from dataclasses import dataclass
from pbm_oust.rules.grid import COLUMNS, Grid, Shape

Line = tuple[str | int, ...]
"""A line from left to right: cells, and the text between them."""

GRIDS_REMEMBERED = 16
"""How many grids are kept ready to be drawn on."""

_HEX_MARGIN = 3
"""The spaces between the row numbers and the widest row of a hexagonal board."""


@cache
def board_lines(grid: Grid) -> tuple[Line, ...]:
    """Return the lines of a board, top row first."""
    return _square_lines(grid) if grid.shape is Shape.SQUARE else _hex_lines(grid)


@dataclass(frozen=True, slots=True)
class Point:
    """A cell of a board that is to be drawn."""

    cell: int
    is_star: bool
    """Whether it guides the eye."""
    behind: str
    """The text between it and the next cell."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def board_points(grid: Grid) -> tuple[str, tuple[Point, ...]]:
    """Return what stands before the first cell of a board, and its cells, top row first."""
    return points_in(grid, board_lines(grid))


def points_in(grid: Grid, lines: Sequence[Line]) -> tuple[str, tuple[Point, ...]]:
    """Return what stands before the first cell of these lines, and the cells in their order."""
    stars = star_points(grid)
    lead, *behind = _texts(lines)
    cells = [part for line in lines for part in line if isinstance(part, int)]
    return lead, tuple(
        Point(cell, bool(cell & stars), text) for cell, text in zip(cells, behind, strict=True)
    )


def _texts(lines: Iterable[Line]) -> Iterator[str]:
    """Yield the texts before, between and behind the cells of lines."""
    text = ""
    for nth, line in enumerate(lines):
        text += "\n" if nth else ""
        for part in line:
            if isinstance(part, str):
                text += part
            else:
                yield text
                text = ""
    yield text


@cache
def star_points(grid: Grid) -> int:
    """Return the star points of a square grid, which guide the eye; none on other grids."""
    if grid.shape is not Shape.SQUARE:
        return 0
    columns, rows = grid.size
    return sum(
        grid.cell_at(column, row) for column in _star_lines(columns) for row in _star_lines(rows)
    )


def _star_lines(length: int) -> list[int]:
    """Return the lines, counted from 1, that carry star points on a side of this length.

    They are the fourth lines from both edges (the third on shorter sides) and, if there is room,
    the middle line.
    """
    if length < 7:
        return []
    edge = 4 if length >= 12 else 3
    lines = {edge, length + 1 - edge}
    if length % 2 and length >= 9:
        lines.add((length + 1) // 2)
    return sorted(lines)


def _square_lines(grid: Grid) -> tuple[Line, ...]:
    width = len(str(len(grid.rows)))
    columns = (" " * (width + 1) + " ".join(COLUMNS[: grid.size[0]]),)
    rows = (
        _line([f"{number:>{width}}", *(part for cell in row for part in (" ", cell)), f" {number}"])
        for number, row in reversed(list(enumerate(grid.rows, 1)))
    )
    return (columns, *rows, columns)


def _hex_lines(grid: Grid) -> tuple[Line, ...]:
    """Return the lines of a hexagonal board: each row is half a cell out of line with the next.

    A column leans to the right as it goes down. Its letter is below its lowest cell.
    """
    height = len(grid.rows)
    width = len(str(height))
    places = [(cell, *grid.place_of(cell)) for row in grid.rows for cell in row]
    shift = width + _HEX_MARGIN - min(2 * column - row for _, column, row in places)
    marks: dict[int, dict[int, str | int]] = {
        number: {0: f"{number:>{width}}" if number else ""} for number in range(height + 1)
    }
    for cell, column, row in places:
        place = shift + 2 * column - row
        marks[row][place] = cell
        if not grid.cell_at(column, row - 1):
            marks[row - 1][place + 1] = COLUMNS[column - 1]
    return tuple(_line(_in_places(marks[number])) for number in range(height, -1, -1))


def _in_places(marks: dict[int, str | int]) -> Iterator[str | int]:
    """Yield the parts of a line with each mark at its place."""
    done = 0
    for place, mark in sorted(marks.items()):
        yield " " * (place - done)
        yield mark
        done = max(place, done) + _width(mark)


def _line(parts: Iterable[str | int]) -> Line:
    """Return a line in which texts that follow one another are one."""
    line: list[str | int] = []
    for part in parts:
        if line and isinstance(part, str) and isinstance(line[-1], str):
            line[-1] += part
        else:
            line.append(part)
    return tuple(line)


def _width(part: str | int) -> int:
    return len(part) if isinstance(part, str) else 1
