"""Open challenges: boards that a player would start with whoever joins him. Pure.

    Seek: 3 oust 2026-11-20T15:36:00Z any hex 7 swap rated nagtime=7 forfeittime=21
    Sought: oust 3

The first is a line of the seeker's account: its number among those of its game, when it was made,
the side that he wants, the grid and the terms. The second is the highest number that he was given,
so that no number is ever given twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import NUMBER, format_terms, format_time, parse_terms, parse_time
from pbm_oust.rules.grid import Grid, parse_grid
from pbm_oust.rules.position import Side

KEY = "Seek"
NUMBERED = "Sought"
LIFETIME = timedelta(days=60)
"""How long an open challenge waits."""
MOST_SEEKS = 10
"""How many open challenges one player may have."""

_ANY = "any"


@dataclass(frozen=True, slots=True)
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
    """Return the value of an open challenge's line."""
    side = seek.side.value if seek.side else _ANY
    words = f"{seek.number} {seek.kind} {format_time(seek.at)} {side} {seek.grid}"
    return f"{words} {format_terms(seek.terms)}"


def parse_seek(text: str) -> Seek:
    """Return the open challenge of a line. Raises ValueError for other words."""
    words = text.split(" ", 6)
    if len(words) != 7:
        raise ValueError("it is not written 'NUMBER GAME TIME SIDE GRID OPTIONS'")
    number, kind, at, side, shape, size, terms = words
    if not NUMBER.fullmatch(number):
        raise ValueError(f"{number!r} is no number")
    wanted = None if side == _ANY else Side(side)
    grid = parse_grid(f"{shape} {size}")
    return Seek(int(number), kind, parse_time(at), wanted, grid, parse_terms(terms))


def seeks_of(account: Account) -> tuple[Seek, ...]:
    """Return the challenges of a player, also those whose time is over. Raises BadAccount."""
    found = []
    for line in account.values(KEY):
        try:
            found.append(parse_seek(line))
        except ValueError as error:
            raise BadAccount(f"the open challenge {line!r}: {error}") from None
    return tuple(found)


def with_seeks(account: Account, seeks: Iterable[Seek]) -> Account:
    """Return an account with these challenges; the highest numbers it had are kept."""
    kept = tuple(seeks)
    numbers = last_numbers(account)
    for seek in kept:
        numbers[seek.kind] = max(seek.number, numbers.get(seek.kind, 0))
    changed = account.with_values(KEY, map(format_seek, kept))
    return changed.with_values(NUMBERED, (f"{kind} {last}" for kind, last in numbers.items()))


def last_numbers(account: Account) -> dict[str, int]:
    """Return the highest number that a player was given, by game. Raises BadAccount."""
    found: dict[str, int] = {}
    for line in account.values(NUMBERED):
        kind, _, number = line.partition(" ")
        if not NUMBER.fullmatch(number):
            raise BadAccount(f"the line {NUMBERED!r} with {line!r} is not written 'GAME NUMBER'")
        found[kind] = int(number)
    return found
