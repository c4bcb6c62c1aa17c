"""Solving small boards: what both sides can achieve with best play.

Positions are searched to the end of the game, with a table of those seen before. Positions that
differ only by a symmetry of the grid or an exchange of the sides count as one.

The search ends because no position comes twice. In Oust, list the sizes of all groups, largest
first: a placement puts a larger number at the first place that changes, because a group takes only
smaller ones. In Churn the same holds for the groups of the side that places.
"""

from collections.abc import Callable, Iterator
from enum import IntEnum

from pbm_oust.experiments.symmetry import canonical_form
from pbm_oust.frozen import frozen
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Position, Result, Side


class Worth(IntEnum):
    """What a position is worth to the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


@frozen
class Solution:
    """What the empty board is worth to the player who places first."""

    without_swap: Worth
    with_swap: Worth
    """The same, if the second player may take over the first stone."""
    draw_forced_by: tuple[Side, ...]
    """The sides that can force a draw, whatever the other side does."""
    positions: int
    """The number of different positions that the search for the worth reached."""


def solve(kind: Kind, grid: Grid) -> Solution:
    """Return what the empty board is worth."""
    start = kind.start(grid)
    search = Search(grid, _winning)
    without_swap = search.worth(start)
    # The second player takes the side that is better off after the first stone.
    placed = (start.place(cell) for cell in grid.each(start.placements()))
    with_swap = max(Worth(-abs(search.worth(position))) for position in placed)
    draw_forced_by = tuple(
        side
        for side in Side
        if Search(grid, _drawing(side), sides_differ=True).worth(start)
        is (Worth.WIN if start.to_move is side else Worth.LOSS)
    )
    return Solution(without_swap, with_swap, draw_forced_by, len(search.seen))


class Search:
    """The worth of positions on one grid, given what results are worth to a side.

    If `sides_differ`, a result may be worth one thing to x and another to o, and positions that
    differ by an exchange of the sides count as two.
    """

    def __init__(
        self, grid: Grid, result_worth: Callable[[Result, Side], Worth], sides_differ: bool = False
    ) -> None:
        self.seen: dict[tuple[int, int, bool, Side | None], Worth] = {}
        self._canonical = canonical_form(grid)
        self._result_worth = result_worth
        self._sides_differ = sides_differ

    def worth(self, position: Position) -> Worth:
        """Return what a position is worth to the side to move."""
        if position.result:
            return self._result_worth(position.result, position.to_move)
        mover = position.to_move
        own, enemy = self._canonical(position.stones(mover), position.stones(mover.other))
        key = own, enemy, position.is_mid_turn, mover if self._sides_differ else None
        found = self.seen.get(key)
        if found is None:
            found = self.seen[key] = self._best(position)
        return found

    def _best(self, position: Position) -> Worth:
        best = Worth.LOSS
        for following in _following(position):
            worth = self.worth(following)
            if following.to_move is not position.to_move:
                worth = Worth(-worth)
            if worth is Worth.WIN:
                return worth
            best = max(best, worth)
        return best


def _following(position: Position) -> Iterator[Position]:
    """Yield the positions that can come next, those after captures first."""
    placements = position.placements()
    if not placements:
        yield position.pass_turn()
    capturing = position.capturing()
    for cells in (capturing, placements & ~capturing):
        for cell in position.grid.each(cells):
            yield position.place(cell)


def _winning(result: Result, side: Side) -> Worth:
    """Return what a result is worth to a side that wants to win or, failing that, to draw."""
    if result.winner is None:
        return Worth.DRAW
    return Worth.WIN if result.winner is side else Worth.LOSS


def _drawing(seeker: Side) -> Callable[[Result, Side], Worth]:
    """Return what results are worth if `seeker` wants a draw and the other side wants none."""

    def worth(result: Result, side: Side) -> Worth:
        is_drawn = result.winner is None
        return Worth.WIN if is_drawn is (side is seeker) else Worth.LOSS

    return worth
