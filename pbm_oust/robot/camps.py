"""The stones of one side of Churn, and what placements make of them.

What a placement does to a side depends on the stones of that side alone; the other side only
decides which cells are free. So what is known of some stones is kept for all positions with them.
"""

from functools import lru_cache, reduce
from operator import or_

from pbm_oust.rules.grid import Grid

MOST = 100_000
"""How many sets of stones of a grid are kept: some 70 megabytes."""

Groups = list[tuple[int, int, int]]
"""For each group: the number of its stones, the stones, and the cells that touch it."""


class Camp:
    """The stones of a side."""

    __slots__ = ("after", "beside", "groups", "stones", "wanted")

    def __init__(self, grid: Grid, stones: int, groups: Groups) -> None:
        self.stones = stones
        self.groups = groups
        self.beside = reduce(or_, [around for _, _, around in groups], 0).bit_count()
        """How many cells its stones touch."""
        self.wanted = _by_size(grid.cells & ~stones, groups)
        """The cells without a stone, by the size of the group that a stone there would form.

        A stone must go on a free cell of the first of these sets that has one.
        """
        self.after: dict[int, Camp] = {}
        """The camps after placements, by their cells, as far as they came up."""

    def placements(self, free: int) -> int:
        """Return the cells where the side may place if these are free."""
        for cells in self.wanted:
            if allowed := cells & free:
                return allowed
        return 0


class Camps:
    """The sets of stones on one grid that came up."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._known: dict[int, Camp] = {}

    def of(self, stones: int) -> Camp:
        """Return the camp with these stones."""
        known, grid = self._known.get(stones), self._grid
        if known:
            return known
        groups = [(each.bit_count(), each, grid.neighbours(each)) for each in grid.groups(stones)]
        return self._keep(stones, groups)

    def place(self, camp: Camp, cell: int) -> Camp:
        """Work out the camp after a stone on a cell where the side may place, and note it there."""
        size, formed, around, others = 1, cell, self._grid.around[cell], Groups()
        for group in camp.groups:
            number, joined, beside = group
            if beside & cell:
                size += number
                formed |= joined
                around |= beside
            else:
                others.append(group)
        stones, groups = formed, [(size, formed, around)]
        for group in others:
            if group[0] >= size:
                stones |= group[1]
                groups.append(group)
        after = camp.after[cell] = self._known.get(stones) or self._keep(stones, groups)
        return after

    def _keep(self, stones: int, groups: Groups) -> Camp:
        if len(self._known) >= MOST:
            self._known.clear()
        camp = self._known[stones] = Camp(self._grid, stones, groups)
        return camp


@lru_cache(maxsize=2)
def camps_on(grid: Grid) -> Camps:
    """Return the sets of stones that came up on a grid since the process began."""
    return Camps(grid)


def _by_size(cells: int, groups: Groups) -> list[int]:
    """Return cells by the size of the group that a stone there would form, the smallest first."""
    found = {1: cells}
    for number, _, beside in groups:
        further: dict[int, int] = {}
        for size, some in found.items():
            if joined := some & beside:
                further[size + number] = further.get(size + number, 0) | joined
            if apart := some & ~beside:
                further[size] = further.get(size, 0) | apart
        found = further
    return [found[size] for size in sorted(found)]
