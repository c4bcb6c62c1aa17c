"""Games as plain and slow as their rules in words: a yardstick for the engine.

Stones are a dictionary from points, which are (column, row) counted from 1, to "x" or "o". Nothing
here, nor in the naive games built on it, knows the engine or its grids.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Self

Point = tuple[int, int]

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

SQUARE_STEPS = ((1, 0), (-1, 0), (0, 1), (0, -1))
HEX_STEPS = (*SQUARE_STEPS, (1, 1), (-1, -1))

AROUND = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
"""The ways along the sides of a hexagon, counterclockwise from the bottom row."""


def name_of(point: Point) -> str:
    """Return a point's name, such as `D4`."""
    return f"{LETTERS[point[0] - 1]}{point[1]}"


def names_of(points: set[Point]) -> list[str]:
    """Return the names of points, sorted by column, then by row."""
    return [name_of(point) for point in sorted(points)]


def point_of(name: str) -> Point:
    """Return the point of a name."""
    return LETTERS.index(name[0]) + 1, int(name[1:])


def points_of(grid: str) -> frozenset[Point]:
    """Return the points of a grid, which is named like `square 4x3`, `hex 3` or `hex 3,3,5`."""
    lengths = [int(number) for number in re.findall(r"\d+", grid)]
    if grid.startswith("square"):
        a, b = lengths
        return frozenset((c, r) for c in range(1, a + 1) for r in range(1, b + 1))
    rim = set(rim_of(lengths))
    rows = {row: [column for column, other in rim if other == row] for _, row in rim}
    return frozenset(
        (column, row) for row, ends in rows.items() for column in range(min(ends), max(ends) + 1)
    )


def rim_of(lengths: list[int]) -> Iterator[Point]:
    """Yield the points of the rim of a hexagon, from its lower left corner around to there."""
    point = (1, 1)
    yield point
    for nth, (right, up) in enumerate(AROUND):
        for _ in range(lengths[nth % len(lengths)] - 1):
            point = (point[0] + right, point[1] + up)
            yield point


def steps_of(grid: str) -> tuple[Point, ...]:
    """Return the ways from a point to its neighbours."""
    return SQUARE_STEPS if grid.startswith("square") else HEX_STEPS


@cache
def _beside(points: frozenset[Point], steps: tuple[Point, ...], point: Point) -> tuple[Point, ...]:
    near = ((point[0] + right, point[1] + up) for right, up in steps)
    return tuple(each for each in near if each in points)


@dataclass(frozen=True)
class Naive:
    """A position of some game. `ended` is the winner, or "draw", or None while the game goes on."""

    points: frozenset[Point]
    steps: tuple[Point, ...]
    stones: dict[Point, str] = field(default_factory=dict)
    to_move: str = "x"
    ended: str | None = None

    @classmethod
    def start(cls, grid: str) -> Self:
        """Return the empty board."""
        return cls(points_of(grid), steps_of(grid))

    @property
    def enemy(self) -> str:
        """The side that is not to move."""
        return "o" if self.to_move == "x" else "x"

    def beside(self, point: Point) -> tuple[Point, ...]:
        """Return the neighbours of a point."""
        return _beside(self.points, self.steps, point)

    def group_at(self, point: Point, stones: dict[Point, str]) -> set[Point]:
        """Return the group that the stone on a point belongs to."""
        group, waiting = {point}, [point]
        while waiting:
            for neighbour in self.beside(waiting.pop()):
                if stones.get(neighbour) == stones[point] and neighbour not in group:
                    group.add(neighbour)
                    waiting.append(neighbour)
        return group

    def placements(self) -> set[Point]:
        """Return the points where the side to move may place."""
        raise NotImplementedError

    def has_placement(self) -> bool:
        """Return whether the side to move may place anywhere."""
        return bool(self.placements())

    def taken_at(self, point: Point) -> set[Point]:
        """Return the points that a placement empties."""
        raise NotImplementedError

    def place(self, point: Point) -> Self:
        """Return the position after a placement that the rules allow."""
        raise NotImplementedError

    def pass_turn(self) -> Self:
        """Return the position after a pass by a side that has no placement."""
        assert not self.placements()
        return replace(self, to_move=self.enemy)

    def count_sequences(self, depth: int) -> int:
        """Return the number of sequences of `depth` placements; forced passes count nothing."""
        if depth == 0:
            return 1
        if self.ended:
            return 0
        able = self if self.placements() else self.pass_turn()
        placements = able.placements()
        if depth == 1:
            return len(placements)
        return sum(able.place(point).count_sequences(depth - 1) for point in placements)
