"""Games played at random: fair choices, the same games again, and the figures they lead to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import sqrt
from random import Random
from typing import TypeVar

import pytest

from pbm_oust.experiments.shares import WonShare
from pbm_oust.experiments.simulate import (
    Figures,
    RandomGame,
    Totals,
    chooser,
    play,
    simulate,
)
from pbm_oust.rules import KINDS, Grid, Result, parse_grid
from pbm_oust.rules.churn import ChurnEnding
from pbm_oust.rules.grid import hexagon, square
from pbm_oust.rules.oust import Oust, OustEnding
from tests.support import tables
from tests.support.boards import O, X
from tests.support.rings import fast_if, is_fast_ring
from tests.support.strategies import course

tabled = tables.tabled(__file__)

T = TypeVar("T")

X_WON, O_WON = Result(X, OustEnding.CAPTURE), Result(O, OustEnding.CAPTURE)
DRAWN = Result(None, OustEnding.BLOCKED)


def unevenness(found: Counter[T], kinds: int) -> float:
    """Return how far the counts of so many kinds are from being equal, by the chi-square test.

    Where chance alone makes them differ, it is about `kinds` - 1.
    """
    counts = [*found.values(), *[0] * (kinds - len(found))]
    expected = sum(counts) / kinds
    return sum((count - expected) ** 2 for count in counts) / expected


def most_uneven(kinds: int) -> float:
    """Return the `unevenness` that fair counts stay below but once in thousands of times."""
    freedom = kinds - 1
    return freedom + 5 * sqrt(2 * freedom)


def some_cells(grid: Grid, number: int) -> int:
    """Return so many cells of a grid, scattered over it."""
    return sum(Random(number).sample(list(grid.each(grid.cells)), number))


@pytest.mark.parametrize("number", [1, 2, 3, 7, 8, 9, 10, 40, 127])
def test_every_cell_of_a_set_is_picked_about_equally_often(number: int) -> None:
    grid = hexagon(7)
    some = some_cells(grid, number)
    choose = chooser(grid, Random(1))

    picked = Counter(choose(some) for _ in range(500 * number))

    assert set(picked) <= set(grid.each(some))
    assert unevenness(picked, number) <= most_uneven(number)


@pytest.mark.parametrize(("number", "following"), [(3, 5), (3, 12), (12, 3), (12, 12)])
def test_a_pick_does_not_depend_on_the_one_before(number: int, following: int) -> None:
    grid = square(5)
    choose = chooser(grid, Random(1))
    one, two = some_cells(grid, number), some_cells(grid, following)

    pairs = Counter((choose(one), choose(two)) for _ in range(200 * number * following))

    assert unevenness(pairs, number * following) <= most_uneven(number * following)


some_games = pytest.mark.parametrize(
    ("kind", "grid"), [("churn", "hex 3"), ("oust", "square 5x5"), ("oust", "hex 3")]
)


def courses(
    kind: str, grid: str, games: int = 20, seed: int = 7, jobs: int = 1
) -> list[RandomGame]:
    """Return random games."""
    return list(simulate(KINDS[kind], parse_grid(grid), games, seed, jobs))


@some_games
def test_two_processes_give_the_games_of_one_in_the_same_order(kind: str, grid: str) -> None:
    assert courses(kind, grid, jobs=2) == courses(kind, grid, jobs=1)


@some_games
def test_the_games_of_one_seed_differ_and_those_of_another_are_others(kind: str, grid: str) -> None:
    assert len(set(courses(kind, grid))) > 10
    assert courses(kind, grid, seed=8) != courses(kind, grid, seed=7)
    assert courses(kind, grid, games=30)[:20] == courses(kind, grid, games=20)


@dataclass(frozen=True)
class Known:
    """What another program measured in at least 50,000 random games, and how many to play here."""

    kind: str
    grid: str
    games: int
    placements: float
    """The mean number of placements in a game."""


KNOWN = [
    Known("churn", "hex 3", 3000, 69.74),
    Known("churn", "hex 3,4", 600, 205.9),
    Known("churn", "hex 4", 150, 660.5),
    Known("oust", "square 5x5", 4000, 19.45),
    Known("oust", "square 7x7", 1000, 43.46),
    Known("oust", "hex 3", 5000, 10.13),
    Known("oust", "hex 4", 2000, 22.60),
]

X_WINS = {"square 5x5": 0.566, "square 7x7": 0.541, "hex 3": 0.599, "hex 4": 0.563}
"""The share of the games of Oust that x won there."""

TURNS = {"square 5x5": 14.6, "square 7x7": 31.0, "hex 3": 8.0, "hex 4": 16.4}
"""The mean number of turns in those games, rounded to tenths."""


def games_of(known: Known) -> int:
    """Return how many games are played; few in the fast ring."""
    return known.games // 5 if is_fast_ring() else known.games


@cache
def summary(known: Known) -> Totals:
    """Return the summary of random games."""
    grid = parse_grid(known.grid)
    return Totals.of(simulate(KINDS[known.kind], grid, games_of(known), seed=1))


def named(known: Known) -> str:
    """Return the kind and the grid."""
    return f"{known.kind} {known.grid}"


def is_fast(known: Known) -> bool:
    return named(known) in {"oust square 5x5", "churn hex 3"}


every_known = pytest.mark.parametrize("known", fast_if(is_fast, KNOWN), ids=named)
known_of_oust = pytest.mark.parametrize(
    "known", fast_if(is_fast, (known for known in KNOWN if known.kind == "oust")), ids=named
)


@pytest.mark.slow
@every_known
def test_random_games_have_as_many_placements_as_measured_elsewhere(known: Known) -> None:
    placements = summary(known).placements

    assert abs(placements.mean - known.placements) < 5 * placements.stderr


@known_of_oust
def test_random_games_have_as_many_turns_as_measured_elsewhere(known: Known) -> None:
    turns = summary(known).turns

    assert abs(turns.mean - TURNS[known.grid]) < 5 * turns.stderr + 0.05


@known_of_oust
def test_x_wins_as_many_random_games_as_measured_elsewhere(known: Known) -> None:
    share = summary(known).results["x"] / games_of(known)

    assert abs(share - X_WINS[known.grid]) < 5 * sqrt(0.25 / games_of(known))


@every_known
def test_every_random_game_is_won_by_one_side_on_these_grids(known: Known) -> None:
    results = summary(known).results

    assert results["x"] + results["o"] == games_of(known)
    assert results["draw"] == 0


def replayed(grid: Grid, seed: int) -> RandomGame:
    """Return the course of the random game of Oust that has this seed, told by its actions.

    Successive placements of one side are one turn, since after a turn the other side always acts.
    """
    choose = chooser(grid, Random(seed))
    steps = list(course(Oust(grid), 10_000, lambda before: _chosen(before, choose)))
    actions = [(before.to_move, bool(cell)) for before, cell, _ in steps]
    turns = [len(list(turn)) for (_, placed), turn in groupby(actions) if placed]
    result = steps[-1][2].result
    assert result
    return RandomGame(
        placements=sum(turns),
        turns=len(turns),
        passes=len(actions) - sum(turns),
        longest_chain=max(turns),
        result=result,
    )


def _chosen(position: Oust, choose: Callable[[int], int]) -> int:
    allowed = position.placements()
    return choose(allowed) if allowed else 0


@pytest.mark.parametrize("grid", [square(4, 2), square(3), square(5), hexagon(3)], ids=str)
def test_a_course_counts_placements_turns_passes_and_the_longest_chain(grid: Grid) -> None:
    for seed in range(150):
        assert play(KINDS["oust"], grid, Random(seed)) == replayed(grid, seed)


def test_the_games_that_are_counted_have_passes_chains_and_every_result() -> None:
    found = [replayed(square(4, 2), seed) for seed in range(150)]

    assert any(game.passes for game in found)
    assert any(game.longest_chain > 2 for game in found)
    assert {game.result for game in found} == {X_WON, O_WON, DRAWN}


def test_in_churn_every_turn_is_one_placement_and_nobody_passes() -> None:
    for game in courses("churn", "hex 3"):
        assert game.turns == game.placements
        assert (game.passes, game.longest_chain) == (0, 1)
        assert game.result.how is ChurnEnding.MAJORITY


def test_a_summary_adds_up_the_courses() -> None:
    whole = Totals.of(
        [
            RandomGame(placements=9, turns=7, passes=1, longest_chain=3, result=X_WON),
            RandomGame(placements=4, turns=4, passes=0, longest_chain=1, result=DRAWN),
            RandomGame(placements=8, turns=4, passes=2, longest_chain=5, result=X_WON),
        ]
    )

    assert whole == Totals(
        games=3,
        placements=Figures.of([9, 4, 8]),
        turns=Figures.of([7, 4, 4]),
        results={"x": 2, "o": 0, "draw": 1},
        passes=3,
        longest_chain=5,
        total_placements=21,
    )


def test_the_figures_of_some_numbers_are_mean_median_and_standard_error() -> None:
    assert Figures.of([0, 0, 0, 8]) == Figures(mean=2.0, median=0.0, stderr=2.0)
    assert Figures.of([7, 7, 7]) == Figures(7.0, 7.0, 0.0)
    assert Figures.of([5]) == Figures(5.0, 5.0, 0.0)


# Shares of games won, with their intervals, as Wilson (1927) has them


@tabled("won", "games", "low", "high", won=int, games=int, low=float, high=float)
def test_the_interval_is_that_of_wilson(won: int, games: int, low: float, high: float) -> None:
    assert WonShare(won, games).interval == pytest.approx((low, high), abs=1e-4)
