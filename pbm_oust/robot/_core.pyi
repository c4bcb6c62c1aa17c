"""The compiled core of the house player: see core/core.h.

Sets of cells are bytes, the lowest first, laid out as in `Grid`; `cells`, `stride` and `slant` are
those of a grid. Figures of results count halves of a win of the side to move: 0, 1, 2, or -1 if
nothing is proved.
"""

from collections.abc import Callable
from typing import final

OUST_BY_EYE: int
OUST_BY_CHANCE: int
CHURN_BY_EYE: int
CHURN_BY_CHANCE: int
MOST_CELLS: int
"""The most cells of a grid on which a tree can grow."""
MOST_PROVED: int
"""The most cells of a grid on which proofs can be sought."""
DRAW: int
"""This and those that follow are aims: results that the side to move wants."""
WIN: int
NO_DRAW: int
NO_LOSS: int
ROWS: int
"""How many rows the table of a net for Oust has."""
CHURN_ROWS: int
"""How many rows the table of a net for Churn has."""
WIDTH: int
"""How many figures a row has."""
INNER: int
"""How many figures the second layer of a net has."""
SIGNS: int
"""How many figures a net has for priors."""

@final
class Proofs:
    """What is proved about positions of Oust or Churn on one grid."""

    def __new__(
        cls,
        cells: bytes,
        stride: int,
        slant: int,
        is_churn: bool,
        entries: int,
        symmetries: list[bytes],
    ) -> Proofs:
        """Return proofs of a grid; `entries` is a power of two: each takes 32 bytes.

        Positions that a symmetry maps to each other count as one; each symmetry has the number of
        its image for each cell. Raises ValueError if the grid is too large, or does not have so
        many cells, or one of them touches no other one, and MemoryError.
        """

    def reaches(self, own: bytes, enemy: bytes, aim: int, /) -> bool | None:
        """Return whether the side to move, which has its own stones, reaches its aim for certain.

        Returns None if that is not known. Raises ValueError if there is no such aim, or a cell has
        stones of both sides, and RuntimeError in the middle of a search.
        """

    def prove(
        self,
        own: bytes,
        enemy: bytes,
        aim: int,
        most: int,
        watch: Callable[[int], object] = ...,
        /,
    ) -> int:
        """Search so many positions at most for a proof of that; return how many it were.

        `watch` is told several times a second how many they are. What it raises ends the search, as
        Ctrl-C does. Other threads run meanwhile. Raises what `reaches` raises.
        """

@final
class Tree:
    """A tree of positions, numbered from 0, its root."""

    def __new__(
        cls,
        cells: bytes,
        stride: int,
        slant: int,
        eye: int,
        net: bytes,
        curiosity: float,
        x: bytes,
        o: bytes,
        to_move: bool,
        is_mid_turn: bool,
        seed: int,
        proofs: Proofs | None,
        proving: int,
        resting: int,
        most_bytes: int,
        picks_lowest: bool,
    ) -> Tree:
        """Return a tree of one position that goes on; `to_move` is whether o is to move.

        After the first look and then after each `resting` of them, `proving` positions are used for
        proofs.
        Raises ValueError for a grid that is too large or has a cell that touches no other one, for
        stones of both sides on one cell, and for bytes that are no net, and MemoryError.
        """

    @property
    def positions(self) -> int:
        """How many positions it has."""

    @property
    def memory(self) -> int:
        """How many bytes of memory it takes."""

    @property
    def is_full(self) -> bool:
        """Whether it has stopped growing for want of memory."""

    def grow(self, node: int, times: int, effort: int, most: int = ..., /) -> int:
        """Grow from a position from which it has grown so often; return how often it did.

        It does so until the effort is spent, but not more often than it may. An effort is about a
        tenth of a microsecond. Raises IndexError, MemoryError, and RuntimeError while a search uses
        its proofs.
        """

    def know(self, node: int, /) -> tuple[int, float, int, int, int, int]:
        """Return visits, their total value, what is proved, the side, mid turn, and branches."""

    def stones(self, node: int, /) -> tuple[bytes, bytes]:
        """Return the stones of x and of o."""

    def branches(self, node: int, /) -> list[tuple[int, int, float, int]]:
        """Return for each branch the bit of its cell (-1: a pass), visits, prior and position."""

    def keep(self, nodes: list[int], most_bytes: int, /) -> list[int]:
        """Let go of all that is not below the first of some positions, which becomes the root.

        If that takes more than so many bytes, the positions that were visited least forget their
        branches, but never the positions that are named. Returns their numbers from then on; all
        other numbers mean nothing any more. Raises IndexError, MemoryError, and ValueError if no
        position is named.
        """

    def settle(self, node: int, proved: int, /) -> None:
        """Take a position as proved."""

    def glance(self, node: int, /) -> tuple[float, list[tuple[float, bytes]]]:
        """Return how likely the side to move is to win at a glance, and priors: the most last."""

    def rows(self, node: int, /) -> list[int]:
        """Return the rows of a net that a position picks, for the side to move."""

    def wander(self, node: int, placements: int, /) -> int:
        """Place so many stones of Churn by chance, and return the position; it may end the game.

        It stands apart from all others. Raises IndexError, MemoryError, and ValueError in Oust.
        """

    def promises(self, node: int, /) -> list[tuple[int, int, int]]:
        """Return the bit of each placement in a position of Oust, and the two figures it picks."""
