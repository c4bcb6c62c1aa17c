"""Boards that continue another one: the line that says so, and what it leads to."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Header, Place, Wish
from pbm_oust.board.header import Origin, Terms
from pbm_oust.board.history import BadHistory, read_history
from pbm_oust.board.notation import format_origin, parse_origin
from pbm_oust.board.reasons import NoSuchRecord
from pbm_oust.commands.challenge import ReplayOfTheEnd, origin_after
from pbm_oust.refusal import NotAllowed, Refusal
from tests.support import tables
from tests.support.games import act, history_of, new_game, play
from tests.support.strategies import relaxed

tabled = tables.tabled(__file__)


def continued(old: Game, number: int) -> Game:
    """Return board 18, which continues a game after its record of a number."""
    terms = Terms(swap=False, rated=False)
    origin = origin_after(old, number)
    return Game.start(replace(old.header, board=18, terms=terms, origin=origin))


def line_of(game: Game) -> str:
    assert game.header.origin
    return format_origin(game.header.origin, game.header.kind.name)


@pytest.fixture
def game() -> Game:
    return play(new_game("square 5x5"), "x C3", "o swap", "o C2", "x E1", "o D3")


def test_a_board_begins_where_the_other_one_was(game: Game) -> None:
    new = continued(game, 4)
    assert line_of(new) == "oust 17#4 x C3 o C2 x E1"
    assert new.position == game.after(4).position
    assert (new.x, new.o, new.player_to_move) == ("rrognlie", "marksteere", "marksteere")
    assert new.next_number == 1
    assert not new.can_swap


def test_what_was_taken_back_does_not_count(game: Game) -> None:
    back = play(game, "x undo", "o accept", "x A5")
    assert line_of(continued(back, 8)) == "oust 17#8 x C3 o C2 x A5"
    assert line_of(continued(back, 5)) == "oust 17#5 x C3 o C2 x E1 o D3"


def test_a_board_that_continues_one_can_be_continued(game: Game) -> None:
    new = continued(act(continued(game, 4), "o D3"), 1)
    assert line_of(new) == "oust 18#1 x C3 o C2 x E1 o D3"
    assert new.position == game.position


def test_a_move_is_taken_back_to_where_the_board_began_and_no_further(game: Game) -> None:
    new = continued(game, 4)
    moved = act(new, "o D3")
    assert play(moved, "o undo", "x accept").position == new.position
    with pytest.raises(NotAllowed):
        act(new, "x undo")


def test_a_game_that_is_over_by_the_rules_is_not_continued_but_one_that_was_given_up_is() -> None:
    won = play(new_game("square 5x5"), "x C3", "o C2", "x B3")
    with pytest.raises(NotAllowed) as refused:
        origin_after(won, 3)
    assert refused.value.reason == ReplayOfTheEnd(won, 3)
    with pytest.raises(NotAllowed) as refused:
        origin_after(won, 4)
    assert refused.value.reason == NoSuchRecord(won, 4)
    given_up = play(new_game("square 5x5"), "x C3", "o resign")
    assert line_of(continued(given_up, 2)) == "oust 17#2 x C3"


@relaxed
@given(st.integers(0, 2**32), st.sampled_from([("oust", "square 4x4"), ("churn", "hex 2")]))
def test_any_game_is_continued_from_any_record_in_a_history_that_reads_back(
    seed: int, on: tuple[str, str]
) -> None:
    chance = random.Random(seed)
    game = new_game(on[1], kind=on[0])
    for nth in range(20):
        legal = game.header.grid.names(game.position.placements())
        wished: Wish = Place((chance.choice(legal),)) if legal else Deed.PASS
        if chance.random() < 0.2:
            wished = chance.choice([Deed.SWAP, Deed.RETRACT, Deed.UNDO, Deed.ACCEPT])
        side = game.to_move if chance.random() < 0.8 else game.to_move.other
        try:
            game = game.act(side, wished, game.latest, f"{nth:016x}")
        except Refusal:
            continue
    number = chance.randint(0, len(game.records))
    if game.after(number).position.result:
        return
    new = continued(game, number)
    assert new.position == game.after(number).position
    assert read_history(history_of(new)).game == new
    origin = new.header.origin
    assert origin
    assert parse_origin(line_of(new), new.header.kind.name) == origin


@tabled("line", "reason")
def test_a_line_that_leads_to_no_position_is_damage(line: str, reason: str, game: Game) -> None:
    header: Header = replace(game.header, origin=Origin(1, 1, ()))
    good = history_of(Game.start(header)).decode()
    assert "\nFrom: oust 1#1\n" in good
    with pytest.raises(BadHistory, match="line 9") as damage:
        read_history(good.replace("oust 1#1", line).encode())
    assert reason in damage.value.reason
