"""Perfect play on small boards: what a position is worth with best play, and how to get it.

The beginnings of games stand in tables, which `pbm-oust rules solve --table` has made. What follows
is searched, which takes tenths of a second at most, and kept as long as the process runs.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from math import inf

from pbm_oust.experiments.counting import OutOfRoom, RoomForPositions
from pbm_oust.experiments.solve import Search, Table, Worth, result_worth, unpack
from pbm_oust.rules import Grid, Position, Side

LARGEST = 12
"""The most cells of a grid that is solved without a table."""

MOST = 200_000
"""How many positions of a grid are kept: some 25 megabytes."""


class Solver:
    """Proves positions of one game on one grid."""

    def __init__(self, grid: Grid, table: Table) -> None:
        self._may_go_on: Callable[[], bool] = lambda: True
        self._search = Search(grid, RoomForPositions(MOST, self._watch), table)

    def turn(
        self, start: Position, may_go_on: Callable[[], bool]
    ) -> tuple[Worth, list[int]] | None:
        """Return what a position is worth to the side to move, and a turn that gets as much.

        Returns None if it may not go on, or would have to keep too many positions.
        """
        self._may_go_on = may_go_on
        worth, cells, position = Worth.LOSS, list[int](), start
        try:
            while not cells or (position.is_mid_turn and not position.result):
                worth, cell = self._best(position)
                cells.append(cell)
                position = position.place(cell)
        except OutOfRoom:
            return None
        return worth, cells

    def worth(self, position: Position, side: Side) -> Worth:
        """Return what a position is worth to a side. Raises OutOfRoom."""
        if position.result:
            return result_worth(position.result, side)
        worth = self._search.worth(position)
        return worth if position.to_move is side else Worth(-worth)

    def _best(self, position: Position) -> tuple[Worth, int]:
        """Return what a position is worth to the side to move, and a placement for that."""
        best = Worth.LOSS, 0
        for cell in position.grid.each(position.placements()):
            best = max(best, (self.worth(position.place(cell), position.to_move), cell))
            if best[0] is Worth.WIN:
                break
        return best

    def _watch(self, _kept: int) -> None:
        if not self._may_go_on():
            raise OutOfRoom


def solved(
    kind: str, position: Position, clock: Callable[[], float]
) -> tuple[float, list[int]] | None:
    """Return what a position is worth to the side to move, 0..1, and a turn that gets as much.

    Returns None if the board is too large. Small ones take little time, and may have it until the
    clock has run out.
    """
    solver = solver_for(kind, position.grid)
    found = solver.turn(position, lambda: clock() < inf) if solver else None
    if found is None:
        return None
    worth, cells = found
    return (worth - Worth.LOSS) / (Worth.WIN - Worth.LOSS), cells


@lru_cache(maxsize=16)
def solver_for(kind: str, grid: Grid) -> Solver | None:
    """Return the solver of a kind of game on a grid, if that has a table or is small enough."""
    table = table_of(kind, grid)
    is_small = grid.cells.bit_count() <= LARGEST
    return Solver(grid, table) if table or is_small else None


def table_of(kind: str, grid: Grid) -> Table:
    """Return the table of a kind of game on a grid; an empty one if there is none."""
    name = f"{kind} {grid}.table".replace(" ", "-").replace(",", "-")
    file = files("pbm_oust.robot").joinpath("tables", name)
    return unpack(file.read_bytes()) if file.is_file() else {}
