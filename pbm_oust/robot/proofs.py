"""Proofs of the worth of positions on small boards, by the compiled core.

It searches depth-first by proof numbers (`core/proofs.c`) and keeps as many positions as fit into
a table. That bounds its memory, but not what it can solve: what was overwritten is searched again.
In Churn, a ledger of all positions is kept instead if it takes no more memory (`core/ledger.h`).
"""

import sys
from collections.abc import Callable
from contextlib import suppress

from pbm_oust.experiments.counting import OutOfRoom
from pbm_oust.experiments.solve import Worth
from pbm_oust.robot.search import can_search, images_of, lattice_of, stones_of
from pbm_oust.rules import Grid, Position, Side

with suppress(ImportError):
    from pbm_oust.robot import _core

BYTES_EACH = 32
"""The memory of a position in the table."""


def can_prove(kind: str, grid: Grid) -> bool:
    """Return whether the compiled core can prove positions of a game on a grid."""
    return can_search(kind, grid) and grid.cells.bit_count() <= _core.MOST_PROVED


class Proofs:
    """The worth of positions of one game on one grid, as in `experiments.solve.Search`.

    `watch` is called from time to time with the number of positions searched.
    """

    def __init__(
        self, kind: str, grid: Grid, most_bytes: int, watch: Callable[[int], None] = lambda _: None
    ) -> None:
        """Reserve a table of up to `most_bytes`, with room for some hundred positions at least."""
        places = max(most_bytes // BYTES_EACH, 256)
        self._core = _core.Proofs(
            *lattice_of(grid),
            is_churn=kind == "churn",
            entries=1 << places.bit_length() - 1,
            symmetries=images_of(grid),
        )
        self._watch = watch
        self.positions = 0
        """How many positions were searched."""

    def worth(self, position: Position, seeker: Side | None = None) -> Worth:
        """Return the worth of a position to the side to move, in a game that goes on.

        A seeker wants a draw and nothing else, and the other side wants none. Raises OutOfRoom if
        games last too long for the core.
        """
        if seeker:
            aim = _core.DRAW if seeker is position.to_move else _core.NO_DRAW
            return Worth.WIN if self._reaches(position, aim) else Worth.LOSS
        if self._reaches(position, _core.WIN):
            return Worth.WIN
        return Worth.DRAW if self._reaches(position, _core.NO_LOSS) else Worth.LOSS

    def _reaches(self, position: Position, aim: int) -> bool:
        asked = *stones_of(position), aim
        before = self.positions
        self.positions += self._core.prove(
            *asked, sys.maxsize, lambda searched: self._watch(before + searched)
        )
        reaches = self._core.reaches(*asked)
        if reaches is None:
            raise OutOfRoom
        return reaches
