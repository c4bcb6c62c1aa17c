"""Positions drawn as text, the top row first.

    position = board(
        '''
        . . x
        . ? o
        . . .
        '''
    )

Spaces do not matter, `?` is a free cell that the test is about, and rows may also be parted by `/`.
"""

from dataclasses import replace

from pbm_oust.rules.grid import Grid, parse_grid, square
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import Side
from tests.unit.naive import Naive

X, O = Side.X, Side.O  # noqa: E741 - the side's name on every board


def rows(text: str) -> str:
    """Return a drawing in its shortest form: `..x/..o/...`."""
    lines = (line.replace(" ", "") for line in text.replace("?", ".").splitlines())
    return "/".join(line for line in lines if line)


def board(text: str, grid: str = "", *, to_move: Side = X, is_mid_turn: bool = False) -> Oust:
    """Return the position of a drawing; without a grid's name, on a square grid of its size."""
    lines = rows(text).split("/")
    on = parse_grid(grid) if grid else square(len(lines[0]), len(lines))
    assert [len(line) for line in lines] == [len(row) for row in reversed(on.rows)]
    marks = [
        (mark, cell)
        for line, row in zip(reversed(lines), on.rows, strict=True)
        for mark, cell in zip(line, row, strict=True)
    ]
    assert {mark for mark, _ in marks} <= set("xo.")
    x, o = (sum(cell for mark, cell in marks if mark == side.value) for side in Side)
    return Oust(on, x, o, to_move, is_mid_turn)


def drawn(position: Oust) -> str:
    """Return the drawing of a position in its shortest form, the reverse of `board`."""
    return "/".join(
        "".join(_mark(position, cell) for cell in row) for row in reversed(position.grid.rows)
    )


def _mark(position: Oust, cell: int) -> str:
    return "x" if cell & position.x else "o" if cell & position.o else "."


def other_to_move(position: Oust) -> Oust:
    """Return the same stones with the other side to move."""
    return replace(position, to_move=position.to_move.other)


def placed(position: Oust, cells: str) -> Oust:
    """Return the position after placements on the named cells, parted by spaces."""
    for name in cells.split():
        position = position.place(position.grid.parse_cell(name))
    return position


def names(grid: Grid, cells: int) -> str:
    """Return the names of cells, sorted by column, then by row, parted by spaces."""
    return " ".join(grid.names(cells))


def placements(position: Oust) -> str:
    """Return the names of the cells where the side to move may place."""
    return names(position.grid, position.placements())


def capturing(position: Oust) -> str:
    """Return the names of the cells where the side to move takes stones."""
    return names(position.grid, position.capturing())


def naive_of(position: Oust) -> Naive:
    """Return the same position for the naive rules."""
    grid, result = position.grid, position.result
    ended = (result.winner.value if result.winner else "draw") if result else None
    return replace(
        Naive.start(str(grid)),
        stones={
            grid.place_of(cell): side.value
            for side in Side
            for cell in grid.each(position.stones(side))
        },
        to_move=position.to_move.value,
        is_mid_turn=position.is_mid_turn,
        ended=ended,
    )
