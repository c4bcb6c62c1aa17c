"""Who may do what on a board, and what it does."""

import pytest

from pbm_oust.board import Game
from pbm_oust.board.game import replay
from pbm_oust.board.header import Terms
from pbm_oust.board.reasons import (
    AfterTurn,
    AgainstRules,
    GameOver,
    MayNotPass,
    MustPass,
    NotYourTurn,
    OffGrid,
    SwapOff,
    SwapTooLate,
    game_in,
)
from pbm_oust.refusal import Illegal, NotAllowed, NotAllowedReason
from pbm_oust.rules import How, Result
from pbm_oust.rules.oust import Oust, TakesNothing
from pbm_oust.rules.position import Occupied
from tests.support.boards import O, X, board, drawn, names, rows
from tests.support.games import act, actions, new_game, play, standing_at
from tests.support.recorded import recorded_game

NO_SWAP = Terms(swap=False)


def barred(game: Game, command: str) -> NotAllowedReason:
    """Return the reason why a command is not allowed."""
    with pytest.raises(NotAllowed) as refused:
        act(game, command)
    assert game_in(refused.value.reason) is game
    return refused.value.reason


def must_pass() -> Game:
    """Return a game in which x has no placement and o has some."""
    return standing_at(
        new_game("square 4x2", NO_SWAP),
        board(
            """
            o . x o
            x o . o
            """
        ),
    )


def test_x_begins_and_the_sides_take_turns() -> None:
    game = new_game("square 3x3")

    assert (game.to_move, game.player_to_move) == (X, "rrognlie")
    game = act(game, "x A1")
    assert (game.to_move, game.player_to_move) == (O, "marksteere")
    assert act(game, "o C3").to_move is X


def test_nothing_is_played_out_of_turn() -> None:
    assert isinstance(barred(new_game(), "o D4"), NotYourTurn)
    assert isinstance(barred(act(new_game(), "x D4"), "x E9"), NotYourTurn)
    assert isinstance(barred(new_game(), "o pass"), NotYourTurn)
    assert isinstance(barred(new_game(), "o swap"), NotYourTurn)


@pytest.mark.parametrize("command", ["x D4", "o D4", "x pass", "o swap", "o resign", "x resign"])
def test_nothing_is_allowed_after_the_end(command: str) -> None:
    assert isinstance(barred(act(new_game(), "x resign"), command), GameOver)


def test_a_pass_is_not_allowed_while_there_are_placements() -> None:
    assert isinstance(barred(new_game(), "x pass"), MayNotPass)


def test_a_side_without_placements_passes() -> None:
    game = must_pass()

    assert game.must_pass
    game = act(game, "x pass")
    assert (actions(game), game.to_move, game.must_pass) == (["x pass"], O, False)


@pytest.mark.parametrize("command", ["x B2", "x A1", "x Z9"])
def test_a_side_without_placements_is_told_to_pass_whatever_it_places(command: str) -> None:
    assert isinstance(barred(must_pass(), command), MustPass)


def test_a_swap_exchanges_the_owners_and_leaves_the_stones() -> None:
    before = act(new_game("square 3x3"), "x A1")

    after = act(before, "o swap")

    assert (before.x, before.o) == ("rrognlie", "marksteere")
    assert (after.x, after.o) == ("marksteere", "rrognlie")
    assert after.position == before.position


def test_the_new_owner_of_o_is_to_move_after_a_swap() -> None:
    game = play(new_game("square 3x3"), "x A1", "o swap")

    assert (game.to_move, game.player_to_move) == (O, "rrognlie")
    assert (game.side_of("rrognlie"), game.side_of("marksteere")) == (O, X)
    assert act(game, "o C3").player_to_move == "marksteere"


def test_o_can_swap_as_its_first_action_only() -> None:
    begun = act(new_game(), "x D4")

    assert not new_game().can_swap
    assert begun.can_swap
    assert not act(begun, "o E9").can_swap
    assert not act(begun, "o swap").can_swap
    assert not act(begun, "x resign").can_swap


@pytest.mark.parametrize(
    ("commands", "swap"),
    [(["x D4", "o E9", "x K10"], "o swap"), (["x D4", "o swap"], "o swap"), ([], "x swap")],
)
def test_a_swap_at_any_other_time_is_too_late(commands: list[str], swap: str) -> None:
    assert isinstance(barred(play(new_game(), *commands), swap), SwapTooLate)


def test_a_swap_is_refused_where_it_is_off() -> None:
    game = act(new_game(terms=NO_SWAP), "x D4")

    assert not game.can_swap
    assert isinstance(barred(game, "o swap"), SwapOff)


@pytest.mark.parametrize(
    ("command", "result"),
    [("x resign", Result(O, How.RESIGN)), ("o resign", Result(X, How.RESIGN))],
)
def test_either_side_can_resign_at_any_time(command: str, result: Result) -> None:
    before_any_move = act(new_game(), command)
    later = play(new_game(), "x D4", "o E9", command)

    assert (before_any_move.result, later.result) == (result, result)


def test_part_of_a_turn_waits_for_the_same_side() -> None:
    begun = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3", "x B1")

    assert begun.player_to_move == "rrognlie"
    assert isinstance(barred(begun, "o C3"), NotYourTurn)
    assert isinstance(barred(begun, "x pass"), MayNotPass)
    whole = act(begun, "x C2")
    assert (whole.to_move, actions(whole)[-2:]) == (O, ["x B1*1", "x C2"])


def test_a_game_can_be_seen_as_it_was_after_each_record() -> None:
    moves = recorded_game("oust-hex-3-007").turns()
    games = [new_game("hex 3")]
    for move in moves:
        games.append(act(games[-1], move))

    assert [games[-1].after(number) for number in range(len(games))] == games
    assert replay(games[-1].header, games[-1].records) == games[-1]


def test_the_latest_stones_are_those_of_the_latest_record() -> None:
    game = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3")

    assert names(game.header.grid, game.latest_stones()) == "A3"
    assert names(game.header.grid, act(game, "x B1 C2").latest_stones()) == "B1 C2"


@pytest.mark.parametrize("commands", [[], ["x A1", "o swap"], ["x A1", "o resign"]])
def test_there_are_no_latest_stones_unless_the_latest_record_placed_some(
    commands: list[str],
) -> None:
    assert play(new_game("square 3x3"), *commands).latest_stones() == 0


# Placements that the board does not allow: what is said of them, and that nothing is done


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

    reason = AfterTurn(game(), nth=3, played=("B3", "E3"), over=False)
    assert (refusal.reason, refusal.culprit) == (reason, "A5")


def test_a_second_placement_after_one_that_takes_nothing_is_illegal() -> None:
    refusal = illegal("x E3 B3")

    reason = AfterTurn(game(), nth=2, played=("E3",), over=False)
    assert (refusal.reason, refusal.culprit) == (reason, "B3")


def test_a_placement_after_the_winning_one_is_illegal() -> None:
    nearly_won = standing_at(new_game("square 3x3"), board("x ? o / . . . / . . ."))
    with pytest.raises(Illegal) as refused:
        act(nearly_won, "x B3 A1")

    reason = AfterTurn(nearly_won, nth=2, played=("B3",), over=True)
    assert (refused.value.reason, refused.value.culprit) == (reason, "A1")


def test_the_first_placement_at_fault_is_the_one_named() -> None:
    refusal = illegal("x b3 e5 z9")

    assert (refusal.culprit, against_rules(refusal).nth) == ("e5", 2)
