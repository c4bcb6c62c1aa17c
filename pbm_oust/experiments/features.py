"""What the sides of a position can be compared by, to learn what wins: sizes of groups, free moves.

Features are found from the positions of a game up to one moment. What is better is a larger value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pkgutil import get_data
from typing import Any

import msgspec
from msgspec import Struct

from pbm_oust.rules import Grid, Position, Side, parse_grid, taken
from pbm_oust.rules.grid import rings

Past = Sequence[Position]
"""The positions of a game up to one moment, one for each placement."""
Feature = Callable[[Past, Side], Any]
"""Returns how much a side has of something; the side that has more of it is ahead."""


def sizes_of(past: Past, side: Side) -> list[int]:
    """Return the sizes of the groups of a side, the largest first."""
    grid, stones = past[-1].grid, past[-1].stones(side)
    return sorted(map(int.bit_count, grid.groups(stones)), reverse=True)


def largest_group(past: Past, side: Side) -> int:
    """Return the size of the largest group."""
    return max(sizes_of(past, side), default=0)


def average_group(past: Past, side: Side) -> float:
    """Return the average size of the groups: fewer groups for as many stones."""
    sizes = sizes_of(past, side)
    return sum(sizes) / max(1, len(sizes))


def smaller_groups(past: Past, side: Side) -> list[int]:
    """Return more for smaller groups: the largest ones are compared first."""
    return [-size for size in sizes_of(past, side)]


def stones_lost(past: Past, side: Side) -> int:
    """Return how many stones of a side have come off the board."""
    return sum(
        (taken(before, after) & before.stones(side)).bit_count() for before, after in pairwise(past)
    )


def own_cells(past: Past, side: Side) -> int:
    """Return the number of cells of `safe_cells`."""
    return safe_cells(past[-1], side).bit_count()


def safe_cells(position: Position, side: Side) -> int:
    """Return the cells where a stone takes nothing, and no placement can take it then."""
    here = with_mover(position, side)
    quiet = here.placements() & ~here.capturing()
    return sum(cell for cell in here.grid.each(quiet) if _is_safe(here.place(cell), cell))


def _is_safe(after: Position, cell: int) -> bool:
    each = after.grid.each(after.capturing())
    return not any(taken(after, after.place(taking)) & cell for taking in each)


def with_mover(position: Position, side: Side) -> Position:
    """Return the same stones with a side to move."""
    whole: Any = position  # each game has a dataclass
    moved: Position = replace(whole, to_move=side)
    return moved


def dead_enemies(past: Past, side: Side) -> int:
    """Return how many enemy stones are in groups that touch a larger group of a side."""
    dead = 0
    for group, enemies in _contacts(past[-1], side):
        for each in enemies:
            dead |= each if each.bit_count() < group.bit_count() else 0
    return dead.bit_count()


def two_larger(past: Past, side: Side) -> int:
    """Return how many groups that touch enemies are larger by two than each group they touch."""
    return sum(
        all(group.bit_count() >= each.bit_count() + 2 for each in enemies)
        for group, enemies in _contacts(past[-1], side)
    )


def _contacts(position: Position, side: Side) -> Iterator[tuple[int, list[int]]]:
    """Yield each group of a side that touches enemy groups, with those."""
    grid, enemy = position.grid, position.stones(side.other)
    for group in grid.groups(position.stones(side)):
        if enemies := list(grid.groups(grid.flood(grid.neighbours(group), enemy))):
            yield group, enemies


def on_the_rim(past: Past, side: Side) -> int:
    """Return more for fewer stones off the rim of the board."""
    return -(past[-1].stones(side) & ~rings(past[-1].grid)[0]).bit_count()


def placements(past: Past, side: Side) -> int:
    """Return how many placements a side has if it is to move."""
    return with_mover(past[-1], side).placements().bit_count()


FEATURES: Mapping[str, Mapping[str, Feature]] = {
    "oust": {
        "own cells": own_cells,
        "dead enemies": dead_enemies,
        "largest group": largest_group,
        "two larger": two_larger,
        "average group": average_group,
        "stones lost": stones_lost,
    },
    "churn": {
        "on the rim": on_the_rim,
        "placements": placements,
        "smaller groups": smaller_groups,
        "largest group": largest_group,
        "average group": average_group,
        "stones lost": stones_lost,
    },
}
"""By the names of the games in which they may tell who wins."""


class Learned(Struct, frozen=True):
    """How often a feature told who wins, in games of the house against itself."""

    grid: str
    """The name of the grid."""
    turns: int
    """After how many turns the sides were compared."""
    won: int
    """How many games the side won that was ahead."""
    games: int
    """In how many games one side was."""

    @property
    def on(self) -> Grid:
        """The grid."""
        return parse_grid(self.grid)


LEARNED: Mapping[str, Mapping[str, Learned]] = msgspec.toml.decode(
    get_data(__package__, "learned.toml") or b"", type=dict[str, dict[str, Learned]]
)
"""By the names of the games, and then of the features: the best advice first."""


def ahead(kind: str, past: Past) -> dict[str, Side]:
    """Return which side is ahead in each feature in which the sides differ."""
    found = {}
    for name, feature in FEATURES[kind].items():
        x, o = (feature(past, side) for side in Side)
        if x != o:
            found[name] = Side.X if x > o else Side.O
    return found
