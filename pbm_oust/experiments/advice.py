"""Advice on how to play a game well: what whoever follows it looks at, and what matches say of it.

In a match both players take as many stones as they can with each placement, give away as few, and
else place by chance. Wherever that leaves a choice, one of them also follows the advice, and both
follow all that is above it.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from pkgutil import get_data
from typing import Any

import msgspec
from msgspec import Struct

from pbm_oust.rules import Grid, Position, Side, parse_grid, taken

Weigh = Callable[[Position, Side, int], float]
"""Returns the value of a position to the side that has just placed; more is better.

The last are cells that the side overlooks: it fears no capture by a stone there.
"""


def preferred(
    position: Position,
    weights: Sequence[Weigh],
    rng: random.Random,
    overlooked: int = 0,
    may_go_on: Callable[[], bool] = lambda: True,
) -> int:
    """Return the placement of the side to move that weighs most, by one weight after the other.

    One of equal ones is picked by chance. Overlooked cells are candidates only if there are no
    others. At least one placement is weighed, and others as long as `may_go_on` allows.
    """
    side, allowed = position.to_move, position.placements()
    left = list(position.grid.each(allowed & ~overlooked or allowed))
    rng.shuffle(left)
    for weigh in weights:
        if len(left) == 1:
            break
        weighed: list[tuple[float, int]] = []
        for cell in left:
            if weighed and not may_go_on():
                break
            weighed.append((weigh(position.place(cell), side, overlooked), cell))
        most = max(weight for weight, _ in weighed)
        left = [cell for weight, cell in weighed if weight == most]
    return left[0]


def with_mover(position: Position, side: Side) -> Position:
    """Return a position with the same stones, at the start of a side's turn."""
    whole: Any = position  # each game has a dataclass
    moved: Position = replace(whole, to_move=side)
    return moved


def lead(position: Position, side: Side, _overlooked: int = 0) -> float:
    """Return the lead of a side in stones; infinite after a win."""
    if position.result:
        winner = position.result.winner
        return 0 if winner is None else inf if winner is side else -inf
    return position.stones(side).bit_count() - position.stones(side.other).bit_count()


def next_haul(position: Position, side: Side, overlooked: int = 0) -> float:
    """Return minus the number of stones that the other side's next turn takes.

    The turn is found by taking as many as can be taken with each placement. In the middle of a turn
    nothing can be said yet.
    """
    other, before = side.other, position.stones(side).bit_count()
    if position.to_move is side or position.result:
        return 0
    while not position.result and position.to_move is other:
        cells = position.capturing() & ~overlooked
        if not cells:
            break
        after = map(position.place, position.grid.each(cells))
        position = max(after, key=lambda each: lead(each, other))
    return -inf if position.result else position.stones(side).bit_count() - before


def own_cells(position: Position, side: Side, _overlooked: int = 0) -> float:
    """Return the lead of a side in cells of its own."""
    own, others = safe_numbers(position, side)
    return own - others


def safe_numbers(position: Position, side: Side) -> tuple[int, int]:
    """Return how many cells of its own a side has, and the other one: see `safe_cells`."""
    own, others = (safe_cells(position, each).bit_count() for each in (side, side.other))
    return own, others


def safe_cells(position: Position, side: Side) -> int:
    """Return the cells on which a stone takes nothing and cannot be taken next."""
    here = with_mover(position, side)
    quiet = here.placements() & ~here.capturing()
    # In Oust a single stone is taken by a group that touches it, or by a stone between the two.
    beside = here.grid.neighbours(position.stones(side.other))
    near = quiet & (beside | here.grid.neighbours(beside))
    safe = (cell for cell in here.grid.each(near) if _is_safe(here.place(cell), cell))
    return quiet & ~near | sum(safe)


def _is_safe(after: Position, cell: int) -> bool:
    each = after.grid.each(after.capturing())
    return not any(taken(after, after.place(taking)) & cell for taking in each)


def few_cells(position: Position, side: Side, _overlooked: int = 0) -> float:
    """Return minus the number of free cells that touch no stone of a side."""
    return -room(position, side).bit_count()


def room(position: Position, side: Side) -> int:
    """Return the free cells that touch no stone of a side."""
    grid, stones = position.grid, position.stones(side)
    return grid.cells & ~(position.occupied | grid.neighbours(stones))


ADVICE: Mapping[str, Mapping[str, Weigh]] = {
    "oust": {
        "next haul": next_haul,
        "own cells": own_cells,
    },
    "churn": {"few cells": few_cells},
}
"""The advice for each game, by name."""


class Trial(Struct, frozen=True):
    """The result of one advice in a match."""

    grid: str
    """The name of the grid."""
    won: float
    """The number of games won; a draw counts half."""
    games: int

    @property
    def on(self) -> Grid:
        """The grid."""
        return parse_grid(self.grid)


TRIED: Mapping[str, Mapping[str, Trial]] = msgspec.toml.decode(
    get_data(__package__, "advice.toml") or b"", type=dict[str, dict[str, Trial]]
)
"""Trials by game and by name of the advice, the best advice first."""
