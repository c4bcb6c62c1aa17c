"""Which placements Oust allows and what they take, on small boards; `?` marks the cell."""

import pytest

from pbm_oust.rules.oust import Ending as OustEnding
from pbm_oust.rules.oust import EnemyAsLarge, TakesNothing
from pbm_oust.rules.position import Occupied, Result, taken
from tests.support.boards import (
    O,
    X,
    board,
    capturing,
    drawn,
    names,
    placed,
    placements,
    refusal,
    rows,
)


def test_a_stone_that_touches_no_friend_takes_nothing_and_ends_the_turn() -> None:
    before = board(
        """
        x . .
        . o .
        . ? .
        """
    )

    after = placed(before, "B1")

    assert drawn(after) == rows(
        """
        x . .
        . o .
        . x .
        """
    )
    assert (after.to_move, after.is_mid_turn, after.result) == (O, False, None)
    assert "B1" not in capturing(before)


def test_a_stone_that_touches_a_friend_must_take_something() -> None:
    before = board(
        """
        . . o
        . . .
        x ? .
        """
    )

    assert refusal(before, "B1") == TakesNothing(2)


def test_a_group_does_not_take_an_enemy_group_of_its_own_size() -> None:
    before = board(
        """
        . . . .
        x ? o o
        . . . .
        """
    )

    assert refusal(before, "B2") == EnemyAsLarge(2, 2, "C2")


def test_a_group_does_not_take_a_larger_enemy_group() -> None:
    before = board(
        """
        . . o .
        x ? o o
        . . o .
        """
    )

    assert refusal(before, "B2") == EnemyAsLarge(2, 4, "C1")


def test_one_enemy_group_that_is_not_smaller_saves_all_others() -> None:
    before = board(
        """
        . o . .
        x ? o o
        . o . .
        """
    )

    assert refusal(before, "B2") == EnemyAsLarge(2, 2, "C2")


def test_the_largest_of_the_enemy_groups_is_the_one_named() -> None:
    before = board(
        """
        . o . .
        x ? o o
        . o . .
        . o o .
        """
    )

    assert refusal(before, "B3") == EnemyAsLarge(2, 3, "B1")


def test_an_enemy_at_the_far_end_of_the_group_is_taken_too() -> None:
    before = board(
        """
        o x x ? .
        . . . . .
        . o . . .
        """
    )

    after = placed(before, "D3")

    assert drawn(after) == rows(
        """
        . x x x .
        . . . . .
        . o . . .
        """
    )


def test_a_placement_takes_every_enemy_group_that_the_new_group_touches() -> None:
    after = placed(
        board("""
        . . . o o
        . o . . .
        x ? o . .
        . o . . .
        . . . . .
        """),
        "B3",
    )

    assert drawn(after) == rows(
        """
        . . . o o
        . . . . .
        x x . . .
        . . . . .
        . . . . .
        """
    )


def test_a_stone_that_joins_two_groups_counts_both() -> None:
    before = board(
        """
        . . . . .
        x x ? x x
        o o o o .
        . . . . .
        """
    )

    assert names(before.grid, taken(before, placed(before, "C3"))) == "A2 B2 C2 D2"
    assert refusal(before, "E2") == EnemyAsLarge(3, 4, "A2")


@pytest.mark.parametrize("cell", ["A3", "B2"])
def test_a_cell_with_a_stone_of_either_side_is_occupied(cell: str) -> None:
    before = board("x . . / . o . / . . .")

    assert refusal(before, cell) == Occupied()


def test_on_a_hexagonal_grid_six_cells_around_a_stone_join_it() -> None:
    before = board(
        """
          . . .
         . ? ? .
        . ? x ? .
         . ? ? .
          . . .
        """,
        "hex 3",
    )

    assert placements(before) == "A1 A2 A3 B1 B4 C1 C5 D2 D5 E3 E4 E5"


def test_on_a_hexagonal_grid_a_group_of_two_takes_single_stones() -> None:
    before = board(
        """
          . . o
         . . ? .
        . . x o .
         . . . .
          . . .
        """,
        "hex 3",
    )

    after = placed(before, "D4")

    assert names(before.grid, taken(before, after)) == "D3 E5"
    assert after.result == Result(X, OustEnding.CAPTURE)


def test_the_tally_of_a_side_is_its_largest_group_and_all_its_stones() -> None:
    position = board(
        """
        x x . o
        x . o .
        . o o .
        x . . x
        """
    )

    assert position.tally(X) == (3, 5)
    assert position.tally(O) == (3, 4)
