"""Positions drawn as text, the top row first.

    position = board(
        '''
        . . x
        . ? o
        . . .
        '''
    )

Spaces do not matter, `?` is a free cell that the test is about, and `/` may also separate rows.
"""

from dataclasses import replace
from importlib import import_module
from random import Random
from typing import TypeVar

from pbm_oust.rules import Grid, Position, Side, parse_grid
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import square
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import Fault, IllegalPlacement
from tests.support.naive import Naive
from tests.support.naive_churn import NaiveChurn
from tests.support.naive_oust import NaiveOust

P = TypeVar("P", bound=Position)
N = TypeVar("N", bound=Naive)

X, O = Side.X, Side.O


def rows(text: str) -> str:
    """Return a drawing in its shortest form: `..x/..o/...`."""
    lines = (line.replace(" ", "") for line in text.replace("?", ".").splitlines())
    return "/".join(line for line in lines if line)


def board(text: str, grid: str = "", *, to_move: Side = X, is_mid_turn: bool = False) -> Oust:
    """Return the position of a drawing; without a grid's name, on a square grid of its size."""
    lines = rows(text).split("/")
    on = parse_grid(grid) if grid else square(len(lines[0]), len(lines))
    return Oust(on, *stones(text, on), to_move, is_mid_turn)


def churn_board(text: str, grid: str = "hex 3", *, to_move: Side = X) -> Churn:
    """Return the position of Churn of a drawing."""
    on = parse_grid(grid)
    return Churn(on, *stones(text, on), to_move)


def scattered(grid: Grid, random: Random, marks: str = "xo.") -> tuple[int, int]:
    """Return stones of x and of o that play need not reach: a random mark on each cell."""
    marked = {cell: random.choice(marks) for cell in grid.each(grid.cells)}
    x, o = (sum(cell for cell, mark in marked.items() if mark == side) for side in "xo")
    return x, o


def stones(text: str, on: Grid) -> tuple[int, int]:
    """Return the stones of x and of o in a drawing of this grid."""
    lines = rows(text).split("/")
    assert [len(line) for line in lines] == [len(row) for row in reversed(on.rows)]
    marks = [
        (mark, cell)
        for line, row in zip(reversed(lines), on.rows, strict=True)
        for mark, cell in zip(line, row, strict=True)
    ]
    assert {mark for mark, _ in marks} <= set("xo.")
    x, o = (sum(cell for mark, cell in marks if mark == side.value) for side in Side)
    return x, o


def drawn(position: Position) -> str:
    """Return the drawing of a position in its shortest form, the reverse of `board`."""
    return "/".join(
        "".join(_mark(position, cell) for cell in row) for row in reversed(position.grid.rows)
    )


def _mark(position: Position, cell: int) -> str:
    return next((side.value for side in Side if cell & position.stones(side)), ".")


def other_to_move(position: Oust) -> Oust:
    """Return the same stones with the other side to move."""
    return replace(position, to_move=position.to_move.other)


def placed(position: P, cells: str) -> P:
    """Return the position after placements on the named cells, separated by spaces."""
    for name in cells.split():
        position = position.place(position.grid.parse_cell(name))
    return position


def names(grid: Grid, cells: int) -> str:
    """Return the names of cells, sorted by column, then by row, separated by spaces."""
    return " ".join(grid.names(cells))


def placements(position: Position) -> str:
    """Return the names of the cells where the side to move may place."""
    return names(position.grid, position.placements())


def capturing(position: Position) -> str:
    """Return the names of the cells where the side to move takes stones."""
    return names(position.grid, position.capturing())


def refused(position: Position, cell: int) -> Fault | None:
    """Return why a placement is refused, or None if it is not."""
    try:
        position.place(cell)
    except IllegalPlacement as illegal:
        return illegal.fault
    return None


def refusal(position: Position, name: str) -> Fault:
    """Return what is wrong with the refused placement on the cell of this name."""
    fault = refused(position, position.grid.parse_cell(name))
    assert fault
    return fault


def naive_of(position: Oust) -> NaiveOust:
    """Return the same position for the naive rules."""
    naive = _with_stones(NaiveOust.start(str(position.grid)), position)
    return replace(naive, is_mid_turn=position.is_mid_turn)


def naive_churn_of(position: Churn) -> NaiveChurn:
    """Return the same position of Churn for the naive rules."""
    return _with_stones(NaiveChurn.start(str(position.grid)), position)


def naive_start(kind: str, grid: str) -> Naive:
    """Return the empty board of the naive rules of a kind, which is named as in the registry.

    They are the class RULES of a module named after the kind.
    """
    rules: type[Naive] = import_module(f"tests.support.naive_{kind}").RULES
    return rules.start(grid)


def _with_stones(empty: N, position: Position) -> N:
    grid, result = position.grid, position.result
    ended = (result.winner.value if result.winner else "draw") if result else None
    return replace(
        empty,
        stones={
            grid.place_of(cell): side.value
            for side in Side
            for cell in grid.each(position.stones(side))
        },
        to_move=position.to_move.value,
        ended=ended,
    )
