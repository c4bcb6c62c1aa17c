"""On boards that can be solved, no house player loses what it can win."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm_oust.board.header import Terms
from pbm_oust.cli import main
from pbm_oust.experiments.counting import numbering
from pbm_oust.experiments.solve import Solver, Worth, solver_for, table_of, unpack
from pbm_oust.rules import KINDS, Position, Side, parse_grid
from tests.support.core import needs_core
from tests.support.games import new_game
from tests.support.rings import first_is_fast, slow
from tests.support.thinking import decided, done, random_turn

NO_SWAP = Terms(swap=False)
LITTLE = 3
"""So many looks at the clock leave no time for a search."""

PLACEMENTS = {
    **dict.fromkeys(("hex 2,3", "hex 1,5", "hex 2,4", "square 4x3", "square 6x2"), 4),
    **dict.fromkeys(("square 5x3", "square 7x2", "square 4x4"), 4),
    **dict.fromkeys(("hex 3", "square 8x2"), 5),
}
"""The tables of Oust, and how many placements lead to their positions."""

SMALL = [
    *(("oust", grid) for grid in ("square 2x2", "square 3x3", "hex 2", "hex 1,4")),
    slow("oust", "hex 2,3"),
    ("churn", "hex 1,2"),
    ("churn", "hex 2"),
    slow("oust", "square 4x3"),
]


def solver(kind: str, grid: str) -> Solver:
    found = solver_for(kind, parse_grid(grid))
    assert found
    return found


def after_turn(position: Position, solver: Solver) -> Position:
    """Return what the house makes of a position that it wins."""
    if not position.has_placement():
        return position.pass_turn()
    worth, cells = solver.turn(position, lambda: True) or (Worth.LOSS, [])
    assert worth is Worth.WIN
    for cell in cells:
        position = position.place(cell)
    return position


def following(position: Position) -> Iterator[Position]:
    """Yield all positions that the placements or the pass of a position lead to."""
    cells = list(position.grid.each(position.placements()))
    yield from map(position.place, cells)
    if not cells:
        yield position.pass_turn()


def reachable(start: Position) -> list[Position]:
    """Return the positions of games that go on; of those that differ by a symmetry, only one."""
    number, found, waiting = numbering(start.grid), dict[int, Position](), [start]
    while waiting:
        position = waiting.pop()
        if not position.result and number(position) not in found:
            found[number(position)] = position
            waiting += following(position)
    return list(found.values())


def is_won(position: Position, side: Side, solver: Solver) -> bool:
    """Return whether a side has won, or wins whatever the other side does in its turn."""
    if position.result or position.to_move is side:
        return solver.worth(position, side) is Worth.WIN
    return all(is_won(each, side, solver) for each in following(position))


@pytest.mark.parametrize(("kind", "grid"), SMALL)
def test_every_won_position_is_still_won_after_its_turn_and_any_reply(kind: str, grid: str) -> None:
    # As every game ends, this means that it is won.
    known, won = solver(kind, grid), 0
    for position in reachable(KINDS[kind].start(parse_grid(grid))):
        if known.worth(position, position.to_move) is Worth.WIN:
            assert is_won(after_turn(position, known), position.to_move, known)
            won += 1
    assert won


@pytest.mark.parametrize("grid", PLACEMENTS)
@pytest.mark.parametrize("seed", range(2))
def test_a_won_game_is_won_against_play_by_chance(grid: str, seed: int) -> None:
    rng, game, known = random.Random(seed), new_game(grid, NO_SWAP), solver("oust", grid)
    for _ in range(seed + 1):
        game = done(game, random_turn(game, rng))
    while known.worth(game.position, game.to_move) is not Worth.WIN:
        game = done(game, random_turn(game, rng))
    winner = game.to_move
    while not game.result:
        is_house = game.to_move is winner
        game = done(game, decided(game, LITTLE).wish if is_house else random_turn(game, rng))
    assert game.result.winner is winner


@needs_core
@pytest.mark.parametrize("grid", first_is_fast(PLACEMENTS))
def test_the_tables_are_those_that_rules_solve_writes(grid: str, tmp_path: Path) -> None:
    shape, size = grid.split()
    option = "--hex" if shape == "hex" else "--size"
    words = [option, size, "--table", str(tmp_path / "table"), "--placements", PLACEMENTS[grid]]
    assert CliRunner().invoke(main, ["rules", "solve", "oust", *map(str, words)]).exit_code == 0
    assert unpack((tmp_path / "table").read_bytes()) == table_of("oust", parse_grid(grid))


@pytest.mark.parametrize("seed", range(5))
def test_the_second_player_takes_the_better_side_and_wins(seed: int) -> None:
    rng, game = random.Random(seed), new_game("square 3x3")
    second = game.owner(Side.O)
    while not game.result:
        is_house = game.player_to_move == second
        game = done(game, decided(game, LITTLE).wish if is_house else random_turn(game, rng))
    assert game.result.winner
    assert game.owner(game.result.winner) == second
