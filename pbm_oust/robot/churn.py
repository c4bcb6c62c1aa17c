"""The eye for Churn on small boards: it plays positions to the end by chance, and proves some.

What a placement does to a side depends on the stones of that side alone; the other side only
decides which cells are free. So what is known of some stones is kept for all positions with them.
On larger boards the same stones seldom come up again.

For a proof, placements are tried one after the other until one wins: first the one that won latest
after as many placements, then those after which the stones of the side touch the fewest cells. What
was found out is kept as long as the process runs, so a proof goes on where it stopped, also a turn
later.
"""

from contextlib import suppress
from functools import lru_cache, reduce
from operator import or_

from pbm_oust.robot.eye import Choose, Eye, Glance, ranked
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Position

MOST_CAMPS = 100_000
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
        if len(self._known) >= MOST_CAMPS:
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


MOST_PROOFS = 500_000
"""How many positions of a grid are kept: some 60 megabytes."""


class _Enough(Exception):
    """So many positions were looked at as were allowed."""


class Proofs:
    """What is proved about positions of Churn on one grid."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._cells = grid.cells
        self._half = grid.cells.bit_count() // 2
        self._camps = camps_on(grid)
        self._wins: dict[tuple[int, int], bool] = {}
        """By the stones of the side to move and those of the other: whether the former wins."""
        self._left = 0
        self._winners: dict[int, int] = {}
        """By how many placements came before it: the cell that won latest."""

    def wins(self, position: Position) -> bool | None:
        """Return whether the side to move wins for certain; None if that is not known."""
        if position.result:
            return position.result.winner is position.to_move
        return self._wins.get(_stones(position))

    def prove(self, position: Position, most: int) -> None:
        """Try to prove who wins a position that goes on, by at most so many others."""
        own, enemy = _stones(position)
        if len(self._wins) + most > MOST_PROOFS:
            self._wins.clear()
        self._left = most
        with suppress(_Enough):
            self._prove(self._camps.of(own), self._camps.of(enemy), 0)

    def _prove(self, own: Camp, enemy: Camp, depth: int) -> bool:
        """Return whether the side to move, which has its own camp, wins. Raises _Enough."""
        stones = own.stones, enemy.stones
        wins = self._wins.get(stones)
        if wins is None:
            if not self._left:
                raise _Enough
            self._left -= 1
            wins = self._wins[stones] = self._has_win(own, enemy, depth)
        return wins

    def _has_win(self, own: Camp, enemy: Camp, depth: int) -> bool:
        others = enemy.stones
        for cell, after in self._trials(own, others, self._winners.get(depth)):
            if after.stones | others == self._cells:
                wins = after.stones.bit_count() > self._half
            else:
                wins = not self._prove(enemy, after, depth + 1)
            if wins:
                self._winners[depth] = cell
                return True
        return False

    def _trials(self, own: Camp, others: int, first: int | None) -> list[tuple[int, Camp]]:
        """Return placements of a side, and its camp after each, in the order to try them."""
        allowed = own.placements(self._cells & ~(own.stones | others))
        found = [
            (cell, own.after.get(cell) or self._camps.place(own, cell))
            for cell in self._grid.each(allowed)
        ]
        return sorted(found, key=lambda trial: trial[0] != first and trial[1].beside)


@lru_cache(maxsize=2)
def proofs_on(grid: Grid) -> Proofs:
    """Return what was proved on a grid since the process began."""
    return Proofs(grid)


def _stones(position: Position) -> tuple[int, int]:
    mover = position.to_move
    return position.stones(mover), position.stones(mover.other)


LARGEST = 19
"""The most cells of a small board: those of hex 3."""


def churn_eye(grid: Grid, choose: Choose) -> Eye:
    """Return an eye for Churn on a small grid."""
    camps, half = camps_on(grid), grid.cells.bit_count() // 2

    def look(position: Position) -> Glance:
        mover = position.to_move
        own, enemy = (camps.of(position.stones(side)) for side in (mover, mover.other))
        free = grid.cells & ~(own.stones | enemy.stones)
        value = play_out(own, enemy, free)
        return Glance(position, value, ranked([(1.0, own.placements(free))]))

    def play_out(own: Camp, enemy: Camp, free: int) -> float:
        """Return 1 if the side with its own camp, which is to move, wins a game by chance."""
        cells, is_mover = grid.cells, True
        while free:
            cell = choose(own.placements(free))
            own, enemy = enemy, own.after.get(cell) or camps.place(own, cell)
            free = cells & ~(own.stones | enemy.stones)
            is_mover = not is_mover
        return float((own.stones.bit_count() > half) is is_mover)

    return Eye(look, choose, proofs_on(grid))
