"""What the sides are compared by: each feature on a drawn board, and what the help says of them."""

from pathlib import Path

import pytest

from pbm_oust.experiments import features
from pbm_oust.experiments.features import FEATURES, LEARNED, ahead
from pbm_oust.rules import KINDS, Side
from tests.support.boards import board, churn_board, names, placed

X, O = Side.X, Side.O
POSITION = board("""
    . . . . .
    . x o . .
    . x . . .
    . x . . o
    . . . . .
""")


def test_sizes_of_groups_are_compared() -> None:
    assert [features.sizes_of([POSITION], side) for side in Side] == [[3], [1, 1]]
    assert [features.largest_group([POSITION], side) for side in Side] == [3, 1]
    assert [features.average_group([POSITION], side) for side in Side] == [3, 1]
    assert features.largest_group([KINDS["oust"].start(POSITION.grid)], X) == 0
    assert features.average_group([KINDS["oust"].start(POSITION.grid)], X) == 0


def test_groups_are_smaller_whose_largest_one_is_or_the_next() -> None:
    large, small = ([-3, -1], [-2, -2, -1])
    assert small > large
    assert features.smaller_groups([POSITION], O) == [-1, -1]
    assert (
        ahead("churn", [churn_board(". x o / . x . . / . . . . o / . . . . / o . .")])[
            "smaller groups"
        ]
        is O
    )


def test_stones_that_come_off_are_lost_to_their_side() -> None:
    past = [POSITION, placed(POSITION, "B5")]
    assert [features.stones_lost(past, side) for side in Side] == [0, 1]
    before = churn_board("""
        x . o
       o . x .
      x . o . x
       o . x o
        x o .
    """)
    assert features.stones_lost([before, placed(before, "B3")], X) == 5


def test_own_cells_take_nothing_and_cannot_be_taken_by_the_next_stone() -> None:
    position = board("""
        . . . . .
        . . . . o
        . x x . o
        . . . . .
        . . x o x
    """)
    found = {side: names(position.grid, features.safe_cells(position, side)) for side in Side}
    assert found == {X: "A1 A2 A4 A5 B5 C5", O: "A5 D5"}
    assert [features.own_cells([position], side) for side in Side] == [6, 2]


def test_enemies_are_dead_beside_a_larger_group_only() -> None:
    assert [features.dead_enemies([POSITION], side) for side in Side] == [1, 0]
    equal = board("""
        . x x .
        . o o .
        . . . .
        . . . .
    """)
    assert [features.dead_enemies([equal], side) for side in Side] == [0, 0]


def test_a_group_counts_as_two_larger_than_all_that_it_touches() -> None:
    position = board("""
        x x x x .
        o o . . .
        . . . x o
        . . . . .
        . o . . .
    """)
    assert [features.two_larger([position], side) for side in Side] == [1, 0]
    assert features.two_larger([board("x x x . / o o . . / . . . . / . . . .")], X) == 0


def test_stones_off_the_rim_put_a_side_behind() -> None:
    position = churn_board("x . . / . . . o / x . . o . / . o . . / . . x")
    assert [features.on_the_rim([position], side) for side in Side] == [0, -2]
    assert ahead("churn", [position])["on the rim"] is X


def test_placements_are_those_of_the_side_if_it_were_to_move() -> None:
    position = churn_board("x . x / . o . . / . . . o x / x . . . / . . x")
    assert [features.placements([position], side) for side in Side] == [1, 4]


def test_nobody_is_ahead_where_the_sides_are_equal() -> None:
    assert ahead("oust", [KINDS["oust"].start(POSITION.grid)]) == {}


@pytest.mark.parametrize("kind", LEARNED)
def test_what_the_help_says_was_learned_of_a_feature(kind: str) -> None:
    for name, told in LEARNED[kind].items():
        assert name in FEATURES[kind]
        assert 0 <= told.won <= told.games
        assert KINDS[kind].plays_on(told.on)


@pytest.mark.parametrize("kind", LEARNED)
def test_the_docs_have_the_figures_of_the_help(kind: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text()
    for name, told in LEARNED[kind].items():
        row = (
            f"| {kind.title()} | {told.grid} | {told.turns} | {name} | {told.won} of {told.games} |"
        )
        assert row in text
