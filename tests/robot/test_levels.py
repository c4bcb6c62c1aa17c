"""The levels: each looks no further than it says, and the weaker ones overlook and forget."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board import Deed, Game, Place
from pbm_oust.board.header import Terms
from pbm_oust.robot.greedy import Attention
from pbm_oust.robot.levels import HOUSE, LEVELS, Level, Sight, Strength, level_of
from pbm_oust.robot.player import decide
from pbm_oust.robot.search import Trees
from pbm_oust.rules import Side, parse_grid
from tests.support.core import needs_core
from tests.support.games import new_game, play
from tests.support.strategies import games
from tests.support.thinking import done

NO_SWAP = Terms(swap=False)
BOUNDED = [level for level in LEVELS if level.looks is not None]


def standing() -> float:
    """Return the time of a clock that stands still, so that only looks are bounded."""
    return 0.0


def test_every_level_has_a_strength_and_a_userid_of_its_own_and_looks_further_than_the_last() -> (
    None
):
    assert [level.strength for level in LEVELS] == list(Strength)
    assert HOUSE[1:] == tuple(level.userid for level in LEVELS)
    assert [level_of(userid) for userid in HOUSE] == [LEVELS[0], *LEVELS]
    for weaker, stronger in pairwise(LEVELS):
        assert weaker.seconds <= stronger.seconds
        assert stronger.looks is None or (weaker.looks or 0) < stronger.looks
        if weaker.sight and stronger.sight:
            assert (weaker.sight.advice or 0) <= (stronger.sight.advice or 0)
            assert weaker.sight.overlooks >= stronger.sight.overlooks
        assert weaker.sight or not stronger.sight


def test_players_of_the_five_before_are_as_many_levels_further_as_were_added_below() -> None:
    five = [level_of(userid, of_five=True) for userid in HOUSE[:6]]
    assert five == [LEVELS[1], *LEVELS[1:5], LEVELS[-1]]


@needs_core
@pytest.mark.parametrize("level", BOUNDED[:-2], ids=lambda level: level.userid)
@pytest.mark.parametrize(("kind", "grid"), [("oust", "square 7x7"), ("churn", "hex 3")])
def test_a_level_with_bounded_looks_plays_the_same_on_every_machine(
    kind: str, grid: str, level: Level
) -> None:
    assert level.looks
    for seed in range(3):
        game, trees = new_game(grid, NO_SWAP, kind=kind), Trees()
        while not game.result and len(game.line) < 20:
            one, other = (
                decide(game, 1, random.Random(seed), standing, trees, level) for _ in range(2)
            )
            placements = len(one.wish.cells) if isinstance(one.wish, Place) else 0
            assert one == other
            assert one.looks <= (level.looks_on(game.header.grid) or 0) + 2 * placements
            assert one.root is None
            assert isinstance(one.wish, Place | Deed)
            game = done(game, one.wish)


@given(games(), st.randoms(use_true_random=False))
def test_all_that_touches_the_latest_placements_is_thought_of(
    game: Game, rng: random.Random
) -> None:
    attention = Attention(game, Sight(overlooks=1.0), rng)
    latest = [move.wish for move in game.line[-2:] if isinstance(move.wish, Place)]
    cells = sum({game.header.grid.parse_cell(cell) for turn in latest for cell in turn.cells})
    near = cells | game.header.grid.neighbours(cells)
    far = game.header.grid.cells & ~(game.position.occupied | near)
    assert attention.overlooked(game.position) == (far if cells else 0)
    assert Attention(game, Sight(), rng).overlooked(game.position) == 0


def test_some_of_what_is_far_is_overlooked_and_what_was_just_placed_is_near() -> None:
    game = play(new_game("square 13x13", NO_SWAP), "x A1", "o N13")
    half = Sight(overlooks=0.5)
    overlooked = [
        Attention(game, half, random.Random(seed)).overlooked(game.position) for seed in range(20)
    ]
    assert len(set(overlooked)) == len(overlooked)
    whole = Sight(overlooks=1.0)
    attention, grid = Attention(game, whole, random.Random(1)), game.header.grid
    before = attention.overlooked(game.position)
    cell = grid.parse_cell("G7")
    after = attention.overlooked(game.position.place(cell))
    assert before & grid.neighbours(cell) == grid.neighbours(cell)
    assert not after & grid.neighbours(cell)


def test_whoever_looks_at_so_many_cells_far_off_sees_all_of_a_small_board_alone() -> None:
    sight = Sight(most=50)
    for grid, far in (("square 7x7", 46), ("square 13x13", 166)):
        game = play(new_game(grid, NO_SWAP), "x A1")
        seen = [
            far - Attention(game, sight, random.Random(seed)).overlooked(game.position).bit_count()
            for seed in range(100)
        ]
        assert sum(seen) / len(seen) == pytest.approx(min(far, 50), rel=0.05)
    assert Sight(overlooks=0.8, most=50).overlooks_of(40) == 0.8
    assert Sight(overlooks=0.8, most=50).overlooks_of(0) == 0.8


def test_those_who_look_least_look_more_often_on_large_boards() -> None:
    few = Level("one", Strength.FAIR, 1, looks=30, grows=1.0)
    fewer = Level("two", Strength.FAIR, 1, looks=30, grows=2.0)
    many, large = LEVELS[-2], parse_grid("square 11x11")
    assert [few.looks_on(parse_grid(grid)) for grid in ("hex 2", "hex 5")] == [30, 30]
    assert few.looks_on(large) == 60
    assert fewer.looks_on(large) == 118
    assert many.looks_on(large) == many.looks
    assert LEVELS[-1].looks_on(large) is None


@needs_core
def test_who_chooses_as_people_do_takes_over_no_first_stone() -> None:
    game = play(new_game("hex 2"), "x B2")
    for level in LEVELS:
        decision = decide(game, 0.2, random.Random(1), standing, level=level)
        assert (decision.wish is Deed.SWAP) is (level.sight is None)


@needs_core
@pytest.mark.parametrize(("kind", "grid"), [("oust", "hex 5"), ("churn", "hex 3")])
def test_three_levels_up_a_player_wins_nearly_always(kind: str, grid: str) -> None:
    weak, strong = LEVELS[0], LEVELS[3]
    won = 0
    for seed in range(6):
        game = new_game(grid, NO_SWAP, kind=kind)
        by = dict(zip(Side, (weak, strong) if seed % 2 else (strong, weak), strict=True))
        while not game.result:
            level = by[game.to_move]
            wish = decide(game, 1, random.Random(seed), standing, level=level).wish
            assert isinstance(wish, Place | Deed)
            game = done(game, wish)
        won += game.result.winner is not None and by[game.result.winner] is strong
    assert won >= 5
