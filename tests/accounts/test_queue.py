"""Turns that were queued: how accounts keep them, when they fit, and what follows a move."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.queue import (
    Clause,
    Orders,
    Plan,
    Prospect,
    derived_key,
    follow,
    is_passed_for,
    waiting,
)
from pbm_oust.board import Deed, Game, Place, Wish
from pbm_oust.board.history import read_history
from pbm_oust.board.notation import format_action, parse_wish
from pbm_oust.refusal import Refusal
from tests.support import tables
from tests.support.games import STARTED, act, actions, history_of, new_game, play
from tests.support.strategies import relaxed

tabled = tables.tabled(__file__)

X, O = "rrognlie", "marksteere"
MESSAGE_KEY = "feedfeedfeedfeed"


def plan(text: str, number: int, key: str = MESSAGE_KEY) -> Plan:
    """Return a plan like `if D4 then E5,F6` or `E5` on board 17."""
    condition, _, answer = text.removeprefix("if ").rpartition(" then ")
    clause = Clause(parse_wish(answer), parse_wish(condition) if condition else None)
    made = Plan.of("oust", 17, number, key, clause)
    assert str(made) == f"oust 17 {number} {key} {text}"
    return made


@pytest.fixture
def game() -> Game:
    return new_game("square 5x5")


@tabled("moves", "number", "text", "expected")
def test_a_plan_fits_the_turn_that_it_names(
    moves: str, number: str, text: str, expected: str, game: Game
) -> None:
    """It is of the player who is to answer that turn, if none is named."""
    words, _, userid = text.partition(" by ")
    after = play(game, *filter(None, moves.split("; ")))
    found = plan(words, int(number)).prospect(after, userid or (O, X)[(int(number) + 1) % 2])
    assert found.name == expected


def test_a_plan_is_of_no_use_on_another_board(game: Game) -> None:
    for other in (replace(plan("D4", 1), board=18), replace(plan("D4", 1), kind="churn")):
        assert other.prospect(game, O) is Prospect.GONE


# What follows


def followed(game: Game, **orders: Orders) -> Game:
    return follow(game, orders, STARTED.replace(year=2027))


def test_what_is_due_is_played_with_an_id_of_its_own(game: Game) -> None:
    orders = Orders((plan("if A1 then B1", 1), plan("if C3 then D1", 1)))
    after = followed(act(game, "x C3"), marksteere=orders)
    assert actions(after) == ["x C3", "o D1"]
    assert after.records[-1].message_key == derived_key(MESSAGE_KEY, 2)
    assert followed(after, marksteere=orders) is after


def test_what_is_not_legal_then_is_not_played(game: Game) -> None:
    moved = act(game, "x C3")
    assert followed(moved, marksteere=Orders((plan("C3", 1),))) is moved


def test_of_a_player_to_whom_nothing_is_due_nothing_is_played(game: Game) -> None:
    orders = Orders((plan("D1", 1),))
    assert followed(game, marksteere=orders) is game
    moved = act(game, "x C3")
    assert followed(moved, rrognlie=orders) is moved


MUST_PASS = ["x A2", "o C3", "x B1", "o A3", "x A1 B3", "o C2 A3", "x B3"]


def test_the_server_passes_only_for_who_wants_it_and_only_where_nothing_else_is_possible() -> None:
    game = play(new_game("square 3x3"), *MUST_PASS)
    assert game.must_pass
    owner = game.player_to_move
    assert followed(game) is game
    passed = followed(game, **{owner: Orders(autopass=True)})
    assert passed.records[-1].action is Deed.PASS
    assert is_passed_for(passed, passed.records[-1])
    by_hand = game.act(game.to_move, Deed.PASS, game.latest, MESSAGE_KEY)
    assert not is_passed_for(by_hand, by_hand.records[-1])
    placing = new_game("square 3x3")
    assert followed(placing, rrognlie=Orders(autopass=True)) is placing


def test_what_waits_on_a_board_is_what_fits_its_position() -> None:
    assert waiting([plan("D4", 1), plan("D4", 2)], O, new_game("square 5x5")) == (plan("D4", 1),)


@relaxed
@given(
    st.integers(0, 2**32),
    st.sampled_from([("oust", "square 4x4"), ("oust", "square 3x3"), ("churn", "hex 2")]),
)
def test_plans_play_nothing_illegal_nothing_twice_and_only_the_answer_to_what_they_name(
    seed: int, on: tuple[str, str]
) -> None:
    chance = random.Random(seed)
    kind, grid = on
    game = new_game(grid, kind=kind)
    kept: dict[str, list[Plan]] = {game.x: [], game.o: []}
    queued = 0
    for nth in range(80):
        if game.result:
            break
        waits_for, side = game.owner(game.to_move.other), game.to_move
        names = game.header.grid.names(game.header.grid.cells)
        if chance.random() < 0.5:
            condition = Place((chance.choice(names),)) if chance.random() < 0.7 else None
            clause = Clause(Place((chance.choice(names),)), condition)
            queued += 1
            made = Plan.of(kind, 17, game.next_number, f"{queued:016x}", clause)
            kept[waits_for] = [*kept[waits_for][-3:], made]
        legal = game.header.grid.names(game.position.placements())
        wished: Wish = Place((chance.choice(legal),)) if legal else Deed.PASS
        if chance.random() < 0.1:
            wished = chance.choice([Deed.RETRACT, Deed.PROPOSE, Deed.UNDO, Deed.SWAP])
        try:
            acted = game.act(side, wished, game.latest, f"{nth:016d}"[::-1])
        except Refusal:
            continue
        orders = {
            userid: Orders(tuple(some), chance.random() < 0.5) for userid, some in kept.items()
        }
        game = follow(acted, orders, acted.latest)
        for record in game.records[len(acted.records) :]:
            _check_follows(game.after(record.number - 1), game.after(record.number), kept)
    assert read_history(history_of(game)).game == game
    assert max(Counter(record.message_key for record in game.records).values(), default=1) == 1


def _check_follows(before: Game, after: Game, kept: dict[str, list[Plan]]) -> None:
    """Check that a record is a pass by the server, or what a plan says to the turn before it."""
    record = after.records[-1]
    if is_passed_for(after, record):
        assert before.must_pass
        return
    keys = {each.key_at(record.number): each for each in kept[before.player_to_move]}
    done = keys[record.message_key]
    assert record.wish == done.clause.answer
    turn = [each for each in before.records[done.number - 1 :] if each.is_playing]
    if done.clause.condition:
        assert isinstance(done.clause.condition, Place)
        assert f"{done.clause.condition.cells[0]}" == format_action(turn[-1].action).split("*")[0]
