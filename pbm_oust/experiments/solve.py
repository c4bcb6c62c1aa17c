"""Solving small boards: the result of best play.

Positions are searched to the end of the game, with a table of those seen before. Positions that
differ only by a symmetry of the grid or an exchange of the sides count as one.

The search ends because no position comes twice. In Oust, list the sizes of all groups, largest
first: a placement puts a larger number at the first place that changes, because a group takes only
smaller ones. In Churn the same holds for the groups of the side that places.

The house plays small boards so. The beginnings of games stand in tables, which `pbm-oust rules
solve --table` has made. What follows is searched, which takes tenths of a second at most, and kept
as long as the process runs.
"""

import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import lru_cache
from importlib.resources import files
from math import inf
from typing import Protocol

from msgspec import Struct

from pbm_oust.experiments.counting import OutOfRoom, RoomForPositions, numbering
from pbm_oust.rules import Grid, Kind, Position, Result, Side


class Worth(IntEnum):
    """The worth of a position to the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


class Judge(Protocol):
    """Computes the worth of positions of one game on one grid: `Search`, or the compiled core."""

    @property
    def positions(self) -> int:
        """The number of positions searched."""

    def worth(self, position: Position, seeker: Side | None = None) -> Worth:
        """Return the worth of a position to the side to move, in a game that goes on."""


class Solution(Struct, frozen=True):
    """The worth of the empty board to the player who places first."""

    without_swap: Worth
    with_swap: Worth
    """The worth if the second player may take over the first stone."""
    winning: tuple[int, ...]
    """The winning first stones."""
    positions: int
    """The number of positions searched."""


def solve(kind: Kind, grid: Grid, judge: Judge) -> Solution:
    """Return the solution of the empty board. Raises OutOfRoom."""
    start = kind.start(grid)
    without_swap = judge.worth(start)
    # The second player takes the side that is better off after the first stone.
    worths = {cell: judge.worth(start.place(cell)) for cell in grid.each(start.placements())}
    with_swap = max(Worth(-abs(worth)) for worth in worths.values())
    winning = tuple(cell for cell, worth in worths.items() if worth is Worth.LOSS)
    return Solution(without_swap, with_swap, winning, judge.positions)


def forced_draws(kind: Kind, grid: Grid, judge: Judge) -> list[Side]:
    """Return the sides that can force a draw. Raises OutOfRoom."""
    start = kind.start(grid)
    worths = {side: judge.worth(start, seeker=side) for side in Side}
    wanted = {side: Worth.WIN if side is start.to_move else Worth.LOSS for side in Side}
    return [side for side in Side if worths[side] is wanted[side]]


class Search:
    """The worth of positions on one grid, with a table of those already searched.

    Both sides want to win or, failing that, to draw. But if there is a seeker, that side wants a
    draw and nothing else, and the other side wants none. One search does one of the two. `known`
    has the worth of positions without a seeker, by their numbers.
    """

    def __init__(
        self, grid: Grid, room: RoomForPositions, known: Mapping[int, Worth] | None = None
    ) -> None:
        self.seen = {number << 1: worth for number, worth in (known or {}).items()}
        self._number = numbering(grid)
        self._room = room

    @property
    def positions(self) -> int:
        """The number of positions kept."""
        return len(self.seen)

    def worth(self, position: Position, seeker: Side | None = None) -> Worth:
        """Return the worth of a position to the side to move, in a game that goes on.

        Raises OutOfRoom if there is no room for all positions searched.
        """
        root = _Step(position, self._key(position, seeker))
        path = [] if root.key in self.seen else [root]
        while path:
            step = path[-1]
            after = step.next()
            if after is None:
                path.pop()
                self._keep(step)
                if path:
                    path[-1].learn(step.mover, step.best)
            elif after.result:
                mover = after.to_move
                step.learn(mover, result_worth(after.result, mover, seeker))
            else:
                key = self._key(after, seeker)
                if key in self.seen:
                    step.learn(after.to_move, self.seen[key])
                else:
                    path.append(_Step(after, key))
        return self.seen[root.key]

    def _key(self, position: Position, seeker: Side | None) -> int:
        """Return the number of a position; another one if the seeker is to move."""
        return self._number(position) << 1 | (position.to_move is seeker)

    def _keep(self, step: "_Step") -> None:
        self._room.take()
        self.seen[step.key] = step.best


class _Step:
    """A position between the start and the one under examination."""

    def __init__(self, position: Position, key: int) -> None:
        self.key = key
        self.mover = position.to_move
        self.best = Worth.LOSS
        self._following = _following(position)

    def next(self) -> Position | None:
        """Return the next position to examine; None if there is nothing left to find out."""
        return None if self.best is Worth.WIN else next(self._following, None)

    def learn(self, to_move: Side, worth: Worth) -> None:
        """Take note of the next position's worth to its side to move."""
        self.best = max(self.best, worth if to_move is self.mover else Worth(-worth))


def _following(position: Position) -> Iterator[Position]:
    """Yield the possible next positions, those after captures first."""
    placements = position.placements()
    if not placements:
        yield position.pass_turn()
    capturing = position.capturing()
    for cells in (capturing, placements & ~capturing):
        for cell in position.grid.each(cells):
            yield position.place(cell)


def result_worth(result: Result, side: Side, seeker: Side | None = None) -> Worth:
    """Return the worth of a result to a side, perhaps with a seeker of a draw."""
    if seeker:
        is_drawn = result.winner is None
        return Worth.WIN if is_drawn is (side is seeker) else Worth.LOSS
    if result.winner is None:
        return Worth.DRAW
    return Worth.WIN if result.winner is side else Worth.LOSS


Table = Mapping[int, Worth]
"""The worth of positions to the side to move, by number (`counting.numbering`)."""

_WORTHS = len(Worth)


def opening_table(kind: Kind, grid: Grid, placements: int, judge: Judge) -> Table:
    """Return the worth of all positions after up to so many placements.

    Raises OutOfRoom.
    """
    number = numbering(grid)
    worths: dict[int, Worth] = {}
    layer: list[Position] = [kind.start(grid)]
    for _ in range(placements + 1):
        following: dict[int, Position] = {}
        for position in layer:
            worths[number(position)] = judge.worth(position)
            cells = grid.each(position.placements())
            after = [position.place(cell) for cell in cells] or [position.pass_turn()]
            following |= {number(each): each for each in after if not each.result}
        layer = [each for key, each in following.items() if key not in worths]
    return worths


def pack(table: Table) -> bytes:
    """Return a table in the format of its file: numbers with their worths, in order, compressed."""
    packed = sorted(number * _WORTHS + worth - Worth.LOSS for number, worth in table.items())
    return zlib.compress(struct.pack(f"<{len(packed)}Q", *packed), 9)


def unpack(data: bytes) -> Table:
    """Return the table in a file."""
    packed = (number for (number,) in struct.iter_unpack("<Q", zlib.decompress(data)))
    return {each // _WORTHS: Worth(each % _WORTHS + Worth.LOSS) for each in packed}


LARGEST = 12
"""The most cells of a grid that is solved without a table."""

MOST = 200_000
"""The most positions kept for a grid: some 25 megabytes."""


class Solver:
    """Proves positions of one game on one grid."""

    def __init__(self, grid: Grid, table: Table) -> None:
        self._may_go_on: Callable[[], bool] = lambda: True
        self._search = Search(grid, RoomForPositions(MOST, self._watch), table)

    def turn(
        self, start: Position, may_go_on: Callable[[], bool]
    ) -> tuple[Worth, list[int]] | None:
        """Return the worth of a position to the side to move, and a turn that achieves it.

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
        """Return the worth of a position to a side. Raises OutOfRoom."""
        if position.result:
            return result_worth(position.result, side)
        worth = self._search.worth(position)
        return worth if position.to_move is side else Worth(-worth)

    def _best(self, position: Position) -> tuple[Worth, int]:
        """Return the worth of a position to the side to move, and a placement that achieves it."""
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
    """Return the value of a position to the side to move, 0..1, and a turn that achieves it.

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
    """Return the solver of a game on a grid, if there is a table or the grid is small enough."""
    table = table_of(kind, grid)
    is_small = grid.cells.bit_count() <= LARGEST
    return Solver(grid, table) if table or is_small else None


def table_of(kind: str, grid: Grid) -> Table:
    """Return the table of a game on a grid; an empty one if there is none."""
    name = f"{kind} {grid}.table".replace(" ", "-").replace(",", "-")
    file = files(__package__).joinpath("tables", name)
    return unpack(file.read_bytes()) if file.is_file() else {}
