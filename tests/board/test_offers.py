"""Draws proposed, moves taken back, games declined, and what the server or its operator does."""

from datetime import timedelta

import pytest

from pbm_oust.board import Game
from pbm_oust.board.history import BadHistory, read_history
from pbm_oust.board.notation import parse_ruling
from pbm_oust.board.reasons import DeclineTooLate, NoOffer, NothingToUndo, OfferWaits
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import How, Result, Side
from tests.support.games import act, actions, history_of, new_game, play


def barred(game: Game, command: str) -> NotAllowedReason:
    with pytest.raises(NotAllowed) as refused:
        act(game, command)
    return refused.value.reason


def rule(game: Game, words: str) -> Game:
    return game.rule(
        parse_ruling(words),
        game.header.started + timedelta(hours=game.next_number),
        f"{game.next_number:016x}",
    )


@pytest.fixture
def game() -> Game:
    return new_game("square 5x5")


def test_a_draw_that_is_accepted_ends_the_game(game: Game) -> None:
    over = play(game, "x C3", "x propose", "o accept")
    assert over.result == Result(None, How.AGREED)


def test_a_draw_may_be_proposed_out_of_turn_and_leaves_the_turn_as_it_is(game: Game) -> None:
    offered = play(game, "o propose")
    assert (offered.to_move, offered.offer) == (Side.X, offered.records[-1])


def test_what_is_rejected_is_no_longer_offered(game: Game) -> None:
    rejected = play(game, "x propose", "o reject")
    assert rejected.offer is None
    assert isinstance(barred(rejected, "o accept"), NoOffer)


def test_an_offer_lasts_until_a_move(game: Game) -> None:
    offered = play(game, "x C3", "o D1", "o propose")
    assert barred(offered, "o propose") == OfferWaits(offered, own=True)
    assert barred(offered, "x propose") == OfferWaits(offered, own=False)
    moved = act(offered, "x D5")
    assert moved.offer is None


def test_nobody_accepts_what_he_offers_himself(game: Game) -> None:
    assert isinstance(barred(play(game, "x propose"), "x accept"), NoOffer)


def test_a_move_is_taken_back_with_what_was_played_since(game: Game) -> None:
    before = play(game, "x C3", "o D1")
    back = play(before, "x E5", "o A1", "x undo", "o accept")
    assert back.position == before.position
    assert back.line == before.line
    assert len(back.records) == 6
    assert act(back, "x B1").to_move is Side.O


def test_a_swap_is_taken_back_by_the_player_who_swapped(game: Game) -> None:
    swapped = play(game, "x C3", "o swap")
    assert (swapped.x, swapped.o) == ("marksteere", "rrognlie")
    back = play(swapped, "x undo", "o accept")
    assert (back.x, back.o) == ("rrognlie", "marksteere")
    assert back.can_swap


def test_the_other_player_may_have_the_move_before_the_swap_back(game: Game) -> None:
    back = play(game, "x C3", "o swap", "o undo", "x accept")
    assert (back.x, back.o, [*back.line]) == ("rrognlie", "marksteere", [])


def test_who_has_not_moved_has_nothing_to_take_back(game: Game) -> None:
    assert isinstance(barred(play(game, "x C3"), "o undo"), NothingToUndo)


def test_a_latest_move_is_retracted_at_once_but_not_one_that_was_answered(game: Game) -> None:
    moved = play(game, "x C3", "o D1", "x E5")
    retracted = act(moved, "x retract")
    assert retracted.position == play(game, "x C3", "o D1").position
    assert isinstance(barred(moved, "o retract"), NothingToUndo)


def test_a_board_is_declined_before_the_first_move_only(game: Game) -> None:
    moved = act(game, "x C3")
    assert act(moved, "o decline").result == Result(None, How.VOID)
    assert isinstance(barred(moved, "x decline"), DeclineTooLate)


def test_the_guard_of_a_move_holds_through_talk_but_not_through_moves(game: Game) -> None:
    talked = play(game, "x C3", "o propose", "x reject", "x propose")
    assert talked.meets_guard(2)
    assert talked.meets_guard(talked.next_number)
    assert not talked.meets_guard(1)
    assert not talked.meets_guard(talked.next_number + 1)
    assert not talked.meets_guard(0)


def test_the_guard_of_a_move_does_not_hold_when_the_board_was_taken_back(game: Game) -> None:
    back = play(game, "x C3", "o D1", "o undo", "x accept")
    assert not back.meets_guard(3)


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ("forfeit x", Result(Side.O, How.FORFEIT)),
        ("forfeit o", Result(None, How.VOID)),
        ("award x", Result(Side.X, How.AGREED)),
        ("award draw", Result(None, How.AGREED)),
        ("void", Result(None, How.VOID)),
        ("remind x", None),
        ("extend o 3d", None),
        ("undo 0", None),
    ],
)
def test_what_the_server_and_its_operator_do(words: str, result: Result | None, game: Game) -> None:
    ruled = rule(act(game, "x C3"), words)
    assert ruled.result == result
    assert actions(ruled)[-1] == f"* {words}"
    assert ruled.actor == ""
    assert read_history(history_of(ruled)).game == ruled


def test_a_seat_is_handed_over_for_good(game: Game) -> None:
    adopted = rule(play(game, "x C3", "o D1"), "adopt o carol")
    assert (adopted.x, adopted.o) == ("rrognlie", "carol")
    back = play(adopted, "o undo", "x accept")
    assert (back.x, back.o) == ("rrognlie", "carol")
    assert read_history(history_of(back)).game == back


def test_nobody_plays_against_himself_by_adoption(game: Game) -> None:
    with pytest.raises(NotAllowed, match="same_player"):
        rule(game, "adopt o rrognlie")


def test_more_time_leaves_the_turn_the_offer_and_the_guard_as_they_are(game: Game) -> None:
    offered = play(game, "x C3", "x propose")
    extended = rule(offered, "extend o 3d")
    assert (extended.position, extended.offer) == (offered.position, offered.offer)
    assert extended.meets_guard(2)
    with pytest.raises(NotAllowed, match="not_your_turn"):
        rule(offered, "extend x 3d")


def test_the_operator_takes_back_all_moves_after_a_record(game: Game) -> None:
    before = play(game, "x C3", "o D1")
    after = play(before, "x E5", "x propose", "o A1")
    back = rule(after, "undo 2")
    assert (back.position, back.line, back.offer) == (before.position, before.line, None)
    assert rule(after, "undo 4").position == play(before, "x E5").position
    assert rule(after, "undo 0").position == game.position
    assert not back.meets_guard(after.next_number)
    with pytest.raises(NotAllowed, match="nothing_to_undo"):
        rule(back, "undo 2")
    assert act(back, "x E1").to_move is Side.O


def test_the_operator_takes_a_swap_back_and_adoptions_stay(game: Game) -> None:
    swapped = play(game, "x C3", "o swap")
    adopted = rule(swapped, "adopt x carol")
    assert (adopted.x, adopted.o) == ("carol", "rrognlie")
    back = rule(adopted, "undo 1")
    assert (back.x, back.o, back.can_swap) == ("rrognlie", "carol", True)
    assert read_history(history_of(back)).game == back


@pytest.mark.parametrize(
    ("commands", "number"),
    [
        (["x C3"], 0),
        (["x C3", "o D1", "o propose"], 1),
        (["x C3", "o swap"], 1),
        (["x C3", "o swap", "o D1"], 2),
        (["x C3", "o C2", "x E5", "o A1", "x B3"], 4),
        (["x C3", "o C2", "x E5", "o A1", "x B3", "x E1"], 4),
        (["x C3", "o D1", "x E5", "x retract"], 1),
    ],
)
def test_the_latest_turn_begins_behind_a_record(
    commands: list[str], number: int, game: Game
) -> None:
    assert play(game, *commands).before_latest_turn() == number


def test_before_the_first_turn_there_is_none(game: Game) -> None:
    with pytest.raises(NotAllowed, match="nothing_to_undo"):
        play(game, "x propose").before_latest_turn()


def test_nothing_is_ruled_when_the_game_is_over(game: Game) -> None:
    with pytest.raises(NotAllowed, match="game_over"):
        rule(rule(game, "void"), "void")


@pytest.mark.parametrize(
    "words",
    [
        *("forfeit", "forfeit draw", "void x", "award", "adopt x", "adopt x Carol", "remind z"),
        *("extend x", "extend x 3", "extend x 0d", "extend 3d", "undo", "undo x", "undo 01"),
    ],
)
def test_other_words_are_no_ruling(words: str) -> None:
    with pytest.raises(ValueError, match="no action"):
        parse_ruling(words)


@pytest.mark.parametrize("line", ["   1 x void", "   1 * resign", "   1 * C3"])
def test_a_side_does_not_rule_and_the_server_does_not_play(line: str, game: Game) -> None:
    record = f"{line:<34} 2026-11-20T15:36:00Z 0000000000000001\n"
    with pytest.raises(BadHistory, match=r"cannot do|is no"):
        read_history(history_of(game) + record.encode())
