"""The simple way to play: what it takes, fears and overlooks, and every game to its end."""

import random
from math import inf

import pytest

from pbm_oust.board import Deed, Game, Place
from pbm_oust.board.header import Terms
from pbm_oust.experiments.advice import next_haul
from pbm_oust.robot.greedy import outlook, simple_turn
from pbm_oust.robot.levels import Sight
from pbm_oust.rules import KINDS, Kind, Side
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import taken
from tests.support.boards import board
from tests.support.games import new_game, play, standing_at
from tests.support.kinds import grids_of
from tests.support.rings import slow
from tests.support.thinking import done

NO_SWAP = Terms(swap=False)
TAKER, CAREFUL, CLUB = Sight(0), Sight(1), Sight()


def turn_of(game: Game, sight: Sight, rng: random.Random) -> Place:
    """Return the turn of a player with such a sight."""
    return Place(tuple(map(game.header.grid.format_cell, simple_turn(game, sight, rng))))


def turned_in(game: Game, sight: Sight) -> set[str]:
    """Return the first cells of the turns that a player takes again and again."""
    rng = random.Random(1)
    return {turn_of(game, sight, rng).cells[0] for _ in range(30)}


def turned(position: Oust, sight: Sight) -> set[str]:
    """Return these cells for a position of Oust."""
    return turned_in(standing_at(new_game(str(position.grid), NO_SWAP), position), sight)


def test_it_takes_as_many_stones_as_it_can() -> None:
    position = board("""
        . . . . .
        o . x . .
        . x x . .
        . o o . .
        . . . . .
    """)
    taking = {
        position.grid.format_cell(cell): taken(position, position.place(cell)).bit_count()
        for cell in position.grid.each(position.capturing())
    }
    most = {name for name in taking if taking[name] == max(taking.values())}
    assert max(taking.values()) > min(taking.values())
    assert turned(position, TAKER) == turned(position, CAREFUL) == most


def test_it_keeps_away_from_stones_that_could_take_what_it_places() -> None:
    position = board("""
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        o . . . .
    """)
    near = {"A2", "B1", "A3", "B2", "C1"}
    assert not turned(position, CAREFUL) & near
    assert turned(position, TAKER) & near


def test_whoever_overlooks_all_that_is_far_does_not_take_there() -> None:
    game = play(new_game("square 7x7", NO_SWAP), "x A1", "o B1", "x G7", "o E4")
    position, grid = game.position, game.header.grid
    taking = {*map(grid.format_cell, grid.each(position.capturing()))}
    assert taking == {"A2"}
    assert turned_in(game, TAKER) == turned_in(game, CAREFUL) == taking
    latest = sum(map(grid.parse_cell, ("G7", "E4")))
    near = grid.neighbours(latest) & position.placements()
    seen = turned_in(game, Sight(0, overlooks=1.0))
    assert seen == {*map(grid.format_cell, grid.each(near))}


def test_whoever_overlooks_a_capture_does_not_fear_it() -> None:
    position = board("""
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        o . . . .
    """)
    cell, taking = (position.grid.parse_cell(name) for name in ("B1", "A2"))
    after = position.place(cell)
    assert after.capturing() == taking
    assert next_haul(after, Side.X) == -inf
    assert next_haul(after, Side.X, taking) == 0


@pytest.mark.parametrize("sight", [TAKER, CAREFUL, CLUB], ids=["taker", "careful", "club"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_turn_is_whole_and_every_game_comes_to_its_end(kind: Kind, sight: Sight) -> None:
    rng = random.Random(1)
    for grid in grids_of(kind, largest=13):
        game = new_game(str(grid), NO_SWAP, kind=kind.name)
        while not game.result:
            assert 0 <= outlook(game.position) <= 1
            game = done(game, Deed.PASS if game.must_pass else turn_of(game, sight, rng))


def test_out_of_time_it_still_places() -> None:
    for kind in KINDS.values():
        game, rng = new_game(str(kind.default_grid), NO_SWAP, kind=kind.name), random.Random(1)
        (cell,) = simple_turn(game, CLUB, rng, lambda: False)
        assert cell & game.position.placements()


def won_by(first: Sight, second: Sight, kind: str, grid: str, games: int) -> float:
    """Return how many of some games a player wins, by the sight of both."""
    won = 0.0
    for number in range(games):
        rng, game = random.Random(number), new_game(grid, NO_SWAP, kind=kind)
        by = dict(zip(Side, (first, second) if number % 2 else (second, first), strict=True))
        while not game.result:
            game = done(game, Deed.PASS if game.must_pass else turn_of(game, by[game.to_move], rng))
        winner = game.result.winner
        won += 0.5 if winner is None else by[winner] == first
    return won


@pytest.mark.parametrize(
    ("kind", "grid", "games"),
    [
        slow("oust", "hex 4", 8),
        slow("oust", "hex 4", 20),
        slow("oust", "square 7x7", 10),
        slow("churn", "hex 2", 60),
    ],
)
def test_who_sees_more_wins_more(kind: str, grid: str, games: int) -> None:
    blind = Sight(0, overlooks=0.9)
    for first, second in ((CAREFUL, blind), (CLUB, TAKER)):
        assert won_by(first, second, kind, grid, games) > games / 2
