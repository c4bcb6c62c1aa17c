"""The eye for Oust: who could take what, and which placements give least away."""

import random
from math import exp

from pbm_oust.frozen import frozen
from pbm_oust.robot.eye import Eye, Glance, ranked
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position


@frozen
class Capture:
    """A placement that would take stones if its side were to move."""

    cell: int
    group: int
    """The stones it forms, without those it takes."""
    taken: int
    """The stones it takes."""


@frozen
class Reach:
    """What a side could do if it were to move."""

    captures: list[Capture]
    """Its captures, the largest first."""
    joins: int
    """The cells where it may not place because they join its stones and take nothing."""
    apart: int
    """The cells where it may place without touching a stone of its own."""
    largest: int
    """The number of stones in its largest group."""


def reach(grid: Grid, own: int, enemy: int) -> Reach:
    """Return what a side with the stones `own` could do."""
    neighbours = grid.neighbours
    empty = grid.cells & ~(own | enemy)
    beside_enemy = neighbours(enemy)
    foes = [(group, group.bit_count(), neighbours(group)) for group in grid.groups(enemy)]
    joined: dict[int, tuple[int, int, int]] = {}
    barren = largest = 0
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
    captures = []
    for cell, (group, met, most) in joined.items():
        if cell & beside_enemy:
            for foe, foe_size, around in foes:
                if cell & around:
                    met |= foe
                    if foe_size > most:
                        most = foe_size
        if not met:
            barren |= cell
        elif most <= group.bit_count():
            captures.append(Capture(cell, group, met))
    captures.sort(key=_number_taken, reverse=True)
    return Reach(captures, barren, empty & ~neighbours(own), largest)


def _number_taken(capture: Capture) -> int:
    return capture.taken.bit_count()


def risks(grid: Grid, enemy: int, theirs: Reach) -> list[tuple[int, int]]:
    """Return pairs of cells and the largest capture by the enemy after a single stone on them.

    `theirs` is the reach of the enemy. The cells of a pair are those in no pair before it.
    """
    neighbours = grid.neighbours
    captures = [(each.taken.bit_count(), each.cell, each.group) for each in theirs.captures]
    beside_joins = neighbours(theirs.joins)
    touched = beside_joins | neighbours(grid.flood(beside_joins, enemy))
    if not captures:
        return [(touched, 1), (grid.cells, 0)]
    most, first, _ = captures[0]
    touched_by_most = 0
    alone = len(captures) == 1 or captures[1][0] < most
    for number, cell, group in captures:
        if number == most:
            touched_by_most |= neighbours(group | cell) & ~cell
    found = [(touched_by_most & ~first if alone else touched_by_most, most + 1), (grid.cells, most)]
    if alone:
        # A stone on the one cell of the largest capture leaves the others.
        rest = [
            number + bool(neighbours(group | cell) & first) for number, cell, group in captures[1:]
        ]
        rest.append(int(bool(touched & first)))
        found.insert(0, (first, max(rest)))
    return found


def oust_eye(grid: Grid, rng: random.Random) -> Eye:
    """Return an eye for Oust on a grid; among placements that look alike, chance decides."""

    def look(position: Position) -> Glance:
        mover = position.to_move
        own, enemy = position.stones(mover), position.stones(mover.other)
        ours, theirs = reach(grid, own, enemy), reach(grid, enemy, own)
        weighed = _weighed(grid, enemy, ours, theirs)
        rng.shuffle(weighed)
        return Glance(1 / (1 + exp(-_score(own, enemy, ours, theirs))), ranked(weighed))

    return look


def _weighed(grid: Grid, enemy: int, ours: Reach, theirs: Reach) -> list[tuple[float, int]]:
    """Return the placements of a side with weights: the safer and the greedier, the larger."""
    weighed = [(3.0 + 3.0 * each.taken.bit_count(), each.cell) for each in ours.captures]
    apart = ours.apart
    for cells, risk in risks(grid, enemy, theirs):
        weight = exp(-risk)
        weighed += [(weight, cell) for cell in grid.each(apart & cells)]
        apart &= ~cells
    return weighed


def _score(own: int, enemy: int, ours: Reach, theirs: Reach) -> float:
    stones, others = own.bit_count(), enemy.bit_count()
    score = 4.0 * (stones - others) / (stones + others + 4)
    score += 0.2 * (ours.largest - theirs.largest)
    if ours.captures:
        score += 0.25 * ours.captures[0].taken.bit_count()
    if theirs.captures:
        score -= 0.10 * theirs.captures[0].taken.bit_count()
    return score
