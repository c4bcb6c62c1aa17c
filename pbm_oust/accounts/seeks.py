"""Open challenges: boards that a player offers to whoever joins. Pure.

    Seek: 3 oust 2026-11-20T15:36:00Z any hex 7 swap rated nagtime=7 forfeittime=21

So they read in the seeker's account: the number among those of its game, when it was made, the side
that the seeker wants, the grid and the terms.
"""

from datetime import datetime, timedelta
from typing import ClassVar, Self

from msgspec import field

from pbm_oust.accounts.items import Item, Kind, Number, Time
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_terms, format_time, parse_terms
from pbm_oust.rules.grid import Grid, parse_grid
from pbm_oust.rules.position import Side

LIFETIME = timedelta(days=60)
"""How long an open challenge waits."""
MOST_SEEKS = 10
"""How many open challenges one player may have."""

SOURCE = "seek"
"""The word by which the history of a board says that it came from one."""

_ANY = "any"


class Seek(Item, frozen=True, kw_only=True):
    """An open challenge. `Seek.of` makes one."""

    word: ClassVar[str] = "Seek"
    kind: Kind
    number: Number
    at: Time
    side: Side | None = None
    """The side that the seeker wants; none where lots are drawn."""
    grid_name: str = field(name="grid")
    terms_words: str = field(name="terms")

    def __post_init__(self) -> None:
        parse_grid(self.grid_name)
        parse_terms(self.terms_words)

    @classmethod
    def of(
        cls, number: int, kind: str, at: datetime, side: Side | None, grid: Grid, terms: Terms
    ) -> Self:
        """Return an open challenge for a board with this grid and these terms."""
        return cls(
            kind=kind,
            number=number,
            at=at,
            side=side,
            grid_name=str(grid),
            terms_words=format_terms(terms),
        )

    @property
    def grid(self) -> Grid:
        """The grid of the board."""
        return parse_grid(self.grid_name)

    @property
    def terms(self) -> Terms:
        """The terms of the board."""
        return parse_terms(self.terms_words)

    def __str__(self) -> str:
        """Return how a person reads it."""
        side = self.side.value if self.side else _ANY
        words = f"{self.number} {self.kind} {format_time(self.at)} {side} {self.grid_name}"
        return f"{words} {self.terms_words}"

    def is_open(self, now: datetime) -> bool:
        """Return whether this still waits at a time."""
        return now - self.at < LIFETIME

    def is_named(self, kind: str, number: int) -> bool:
        """Return whether this is the challenge of this number in a game."""
        return (self.kind, self.number) == (kind, number)
