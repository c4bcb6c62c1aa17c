"""The house players by strength, with the settings of each."""

from enum import Enum

from msgspec import Struct


class Strength(Enum):
    """The strength of a house player, in a word."""

    GENTLE = "gentle"
    EASY = "easy"
    FAIR = "fair"
    STRONG = "strong"
    STRONGEST = "strongest"


class Level(Struct, frozen=True):
    """A house player and its settings."""

    userid: str
    strength: Strength
    seconds: float
    """The time for a turn."""
    insight: int
    """The depth of its look ahead where nothing can be searched (`greedy.py`)."""
    looks: int | None = None
    """How many positions it looks at for a turn; None if that is left to the time.

    Who looks at so many neither knows small boards by heart nor proves anything, and begins anew
    with each turn. So it is as strong on every machine.
    """
    overlooks: float = 0.0
    """The share of the placements far from the latest ones that it ignores."""


LEVELS = (
    Level("house1", Strength.GENTLE, 1, 1, looks=4, overlooks=0.8),
    Level("house2", Strength.EASY, 1, 1, looks=8),
    Level("house3", Strength.FAIR, 2, 2, looks=32),
    Level("house4", Strength.STRONG, 10, 3, looks=128),
    Level("house5", Strength.STRONGEST, 60, 3),
)

HOUSE = ("house", *(level.userid for level in LEVELS))
"""The userids of the house players; the first plays as the second does."""


def level_of(userid: str) -> Level:
    """Return the level of a house player; `house` is the first level."""
    return next((level for level in LEVELS if level.userid == userid), LEVELS[0])
