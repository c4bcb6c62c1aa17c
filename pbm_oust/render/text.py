"""Boards as plain text, in the manner of the Gamerz.net figures.

Cells stand one space apart, and labels stand on both sides, so that you can still read a board that
is quoted or shown in a proportional font.
"""

from collections.abc import Iterable, Mapping, Sequence

from pbm_oust.board.game import Game
from pbm_oust.rules.grid import COLUMNS, Grid, Shape
from pbm_oust.rules.position import Position, Side

Letters = Mapping[Side, tuple[str, str]]
"""The character for the stones of each side, and the one for its latest stones."""

LETTERS: Letters = {side: (side.value, side.value.upper()) for side in Side}

_FREE, _STAR = ".", ","
_HEX_MARGIN = 3
"""The spaces between the row numbers and the widest row of a hexagonal board."""


def board_text(position: Position, latest: int = 0, letters: Letters = LETTERS) -> str:
    """Return the board, top row first, without a newline at the end.

    The stones in `latest` are drawn as capitals, unless other letters are given.
    """
    if position.grid.shape is Shape.SQUARE:
        return _square_text(position, latest, letters)
    return _hex_text(position, latest, letters)


def game_text(game: Game, letters: Letters = LETTERS) -> str:
    """Return the board of a game under a heading with both players and their figures."""
    heading = "   ".join(player_text(game, side) for side in Side)
    return f"{heading}\n\n{board_text(game.position, game.latest_stones(), letters)}"


def player_text(game: Game, side: Side) -> str:
    """Return a side with its owner and its figures: `x: rrognlie 41/46`."""
    tally = "/".join(map(str, game.position.tally(side)))
    return f"{side.value}: {game.owner(side)} {tally}"


def in_columns(rows: Iterable[Sequence[object]]) -> list[str]:
    """Return rows as lines with aligned columns, two spaces apart."""
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


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


def _square_text(position: Position, latest: int, letters: Letters) -> str:
    grid = position.grid
    width = len(str(len(grid.rows)))
    columns = " " * (width + 1) + " ".join(COLUMNS[: grid.size[0]])
    stars = star_points(grid)
    lines = [columns]
    for number, row in reversed(list(enumerate(grid.rows, 1))):
        cells = " ".join(_cell_text(position, cell, latest, letters, stars) for cell in row)
        lines.append(f"{number:>{width}} {cells} {number}")
    return "\n".join([*lines, columns])


def _hex_text(position: Position, latest: int, letters: Letters) -> str:
    """Return a hexagonal board: each row is half a cell out of line with the next.

    A column leans to the right as it goes down. Its letter stands below its lowest cell.
    """
    grid = position.grid
    height = len(grid.rows)
    width = len(str(height))
    places = {cell: 2 * column - row for cell, column, row in _places(grid)}
    shift = width + _HEX_MARGIN - min(places.values())
    marks = {number: {0: f"{number:>{width}}"} for number in range(1, height + 1)} | {0: {}}
    for cell, column, row in _places(grid):
        marks[row][shift + places[cell]] = _cell_text(position, cell, latest, letters, 0)
        if not grid.cell_at(column, row - 1):
            marks[row - 1][shift + places[cell] + 1] = COLUMNS[column - 1]
    return "\n".join(_line(marks[number]) for number in range(height, -1, -1))


def _places(grid: Grid) -> list[tuple[int, int, int]]:
    return [(cell, *grid.place_of(cell)) for row in grid.rows for cell in row]


def _line(marks: dict[int, str]) -> str:
    """Return a line with each text at its place."""
    line = ""
    for place, text in sorted(marks.items()):
        line = line.ljust(place) + text
    return line


def _cell_text(position: Position, cell: int, latest: int, letters: Letters, stars: int) -> str:
    for side in Side:
        if cell & position.stones(side):
            return letters[side][bool(cell & latest)]
    return _STAR if cell & stars else _FREE
