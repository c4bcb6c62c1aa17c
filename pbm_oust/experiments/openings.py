"""Openings: what was placed in a position, and who won, however the board is turned.

Positions that differ only by a symmetry of the grid, by an exchange of the sides or by whether the
turn has begun have one key, and a placement has one number in all of them.

The first placements of games that the house has played against itself come with the program
(`tables/`): `scripts/play_openings` has played and packed them.
"""

import struct
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files
from typing import NamedTuple

from pbm_oust.experiments.counting import symmetries
from pbm_oust.rules import Grid, Position, Side


class ResultCount(NamedTuple):
    """The games with a placement, by what they were worth to the side that placed."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """The number of all."""
        return sum(self)

    @property
    def share(self) -> float:
        """The share of the games that were won, a draw as half of one; a half of none."""
        return (self.won + self.drawn / 2) / self.games if self.games else 0.5

    @classmethod
    def of(cls, side: Side, winner: Side | None) -> "ResultCount":
        """Return the count of one game for a side; no winner is a draw."""
        return cls(winner is side, winner is None, winner is side.other)

    def plus(self, other: "ResultCount") -> "ResultCount":
        """Return the count of these games and others."""
        return ResultCount(*(one + another for one, another in zip(self, other, strict=True)))


class TurnedPosition(NamedTuple):
    """A position turned as its key demands."""

    key: int
    """A number of 63 bits."""
    number_of: Callable[[int], int]
    """Returns the number of a cell, which those have in common that only symmetry tells apart."""


class Opening(NamedTuple):
    """A placement early in a game."""

    key: int
    """The key of the position before it."""
    number: int
    """The number of its cell there."""
    side: Side


class NextPlacement(NamedTuple):
    """The games that went on with a placement in a position, here and of the house."""

    cells: tuple[str, ...]
    """The cells for it, which only symmetry tells apart."""
    here: ResultCount
    """Games of a server."""
    house: ResultCount
    """Games of the house against itself."""


@lru_cache(maxsize=64)
def _symmetries(grid: Grid) -> tuple[dict[int, int], ...]:
    return tuple(symmetries(grid))


def turned(position: Position) -> TurnedPosition:
    """Return a position turned as its key demands."""
    grid, side = position.grid, position.to_move
    sets = [list(grid.each(position.stones(each))) for each in (side, side.other)]
    images = [
        (tuple(sum(map(images.__getitem__, some)) for some in sets), images)
        for images in _symmetries(grid)
    ]
    least = min(stones for stones, _ in images)
    same = [images for stones, images in images if stones == least]
    text = f"{grid} {least[0]:x} {least[1]:x}".encode()
    key = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1
    return TurnedPosition(key, lambda cell: min(each[cell] for each in same).bit_length() - 1)


def openings_of(start: Position, placed: Iterable[int], most: int) -> Iterator[Opening]:
    """Yield the first placements of a game on some cells, at most so many; 0 is a pass."""
    position = start
    for cell in placed:
        if cell and most:
            key, number_of = turned(position)
            yield Opening(key, number_of(cell), position.to_move)
            most -= 1
        if not most:
            return
        position = position.place(cell) if cell else position.pass_turn()


def next_placements(
    position: Position, here: Mapping[int, ResultCount], house: Mapping[int, ResultCount]
) -> list[NextPlacement]:
    """Return what came of the placements in a position, the most frequent first.

    `here` and `house` have games by the numbers of their placements.
    """
    number_of, alike = turned(position).number_of, defaultdict[int, list[str]](list)
    for cell in position.grid.each(position.placements() if here or house else 0):
        alike[number_of(cell)].append(position.grid.format_cell(cell))
    found = [
        NextPlacement(
            tuple(cells), here.get(number, ResultCount()), house.get(number, ResultCount())
        )
        for number, cells in alike.items()
        if number in here or number in house
    ]
    return sorted(found, key=lambda each: (-each.here.games, -each.house.games, each.cells))


_ROW = struct.Struct("<QHHHH")
"""A row of a file: the key of a position, the number of a placement, and its count."""


def pack(counted: Mapping[tuple[int, int], ResultCount]) -> bytes:
    """Return the counts of placements, by key and number, as the file of a grid has them."""
    return b"".join(_ROW.pack(*place, *count) for place, count in sorted(counted.items()))


def counts_in(data: bytes, key: int) -> dict[int, ResultCount]:
    """Return the counts in a file for the position with a key, by the numbers of placements."""
    rows = range(len(data) // _ROW.size)
    first = bisect_left(rows, key, key=lambda nth: _ROW.unpack_from(data, nth * _ROW.size)[0])
    found = dict[int, ResultCount]()
    for nth in rows[first:]:
        at, number, *count = _ROW.unpack_from(data, nth * _ROW.size)
        if at != key:
            break
        found[number] = ResultCount(*count)
    return found


def of_house(kind: str, position: Position) -> dict[int, ResultCount]:
    """Return what the house has placed in a position when it played against itself."""
    data = _file(kind, position.grid)
    return counts_in(data, turned(position).key) if data else {}


def file_name(kind: str, grid: Grid) -> str:
    """Return the name of the file of a game on a grid: `oust-square-7x7.openings`."""
    return f"{kind} {grid}.openings".replace(" ", "-").replace(",", "-")


@lru_cache(maxsize=16)
def _file(kind: str, grid: Grid) -> bytes:
    """Return the file of a game on a grid; nothing if there is none."""
    file = files(__package__).joinpath("tables", file_name(kind, grid))
    return file.read_bytes() if file.is_file() else b""
