"""Who may do what on a board, and what it does."""

import pytest

from pbm_oust.board.game import Game, replay
from pbm_oust.board.header import Terms
from pbm_oust.board.reasons import (
    GameOver,
    MayNotPass,
    MustPass,
    NotYourTurn,
    SwapOff,
    SwapTooLate,
    game_in,
)
from pbm_oust.board.record import Deed, Placement, Record, wish_of
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules.oust import Ending as OustEnding
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import How, Result
from tests.support.boards import O, X, board, drawn, names
from tests.support.games import act, actions, new_game, play, standing_at
from tests.support.recorded import recorded_game

NO_SWAP = Terms(swap=False)


def barred(game: Game, command: str) -> NotAllowedReason:
    """Return the reason why a command is not allowed."""
    with pytest.raises(NotAllowed) as refused:
        act(game, command)
    assert game_in(refused.value.reason) is game
    return refused.value.reason


def stones(game: Game) -> str:
    """Return the stones on the board as drawn text."""
    assert isinstance(game.position, Oust)
    return drawn(game.position)


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


def test_a_record_says_who_did_what_when_and_because_of_which_message() -> None:
    game = act(new_game("square 3x3"), "x A1")

    (record,) = game.records
    assert record == Record(1, X, (Placement("A1"),), record.at, "0000000000000001")
    assert game.next_number == 2


def test_a_placement_out_of_turn_is_not_allowed() -> None:
    assert isinstance(barred(new_game(), "o D4"), NotYourTurn)
    assert isinstance(barred(act(new_game(), "x D4"), "x E9"), NotYourTurn)


@pytest.mark.parametrize("command", ["o pass", "o swap"])
def test_a_pass_or_swap_out_of_turn_is_not_allowed(command: str) -> None:
    assert isinstance(barred(new_game(), command), NotYourTurn)


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


def test_a_stranger_owns_no_side() -> None:
    assert new_game().side_of("alice") is None


def test_o_can_swap_as_its_first_action_only() -> None:
    begun = act(new_game(), "x D4")

    assert not new_game().can_swap
    assert begun.can_swap
    assert not act(begun, "o E9").can_swap
    assert not act(begun, "o swap").can_swap
    assert not act(begun, "x resign").can_swap


def test_a_swap_after_the_first_placement_of_o_is_too_late() -> None:
    game = play(new_game(), "x D4", "o E9", "x K10")

    assert isinstance(barred(game, "o swap"), SwapTooLate)


def test_a_second_swap_is_too_late() -> None:
    game = play(new_game(), "x D4", "o swap")

    assert isinstance(barred(game, "o swap"), SwapTooLate)


def test_x_can_never_swap() -> None:
    assert isinstance(barred(new_game(), "x swap"), SwapTooLate)


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


def test_a_side_can_resign_in_the_middle_of_its_turn() -> None:
    game = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3", "x B1")

    assert game.position.is_mid_turn
    assert act(game, "x resign").result == Result(O, How.RESIGN)


def test_part_of_a_turn_waits_for_the_same_side() -> None:
    begun = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3", "x B1")

    assert begun.player_to_move == "rrognlie"
    assert isinstance(barred(begun, "o C3"), NotYourTurn)
    assert isinstance(barred(begun, "x pass"), MayNotPass)
    whole = act(begun, "x C2")
    assert (whole.to_move, actions(whole)[-2:]) == (O, ["x B1*1", "x C2"])


def test_a_whole_turn_in_one_command_leads_to_the_same_board() -> None:
    opening = play(new_game("square 3x3"), "x A1", "o C1", "x B3", "o A3")

    whole = act(opening, "x B1 C2")

    assert whole.position == play(opening, "x B1", "x C2").position
    assert actions(whole)[-1] == "x B1*1 C2"


def test_names_of_cells_are_recorded_in_capitals() -> None:
    assert actions(act(new_game(), "x d4")) == ["x D4"]


def test_capturing_the_last_stone_ends_the_game() -> None:
    game = play(new_game("square 3x3"), "x A1", "o C1", "x B1")

    assert game.result == Result(X, OustEnding.CAPTURE)
    assert (actions(game)[-1], stones(game)) == ("x B1*1", ".../.../xx.")


def test_a_blocked_board_ends_the_game_as_a_draw() -> None:
    game = play(new_game("square 2x2"), "x B2", "o B1", "x A1", "o A2")

    assert game.result == Result(None, OustEnding.BLOCKED)
    assert not game.must_pass


def test_a_message_is_known_by_the_record_it_caused() -> None:
    game = play(new_game(), "x D4", "o E9")

    assert game.records.has_message_key("0000000000000002")
    assert not game.records.has_message_key("0000000000000003")


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


def test_an_action_is_what_was_wished_with_what_it_took() -> None:
    game = play(new_game("square 3x3"), "x A1", "o swap", "o C1", "x B1")

    assert wish_of(game.records[1].action) is Deed.SWAP
    assert game.records[3].action == (Placement("B1", took=1),)


def test_a_refusal_leaves_the_game_as_it_was() -> None:
    game = play(new_game("square 3x3"), "x A1")
    with pytest.raises(Refusal):
        act(game, "o A1")

    assert (game.to_move, actions(game)) == (O, ["x A1"])
