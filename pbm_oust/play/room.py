"""How much one answer may hold: lines of lists, and drawn boards."""

from dataclasses import dataclass
from pbm_oust.play.notices import Notice

MOST_LISTED = 50
MOST_DRAWN = 10


@dataclass(frozen=True, slots=True)
class Room:
    """What an answer has room for; several commands of one mail share it."""

    lines: int = MOST_LISTED
    """How many lines each list may have."""
    boards: int = MOST_DRAWN

    def has_boards_of(self, notice: Notice) -> bool:
        """Return whether there is room for the boards that a notice shows."""
        return len(notice.shows()) <= self.boards

    def beside(self, notice: Notice) -> "Room":
        """Return what is left beside a notice."""
        drawn = len(notice.shows())
        return Room(max(0, self.lines - notice.listed()), max(0, self.boards - drawn))


WHOLE_LETTER = Room()
"""The room of a letter in which nothing is yet."""
