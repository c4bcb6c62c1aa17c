"""What a tree tells of a position, whoever grows the tree."""

import os
from collections.abc import Callable, Sequence
from math import inf
from typing import Protocol

from pbm_oust.rules.position import Position, Side

MOST_BYTES = min(256 * 2**20, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 16)
"""How much memory a tree takes at most: a sixteenth of the machine's, but not more than 256 MB."""


class Searched(Protocol):
    """A position of a tree. Values are those of the side to move in it."""

    proved: float | None
    """What it is worth for certain; None if that is not known."""

    @property
    def position(self) -> Position:
        """The position."""

    @property
    def side(self) -> Side:
        """The side to move."""

    @property
    def visits(self) -> int:
        """How often the tree grew from here."""

    @property
    def value(self) -> float:
        """How likely the side to move is to win, as far as it was searched."""

    @property
    def branches(self) -> Sequence["Way"]:
        """The placements that were tried."""

    def best(self) -> "Way":
        """Return the branch to play. Raises ValueError if nothing was tried."""

    def after_best(self) -> "Searched":
        """Return where the branch to play leads."""

    def keep(self, most_bytes: int) -> int:
        """Make the position the root of its tree, which lets go of all that is not below it.

        If that takes more than so many bytes, a compiled tree forgets what was visited least. All
        other positions of the tree are to be asked for again afterwards. Returns how many bytes the
        tree takes then. Raises MemoryError.
        """


class Way(Protocol):
    """A placement in a position of a tree, or a pass, and where it leads."""

    @property
    def cell(self) -> int:
        """The cell; 0 for a pass."""

    @property
    def prior(self) -> float:
        """How promising it looked at a glance."""

    @property
    def visits(self) -> int:
        """How often it was tried."""

    @property
    def node(self) -> Searched:
        """Where it leads."""


class Searcher(Protocol):
    """Grows trees of one game on one grid."""

    def root(self, position: Position) -> Searched:
        """Return a tree that has not grown."""

    def grow(self, node: Searched, may_go_on: Callable[[], bool]) -> int:
        """Let a tree of this searcher grow from a position, as long as it may.

        It stops when that position is proved. If it is not, it has a branch afterwards. Returns how
        often it grew.
        """

    def is_lost(self, position: Position) -> bool:
        """Return whether the side to move is known to lose, though the tree still searches it."""


def worth_before(way: Way, node: Searched) -> float:
    """Return what a branch is worth to the side to move before it, as far as it was searched."""
    value = way.node.value
    return value if way.node.side is node.side else 1 - value


def merit(way: Way, node: Searched) -> tuple[float, float]:
    """Return how good a branch is to play: a proved win, else what was tried most, else a loss."""
    value = worth_before(way, node)
    if way.node.proved is None or 0.0 < value < 1.0:
        return float(way.visits), value
    return (inf, 1.0) if value else (-1.0, way.prior)
