"""The eye for Oust: who could take what, and which placements give least away."""

from math import exp

from pbm_oust.robot.eye import Choose, Eye, Glance, ranked
from pbm_oust.robot.sight import Camp, Sight
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position


def oust_eye(_grid: Grid, choose: Choose) -> Eye:
    """Return an eye for Oust on a grid."""
    return Eye(_look, choose)


def _look(position: Position) -> Glance:
    sight = Sight.of(position)
    value = 1 / (1 + exp(-_score(sight.own, sight.enemy)))
    return Glance(sight, value, ranked(_weighed(sight)))


def _weighed(sight: Sight) -> list[tuple[float, int]]:
    """Return the placements with weights: the safer and the greedier, the larger."""
    by_number: dict[int, int] = {}
    for cell, capture in sight.own.captures.items():
        by_number[capture.number] = by_number.get(capture.number, 0) | cell
    weighed = [(3.0 + 3.0 * number, cells) for number, cells in by_number.items()]
    apart = sight.apart
    for cells, risk in risks(sight):
        weighed.append((exp(-risk), apart & cells))
        apart &= ~cells
    return weighed


def risks(sight: Sight) -> list[tuple[int, int]]:
    """Return pairs of cells and the largest capture by the enemy after a single stone on them.

    The cells of a pair are those in no pair before it.
    """
    grid, captures, most = sight.grid, sight.enemy.captures, sight.enemy.most
    if not captures:
        return [(_inviting(sight), 1), (grid.cells, 0)]
    top = [cell for cell, capture in captures.items() if capture.number == most]
    one_more = 0
    for cell in top:
        one_more |= grid.neighbours(captures[cell].group) & ~cell
    found = [(one_more, most + 1), (grid.cells, most)]
    if len(top) == 1:
        # A stone on the one cell of the largest capture leaves the others.
        (first,) = top
        others = [
            capture.number + bool(grid.neighbours(capture.group) & first)
            for cell, capture in captures.items()
            if cell != first
        ]
        found.insert(0, (first, max(others) if others else int(bool(_inviting(sight) & first))))
    return found


def _inviting(sight: Sight) -> int:
    """Return the cells where a stone can be taken by a stone that could not be placed before."""
    grid, own, enemy = sight.grid, sight.own, sight.enemy
    free = [group for group in enemy.groups if not group.around & own.stones]
    clear = grid.cells & ~(own.stones | own.beside | enemy.stones)
    clear &= ~grid.neighbours(enemy.stones & ~sum([group.stones for group in free]))
    found = 0
    for group in free:
        # The enemy stone would join this group, and touch ours.
        if joins := group.around & clear:
            found |= grid.neighbours(joins)
            found |= group.around if joins & (joins - 1) else group.around & ~joins
    return found


def _score(own: Camp, enemy: Camp) -> float:
    stones, others = own.stones.bit_count(), enemy.stones.bit_count()
    score = 4.0 * (stones - others) / (stones + others + 4)
    score += 0.2 * (own.largest - enemy.largest)
    return score + 0.25 * own.most - 0.10 * enemy.most
