"""Oust beside the naive rules: in every position of the smallest boards, and in random games."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.rules import Grid, Side, parse_grid
from pbm_oust.rules.oust import EnemyAsLarge, Oust, TakesNothing
from tests.support.boards import naive_of, refused, scattered
from tests.support.naive import names_of, point_of, points_of, steps_of
from tests.support.naive_oust import NaiveOust
from tests.support.reachable import following, reachable
from tests.support.rings import fast_if
from tests.support.strategies import Play, grids, plays, relaxed

Turned = dict[int, int]
"""A way to turn or mirror a board: where each cell goes."""


@dataclass(frozen=True)
class Census:
    """Counts of positions; boards that differ by symmetry or by the colours count once."""

    grid: str
    positions: int
    """All but the won ones."""
    dead: int
    """Those in which neither side has a placement."""
    must_pass: int
    stuck: int
    """Captures that leave their side no placement."""


CENSUSES = [
    Census("square 2x2", positions=6, dead=1, must_pass=0, stuck=0),
    Census("square 3x2", positions=36, dead=1, must_pass=0, stuck=0),
    Census("square 4x2", positions=285, dead=2, must_pass=3, stuck=1),
    Census("square 3x3", positions=415, dead=1, must_pass=1, stuck=0),
    Census("hex 2", positions=25, dead=0, must_pass=0, stuck=0),
    Census("hex 1,4", positions=884, dead=0, must_pass=9, stuck=4),
]


def is_fast(grid: str) -> bool:
    return grid not in {"square 3x3", "hex 1,4"}


def is_stuck(before: Oust, cell: int, after: Oust) -> bool:
    """Return whether a placement took stones and yet ended the turn of a game that goes on."""
    captured = cell & before.capturing()
    return bool(captured) and after.to_move is not before.to_move and not after.result


def symmetries(grid: Grid) -> Iterator[Turned]:
    """Yield the ways to turn and mirror a board onto itself."""
    points, steps = points_of(str(grid)), steps_of(str(grid))
    for a, b, c, d in product((-1, 0, 1), repeat=4):
        images = {
            point: (a * point[0] + b * point[1], c * point[0] + d * point[1]) for point in points
        }
        right = 1 - min(column for column, _ in images.values())
        up = 1 - min(row for _, row in images.values())
        moved = {point: (column + right, row + up) for point, (column, row) in images.items()}
        keeps_steps = {(a * x + b * y, c * x + d * y) for x, y in steps} == set(steps)
        if keeps_steps and set(moved.values()) == points:
            yield {grid.cell_at(*point): grid.cell_at(*image) for point, image in moved.items()}


def class_of(position: Oust, turned: list[Turned]) -> tuple[int, int]:
    """Return the same for all boards that differ by symmetry, or by the colours of the sides."""
    own, enemy = (
        list(position.grid.each(position.stones(side)))
        for side in (position.to_move, position.to_move.other)
    )
    return min((sum(to[cell] for cell in own), sum(to[cell] for cell in enemy)) for to in turned)


@pytest.mark.parametrize(
    "census",
    fast_if(lambda census: is_fast(census.grid), CENSUSES),
    ids=lambda census: str(census.grid),
)
def test_every_position_counts_as_in_the_census(census: Census) -> None:
    turned = list(symmetries(parse_grid(census.grid)))
    over = {position for position in reachable(census.grid) if position.result}
    dead = {position for position in over if position.result and not position.result.winner}
    live = reachable(census.grid) - over
    stuck = {
        (class_of(before, turned), class_of(after, turned))
        for before in live
        for cell, after in following(before)
        if is_stuck(before, cell, after)
    }

    def count(positions: set[Oust] | frozenset[Oust]) -> int:
        return len({class_of(position, turned) for position in positions})

    assert census == Census(
        census.grid,
        positions=count(live | dead),
        dead=count(dead),
        must_pass=count({position for position in live if not position.has_placement()}),
        stuck=len(stuck),
    )


@pytest.mark.parametrize("grid", fast_if(is_fast, [census.grid for census in CENSUSES]))
def test_the_engine_and_the_naive_rules_agree_in_every_position(grid: str) -> None:
    on = parse_grid(grid)
    for position in reachable(grid):
        if position.result:
            continue
        naive = naive_of(position)
        assert on.names(position.placements()) == names_of(naive.placements())
        assert on.names(position.capturing()) == names_of(naive.capturing())
        for cell, after in following(position):
            slow = naive.place(on.place_of(cell)) if cell else naive.pass_turn()
            assert naive_of(after) == slow


# What holds in every position of Oust that play can reach, checked on random games


@relaxed
@given(plays)
def test_no_two_enemy_groups_of_several_stones_ever_touch(play: Play) -> None:
    grid = play.grid
    for position in play.positions():
        large = {
            side: sum(
                group for group in grid.groups(position.stones(side)) if group.bit_count() > 1
            )
            for side in Side
        }
        assert not grid.neighbours(large[Side.X]) & large[Side.O]


@relaxed
@given(grids, st.randoms(use_true_random=False))
def test_on_boards_that_play_cannot_reach_the_placements_are_right_too(
    grid: Grid, random: Random
) -> None:
    position = Oust(grid, *scattered(grid, random))

    assert grid.names(position.placements()) == names_of(naive_of(position).placements())
    assert grid.names(position.capturing()) == names_of(naive_of(position).capturing())


@relaxed
@given(plays)
def test_a_placement_is_refused_for_the_reason_that_the_naive_rules_give(play: Play) -> None:
    *_, position = (position for position in play.positions() if not position.result)
    grid, naive = play.grid, naive_of(position)
    for cell in grid.each(grid.cells):
        fault, verdict = refused(position, cell), naive.judge(grid.place_of(cell))
        assert (fault.word if fault else None) == verdict.fault
        if isinstance(fault, TakesNothing | EnemyAsLarge):
            assert fault.group == verdict.group
        if isinstance(fault, EnemyAsLarge):
            at = point_of(fault.at)
            assert any(at in enemies for enemies in verdict.largest_enemies)
            assert fault.enemy == len(verdict.largest_enemies[0])


@relaxed
@given(plays)
def test_the_engine_and_the_naive_rules_play_the_same_game(play: Play) -> None:
    grid, naive = play.grid, NaiveOust.start(str(play.grid))
    for before, cell, after in play.steps():
        assert grid.names(before.placements()) == names_of(naive.placements())
        assert grid.names(before.capturing()) == names_of(naive.capturing())
        naive = naive.place(grid.place_of(cell)) if cell else naive.pass_turn()
        assert naive == naive_of(after)
