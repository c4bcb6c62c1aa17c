"""How the house shares its time among the boards that wait. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_SECONDS = 0.2
"""How long a board is thought about, however many wait, as long as none of them is in a hurry."""

HURRY_SECONDS = 3600.0
"""A board whose deadline is nearer than this comes before all that have more time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a board that waits asks of the house."""

    seconds: float
    """How long its player thinks about a turn."""
    left: float
    """How many seconds there are until the deadline of the board."""

    @property
    def is_hurried(self) -> bool:
        """Whether the deadline is near."""
        return self.left < HURRY_SECONDS


def first_of(boards: Sequence[Wanted]) -> int:
    """Return which of the boards comes first, counted from 0.

    Those in a hurry come first, in the order of their deadlines, then the players who think least.
    Of several that are alike, it is the one named first.
    """
    return min(range(len(boards)), key=lambda nth: _place(boards[nth]))


def seconds_for(first: Wanted, boards: Sequence[Wanted]) -> float:
    """Return how long to think about the board that comes first.

    All have an equal share of the time. Half of what is left until the nearest deadline is enough
    for all of them.
    """
    number = len(boards)
    left = min(board.left for board in boards)
    return max(0.0, min(max(LEAST_SECONDS, first.seconds / number), left / 2 / number))


def _place(board: Wanted) -> tuple[int, float]:
    return (0, board.left) if board.is_hurried else (1, board.seconds)
