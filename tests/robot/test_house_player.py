"""What a house player does with its turns: they are legal, good, and taken in time."""

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.board import Deed, Game, Place
from pbm_oust.board.header import Terms
from pbm_oust.experiments.pie import FirstStone, fairest_stone, first_stones
from pbm_oust.robot.player import LONG, decide, offers_draw, takes_draw
from pbm_oust.rules import KINDS, Kind, Side
from tests.support.boards import board
from tests.support.games import act, new_game, standing_at
from tests.support.kinds import grids_of
from tests.support.rings import first_is_fast
from tests.support.strategies import games
from tests.support.thinking import against_chance, counting_clock, decided, done, random_turn

NO_SWAP = Terms(swap=False)

HOPELESS = """
    o . . . . . . . o
    . . . . . . . . .
    . . x x x x x . .
    . . x x x x x . .
    . . x x x x x . .
    . . x x x x x . .
    . . x x x x x . .
    . . . . . . . . .
    o . . . . . . . .
"""


def hopeless_for_o() -> Game:
    """Return a game that begins where o has next to nothing and is to move."""
    header = new_game("square 9x9", NO_SWAP).header
    start = board(HOPELESS, to_move=Side.O)
    return Game.start(replace(header, kind=dataclasses.replace(header.kind, start=lambda _: start)))


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_a_house_player_plays_every_kind_against_itself_to_the_end(kind: Kind) -> None:
    for grid in grids_of(kind, largest=16):
        game = new_game(str(grid), kind=kind.name)
        for _ in range(500):
            if game.result:
                break
            game = done(game, decided(game, 10).wish)
        assert game.result


@given(games())
def test_its_turn_is_whole_and_legal_wherever_a_game_stands(game: Game) -> None:
    if not game.result:
        before = game.to_move
        decision = decided(game, 8)
        after = done(game, decision.wish)
        assert 0 <= decision.value <= 1
        assert after.result or after.to_move is not before or decision.wish is Deed.SWAP
        assert after.result or not after.position.is_mid_turn


@pytest.mark.parametrize("side", first_is_fast(Side))
def test_it_wins_every_game_against_chance_though_it_thinks_little(side: Side) -> None:
    ends = [against_chance(new_game("square 5x5", NO_SWAP), side, 30, seed) for seed in range(10)]
    assert {end.result.winner for end in ends if end.result} == {side}


@given(games(), st.integers(0, 40))
def test_it_looks_at_the_clock_hardly_more_often_than_it_has_seconds(
    game: Game, seconds: int
) -> None:
    clock = counting_clock()
    if not game.result:
        decide(game, seconds, random.Random(1), clock)
        # Beside those that are in time: one when it begins, and one that is late for each search.
        searches = 3 * game.header.grid.cells.bit_count()
        assert clock() <= seconds + searches


def test_it_takes_a_capture_that_wins() -> None:
    position = board("""
        . . . .
        . x . o
        . . x .
        . . . .
    """)
    decision = decided(standing_at(new_game("square 4x4", NO_SWAP), position), 50)
    assert decision.value == 1
    assert isinstance(decision.wish, Place)


def test_it_passes_when_it_must() -> None:
    position = board("""
        x .
        . x
    """)
    game = standing_at(new_game("square 2x2", NO_SWAP), position)
    assert game.must_pass
    assert decided(game, 10).wish is Deed.PASS


@pytest.mark.parametrize("grid", ["square 7x7", "hex 5"])
def test_the_strongest_decides_about_first_stones_by_matches(grid: str) -> None:
    game = new_game(grid)
    kind = game.header.kind
    stones = first_stones(kind, game.header.grid)
    assert decided(game, 10).wish == Place(stones_of(fairest_stone(kind, game.header.grid))[:1])
    for stone in stones:
        if stone.is_strong or stone.is_weak:
            for cell in stone.cells:
                decision = decided(act(game, f"x {cell}"), 10)
                assert (decision.wish is Deed.SWAP) == stone.is_strong
    assert stones[-1].is_weak


def stones_of(stone: FirstStone | None) -> tuple[str, ...]:
    return stone.cells if stone else ()


def test_it_takes_over_a_first_stone_that_wins() -> None:
    game = act(new_game("hex 2"), "x B2")
    assert decided(game, 500).wish is Deed.SWAP


def test_it_resigns_only_when_it_could_not_hope_a_turn_ago_either() -> None:
    game = hopeless_for_o()
    first = decided(game, 300)
    assert first.value < 0.02
    assert isinstance(first.wish, Place)
    game = done(game, first.wish)
    game = done(game, Place(("E1",)))
    assert decided(game, 300).wish is Deed.RESIGN


@pytest.mark.parametrize("proposes", Side)
def test_it_takes_a_draw_only_if_it_stands_worse(proposes: Side) -> None:
    game = act(hopeless_for_o(), f"{proposes.value} propose")
    assert takes_draw(game, 100, random.Random(1), counting_clock()) is (proposes is Side.X)


def test_it_offers_a_draw_in_a_long_even_game_but_not_again_and_again() -> None:
    rng, game = random.Random(0), new_game("hex 3", NO_SWAP, kind="churn")
    cells = game.header.grid.cells.bit_count()
    for length in range(LONG * cells):
        assert len(game.line) == length
        assert not offers_draw(game, 0.5, is_drawn=False)
        game = done(game, random_turn(game, rng))
    assert offers_draw(game, 0.5, is_drawn=False)
    assert not offers_draw(game, 0.6, is_drawn=False)
    game = act(game, f"{game.to_move.value} propose")
    assert not offers_draw(game, 0.5, is_drawn=False)


def test_it_offers_a_draw_where_both_play_for_one_unless_its_turn_ends_the_game() -> None:
    drawn = """
        o x o .
        x o x o
        . x o o
    """
    nearly_over = """
        o x
        x .
    """
    for text, grid, side in ((drawn, "square 4x3", Side.X), (nearly_over, "square 2x2", Side.O)):
        game = standing_at(new_game(grid, NO_SWAP), board(text, to_move=side))
        decision = decided(game, 1000)
        assert decision.value == 0.5
        assert decision.offers_draw is (text is drawn)
