"""What the eye for Oust sees at a glance, against the rules placement by placement."""

import random

from hypothesis import given

from pbm_oust.robot.oust import oust_eye, reach, risks
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import taken
from tests.support.strategies import Play, plays, relaxed


def largest_capture(position: Oust) -> int:
    """Return the most stones that a placement of the side to move takes."""
    cells = position.grid.each(position.capturing())
    return max((taken(position, position.place(cell)).bit_count() for cell in cells), default=0)


def own_and_enemy(position: Oust) -> tuple[int, int]:
    mover = position.to_move
    return position.stones(mover), position.stones(mover.other)


@relaxed
@given(plays)
def test_it_sees_every_capture_and_what_it_takes(play: Play) -> None:
    for position in play.positions():
        if not position.result:
            seen = reach(position.grid, *own_and_enemy(position))
            captures = position.grid.each(position.capturing())
            assert {each.cell: each.taken for each in seen.joins if each.taken} == {
                cell: taken(position, position.place(cell)) for cell in captures
            }
            assert seen.apart == position.placements() & ~position.capturing()


@relaxed
@given(plays)
def test_it_sees_what_the_other_side_could_take_after_each_placement(play: Play) -> None:
    for position in play.positions():
        if position.result:
            continue
        grid, (own, enemy) = position.grid, own_and_enemy(position)
        left = position.placements() & ~position.capturing()
        for cells, risk in risks(grid, reach(grid, enemy, own)):
            for cell in grid.each(left & cells):
                after = position.place(cell)
                assert after.result or largest_capture(after) == risk
            left &= ~cells
        assert not left


@relaxed
@given(plays)
def test_it_finds_every_placement_promising_and_the_best_first(play: Play) -> None:
    for position in play.positions():
        if position.has_placement():
            glance = oust_eye(position.grid, random.Random(1))(position)
            promises = [prior for prior, _ in glance.priors]
            assert sum(cell for _, cell in glance.priors) == position.placements()
            assert abs(sum(promises) - 1) < 1e-9
            assert promises == sorted(promises, reverse=True)
            assert 0 < glance.value < 1
