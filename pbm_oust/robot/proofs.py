"""Proofs on small boards of Churn: who wins a position with best play.

Placements are tried one after the other until one wins: first the one that won latest after as many
placements, then those after which the stones of the side touch the fewest cells. What was found out
is kept as long as the process runs, so a proof goes on where it stopped, also a turn later.
"""

from contextlib import suppress
from functools import lru_cache

from pbm_oust.robot.camps import Camp, camps_on
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position

MOST = 500_000
"""How many positions of a grid are kept: some 60 megabytes."""


class _Enough(Exception):
    """So many positions were looked at as were allowed."""


class Proofs:
    """What is proved about positions of Churn on one grid."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._cells = grid.cells
        self._half = grid.cells.bit_count() // 2
        self._camps = camps_on(grid)
        self._wins: dict[tuple[int, int], bool] = {}
        """By the stones of the side to move and those of the other: whether the former wins."""
        self._left = 0
        self._winners: dict[int, int] = {}
        """By how many placements came before it: the cell that won latest."""

    def wins(self, position: Position) -> bool | None:
        """Return whether the side to move wins for certain; None if that is not known."""
        if position.result:
            return position.result.winner is position.to_move
        return self._wins.get(_stones(position))

    def prove(self, position: Position, most: int) -> None:
        """Try to prove who wins a position that goes on, by at most so many others."""
        own, enemy = _stones(position)
        if len(self._wins) + most > MOST:
            self._wins.clear()
        self._left = most
        with suppress(_Enough):
            self._prove(self._camps.of(own), self._camps.of(enemy), 0)

    def _prove(self, own: Camp, enemy: Camp, depth: int) -> bool:
        """Return whether the side to move, which has its own camp, wins. Raises _Enough."""
        stones = own.stones, enemy.stones
        wins = self._wins.get(stones)
        if wins is None:
            if not self._left:
                raise _Enough
            self._left -= 1
            wins = self._wins[stones] = self._has_win(own, enemy, depth)
        return wins

    def _has_win(self, own: Camp, enemy: Camp, depth: int) -> bool:
        others = enemy.stones
        for cell, after in self._trials(own, others, self._winners.get(depth)):
            if after.stones | others == self._cells:
                wins = after.stones.bit_count() > self._half
            else:
                wins = not self._prove(enemy, after, depth + 1)
            if wins:
                self._winners[depth] = cell
                return True
        return False

    def _trials(self, own: Camp, others: int, first: int | None) -> list[tuple[int, Camp]]:
        """Return placements of a side, and its camp after each, in the order to try them."""
        allowed = own.placements(self._cells & ~(own.stones | others))
        found = [
            (cell, own.after.get(cell) or self._camps.place(own, cell))
            for cell in self._grid.each(allowed)
        ]
        return sorted(found, key=lambda trial: trial[0] != first and trial[1].beside)


@lru_cache(maxsize=2)
def proofs_on(grid: Grid) -> Proofs:
    """Return what was proved on a grid since the process began."""
    return Proofs(grid)


def _stones(position: Position) -> tuple[int, int]:
    mover = position.to_move
    return position.stones(mover), position.stones(mover.other)
