"""The house players by strength, with the settings of each."""

import math
from enum import Enum

from msgspec import Struct

from pbm_oust.rules import Grid

USUAL_CELLS = 61
"""The most cells of a board on which everybody looks as often as `LEVELS` says: hex 5."""


class Strength(Enum):
    """The strength of a house player, in a word."""

    GENTLE = "gentle"
    EASY = "easy"
    CAREFUL = "careful"
    FAIR = "fair"
    GOOD = "good"
    STRONG = "strong"
    STRONGER = "stronger"
    STRONGEST = "strongest"


class Sight(Struct, frozen=True):
    """The sight of a player who weighs each placement by the stones on the board (`greedy.py`)."""

    advice: int | None = None
    """How many pieces of advice it follows besides taking what it can; None for all of them."""
    overlooks: float = 0.0
    """The share of the cells far from the latest placements that it does not look at."""
    most: int | None = None
    """How many of these it looks at, on average, however many there are."""

    def overlooks_of(self, cells: int) -> float:
        """Return the share of so many cells far off that it does not look at."""
        if self.most is None or not cells:
            return self.overlooks
        return max(self.overlooks, 1 - self.most / cells)


class Level(Struct, frozen=True):
    """A house player and its settings."""

    userid: str
    strength: Strength
    seconds: float
    """The time for a turn."""
    looks: int | None = None
    """How many positions it looks at for a turn; None if that is left to the time.

    Who looks at so many neither knows small boards by heart nor proves anything, and begins anew
    with each turn. So it is as strong on every machine.
    """
    sight: Sight | None = None
    """Its sight if it plays as people do who learn: without a search where stones are taken."""
    grows: float = 0.0
    """The power of the share of cells beyond `USUAL_CELLS` by which it looks more often there.

    A few looks tell little among many cells.
    """

    def looks_on(self, grid: Grid) -> int | None:
        """Return how many positions it looks at for a turn on a grid, as `looks` has it."""
        if self.looks is None:
            return None
        share = max(1.0, grid.cells.bit_count() / USUAL_CELLS)
        return round(self.looks * math.pow(share, self.grows))


LEVELS = (
    Level("house1", Strength.GENTLE, 1, looks=2, sight=Sight(0, overlooks=0.9)),
    Level("house2", Strength.EASY, 1, looks=4, sight=Sight(1, overlooks=0.8, most=12)),
    Level("house3", Strength.CAREFUL, 1, looks=8, sight=Sight(1, most=70)),
    Level("house4", Strength.FAIR, 2, looks=30, grows=1.3),
    Level("house5", Strength.GOOD, 2, looks=150, grows=1.0),
    Level("house6", Strength.STRONG, 5, looks=1500),
    Level("house7", Strength.STRONGER, 20, looks=15_000),
    Level("house8", Strength.STRONGEST, 60),
)

SIMPLE = LEVELS[3]
"""The level that nobody surpasses by much who cannot search (`scripts/bench_house` says so)."""

HOUSE = ("house", *(level.userid for level in LEVELS))
"""The userids of the house players; the first plays as the second does."""

_OF_FIVE = {"house1": 1, "house2": 2, "house3": 3, "house4": 4, "house5": 7}
"""Where players of these names stand in `LEVELS` who are as strong as when there were five."""


def level_of(userid: str, *, of_five: bool = False) -> Level:
    """Return the level of a house player; `house` is the first level.

    If it is one of the five before, that is today's level of their strength.
    """
    if of_five:
        return LEVELS[_OF_FIVE.get(userid, 1)]
    return next((level for level in LEVELS if level.userid == userid), LEVELS[0])
