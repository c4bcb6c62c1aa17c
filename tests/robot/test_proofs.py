"""What is known of the stones of a side of Churn, and proofs on small boards, follow the rules."""

import random

import pytest
from hypothesis import given

from pbm_oust.experiments.counting import Room
from pbm_oust.experiments.simulate import chooser
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.robot.churn import Camps, Proofs, churn_eye
from pbm_oust.robot.search import Node, grow
from pbm_oust.rules.churn import Churn
from pbm_oust.rules.grid import parse_grid
from tests.support.strategies import ChurnPlay, churn_plays, relaxed
from tests.support.thinking import churn_by_chance

PLENTY = 100_000


@relaxed
@given(churn_plays)
def test_a_camp_knows_where_its_side_may_place_and_what_comes_of_that(play: ChurnPlay) -> None:
    camps = Camps(play.grid)
    for before, cell, after in play.steps():
        camp = camps.of(before.stones(before.to_move))
        free = play.grid.cells & ~(before.x | before.o)
        assert camp.placements(free) == before.placements()
        following = camps.place(camp, cell)
        assert following.stones == after.stones(before.to_move)
        assert following.wanted == Camps(play.grid).of(following.stones).wanted


@pytest.mark.parametrize("name", ["hex 1,2", "hex 2"])
def test_proofs_agree_with_a_search_of_all_positions(name: str) -> None:
    grid = parse_grid(name)
    rng, proofs, search = random.Random(1), Proofs(grid), Search(grid, Room(PLENTY))
    for _ in range(20):
        position = Churn(grid)
        while not position.result:
            proofs.prove(position, PLENTY)
            assert proofs.wins(position) is (search.worth(position) is Worth.WIN)
            position = position.place(rng.choice(list(grid.each(position.placements()))))


def test_a_proof_goes_on_where_it_stopped() -> None:
    position = churn_by_chance(50, seed=0)
    at_once, step_by_step = (Proofs(position.grid) for _ in range(2))
    at_once.prove(position, PLENTY)
    steps = 0
    while step_by_step.wins(position) is None:
        step_by_step.prove(position, 100)
        steps += 1
    assert steps > 1
    assert step_by_step.wins(position) is at_once.wins(position)


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_plays_what_is_proved_to_win(seed: int) -> None:
    position = churn_by_chance(45, seed)
    eye, proofs = (
        churn_eye(position.grid, chooser(position.grid, random.Random(1))),
        Proofs(position.grid),
    )
    proofs.prove(position, PLENTY)
    winner = position.to_move if proofs.wins(position) else position.to_move.other
    rng = random.Random(seed)
    while not position.result:
        if position.to_move is winner:
            root = Node(position)
            # mypy cannot tell the type of a lambda with a default.
            grow(root, eye, lambda root=root: root.proved is None)  # type: ignore[misc]
            position = position.place(root.best().cell)
        else:
            cells = list(position.grid.each(position.placements()))
            position = position.place(rng.choice(cells))
    assert position.result.winner is winner
