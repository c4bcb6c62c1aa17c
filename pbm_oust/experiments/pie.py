"""The pie rule: which first stones to take over, by matches of the house against itself.

In these games both sides look equally often, and begin with each first stone equally often. What
a stone won is what its side won, whoever would own it after a swap. `scripts/play_openings` has
played and counted them.
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pkgutil import get_data

import msgspec
from msgspec import Struct

from pbm_oust.experiments.counting import orbits
from pbm_oust.experiments.shares import WonShare
from pbm_oust.rules import Grid, Kind, Position, parse_grid

SURE = 2.58
"""A stone is strong or weak if it is so within so many standard deviations, 99 %: there are a
hundred first stones on the usual boards, and about one of them may seem so by chance."""

ENOUGH = 40
"""The least number of games from a first stone that tells whether it is fair."""


class StoneMatch(Struct, frozen=True):
    """The games from all first stones on a grid."""

    looks: int
    """How many positions a side looks at for each placement."""
    stones: Mapping[str, tuple[float, int]]
    """By a cell of each first stone: what it won, a draw as half of a game, and in how many."""


@cache
def _matches() -> Mapping[str, Mapping[str, StoneMatch]]:
    """Return the matches, by game and grid; few processes ask for them."""
    data = get_data(__package__, "pie.toml") or b""
    return msgspec.toml.decode(data, type=dict[str, dict[str, StoneMatch]])


class FirstStone(Struct, frozen=True):
    """A first stone, and what its side won."""

    cells: tuple[str, ...]
    """The cells for it, which only symmetry tells apart."""
    share: WonShare

    @property
    def is_strong(self) -> bool:
        """Whether it is worth taking over."""
        return self.share.within(SURE)[0] > 0.5

    @property
    def is_weak(self) -> bool:
        """Whether it is worth leaving."""
        return self.share.within(SURE)[1] < 0.5


@lru_cache(maxsize=16)
def first_stones(kind: Kind, grid: Grid) -> Sequence[FirstStone]:
    """Return the first stones of a game on a grid, the best one first; none if none is known."""
    match = _matches().get(kind.name, {}).get(str(grid))
    if match is None:
        return ()
    alike = [tuple(map(grid.format_cell, sorted(orbit))) for orbit in orbits(grid)]
    stones = (
        FirstStone(next(each for each in alike if cell in each), WonShare(*counted))
        for cell, counted in match.stones.items()
    )
    return tuple(sorted(stones, key=lambda stone: (-stone.share.part, stone.cells)))


def fairest_stone(kind: Kind, grid: Grid) -> FirstStone | None:
    """Return the first stone that leaves the sides most equal; None if too few games tell it."""
    stones = [each for each in first_stones(kind, grid) if each.share.games >= ENOUGH]
    return min(stones, key=lambda stone: abs(stone.share.part - 0.5), default=None)


def first_stone(kind: Kind, position: Position) -> FirstStone | None:
    """Return the only stone of a position; None if nothing is known of it."""
    name, grid = position.grid.format_cell(position.occupied), position.grid
    return next((stone for stone in first_stones(kind, grid) if name in stone.cells), None)


def pies(kind: Kind) -> Mapping[Grid, tuple[StoneMatch, Sequence[FirstStone]]]:
    """Return the matches of a game, by their grids, with the first stones."""
    played = {parse_grid(grid): match for grid, match in _matches().get(kind.name, {}).items()}
    return {grid: (match, first_stones(kind, grid)) for grid, match in played.items()}
