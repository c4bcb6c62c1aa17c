"""Which placements Churn allows and what they remove, on small boards; `?` marks the cell."""

import pytest

from pbm_oust.rules import Result, Shape, Side, parse_grid
from pbm_oust.rules.churn import KIND, ChurnEnding, NotSmallest, TouchesFriend
from pbm_oust.rules.grid import hexagon
from pbm_oust.rules.position import Occupied, taken
from tests.support.boards import O, X, churn_board, drawn, names, placed, placements, refusal, rows

CROWDED = """
  x x o
 . . o x
? x o o o
 . . x x
  x o x
"""
"""Every free cell touches a stone of x, which has a group of three, a pair and three singles."""

LAST_CELL = """
 x o
o o x
 ? x
"""
"""A stone of x on the last free cell makes a group of three, and x has a single stone besides."""


def test_a_stone_that_touches_no_friend_goes_on_the_board_and_ends_the_turn() -> None:
    before = churn_board(
        """
          x . .
         . . o .
        . . o . .
         . . . .
          . ? .
        """
    )

    after = placed(before, "B1")

    assert drawn(after) == rows(
        """
          x . .
         . . o .
        . . o . .
         . . . .
          . x .
        """
    )
    assert (after.to_move, after.is_mid_turn, after.result) == (O, False, None)


def test_as_long_as_a_cell_touches_no_friend_such_a_cell_must_be_chosen() -> None:
    before = churn_board(
        """
          . . ?
         . x . ?
        ? . . . ?
         ? . x .
          ? . .
        """
    )

    assert placements(before) == "A1 A2 A3 E3 E4 E5"


def test_a_stone_that_touches_a_friend_is_refused_while_a_cell_touches_none() -> None:
    before = churn_board(
        """
          x . x
         . . . .
        . . x ? .
         . . . .
          x . x
        """
    )

    assert placements(before) == "A3 E3"
    assert refusal(before, "D3") == TouchesFriend()


def test_enemy_stones_do_not_count_as_touching() -> None:
    before = churn_board(
        """
          o o o
         o o o .
        x o ? o .
         . o o .
          . . .
        """
    )

    assert "C3" in placements(before).split()


def test_a_stone_that_must_join_friends_makes_the_smallest_group_that_can_be_made() -> None:
    assert placements(churn_board(CROWDED)) == "A3"


def test_every_cell_where_the_group_is_as_small_may_be_chosen() -> None:
    before = churn_board(
        """
          x . x
         o x . .
        x o x . x
         x o . ?
          o x ?
        """
    )

    assert placements(before) == "C1 D2"


@pytest.mark.parametrize(("cell", "group"), [("A2", 3), ("B4", 4), ("B2", 6)])
def test_a_stone_that_makes_a_larger_group_than_another_is_refused(cell: str, group: int) -> None:
    before = churn_board(CROWDED)

    assert refusal(before, cell) == NotSmallest(group, smallest=2)


def test_a_group_that_a_stone_touches_twice_counts_once() -> None:
    before = churn_board(CROWDED)
    cell = before.grid.parse_cell("C4")
    pair, single = before.grid.groups(before.x & before.grid.neighbours(cell))

    assert {names(before.grid, each) for each in (pair, single)} == {"C5 D5", "B3"}
    assert refusal(before, "C4") == NotSmallest(4, smallest=2)


def test_all_own_groups_that_are_smaller_than_the_new_one_come_off_the_board() -> None:
    before = churn_board(CROWDED)

    after = placed(before, "A3")

    assert names(before.grid, taken(before, after)) == "A1 E4"


def test_own_groups_that_are_as_large_as_the_new_one_or_larger_stay() -> None:
    after = placed(churn_board(CROWDED), "A3")

    assert drawn(after) == rows(
        """
          x x o
         . . o .
        x x o o o
         . . x x
          . o x
        """
    )


def test_a_single_stone_removes_nothing() -> None:
    before = churn_board(
        """
          x x .
         . . . o
        x . . o o
         . . . .
          . . ?
        """
    )

    assert taken(before, placed(before, "C1")) == 0


def test_o_plays_by_the_same_rules() -> None:
    colours = str.maketrans("xo", "ox")
    before = churn_board(CROWDED.translate(colours), to_move=O)

    after = placed(before, "A3")

    assert drawn(after) == drawn(placed(churn_board(CROWDED), "A3")).translate(colours)
    assert after.to_move is X


@pytest.mark.parametrize("cell", ["A1", "C3"])
def test_a_cell_with_a_stone_of_either_side_is_occupied(cell: str) -> None:
    assert refusal(churn_board(CROWDED), cell) == Occupied()


@pytest.mark.parametrize(("mover", "winner"), [(X, O), (O, X)])
def test_the_side_with_more_stones_wins_whoever_places_the_last_one(
    mover: Side, winner: Side
) -> None:
    three_and_four = f"""
     {mover.value} {winner.value}
    {winner.value} ? {winner.value}
     {winner.value} {mover.value}
    """

    after = placed(churn_board(three_and_four, "hex 2", to_move=mover), "B2")

    assert after.result == Result(winner, ChurnEnding.MAJORITY)


def test_a_board_is_full_only_after_the_removals() -> None:
    after = placed(churn_board(LAST_CELL, "hex 2"), "A1")

    assert drawn(after) == rows(
        """
         . o
        o o x
         x x
        """
    )
    assert after.result is None
    assert placements(after) == "B3"


def test_the_tally_of_a_side_is_the_number_of_its_stones() -> None:
    position = churn_board(CROWDED)

    assert position.tally(X) == (8,)
    assert position.tally(O) == (6,)


@pytest.mark.parametrize(
    "size", ["2", "3", "4", "5", "6", "7", "3,4", "4,3", "1,2", "2,5", "3,3,5", "4,4,6"]
)
def test_a_grid_with_an_odd_number_of_cells_can_be_used(size: str) -> None:
    assert KIND.can_use(parse_grid(f"hex {size}"))


@pytest.mark.parametrize("size", ["2,3", "3,2", "4,5", "1,3", "2,4", "3,5", "3,4,5"])
def test_a_grid_with_an_even_number_of_cells_cannot_be_used(size: str) -> None:
    assert not KIND.can_use(parse_grid(f"hex {size}"))


def test_churn_is_played_on_hexagons_three_cells_a_side_where_no_other_is_named() -> None:
    assert list(KIND.defaults) == [Shape.HEX]
    assert KIND.default_grid == hexagon(3)
