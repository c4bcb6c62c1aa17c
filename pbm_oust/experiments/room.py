"""The memory that the positions take which a search keeps."""

import tracemalloc
from collections.abc import Callable
from functools import cache

from pbm_oust.rules.grid import Grid

_OFTEN = 100
"""Whenever so many more positions are kept, their number is told."""

_SAMPLE = 10_923
"""So many entries make the table of a dictionary grow, and then it takes the most for each."""


class OutOfRoom(Exception):
    """A search would have to keep more positions than there is room for."""


class Room:
    """Room for the positions of one search. `watch` is told from time to time how many it keeps."""

    def __init__(self, positions: int, watch: Callable[[int], None] = lambda _: None) -> None:
        self.kept = 0
        """How many positions are kept."""
        self._positions = positions
        self._watch = watch

    def take(self) -> None:
        """Take room for one more position. Raises OutOfRoom if there is none."""
        if self.kept >= self._positions:
            raise OutOfRoom
        self.kept += 1
        if self.kept % _OFTEN == 0:
            self._watch(self.kept)


@cache
def bytes_each(grid: Grid) -> int:
    """Measure how much memory a position of this grid takes."""
    first = 1 << 2 * grid.cells.bit_length()
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    kept = {first + number: None for number in range(_SAMPLE)}
    _, most = tracemalloc.get_traced_memory()
    if not was_tracing:
        tracemalloc.stop()
    return -(-(most - before) // len(kept))
