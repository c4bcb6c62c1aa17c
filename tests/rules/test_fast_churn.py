"""Churn played without making positions: the very same games, only faster."""

from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules.churn import Churn, fast_game
from pbm_oust.rules.grid import Grid, hexagon
from pbm_oust.rules.position import Result
from tests.support.strategies import ChurnPlay, churn_plays, odd_grids, relaxed

Choice = tuple[int, int]
"""A set of cells that was offered, and the cell that was picked from it."""

Pick = Callable[[Grid, int], int]
"""Picks one cell of a set."""


def first(grid: Grid, some: int) -> int:
    return some & -some


def last(grid: Grid, some: int) -> int:
    return 1 << some.bit_length() - 1


def most_crowded(grid: Grid, some: int) -> int:
    return max(grid.each(some), key=lambda cell: (grid.neighbours(cell) & some).bit_count())


def loneliest(grid: Grid, some: int) -> int:
    return min(grid.each(some), key=lambda cell: (grid.neighbours(cell) & some).bit_count())


def at_random(seed: int) -> Pick:
    """Return a pick that leaves all to chance."""
    random = Random(seed)
    return lambda grid, some: random.choice(list(grid.each(some)))


def churn_by_positions(start: Churn, pick: Pick) -> tuple[list[Choice], Result]:
    """Return all choices and the result of a game of Churn that is played by positions."""
    grid, position, choices = start.grid, start, list[Choice]()
    while not position.result:
        offered = position.placements()
        choices.append((offered, pick(grid, offered)))
        position = position.place(choices[-1][1])
    return choices, position.result


def assert_fast_game_is_the_same(start: Churn, pick: Pick) -> None:
    """Fail unless a fast game offers, turn by turn, what positions do when all picks are the same.

    The first set of cells that differs fails.
    """
    choices, result = churn_by_positions(start, pick)
    upcoming = iter(choices)

    def choose(some: int) -> int:
        offered, picked = next(upcoming)
        assert some == offered
        return picked

    assert fast_game(start.grid, choose, start.x, start.o) == (len(choices), result)
    assert not list(upcoming)


@relaxed
@given(odd_grids, st.integers(0, 2**32))
def test_a_fast_game_of_churn_takes_the_turns_that_positions_take(grid: Grid, seed: int) -> None:
    assert_fast_game_is_the_same(Churn(grid), at_random(seed))


@pytest.mark.parametrize("pick", [first, last, most_crowded, loneliest])
@pytest.mark.parametrize(
    "grid", [hexagon(1, 2), hexagon(2), hexagon(3), hexagon(3, 4), hexagon(2, 6)], ids=str
)
def test_a_fast_game_of_churn_is_right_however_the_cells_are_picked(grid: Grid, pick: Pick) -> None:
    assert_fast_game_is_the_same(Churn(grid), pick)


def test_a_fast_game_of_thousands_of_turns_is_right() -> None:
    assert_fast_game_is_the_same(Churn(hexagon(5)), at_random(1))


@relaxed
@given(churn_plays, st.integers(0, 2**32))
def test_a_fast_game_goes_on_from_any_position(play: ChurnPlay, seed: int) -> None:
    start = next(reversed([*play.last_positions()]), Churn(play.grid))
    if start.result:
        return
    mover = start.to_move
    as_x = Churn(play.grid, start.stones(mover), start.stones(mover.other))
    assert_fast_game_is_the_same(as_x, at_random(seed))
