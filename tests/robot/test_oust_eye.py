"""What the eye for Oust sees at a glance, against the rules placement by placement."""

from hypothesis import given

from pbm_oust.robot.oust import Sight, oust_eye, risks
from pbm_oust.rules.oust import Oust
from pbm_oust.rules.position import taken
from tests.support.strategies import Play, plays, relaxed
from tests.support.thinking import lowest


def largest_capture(position: Oust) -> int:
    """Return the most stones that a placement of the side to move takes."""
    cells = position.grid.each(position.capturing())
    return max((taken(position, position.place(cell)).bit_count() for cell in cells), default=0)


@relaxed
@given(plays)
def test_it_sees_what_the_other_side_could_take_after_each_placement(play: Play) -> None:
    for position in play.positions():
        if position.result:
            continue
        left = position.placements() & ~position.capturing()
        for cells, risk in risks(Sight.of(position)):
            for cell in position.grid.each(left & cells):
                after = position.place(cell)
                assert after.result or largest_capture(after) == risk
            left &= ~cells
        assert not left


@relaxed
@given(plays)
def test_it_finds_every_placement_promising_and_the_best_first(play: Play) -> None:
    for position in play.positions():
        if position.has_placement():
            glance = oust_eye(position.grid, lowest).look(position)
            promises = [prior for prior, _ in glance.priors]
            assert sum(cells for _, cells in glance.priors) == position.placements()
            assert abs(sum(p * cells.bit_count() for p, cells in glance.priors) - 1) < 1e-9
            assert promises == sorted(promises, reverse=True)
            assert 0 < glance.value < 1
