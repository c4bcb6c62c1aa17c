"""Which placements Oust allows, what they take, and how turns and games go on and end, on small
boards; `?` marks the cell.
"""

import pytest

from pbm_oust.rules import Result, parse_grid
from pbm_oust.rules.oust import EnemyAsLarge, Oust, OustEnding, TakesNothing
from pbm_oust.rules.position import Occupied, taken
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


# How turns and games of Oust go on and end, on small boards; `?` marks the cells


CAPTURE_THREE = """
    . . . o o
    . o . . .
    x ? o . .
    . o . . .
    . . . . .
    """


def test_a_placement_that_takes_stones_obliges_the_same_side_to_place_again() -> None:
    after = placed(board(CAPTURE_THREE), "B3")

    assert (after.to_move, after.is_mid_turn, after.result) == (X, True, None)


def test_a_turn_goes_on_through_several_captures_and_ends_with_a_stone_that_takes_none() -> None:
    before = board(
        """
        . . . . .
        x ? o . .
        . . . ? o
        . . . x .
        o . . . .
        """
    )

    taking = placed(before, "B4 D3")

    assert drawn(taking) == rows(
        """
        . . . . .
        x x . . .
        . . . x .
        . . . x .
        o . . . .
        """
    )
    assert (taking.to_move, taking.is_mid_turn) == (X, True)
    assert (placed(taking, "B1").to_move, placed(taking, "B1").is_mid_turn) == (O, False)


def test_a_capture_that_leaves_its_side_no_placement_ends_the_turn() -> None:
    before = board(
        """
        x x . x
        x ? . o
        """,
        to_move=O,
    )

    after = placed(before, "C1")

    assert drawn(after) == rows(
        """
        x x . .
        x . o o
        """
    )
    assert (after.to_move, after.is_mid_turn, after.result) == (X, False, None)
    assert after.has_placement()


def test_a_side_without_any_placement_passes() -> None:
    before = board(
        """
        o . x o
        x o . o
        """
    )

    assert placements(before) == ""
    assert not before.has_placement()
    after = before.pass_turn()
    assert (after.to_move, after.result, drawn(after)) == (O, None, drawn(before))
    assert after.has_placement()


def test_taking_the_last_enemy_stone_wins_in_the_middle_of_a_turn() -> None:
    before = board(
        """
        x ? o .
        . . . .
        x ? o .
        """
    )

    after = placed(before, "B3 B1")

    assert drawn(after) == rows(
        """
        x x . .
        . . . .
        x x . .
        """
    )
    assert after.result == Result(X, OustEnding.CAPTURE)
    assert not after.is_mid_turn


@pytest.mark.parametrize("grid", ["square 3x3", "hex 2"])
def test_a_side_without_stones_has_not_lost_before_its_first_stone(grid: str) -> None:
    after = placed(Oust(parse_grid(grid)), "A1")

    assert after.tally(O) == (0, 0)
    assert (after.result, after.to_move) == (None, O)


def test_a_full_chequerboard_is_a_draw() -> None:
    before = board(
        """
        x o x
        o x o
        x o ?
        """
    )

    after = placed(before, "C1")

    assert after.result == Result(None, OustEnding.BLOCKED)
    assert placements(after) == ""


def test_a_board_with_free_cells_on_which_nobody_can_place_is_a_draw() -> None:
    cells = "A2 A3 C1 B4 D2 A4 B1 D1 A2 B1 B3 C2 C4 D3"

    after = placed(Oust(parse_grid("square 4x4")), cells)

    assert drawn(after) == rows(
        """
        o o x .
        o x . o
        x . o x
        . o x x
        """
    )
    assert after.result == Result(None, OustEnding.BLOCKED)
