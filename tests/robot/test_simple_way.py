"""The simple way to play: what is greedy, how far each level looks, and every game to its end."""

import random

import pytest

from pbm_oust.robot.greedy import outlook, simple_turn
from pbm_oust.rules import KINDS, Kind, Position, Side, parse_grid
from pbm_oust.rules.position import taken
from tests.support.boards import board
from tests.support.kinds import grids_of
from tests.support.rings import slow

INSIGHTS = (1, 2, 3)


def turned(kind: str, position: Position, insight: int) -> set[str]:
    """Return the first cells of the turns that a player takes again and again."""
    rng = random.Random(1)
    turns = [simple_turn(KINDS[kind], position, insight, rng) for _ in range(30)]
    return {position.grid.format_cell(cells[0]) for cells in turns}


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
    assert turned("oust", position, 1) == turned("oust", position, 2) == most


def test_it_keeps_away_from_stones_that_could_take_what_it_places() -> None:
    position = board("""
        . . . . .
        . . . . .
        . . . . .
        . . . . .
        o . . . .
    """)
    near = {"A2", "B1", "A3", "B2", "C1"}
    assert not turned("oust", position, 2) & near
    assert turned("oust", position, 1) & near


def test_who_looks_at_whole_turns_leaves_a_capture_that_is_answered_by_a_larger_one() -> None:
    position = board("""
        . . . . . . .
        . x x . o . .
        . . . . . o .
        o o o . . o .
        o o o x . o .
        . . . . . . .
    """)
    assert turned("oust", position, 1) == turned("oust", position, 2)
    assert turned("oust", position, 3) != turned("oust", position, 2)


@pytest.mark.parametrize("insight", INSIGHTS)
@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_every_turn_is_whole_and_every_game_comes_to_its_end(kind: Kind, insight: int) -> None:
    rng = random.Random(1)
    for grid in grids_of(kind, largest=13):
        position = kind.start(grid)
        while not position.result:
            assert 0 <= outlook(position) <= 1
            mover = position.to_move
            if not position.has_placement():
                position = position.pass_turn()
                continue
            for cell in simple_turn(kind, position, insight, rng):
                assert position.to_move is mover
                position = position.place(cell)
            assert position.result or not position.is_mid_turn


@pytest.mark.parametrize("insight", INSIGHTS)
def test_out_of_time_it_still_places(insight: int) -> None:
    for kind in KINDS.values():
        position, rng = kind.start(kind.default_grid), random.Random(1)
        (cell,) = simple_turn(kind, position, insight, rng, lambda: False)
        assert cell & position.placements()


def won_by(first: int, second: int, kind: Kind, grid: str, games: int) -> float:
    """Return how many of some games a player wins, by the insight of both."""
    won = 0.0
    for number in range(games):
        rng, position = random.Random(number), kind.start(parse_grid(grid))
        by = dict(zip(Side, (first, second) if number % 2 else (second, first), strict=True))
        while not position.result:
            if not position.has_placement():
                position = position.pass_turn()
                continue
            for cell in simple_turn(kind, position, by[position.to_move], rng):
                position = position.place(cell)
        winner = position.result.winner
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
def test_who_looks_further_wins_more(kind: str, grid: str, games: int) -> None:
    for first, second in ((2, 1), (3, 2)):
        assert won_by(first, second, KINDS[kind], grid, games) > games / 2
