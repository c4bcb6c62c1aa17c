"""Placements that the board does not allow: what is said of them, and that nothing is done."""

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.header import Terms
from pbm_oust.board.reasons import AfterTurn, AgainstRules, OfBoard, OffGrid
from pbm_oust.refusal import Illegal
from pbm_oust.rules.oust import Oust, TakesNothing
from pbm_oust.rules.position import Occupied
from tests.support.boards import board, drawn, rows
from tests.support.games import act, new_game, standing_at

OPEN_TURN = """
    . . . . o
    . . . . .
    x ? o . .
    . . . . .
    . . o o .
    """


def game() -> Game:
    """Return a game in which x can take C3 with B3 and must then place again."""
    return standing_at(new_game("square 5x5", Terms(swap=False)), board(OPEN_TURN))


def illegal(command: str) -> Illegal:
    """Return the refusal of a command."""
    with pytest.raises(Illegal) as refused:
        act(game(), command)
    return refused.value


def against_rules(refusal: Illegal) -> AgainstRules:
    """Return what was said of a placement that the rules refuse."""
    assert isinstance(refusal.reason, AgainstRules)
    return refusal.reason


@pytest.mark.parametrize("cell", ["F1", "A6", "I3", "A0", "Z25"])
def test_a_cell_that_the_grid_does_not_have_is_off_the_grid(cell: str) -> None:
    refusal = illegal(f"x {cell}")

    assert (refusal.reason, refusal.culprit) == (OffGrid(game(), nth=1), cell)


def test_a_cell_off_the_grid_later_in_the_turn_is_counted() -> None:
    refusal = illegal("x B3 F1")

    assert (refusal.reason, refusal.culprit) == (OffGrid(game(), nth=2), "F1")


def test_an_occupied_cell_is_against_the_rules() -> None:
    refusal = illegal("x C3")
    reason = against_rules(refusal)

    assert (reason.fault, refusal.culprit) == (Occupied(), "C3")
    assert (reason.nth, reason.played) == (1, ())


def test_a_placement_that_takes_nothing_is_against_the_rules() -> None:
    assert against_rules(illegal("x A4")).fault == TakesNothing(2)


def test_a_later_placement_is_judged_on_the_board_that_the_earlier_ones_made() -> None:
    refusal = illegal("x B3 C3")
    reason = against_rules(refusal)

    assert (reason.fault, refusal.culprit) == (TakesNothing(3), "C3")
    assert (reason.nth, reason.played) == (2, ("B3",))
    assert isinstance(reason.before, Oust)
    assert drawn(reason.before) == rows(
        """
        . . . . o
        . . . . .
        x x . . .
        . . . . .
        . . o o .
        """
    )


def test_a_placement_after_the_end_of_the_turn_is_illegal() -> None:
    refusal = illegal("x B3 E3 A5")

    reason = AfterTurn(game(), nth=3, played=("B3", "E3"), won=False)
    assert (refusal.reason, refusal.culprit) == (reason, "A5")


def test_a_second_placement_after_one_that_takes_nothing_is_illegal() -> None:
    refusal = illegal("x E3 B3")

    reason = AfterTurn(game(), nth=2, played=("E3",), won=False)
    assert (refusal.reason, refusal.culprit) == (reason, "B3")


def test_a_placement_after_the_winning_one_is_illegal() -> None:
    nearly_won = standing_at(new_game("square 3x3"), board("x ? o / . . . / . . ."))
    with pytest.raises(Illegal) as refused:
        act(nearly_won, "x B3 A1")

    reason = AfterTurn(nearly_won, nth=2, played=("B3",), won=True)
    assert (refused.value.reason, refused.value.culprit) == (reason, "A1")


def test_the_first_placement_at_fault_is_the_one_named() -> None:
    refusal = illegal("x b3 e5 z9")

    assert (refusal.culprit, against_rules(refusal).nth) == ("e5", 2)


@pytest.mark.parametrize("command", ["x B3 C3", "x B3 F1", "x B3 E3 A5"])
def test_nothing_of_a_command_is_done_if_one_of_its_placements_is_illegal(command: str) -> None:
    before = game()
    with pytest.raises(Illegal) as refused:
        act(before, command)

    assert isinstance(refused.value.reason, OfBoard)
    assert refused.value.reason.game is before
    assert before == game()
    assert act(before, "x B3").next_number == 2
