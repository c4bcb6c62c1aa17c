"""The greedy player, which looks one placement ahead for either side.

It takes as many stones as it can. If it can take none, it gives away as few of its own as it can,
and then leaves the other side the smallest capture.
"""

import random

from pbm_oust.rules.position import Position, taken


def greedy(position: Position, rng: random.Random) -> int:
    """Return a greedy placement of a position that has one; among equal ones, one by chance."""
    weigh = _captured if position.capturing() else _cost
    weighed = [
        (weigh(position, position.place(cell)), cell)
        for cell in position.grid.each(position.capturing() or position.placements())
    ]
    best = min(cost for cost, _ in weighed)
    return rng.choice([cell for cost, cell in weighed if cost == best])


def _captured(before: Position, after: Position) -> tuple[int, int]:
    return -taken(before, after).bit_count(), 0


def _cost(before: Position, after: Position) -> tuple[int, int]:
    """Return how many stones a placement gives away, and the largest capture it leaves."""
    given = taken(before, after).bit_count()
    captures = after.grid.each(after.capturing())
    return given, max((taken(after, after.place(cell)).bit_count() for cell in captures), default=0)
