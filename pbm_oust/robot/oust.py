"""The eye for Oust: who could take what, and which placements give least away."""

import random
from math import exp

from pbm_oust.frozen import frozen
from pbm_oust.robot.eye import Eye, Glance, ranked
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position


@frozen
class Join:
    """A cell that touches stones of a side and no enemy group too large for them."""

    cell: int
    group: int
    """The stones it joins."""
    taken: int
    """The stones it takes. As long as these are none, the side may not place there."""


@frozen
class Reach:
    """What a side could do if it were to move."""

    joins: list[Join]
    """Its joins, those that take most first."""
    apart: int
    """The cells where it may place without touching a stone of its own."""
    largest: int
    """The number of stones in its largest group."""

    @property
    def most(self) -> int:
        """The most stones that it can take with one placement."""
        return _number_taken(self.joins[0]) if self.joins else 0


def reach(grid: Grid, own: int, enemy: int) -> Reach:
    """Return what a side with the stones `own` could do."""
    neighbours = grid.neighbours
    empty = grid.cells & ~(own | enemy)
    beside_enemy = neighbours(enemy)
    foes = [(group, group.bit_count(), neighbours(group)) for group in grid.groups(enemy)]
    joined: dict[int, tuple[int, int, int]] = {}
    largest = 0
    for group in grid.groups(own):
        around = neighbours(group)
        if (size := group.bit_count()) > largest:
            largest = size
        met = most = 0
        if around & enemy:
            for foe, foe_size, _ in foes:
                if foe & around:
                    met |= foe
                    if foe_size > most:
                        most = foe_size
        liberties = around & empty
        while liberties:
            cell = liberties & -liberties
            liberties ^= cell
            if cell in joined:
                before, before_met, before_most = joined[cell]
                joined[cell] = before | group, before_met | met, max(before_most, most)
            else:
                joined[cell] = group, met, most
    joins = []
    for cell, (group, met, most) in joined.items():
        if cell & beside_enemy:
            for foe, foe_size, around in foes:
                if cell & around:
                    met |= foe
                    if foe_size > most:
                        most = foe_size
        if most <= group.bit_count():
            joins.append(Join(cell, group, met))
    joins.sort(key=_number_taken, reverse=True)
    return Reach(joins, empty & ~neighbours(own), largest)


def _number_taken(join: Join) -> int:
    return join.taken.bit_count()


def risks(grid: Grid, theirs: Reach) -> list[tuple[int, int]]:
    """Return pairs of cells and the largest capture by the enemy after a single stone on them.

    `theirs` is the reach of the enemy. The cells of a pair are those in no pair before it.
    """
    if not theirs.joins:
        return [(grid.cells, 0)]
    neighbours, most = grid.neighbours, theirs.most
    top = [join for join in theirs.joins if join.taken.bit_count() == most]
    one_more = 0
    for join in top:
        one_more |= neighbours(join.group | join.cell) & ~join.cell
    found = [(one_more, most + 1), (grid.cells, most)]
    if len(top) == 1:
        # A stone on the one cell of the largest capture leaves the others.
        first = top[0].cell
        others = (
            join.taken.bit_count() + bool(neighbours(join.group | join.cell) & first)
            for join in theirs.joins[1:]
        )
        found.insert(0, (first, max(others, default=0)))
    return found


def oust_eye(grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for Oust on a grid; among placements that look alike, chance decides."""

    def look(position: Position) -> Glance:
        mover = position.to_move
        own, enemy = position.stones(mover), position.stones(mover.other)
        ours, theirs = reach(grid, own, enemy), reach(grid, enemy, own)
        weighed = _weighed(grid, ours, theirs)
        rng.shuffle(weighed)
        return Glance(1 / (1 + exp(-_score(own, enemy, ours, theirs))), ranked(weighed))

    return look


def _weighed(grid: Grid, ours: Reach, theirs: Reach) -> list[tuple[float, int]]:
    """Return the placements of a side with weights: the safer and the greedier, the larger."""
    weighed = [(3.0 + 3.0 * each.taken.bit_count(), each.cell) for each in ours.joins if each.taken]
    apart = ours.apart
    for cells, risk in risks(grid, theirs):
        weight = exp(-risk)
        weighed += [(weight, cell) for cell in grid.each(apart & cells)]
        apart &= ~cells
    return weighed


def _score(own: int, enemy: int, ours: Reach, theirs: Reach) -> float:
    stones, others = own.bit_count(), enemy.bit_count()
    score = 4.0 * (stones - others) / (stones + others + 4)
    score += 0.2 * (ours.largest - theirs.largest)
    return score + 0.25 * ours.most - 0.10 * theirs.most
