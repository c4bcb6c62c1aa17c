"""Boards as plain text, in the manner of the Gamerz.net figures.

Cells are one space apart, and labels are on both sides, so that you can still read a board that is
quoted or shown in a proportional font.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from msgspec import Struct

from pbm_oust.board import Game
from pbm_oust.rules import Grid, Position, Shape, Side
from pbm_oust.rules.grid import COLUMNS

Line = Sequence[str | int]
"""A line from left to right: cells, and the text between them."""

GRIDS_REMEMBERED = 16
"""How many grids are kept ready to be drawn on."""
REMEMBERED = 64
"""How many drawings are remembered: more than one command shows in several letters each."""

_HEX_MARGIN = 3
"""The spaces between the row numbers and the widest row of a hexagonal board."""
_FREE, _STAR = ".", ","


class Glyphs(Struct, frozen=True):
    """The characters for the stones of each side, and for its latest stones."""

    x: tuple[str, str] = ("x", "X")
    o: tuple[str, str] = ("o", "O")


GLYPHS = Glyphs()


def board_text(position: Position, latest: int = 0, glyphs: Glyphs = GLYPHS) -> str:
    """Return the board, top row first, without a newline at the end.

    The stones in `latest` are drawn as capitals, unless other glyphs are given.
    """
    x, o = position.stones(Side.X), position.stones(Side.O)
    return draw_text(position.grid, x, o, latest, glyphs)


@lru_cache(maxsize=REMEMBERED)
def draw_text(grid: Grid, x: int, o: int, latest: int, glyphs: Glyphs) -> str:
    """Return a board with these stones of the two sides; the latest drawings are remembered."""
    bare, places = _bare(grid)
    drawn = [*bare]
    for stones, (usual, late) in ((x, glyphs.x), (o, glyphs.o)):
        for cell in grid.each(stones):
            drawn[places[cell]] = late if cell & latest else usual
    return "".join(drawn)


@lru_cache(maxsize=GRIDS_REMEMBERED)
def _bare(grid: Grid) -> tuple[Sequence[str], dict[int, int]]:
    """Return a board without stones in pieces, and which of them each cell is."""
    lines = _square_lines(grid) if grid.shape is Shape.SQUARE else _hex_lines(grid)
    behind, stars = behind_cells(lines), star_points(grid)
    drawn, places = [behind.pop(0)], {}
    for cell, text in behind.items():
        places[cell] = len(drawn)
        drawn += (_STAR if cell & stars else _FREE, text)
    return drawn, places


def behind_cells(lines: Sequence[Line]) -> dict[int, str]:
    """Return the text behind each cell of some lines; that before the first cell is behind 0."""
    behind, cell = {0: ""}, 0
    for nth, line in enumerate(lines):
        behind[cell] += "\n" if nth else ""
        for part in line:
            if isinstance(part, str):
                behind[cell] += part
            else:
                cell, behind[part] = part, ""
    return behind


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

    Star points are on the fourth lines from both edges (the third on shorter sides) and, if there
    is room, the middle line.
    """
    if length < 7:
        return []
    edge = 4 if length >= 12 else 3
    lines = {edge, length + 1 - edge}
    if length % 2 and length >= 9:
        lines.add((length + 1) // 2)
    return sorted(lines)


def _square_lines(grid: Grid) -> list[Line]:
    width = len(str(len(grid.rows)))
    columns = (" " * (width + 1) + " ".join(COLUMNS[: grid.size[0]]),)
    lines: list[Line] = [columns]
    for number, row in reversed(list(enumerate(grid.rows, 1))):
        cells = (part for cell in row for part in (" ", cell))
        lines.append((f"{number:>{width}}", *cells, f" {number}"))
    return [*lines, columns]


def _hex_lines(grid: Grid) -> list[Line]:
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
    return [list(_in_places(marks[number])) for number in range(height, -1, -1)]


def _in_places(marks: dict[int, str | int]) -> Iterator[str | int]:
    """Yield the parts of a line with each mark at its place."""
    done = 0
    for place, mark in sorted(marks.items()):
        yield " " * (place - done)
        yield mark
        done = max(place, done) + (len(mark) if isinstance(mark, str) else 1)


def players_text(game: Game) -> str:
    """Return both players with their figures: `x: rrognlie 41/46   o: alice 2/9`."""
    x, o = figures(game.position, Side.X), figures(game.position, Side.O)
    return f"x: {game.x} {x}   o: {game.o} {o}"


@lru_cache(maxsize=REMEMBERED)
def figures(position: Position, side: Side) -> str:
    """Return the figures of a side; the latest ones are remembered."""
    return "/".join(map(str, position.tally(side)))


@lru_cache(maxsize=REMEMBERED)
def cells_text(grid: Grid, some: int) -> str:
    """Return the names of cells, sorted by column, then by row; the latest are remembered."""
    return " ".join(grid.names(some))


def in_columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows as lines with aligned columns, two spaces apart."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
