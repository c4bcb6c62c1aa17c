"""The table of a board as HTML: its rows of cells, its coordinates, and how large it is. Pure.

All lengths are relative to the size of the letters, so that one size makes the whole board larger.
A cell is two of them wide. On a hexagonal board it spans two columns of the table, because each row
is half a cell out of line with the next.
"""

from collections.abc import Iterator
from functools import lru_cache

from pbm_oust.render.lines import GRIDS_REMEMBERED, Line, Point, points_in
from pbm_oust.rules.grid import COLUMNS, Grid, Shape

WOOD, INK = "#ecd2a0", "#5a3d12"
"""The colours of the board, and of what is written on it."""

CELL = 2.0
_NUMBERS = 1.2
"""The width of the row numbers."""

_SCREEN = 344
"""The pixels that a narrow phone leaves for a mail."""
_SMALLEST, _LARGEST = 7.0, 18.0
USUAL = 16
"""The size of letters around a board, in pixels."""

_Row = tuple[str, dict[int, str | int]]
"""The number of a row, or nothing, and at each place a cell or the letter of a column."""


@lru_cache(maxsize=GRIDS_REMEMBERED)
def table_points(grid: Grid) -> tuple[str, tuple[Point, ...]]:
    """Return the HTML before the first cell of a board, and its cells, top row first.

    A cell is to be put between the name of its tag and its end tag.
    """
    return points_in(grid, tuple(_lines(grid)))


def letter_size(grid: Grid) -> float:
    """Return the size of letters, in pixels, with which a board fits on a phone, if it can.

    It is a multiple of half a pixel.
    """
    fitting = int(2 * _SCREEN / _width(grid)) / 2
    return max(_SMALLEST, min(_LARGEST, fitting))


def _width(grid: Grid) -> float:
    return _places(grid) * CELL / _span(grid) + 2 * _NUMBERS


def _lines(grid: Grid) -> Iterator[Line]:
    """Yield the lines of the table. Each row is a line, because lines of mail may not be long."""
    size, width = letter_size(grid), _width(grid)
    yield (
        f'<table width="{width * size:.0f}" cellpadding="0" cellspacing="0" style="'
        f"table-layout:fixed;border-collapse:separate;width:{width:g}em;border-radius:.4em;"
        f"background-color:{WOOD};color:{INK};font-family:Arial,sans-serif;font-weight:bold;"
        f'font-size:{size / USUAL:g}em;line-height:{CELL:g}em">',
    )
    numbers = f'<th width="{_NUMBERS * size:.0f}" style="width:{_NUMBERS}em">'
    wide = CELL / _span(grid)
    place = f'<td width="{wide * size:g}" style="width:{wide:g}em"></td>'
    yield (f"<tr>{numbers}</th>",)
    yield from ((place,) for _ in range(_places(grid)))
    yield (f"{numbers}</th></tr>",)
    for number, marks in _rows(grid):
        yield (
            f'<tr align="center" height="{CELL * size:g}"><th>{number}</th>',
            *_in_places(grid, marks),
            f"<th>{number}</th></tr>",
        )
    yield ("</table>",)


def _in_places(grid: Grid, marks: dict[int, str | int]) -> Iterator[str | int]:
    """Yield the parts of a row with each mark at its place."""
    done, last = 0, _places(grid)
    for place, mark in sorted(marks.items()):
        first, behind = max(0, place), min(last, place + _span(grid))
        if first > done:
            yield f"<td{_spanning(first - done)}></td>"
        span, done = _spanning(behind - first), behind
        if isinstance(mark, str):
            yield f"<th{span}>{mark}</th>"
        else:
            yield f"<td{span}"
            yield mark
            yield "</td>"
    if done < last:
        yield f"<td{_spanning(last - done)}></td>"


def _spanning(places: int) -> str:
    return f' colspan="{places}"' if places > 1 else ""


def _span(grid: Grid) -> int:
    """Return how many places a cell spans."""
    return 1 if grid.shape is Shape.SQUARE else 2


def _places(grid: Grid) -> int:
    """Return how many places a row has."""
    if grid.shape is Shape.SQUARE:
        return grid.size[0]
    first, last = _ends(grid)
    return last - first + 2


def _ends(grid: Grid) -> tuple[int, int]:
    """Return where the leftmost and the rightmost cell of a hexagonal board lie."""
    ends = [2 * column - row for column, row in map(grid.place_of, grid.names_of)]
    return min(ends), max(ends)


def _rows(grid: Grid) -> list[_Row]:
    """Return the rows of the table, top row first."""
    return _square_rows(grid) if grid.shape is Shape.SQUARE else _hex_rows(grid)


def _square_rows(grid: Grid) -> list[_Row]:
    letters: _Row = "", dict(enumerate(COLUMNS[: grid.size[0]]))
    rows: list[_Row] = [(str(nth), dict(enumerate(row))) for nth, row in enumerate(grid.rows, 1)]
    return [letters, *reversed(rows), letters]


def _hex_rows(grid: Grid) -> list[_Row]:
    """Return the rows of a hexagonal board. Letters are at both ends of their columns."""
    height, (shift, _) = len(grid.rows), _ends(grid)
    marks: list[dict[int, str | int]] = [{} for _ in range(height + 2)]
    for cell in grid.names_of:
        column, row = grid.place_of(cell)
        place = 2 * column - row - shift
        marks[row][place] = cell
        for end in (-1, 1):
            if not grid.cell_at(column, row + end):
                marks[row + end][place - end] = COLUMNS[column - 1]
    numbers = ["", *map(str, range(1, height + 1)), ""]
    return list(reversed(list(zip(numbers, marks, strict=True))))
