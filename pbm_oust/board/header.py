"""What is fixed when a board starts: its game, grid, players and terms. Pure."""

from datetime import datetime

from pbm_oust.board.origin import Origin, position_of
from dataclasses import dataclass
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.position import Kind, Position


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players agreed on besides the grid. Times are in days; 0 means no limit."""

    swap: bool = True
    rated: bool = True
    nagtime: int = 7
    """From the beginning of a turn to the reminder."""
    forfeittime: int = 21
    """From the reminder to the loss of the game."""
    totaltime: int = 0
    """For all turns of a player together."""
    maxtime: int = 0
    """For each turn."""


@dataclass(frozen=True, slots=True)
class Header:
    """What is fixed when a board starts. `x` and `o` are the userids that own the sides then."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    o: str
    terms: Terms
    started: datetime
    origin: Origin | None = None
    """Where the board begins, if it continues another one of the same game."""

    @property
    def first_position(self) -> Position:
        """The position before the first record. Raises BadOrigin."""
        if self.origin:
            return position_of(self.origin, self.kind, self.grid)
        return self.kind.start(self.grid)

    @property
    def name(self) -> str:
        """The board's name: `oust 17`."""
        return f"{self.kind.name} {self.board}"

    @property
    def owners(self) -> frozenset[str]:
        """The userids of both players."""
        return frozenset((self.x, self.o))
