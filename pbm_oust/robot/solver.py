"""Perfect play on small boards: what a position is worth with best play, and how to get it.

What was proved is kept as long as the process runs, so that a game is solved but once.
"""

from collections.abc import Callable
from functools import lru_cache

from pbm_oust.experiments.room import OutOfRoom, Room
from pbm_oust.experiments.solve import Search, Worth
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position, Side

LARGEST = 16
"""The most cells of a grid that is worth an attempt."""

MOST = 200_000
"""How many positions of a grid are kept: some 25 megabytes."""


class Solver:
    """Proves positions of one game on one grid."""

    def __init__(self, grid: Grid) -> None:
        self._may_go_on: Callable[[], bool] = lambda: True
        self._search = Search(grid, Room(MOST, self._watch))

    def turn(
        self, start: Position, may_go_on: Callable[[], bool]
    ) -> tuple[Worth, list[int]] | None:
        """Return what a position is worth to the side to move, and a turn that gets as much.

        Returns None if this cannot be told as long as it may go on.
        """
        self._may_go_on = may_go_on
        worth, cells, position = Worth.LOSS, list[int](), start
        try:
            while not cells or (position.is_mid_turn and not position.result):
                worth, cell = max((self._worth(position, each), each) for each in _cells(position))
                cells.append(cell)
                position = position.place(cell)
        except OutOfRoom:
            return None
        return worth, cells

    def worth(self, position: Position, side: Side) -> Worth:
        """Return what a position is worth to a side. Raises OutOfRoom."""
        if position.result:
            winner = position.result.winner
            return Worth.DRAW if winner is None else Worth.WIN if winner is side else Worth.LOSS
        worth = self._search.worth(position)
        return worth if position.to_move is side else Worth(-worth)

    def _worth(self, position: Position, cell: int) -> Worth:
        return self.worth(position.place(cell), position.to_move)

    def _watch(self, _kept: int) -> None:
        if not self._may_go_on():
            raise OutOfRoom


@lru_cache(maxsize=16)
def solver_for(kind: str, grid: Grid) -> Solver | None:
    """Return the solver of a kind of game on a grid, if it is small enough."""
    return Solver(grid) if grid.cells.bit_count() <= LARGEST else None


def _cells(position: Position) -> list[int]:
    return list(position.grid.each(position.placements()))
