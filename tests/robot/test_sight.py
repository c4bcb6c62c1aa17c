"""Positions of Oust that carry along what they know agree with the rules."""

from hypothesis import given

from pbm_oust.robot.oust import Camp, Sight
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import taken
from tests.support.strategies import Play, plays, relaxed


def known(camp: Camp) -> tuple[object, ...]:
    """Return what a camp knows, whatever way led to it."""
    return camp.stones, camp.beside, set(camp.groups), camp.captures


@relaxed
@given(plays)
def test_what_is_carried_along_is_what_can_be_found_afresh(play: Play) -> None:
    carried = Sight.of(Oust(play.grid))
    for before, cell, after in play.steps():
        carried = carried.place(cell) if cell else carried.pass_turn()
        fresh = Sight.of(after)
        assert carried == fresh
        assert hash(carried) == hash(fresh)
        assert carried.result == after.result
        if not after.result:
            assert (carried.to_move, carried.is_mid_turn) == (after.to_move, after.is_mid_turn)
            assert known(carried.own) == known(fresh.own)
            assert known(carried.enemy) == known(fresh.enemy)
        assert before.stones(before.to_move) | cell == after.stones(before.to_move)


@relaxed
@given(plays)
def test_it_knows_the_placements_and_what_each_of_them_takes(play: Play) -> None:
    for position in play.positions():
        sight = Sight.of(position)
        assert sight.placements() == position.placements()
        assert sight.capturing() == position.capturing()
        assert sight.has_placement() is position.has_placement()
        captures = sight.own.captures if not position.result else {}
        assert {cell: capture.taken for cell, capture in captures.items()} == {
            cell: taken(position, position.place(cell))
            for cell in position.grid.each(position.capturing())
        }
