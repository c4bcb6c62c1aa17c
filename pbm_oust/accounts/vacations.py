"""Vacations. Pure.

    Away: 2026-12-01T00:00:00Z 2026-12-15T00:00:00Z

So they read in the player's account. While a player is away, the clocks stand on the boards on
which it is that player's turn.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise
from typing import ClassVar

from msgspec import field, structs

from pbm_oust.accounts.items import Item, Time
from pbm_oust.board.notation import format_time

ALLOWANCE = 30
"""The days of vacation for each calendar year, counted in the year in which they begin."""
FARTHEST = 365
"""The most days ahead at which a vacation may begin."""
DAY = timedelta(days=1)
LONGEST = 4 * ALLOWANCE * DAY
"""The longest vacation: that of two merged players, over the end of a year."""


class Absence(Item, frozen=True):
    """A vacation from `start` up to, but without, `end`.

    Raises ValueError if it ends before it starts.
    """

    word: ClassVar[str] = "Away"
    start: Time = field(name="begins")
    end: Time = field(name="ends")

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError("a vacation ends after it starts")

    def days(self, zone: tzinfo) -> int:
        """Return the days that it takes from the allowance; a day that has begun counts whole.

        A day in which clocks are changed is one like any, though a clock on the wall or one that
        goes on shows more than 24 hours: the one that shows less counts.
        """
        start, end = (each.astimezone(zone).replace(tzinfo=None) for each in (self.start, self.end))
        return -max((start - end) // DAY, (self.start - self.end) // DAY)

    def is_at(self, moment: datetime) -> bool:
        """Return whether the player is away at a moment."""
        return self.start <= moment < self.end

    def shortened(self) -> "Absence":
        """Return the vacation, cut to the longest possible."""
        return structs.replace(self, end=self.start + min(self.end - self.start, LONGEST))


def in_order(absences: Iterable[Absence]) -> tuple[Absence, ...]:
    """Return vacations in order. Raises ValueError where two share a moment."""
    found = sorted(absences, key=lambda each: each.start)
    for one, other in pairwise(found):
        if other.start < one.end:
            raise ValueError(f"two vacations at {format_time(other.start)}")
    return tuple(found)


def days_left(absences: Iterable[Absence], year: int, zone: tzinfo) -> int:
    """Return the days of vacation left in a year, in a time zone."""
    begun = (each for each in absences if each.start.astimezone(zone).year == year)
    return ALLOWANCE - sum(each.days(zone) for each in begun)


def away_at(absences: Iterable[Absence], moment: datetime) -> Absence | None:
    """Return the vacation around a moment, or None."""
    for each in absences:
        if each.is_at(moment):
            return each
    return None


def ended_at(absences: Iterable[Absence], moment: datetime) -> tuple[Absence, ...]:
    """Return the vacations, with the one around a moment ended there."""
    return tuple(
        structs.replace(each, end=moment) if each.is_at(moment) else each for each in absences
    )


def without_later(absences: Iterable[Absence], moment: datetime) -> tuple[Absence, ...]:
    """Return the vacations up to a moment, with the one around it ended there."""
    return tuple(each for each in ended_at(absences, moment) if each.start < moment)


def together(absences: Iterable[Absence]) -> tuple[Absence, ...]:
    """Return vacations in order, with overlapping and adjacent ones merged."""
    found: list[Absence] = []
    for each in sorted(absences, key=lambda absence: absence.start):
        if found and each.start <= found[-1].end:
            found[-1] = structs.replace(found[-1], end=max(found[-1].end, each.end))
        else:
            found.append(each)
    return tuple(found)


def present(absences: Sequence[Absence], since: datetime, until: datetime) -> timedelta:
    """Return the time between two moments without vacations."""
    if not absences:
        return until - since
    away = (
        min(each.end, until) - max(each.start, since)
        for each in absences
        if each.start < until and each.end > since
    )
    return until - since - sum(away, timedelta())


def due(absences: Sequence[Absence], since: datetime, span: timedelta) -> datetime:
    """Return the moment after so much time without vacations; `absences` are in order."""
    moment = since
    for each in absences:
        if each.end <= moment:
            continue
        if each.start >= moment + span:
            break
        span -= max(each.start - moment, timedelta())
        moment = each.end
    return moment + span
