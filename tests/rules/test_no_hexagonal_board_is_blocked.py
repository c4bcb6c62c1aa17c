"""The steps of the proof in docs/rules.md that somebody can always place on hexagonal boards.

Each step is a function that returns what contradicts it: nothing on hexagonal boards, and something
on square ones, or on boards that play cannot reach if the step is about play.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.render.text import board_text
from pbm_oust.rules import Grid, Side, parse_grid
from pbm_oust.rules.grid import LONGEST, hexagon, square
from pbm_oust.rules.oust import Oust
from tests.support.boards import board, other_to_move, scattered
from tests.support.reachable import reachable
from tests.support.rings import fast_if
from tests.support.strategies import Play, plays, relaxed

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"

HEXAGONS = ["hex 1,2", "hex 1,2,2", "hex 1,3", "hex 2", "hex 2,2,3,1,3,2", "hex 1,4", "hex 2,3"]
"""Those of up to ten cells; all their positions can be listed."""
SMALLER = HEXAGONS[:-1]
"""Those of which even all fillings are soon listed."""

FULL = "ox/xo"
ENCLOSED = "oox./ox.o/x.ox/.oxx"
BY_HAND = "xxxx/ooo/../x"
"""Blocked boards: the two square ones are of the document, the hexagonal one is not of play."""

larger_hexagons = st.sampled_from(
    [hexagon(*size) for size in [(3, 3), (3, 4), (3, 3, 5), (4, 4), (5, 5)]]
)
hexagonal_plays = plays.flatmap(
    lambda play: larger_hexagons.map(lambda grid: replace(play, grid=grid))
)


def fast_up_to(cells: int, names: list[str]) -> list[object]:
    """Return names of grids; the fast ring tries those with so few cells."""
    return fast_if(lambda name: parse_grid(name).cells.bit_count() <= cells, names)


def fillings(grid: Grid) -> Iterator[Oust]:
    """Yield every way to put stones on a grid, whether play can reach it or not.

    The first stone is x's: with the sides exchanged, the same holds.
    """
    for marks in product(range(3), repeat=grid.cells.bit_count()):
        if next(filter(None, marks), 1) == 2:
            continue
        x, o = (
            sum(cell for cell, mark in zip(grid.names_of, marks, strict=True) if mark == side)
            for side in (1, 2)
        )
        yield Oust(grid, x, o)


def subsets(grid: Grid) -> Iterator[int]:
    """Yield every set of cells of a grid."""
    some = grid.cells
    while some:
        yield some
        some = some - 1 & grid.cells


def largest_groups(position: Oust) -> list[int]:
    """Return the groups of either side that have the most stones."""
    groups = [group for side in Side for group in position.grid.groups(position.stones(side))]
    most = max(map(int.bit_count, groups), default=0)
    return [group for group in groups if group.bit_count() == most]


def free(position: Oust) -> int:
    """Return the cells without a stone."""
    return position.grid.cells & ~(position.x | position.o)


def can_somebody_place(position: Oust) -> bool:
    """Return whether x or o would have a placement."""
    return position.has_placement() or other_to_move(position).has_placement()


def broken_chains(grid: Grid) -> list[int]:
    """Return the cells whose neighbours do not hang together, or are fewer than two (step 1)."""
    around = {cell: grid.neighbours(cell) for cell in grid.each(grid.cells)}
    return [
        cell
        for cell, some in around.items()
        if some.bit_count() < 2 or grid.flood(some & -some, some) != some
    ]


def alone_on_shore(grid: Grid, group: int) -> int:
    """Return the cells on the shore of a group that touch no other cell of it (step 2)."""
    shore = grid.neighbours(group) & ~group & grid.neighbours(grid.cells & ~group)
    return shore & ~grid.neighbours(shore)


def enclosed(position: Oust) -> list[int]:
    """Return the groups of two or more stones that have no free cell beside them (step 3)."""
    return [
        group
        for side in Side
        for group in position.grid.groups(position.stones(side))
        if group.bit_count() > 1 and not position.grid.neighbours(group) & free(position)
    ]


def enclosed_singles(position: Oust) -> list[int]:
    """Return the stones without a free cell beside them, if no friends touch (step 4)."""
    grid = position.grid
    if any(grid.neighbours(stones) & stones for stones in (position.x, position.o)):
        return []
    stones = grid.each(position.x | position.o)
    return [stone for stone in stones if not grid.neighbours(stone) & free(position)]


def useless_cells(position: Oust) -> int:
    """Return the free cells beside a largest group on which neither side can place (step 5)."""
    grid = position.grid
    beside = reduce(or_, map(grid.neighbours, largest_groups(position)), 0)
    useful = position.placements() | other_to_move(position).placements()
    return beside & free(position) & ~useful


@pytest.mark.parametrize("other", fast_if(lambda side: side <= 3, range(1, LONGEST + 1)))
def test_the_neighbours_of_a_hexagonal_cell_form_a_chain(other: int) -> None:
    for side in range(1 if other > 1 else 2, LONGEST + 2 - other):
        assert broken_chains(hexagon(side, other)) == []


@pytest.mark.parametrize("name", fast_up_to(10, [*HEXAGONS, "hex 1,5", "hex 2,4"]))
def test_a_cell_on_a_shore_touches_another_whatever_the_group(name: str) -> None:
    grid = parse_grid(name)
    assert not any(alone_on_shore(grid, group) for group in subsets(grid))


@relaxed
@given(larger_hexagons, st.randoms(use_true_random=False))
def test_a_cell_on_a_shore_touches_another_on_larger_boards(grid: Grid, random: Random) -> None:
    assert not alone_on_shore(grid, random.getrandbits(grid.cells.bit_length()) & grid.cells)


@pytest.mark.parametrize("name", fast_up_to(7, HEXAGONS))
def test_in_every_position_of_play_groups_have_room_and_somebody_can_place(name: str) -> None:
    for position in reachable(name):
        assert not enclosed(position)
        assert (position.result and position.result.winner) or can_somebody_place(position)


@relaxed
@given(hexagonal_plays)
def test_on_larger_boards_groups_have_room_and_somebody_can_place(play: Play) -> None:
    for position in play.positions():
        assert not enclosed(position)
        assert (position.result and position.result.winner) or can_somebody_place(position)


@pytest.mark.parametrize("name", fast_up_to(7, SMALLER))
def test_however_stones_are_put_down_single_ones_have_room_and_a_largest_group_has_use(
    name: str,
) -> None:
    for position in fillings(parse_grid(name)):
        assert not enclosed_singles(position)
        assert not useless_cells(position)


@relaxed
@given(larger_hexagons, st.randoms(use_true_random=False))
def test_a_free_cell_beside_a_largest_group_has_use_on_larger_boards(
    grid: Grid, random: Random
) -> None:
    assert not useless_cells(Oust(grid, *scattered(grid, random)))


def test_neighbours_of_a_square_cell_do_not_touch() -> None:
    for grid in (square(2), square(3), square(4, 2), square(25)):
        assert broken_chains(grid) == list(grid.each(grid.cells))


def test_on_square_boards_a_cell_on_a_shore_can_be_alone() -> None:
    grid = square(3)
    assert grid.names(alone_on_shore(grid, grid.parse_cell("B2"))) == ["A2", "B1", "B3", "C2"]


def test_on_the_full_square_board_single_stones_have_no_room() -> None:
    position = board(FULL)
    assert position.grid.names(sum(enclosed_singles(position))) == ["A1", "A2", "B1", "B2"]
    assert not can_somebody_place(position)


def test_on_the_blocked_square_board_with_free_cells_the_large_groups_are_enclosed() -> None:
    position = board(ENCLOSED)
    x, o = (position.grid.names(group) for group in enclosed(position))
    assert (x, o) == (["C1", "D1", "D2"], ["A3", "A4", "B4"])
    assert not can_somebody_place(position)


@pytest.mark.parametrize("drawing", [FULL, ENCLOSED])
def test_play_reaches_the_blocked_square_boards(drawing: str) -> None:
    text = board_text(board(drawing))
    assert f"{text}\n\n= draw blocked" in DOCUMENT.read_text()


def test_a_hexagonal_board_can_be_blocked_by_hand_but_not_by_play() -> None:
    position = board(BY_HAND, "hex 1,4")
    assert board_text(position) in DOCUMENT.read_text()
    assert not can_somebody_place(position)
    (row,) = enclosed(position)
    assert position.grid.names(row) == ["A4", "B4", "C4", "D4"]
