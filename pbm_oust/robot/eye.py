"""What a player sees in a position at a glance."""

from collections.abc import Callable

from pbm_oust.frozen import frozen
from pbm_oust.rules.position import Position, Result, Side


@frozen
class Glance:
    """How a position looks to the side to move, which has a placement."""

    value: float
    """0..1: how likely it is to win."""
    priors: list[tuple[float, int]]
    """How promising each placement looks, and its cell; these add up to 1, the largest first."""


Eye = Callable[[Position], Glance]
"""Sees positions of one game on one grid that go on and have a placement."""


def worth(result: Result, side: Side) -> float:
    """Return what a result is worth to a side: 1 for a win, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return float(result.winner is side)


def ranked(weighed: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return placements, each with a weight, as priors; equal ones stay in their order."""
    total = sum(weight for weight, _ in weighed)
    weighed.sort(key=_weight, reverse=True)
    return [(weight / total, cell) for weight, cell in weighed]


def _weight(weighed: tuple[float, int]) -> float:
    return weighed[0]
