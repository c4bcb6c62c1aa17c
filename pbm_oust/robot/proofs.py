"""Proofs on small boards of Churn: who wins a position with best play.

Placements are tried one after the other until one wins. What was found out is kept as long as the
process runs, so a proof goes on where it stopped, also a turn later.
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
        self._cells = grid.cells
        self._half = grid.cells.bit_count() // 2
        self._camps = camps_on(grid)
        self._wins: dict[tuple[int, int], bool] = {}
        """By the stones of the side to move and those of the other: whether the former wins."""
        self._left = 0

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
            self._prove(self._camps.of(own), self._camps.of(enemy))

    def _prove(self, own: Camp, enemy: Camp) -> bool:
        """Return whether the side to move, which has its own camp, wins. Raises _Enough."""
        stones = own.stones, enemy.stones
        wins = self._wins.get(stones)
        if wins is None:
            if not self._left:
                raise _Enough
            self._left -= 1
            wins = self._wins[stones] = self._has_win(own, enemy)
        return wins

    def _has_win(self, own: Camp, enemy: Camp) -> bool:
        others = enemy.stones
        free = self._cells & ~(own.stones | others)
        allowed = own.placements(free)
        while allowed:
            cell = allowed & -allowed
            allowed ^= cell
            after = own.after.get(cell) or self._camps.place(own, cell)
            if after.stones | others == self._cells:
                if after.stones.bit_count() > self._half:
                    return True
            elif not self._prove(enemy, after):
                return True
        return False


@lru_cache(maxsize=2)
def proofs_on(grid: Grid) -> Proofs:
    """Return what was proved on a grid since the process began."""
    return Proofs(grid)


def _stones(position: Position) -> tuple[int, int]:
    mover = position.to_move
    return position.stones(mover), position.stones(mover.other)
