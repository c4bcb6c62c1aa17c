"""Churn beside the naive rules: in random games, and on boards that play need not reach."""

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules import Grid, Result, Side
from pbm_oust.rules.churn import Churn, NotSmallest, fast_game, smallest_joins
from pbm_oust.rules.grid import hexagon
from tests.support.boards import churn_board, naive_churn_of, refused, scattered
from tests.support.naive import names_of
from tests.support.naive_churn import NaiveChurn
from tests.support.strategies import ChurnPlay, churn_plays, odd_grids, relaxed


def any_churn(grid: Grid, random: Random, marks: str) -> Churn:
    """Return a position that play need not reach."""
    return Churn(grid, *scattered(grid, random, marks), random.choice(list(Side)))


def assert_agrees_with_naive_rules(position: Churn) -> None:
    """Fail unless the naive rules have the same placements leading to the same positions."""
    grid, naive = position.grid, naive_churn_of(position)
    assert grid.names(position.placements()) == names_of(naive.placements())
    for cell in grid.each(position.placements()):
        assert naive_churn_of(position.place(cell)) == naive.place(grid.place_of(cell))


@relaxed
@given(odd_grids, st.randoms(use_true_random=False), st.sampled_from(["xo.", "xxo.", "xo..."]))
def test_the_engine_and_the_naive_rules_agree_on_boards_that_play_cannot_reach(
    grid: Grid, random: Random, marks: str
) -> None:
    assert_agrees_with_naive_rules(any_churn(grid, random, marks))


def test_the_engine_and_the_naive_rules_agree_on_every_board_of_seven_cells() -> None:
    for marks in product(".xo", repeat=7):
        a, b, c, d, e, f, g = marks
        board = churn_board(f"{a}{b}/{c}{d}{e}/{f}{g}", "hex 2")
        if "." in marks:
            assert_agrees_with_naive_rules(board)


@relaxed
@given(churn_plays)
def test_the_engine_and_the_naive_rules_play_the_same_game(play: ChurnPlay) -> None:
    naive = NaiveChurn.start(str(play.grid))
    for _, cell, after in play.steps():
        naive = naive.place(play.grid.place_of(cell))
        assert naive == naive_churn_of(after)


@relaxed
@given(churn_plays)
def test_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(play: ChurnPlay) -> None:
    *_, position = (position for position in play.last_positions() if not position.result)
    assert_refuses_like_naive_rules(position)


@relaxed
@given(odd_grids, st.randoms(use_true_random=False))
def test_on_any_board_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(
    grid: Grid, random: Random
) -> None:
    assert_refuses_like_naive_rules(any_churn(grid, random, "xxo."))


def assert_refuses_like_naive_rules(position: Churn) -> None:
    """Fail unless the naive rules refuse the same placements, for the same reasons."""
    grid, naive = position.grid, naive_churn_of(position)
    for cell in grid.each(grid.cells):
        fault, verdict = refused(position, cell), naive.judge(grid.place_of(cell))
        assert (fault.word if fault else None) == verdict.fault
        if isinstance(fault, NotSmallest):
            assert (fault.group, fault.smallest) == (verdict.group, verdict.smallest)


def test_the_smallest_joins_are_found_among_groups_of_very_different_sizes() -> None:
    grid = hexagon(7)
    random = Random(1)
    for _ in range(300):
        own = 0
        for _ in range(random.randrange(1, 7)):
            around = random.choice(list(grid.each(grid.cells)))
            for _ in range(random.randrange(5)):
                around |= grid.neighbours(around) & random.getrandbits(200)
            own |= around
        empty = grid.neighbours(own) & ~own
        formed = {cell: grid.flood(cell, own | cell).bit_count() for cell in grid.each(empty)}
        smallest = min(formed.values(), default=0)
        expected = sum(cell for cell, size in formed.items() if size == smallest)
        assert smallest_joins(grid, grid.groups(own), empty) == expected


# Churn played without making positions: the very same games, only faster


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
