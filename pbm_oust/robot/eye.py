"""What a player sees in a position at a glance, in any game.

Games that have an eye of their own are in `oust.py` and `churn.py`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import FastGame, Position, Result, Side


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


LONGEST = 10
"""A playout that has not ended after this many placements for each cell counts as a draw."""

PROMISE = 4.0
"""How many times as promising as other placements captures are taken to be."""


def playing_eye(grid: Grid, choose: Choose, *, captures_first: bool = True) -> Eye:
    """Return an eye that plays positions to the end once; without captures first, uniformly."""

    def look(position: Position) -> Glance:
        captures = position.capturing() if captures_first else 0
        others = position.placements() & ~captures
        return Glance(position, play_out(position), ranked([(PROMISE, captures), (1.0, others)]))

    def play_out(position: Position) -> float:
        mover = position.to_move
        for _ in range(LONGEST * grid.cells.bit_count()):
            if position.result:
                return worth(position.result, mover)
            allowed = (captures_first and position.capturing()) or position.placements()
            position = position.place(choose(allowed)) if allowed else position.pass_turn()
        return 0.5

    return Eye(look, choose)


def fast_eye(fast_game: FastGame, grid: Grid, choose: Choose) -> Eye:
    """Return an eye for a game with such a way to be played, on a grid."""

    def look(position: Position) -> Glance:
        mover = position.to_move
        _, result = fast_game(grid, choose, position.stones(mover), position.stones(mover.other))
        # The fast game calls the side to move x.
        value = worth(result, Side.X)
        return Glance(position, value, ranked([(1.0, position.placements())]))

    return Eye(look, choose)
