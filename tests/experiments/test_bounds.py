"""How many positions a board may have."""

from itertools import product

import pytest

from pbm_oust.experiments.counting import (
    RoomForPositions,
    canonical_form,
    fewest_kept,
    largest_grid,
    most_positions,
)
from pbm_oust.experiments.solve import forced_draws, solve
from pbm_oust.rules.grid import Grid, Shape, parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from tests.support.rings import slow

OUST, CHURN = KINDS["oust"], KINDS["churn"]
SMALL = ["square 2x2", "square 4x2", "hex 1,2", "hex 2", slow("square 3x3"), slow("hex 1,4")]
SOLVED = [
    *((OUST, name) for name in ("square 2x2", "square 4x2", "square 3x3", "square 4x3")),
    *((OUST, name) for name in ("hex 1,2", "hex 2", "hex 1,4", "hex 2,3")),
    *((CHURN, name) for name in ("hex 1,2", "hex 2")),
    *((OUST, name) for name in ("square 5x3", "square 4x4", "hex 1,5")),
]


def boards(grid: Grid) -> int:
    """Count the ways to put stones on a grid, those that differ by a symmetry once."""
    canonical = canonical_form(grid)
    forms = set()
    for marks in product((0, 1, 2), repeat=len(grid.names_of)):
        x, o = (
            sum(cell for cell, mark in zip(grid.names_of, marks, strict=True) if mark == side)
            for side in (1, 2)
        )
        forms.add(canonical(x, o))
    return len(forms)


@pytest.mark.parametrize("name", SMALL)
def test_the_positions_of_a_board_are_all_ways_to_put_stones_on_it(name: str) -> None:
    grid = parse_grid(name)
    assert most_positions(OUST, grid) == 4 * boards(grid)
    assert most_positions(CHURN, grid) == 2 * boards(grid)


@pytest.mark.parametrize(("kind", "name"), [*SOLVED[:10], *(slow(*each) for each in SOLVED[10:])])
def test_every_board_that_was_solved_kept_what_a_search_keeps_at_least(
    kind: Kind, name: str
) -> None:
    grid = parse_grid(name)
    wins, draws = RoomForPositions(10**6), RoomForPositions(10**6)
    solve(kind, grid, wins)
    forced_draws(kind, grid, draws)
    assert fewest_kept(kind, grid) <= max(wins.kept, draws.kept) <= most_positions(kind, grid)


@pytest.mark.parametrize(
    ("kind", "shape", "cells", "name"),
    [
        (OUST, Shape.SQUARE, 12, "square 4x3"),
        (OUST, Shape.SQUARE, 36, "square 6x6"),
        (OUST, Shape.HEX, 19, "hex 3"),
        (CHURN, Shape.HEX, 37, "hex 4"),
    ],
)
def test_of_grids_with_as_many_cells_the_most_even_one_is_named(
    kind: Kind, shape: Shape, cells: int, name: str
) -> None:
    assert str(largest_grid(kind, shape, lambda grid: grid.cells.bit_count() <= cells)) == name


def test_no_grid_is_named_if_none_fits() -> None:
    assert largest_grid(OUST, Shape.HEX, lambda _: False) is None
