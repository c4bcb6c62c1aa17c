"""Open challenges: boards that a player offers to whoever joins. Pure.

    Seek: 3 oust 2026-11-20T15:36:00Z any hex 7 swap rated nagtime=7 forfeittime=21
    Sought: oust 3

So they read in the seeker's account: the number among those of its game, when it was made, the side
that the seeker wants, the grid and the terms. The second is the highest number that the seeker was
given, so that no number is ever given twice.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, Row, board_of
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import format_terms, format_time, parse_terms
from pbm_oust.frozen import frozen
from pbm_oust.rules.grid import Grid, parse_grid
from pbm_oust.rules.position import Side

LIFETIME = timedelta(days=60)
"""How long an open challenge waits."""
MOST_SEEKS = 10
"""How many open challenges one player may have."""

SOURCE = "seek"
"""The word by which the history of a board says that it came from one."""

_ANY = "any"


@frozen
class Seek:
    """An open challenge."""

    number: int
    kind: str
    at: datetime
    side: Side | None
    """The side that the seeker wants; none where lots are drawn."""
    grid: Grid
    terms: Terms

    def is_open(self, now: datetime) -> bool:
        """Return whether this still waits at a time."""
        return now - self.at < LIFETIME

    def is_named(self, kind: str, number: int) -> bool:
        """Return whether this is the challenge of this number in a game."""
        return (self.kind, self.number) == (kind, number)


def format_seek(seek: Seek) -> str:
    """Return how a person reads an open challenge."""
    side = seek.side.value if seek.side else _ANY
    words = f"{seek.number} {seek.kind} {format_time(seek.at)} {side} {seek.grid}"
    return f"{words} {format_terms(seek.terms)}"


def _row_of(seek: Seek) -> Row:
    side = seek.side.value if seek.side else None
    return seek.kind, seek.number, seek.at, side, str(seek.grid), format_terms(seek.terms)


def _seeks(rows: Sequence[Row]) -> tuple[Seek, ...]:
    found = []
    for kind, number, at, side, grid, terms in rows:
        board_of(kind, number)
        wanted = None if side is None else Side(side)
        found.append(Seek(number, kind, at, wanted, parse_grid(grid), parse_terms(terms)))
    return tuple(found)


SEEKS: Kept[tuple[Seek, ...]] = Kept(
    name="seeks",
    key="Seek",
    columns=(
        Column("kind"),
        Column("number", Holds.NUMBER),
        Column("at", Holds.TIME),
        Column("side", is_optional=True),
        Column("grid"),
        Column("terms"),
    ),
    empty=(),
    to_rows=lambda seeks: map(_row_of, seeks),
    of_rows=_seeks,
    to_lines=lambda seeks: map(format_seek, seeks),
    merged=lambda seeks, others: (*seeks, *others),
)


def seeks_of(account: Account) -> tuple[Seek, ...]:
    """Return the challenges of a player, also those whose time is over."""
    return SEEKS.of(account)


def with_seeks(account: Account, seeks: Iterable[Seek]) -> Account:
    """Return an account with these challenges."""
    return SEEKS.put(account, tuple(seeks))
