"""On boards that can be solved, no house player loses what it can win."""

import random
from itertools import product

import pytest

from pbm_oust.board.game import Game
from pbm_oust.board.header import Terms
from pbm_oust.experiments.room import Room
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.rules.position import Side
from tests.support.games import new_game
from tests.support.thinking import decided, done, random_turn

NO_SWAP = Terms(swap=False)
LITTLE = 3
"""So many looks at the clock leave no time for a search."""

SOLVED = [
    *(("oust", grid) for grid in ("square 3x3", "square 4x3", "hex 2", "hex 2,3")),
    ("churn", "hex 2"),
]


def worth(game: Game) -> Worth:
    """Return what a position is worth to the side to move."""
    return Search(game.header.grid, Room(10**6)).worth(game.position)


@pytest.mark.parametrize(("kind", "grid"), SOLVED, ids=str)
def test_a_game_that_is_won_is_won_against_any_play(kind: str, grid: str) -> None:
    won = 0
    for seed, length in product(range(4), range(4)):
        rng, game = random.Random(seed), new_game(grid, NO_SWAP, kind=kind)
        for _ in range(length):
            game = game if game.result else done(game, random_turn(game, rng))
        if game.result or worth(game) is not Worth.WIN:
            continue
        won += 1
        winner = game.to_move
        while not game.result:
            is_house = game.to_move is winner
            game = done(game, decided(game, LITTLE).wish if is_house else random_turn(game, rng))
        assert game.result.winner is winner
    assert won


@pytest.mark.parametrize("seed", range(5))
def test_the_second_player_takes_the_better_side_and_wins(seed: int) -> None:
    rng, game = random.Random(seed), new_game("square 3x3")
    second = game.owner(Side.O)
    while not game.result:
        is_house = game.player_to_move == second
        game = done(game, decided(game, LITTLE).wish if is_house else random_turn(game, rng))
    assert game.result.winner
    assert game.owner(game.result.winner) == second
