"""Small boards of Churn are solved whole, by a ledger of all positions."""

import random
import sys
from typing import cast

import pytest

from pbm_oust.board import Deed, Place, Terms
from pbm_oust.experiments.counting import symmetries
from pbm_oust.experiments.solve import Worth
from pbm_oust.robot.proofs import Proofs
from pbm_oust.robot.search import bytes_of, images_of, lattice_of, stones_of
from pbm_oust.rules import KINDS, Side, parse_grid
from pbm_oust.rules.grid import hexagon
from tests.robot.test_proofs import by_chance, is_won
from tests.robot.test_solved_boards import following
from tests.support.core import compiled_core
from tests.support.games import new_game
from tests.support.thinking import churn_by_chance, decided, done, random_turn

_core = compiled_core()

MEGABYTE = 2**20
LATE = 30
"""After so many placements by chance, few of all positions can follow."""
LOOKS = 3000
"""So many looks at the clock are enough to solve hex 3."""


@pytest.mark.parametrize("seed", range(4))
def test_a_position_is_won_if_a_placement_wins_or_leaves_one_that_is_lost(seed: int) -> None:
    known, worths = Proofs("churn", hexagon(3), 64 * MEGABYTE), set[Worth]()
    for position in by_chance("churn", hexagon(3), seed)[LATE:]:
        wins = any(is_won(after, position.to_move, known) for after in following(position))
        assert known.worth(position) is (Worth.WIN if wins else Worth.LOSS)
        worths.add(known.worth(position))
    assert worths == {Worth.WIN, Worth.LOSS}


@pytest.mark.parametrize(("name", "few"), [("hex 2", 4), ("hex 1,5", 2**12), ("hex 2,2,4", 2**10)])
def test_a_ledger_finds_what_a_search_by_proof_numbers_finds(name: str, few: int) -> None:
    """Where there is too little room for a ledger, that search is used."""
    grid = parse_grid(name)
    start, found = stones_of(KINDS["churn"].start(grid)), list[tuple[bool | None, int]]()
    for entries in (2**20, few):
        core = _core.Proofs(*lattice_of(grid), True, entries, images_of(grid))
        searched = core.prove(*start, _core.WIN, sys.maxsize)
        found.append((core.reaches(*start, _core.WIN), searched))
    (wins, entered), (proved, searched) = found
    assert wins is proved is not None
    assert entered < searched


def test_positions_that_look_alike_are_searched_once() -> None:
    grid, position = hexagon(3), churn_by_chance(LATE, 1)
    own, enemy = position.stones(position.to_move), position.stones(position.to_move.other)
    core = _core.Proofs(*lattice_of(grid), True, 2**20, images_of(grid))
    assert core.prove(bytes_of(own), bytes_of(enemy), _core.WIN, sys.maxsize) > 0
    for image in symmetries(grid):
        alike = [bytes_of(sum(image[cell] for cell in grid.each(some))) for some in (own, enemy)]
        assert core.prove(*alike, _core.WIN, sys.maxsize) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_house_plays_hex_3_perfectly(seed: int) -> None:
    game = new_game("hex 3", Terms(swap=False), kind="churn")
    rng = random.Random(seed)
    while not game.result:
        if game.to_move is Side.X:
            decision = decided(game, LOOKS)
            assert decision.value == 1.0
            game = done(game, cast(Place, decision.wish))
        else:
            game = done(game, random_turn(game, rng))
    assert game.result.winner is Side.X


@pytest.mark.slow
def test_the_house_takes_over_a_first_stone_that_wins_and_no_other() -> None:
    for cell, wins in (("B1", True), ("C3", True), ("A1", False), ("B2", False)):
        game = done(new_game("hex 3", kind="churn"), Place((cell,)))
        assert (decided(game, LOOKS).wish is Deed.SWAP) is wins
