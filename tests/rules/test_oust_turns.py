"""How turns and games of Oust go on and end, on small boards; `?` marks the cells."""

import pytest

from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.oust import Ending as OustEnding
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import IllegalPass, Result
from tests.support.boards import O, X, board, capturing, drawn, placed, placements, rows

CAPTURE_THREE = """
    . . . o o
    . o . . .
    x ? o . .
    . o . . .
    . . . . .
    """


def test_x_places_first_and_anywhere_on_the_empty_board() -> None:
    start = Oust(parse_grid("square 3x2"))

    assert start.to_move is X
    assert placements(start) == "A1 A2 B1 B2 C1 C2"
    assert capturing(start) == ""


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


def test_a_side_that_has_a_placement_may_not_pass() -> None:
    with pytest.raises(IllegalPass):
        Oust(parse_grid("square 2x2")).pass_turn()
    with pytest.raises(IllegalPass):
        placed(board(CAPTURE_THREE), "B3").pass_turn()


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


def test_a_finished_game_has_no_placements() -> None:
    won = placed(
        board(
            """
            x ? o
            . . .
            """
        ),
        "B2",
    )

    assert (placements(won), capturing(won), won.has_placement()) == ("", "", False)


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
