"""What a player sees in a position at a glance."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pbm_oust.rules.position import Position, Result, Side


@dataclass(frozen=True, slots=True)
class Glance:
    """How a position looks to the side to move, which has a placement."""

    position: Position
    """The same position. An eye may have it carry along what it knows."""
    value: float
    """0..1: how likely the side to move is to win."""
    priors: list[tuple[float, int]]
    """How promising a placement on any of some cells looks, and these cells: the most first.

    Each cell where the side may place is in one of these sets. For all cells together the promises
    add up to 1.
    """


Choose = Callable[[int], int]
"""Picks one of some cells that look alike."""


class Prover(Protocol):
    """Proves who wins positions of a game without draws whose turns are single placements."""

    def wins(self, position: Position) -> bool | None:
        """Return whether the side to move wins for certain; None if that is not known."""
        ...

    def prove(self, position: Position, most: int) -> None:
        """Try to prove who wins a position that goes on, by at most so many others."""
        ...


@dataclass(frozen=True, slots=True)
class Eye:
    """Sees positions of one game on one grid that go on and have a placement."""

    look: Callable[[Position], Glance]
    choose: Choose
    prover: Prover | None = None


def worth(result: Result, side: Side) -> float:
    """Return what a result is worth to a side: 1 for a win, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return float(result.winner is side)


def ranked(weighed: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Return sets of cells, with a weight for each cell of a set, as priors."""
    # Added one after the other, as the compiled core does: `sum` of Python 3.12 rounds otherwise.
    total = 0.0
    for weight, cells in weighed:
        total += weight * cells.bit_count()
    return sorted([(weight / total, cells) for weight, cells in weighed if cells], reverse=True)
