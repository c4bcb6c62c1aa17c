"""Settings of players for their mail. Pure.

    Setting: mail digest

So it reads in the player's account. What is as usual is not written down. A value that means
nothing here, such as a time zone that is no longer known, is kept as it is, and until its player
chooses another one the usual value counts.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum
from functools import cache, lru_cache
from typing import Any, ClassVar, get_type_hints
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from pbm_oust.accounts.items import Item
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, language_named

_UTC = ZoneInfo("UTC")
_PLACE = re.compile(r"(?!Etc/|US/|Brazil/|Canada/|Chile/|Mexico/)[A-Z]\w+/")
"""Pattern of time zones named by a place, without obsolete ones."""
_NO_ZONES = frozenset(["Factory"])
"""Names in the list of zones that mean none."""
_TOLD = "told"
"""Replaces the name of an unknown setting once its player knows of it."""


class MailWhen(Enum):
    """The times at which turns of others are mailed; the end of a game always is."""

    EACH = "each"
    """After each record."""
    MINE = "mine"
    """When it is the player's turn."""
    DIGEST = "digest"
    """Once a day, all boards that wait for the player in one mail. Offers come at once."""
    OFF = "off"
    """Not for turns: only offers and reminders."""


class Switch(Enum):
    """On or off."""

    ON = "on"
    OFF = "off"


class BoardForm(Enum):
    """The form of boards in mails."""

    HTML = "html"
    """With links on the points where the reader can play; as text besides."""
    TEXT = "text"
    """As text alone."""


class SubjectForm(Enum):
    """The form of Subjects about a board."""

    NEWS = "news"
    """The news, and the side to move."""
    BOARD = "board"
    """The board and its players, always the same, for programs that group mails by Subject."""


class DigestAt(Enum):
    """The part of the player's day at which a digest goes out."""

    MORNING = "morning"
    NOON = "noon"
    EVENING = "evening"


class Auth(Enum):
    """The proof of a command, besides answers to letters."""

    PASSWORD = "password"  # a word of the settings # nosec B105
    SENDER = "sender"
    """Also the sender's address, if it is the player's and verified."""


class Setting(Item, frozen=True):
    """A setting other than the default."""

    word: ClassVar[str] = "Setting"
    name: str
    value: str


class Unknown(Struct, frozen=True):
    """A stored setting without a meaning here."""

    name: str
    value: str
    is_told: bool = False
    """Whether the player knows of it."""


class Settings(Struct, frozen=True):
    """The settings of a player. The fields but for the last have the names that players write."""

    mail: MailWhen = MailWhen.EACH
    autopass: Switch = Switch.OFF
    """Whether the server passes for the player if there is no placement."""
    language: Language = ENGLISH
    zone: ZoneInfo = _UTC
    """The time zone of dates in mails."""
    board: BoardForm = BoardForm.HTML
    broadcasts: Switch = Switch.ON
    """Whether the player gets broadcasts."""
    subject: SubjectForm = SubjectForm.NEWS
    auth: Auth = Auth.PASSWORD
    mine: Switch = Switch.ON
    """Whether the player is mailed their own moves."""
    digest: DigestAt = DigestAt.MORNING
    cups: Switch = Switch.OFF
    """Whether the player is told of new tournaments."""
    puzzles: Switch = Switch.OFF
    """Whether the player is mailed the puzzle of each day, in the morning."""
    unknown: tuple[Unknown, ...] = ()
    """Stored settings without a meaning here; defaults count in their place."""

    def with_setting(self, name: str, value: str) -> "Settings":
        """Return the settings with one changed. Raises ValueError for an unknown value."""
        change: dict[str, Any] = {name: _READERS[name](value)}
        unknown = tuple(each for each in self.unknown if each.name != name)
        return structs.replace(self, **change, unknown=unknown)

    def with_all_told(self) -> "Settings":
        """Return the settings with the player told of all unknown ones."""
        unknown = tuple(structs.replace(each, is_told=True) for each in self.unknown)
        return structs.replace(self, unknown=unknown)

    @property
    def has_untold(self) -> bool:
        """Whether there are unknown settings of which the player was not told."""
        return bool(self.unknown) and not all(each.is_told for each in self.unknown)

    def text_of(self, name: str) -> str:
        """Return the value of a setting as players write it."""
        value = getattr(self, name)
        return str(value.value if isinstance(value, Enum) else value)

    def unusual(self) -> Iterator[tuple[str, str]]:
        """Yield names and values of settings other than the defaults."""
        for name in NAMES:
            if getattr(self, name) != getattr(USUAL, name):
                yield name, self.text_of(name)

    def stored(self) -> Iterator[Setting]:
        """Yield the settings that an account keeps."""
        for name, value in self.unusual():
            yield Setting(name, value)
        for each in self.unknown:
            told = Setting(_TOLD, f"{each.name} {each.value}")
            yield told if each.is_told else Setting(each.name, each.value)

    def latest_slot(self, now: datetime) -> datetime:
        """Return the latest time of a digest up to `now`, in UTC."""
        slots = (self._slot(now, days=-back) for back in range(2))
        return next(slot for slot in slots if slot <= now)

    def next_slot(self, after: datetime, at: DigestAt | None = None) -> datetime:
        """Return the first time of a digest after a moment, or of another hour, in UTC."""
        slots = (self._slot(after, days=ahead, at=at) for ahead in range(3))
        return next(slot for slot in slots if slot > after)

    def day_of(self, moment: datetime) -> date:
        """Return the day of a moment in the player's time zone."""
        return moment.astimezone(self.zone).date()

    def _slot(self, moment: datetime, *, days: int, at: DigestAt | None = None) -> datetime:
        """Return the time of the digest, or another hour, some days after a moment's day."""
        day = self.day_of(moment) + timedelta(days=days)
        return datetime.combine(day, time(HOURS[at or self.digest]), self.zone).astimezone(UTC)


USUAL = Settings()


@cache
def _zones() -> dict[str, str]:
    """Return the names of all time zones, obsolete ones included, by their folded names.

    A city alone also names its zone, unless several zones have such a city.
    """
    from importlib.resources import files

    names = files("tzdata").joinpath("zones").read_text("ascii").split()
    found = {_folded_zone(name): name for name in names if name not in _NO_ZONES}
    # In Etc, the name GMT+5 means five hours behind.
    cities = [name.rpartition("/")[2] for name in found if not name.startswith("etc/")]
    named = Counter(cities)
    return {
        city: found[name] for name in found if named[city := name.rpartition("/")[2]] == 1
    } | found


def zones() -> list[str]:
    """Return the time zones to choose from: those named by a place, in order."""
    return sorted({name for name in _zones().values() if _PLACE.match(name)})


def _folded_zone(text: str) -> str:
    return text.casefold().replace("-", "_").rstrip(".")


def _read_zone(text: str) -> ZoneInfo:
    """Return the time zone of a name, in either case. Raises ValueError."""
    try:
        return ZoneInfo(_zones()[_folded_zone(text)])
    except (KeyError, OSError, ValueError):
        raise ValueError(f"{text!r} is no time zone like Europe/Paris") from None


_READERS: dict[str, Callable[[str], Any]] = {
    name: {Language: language_named, ZoneInfo: _read_zone}.get(kind, kind)
    for name, kind in get_type_hints(Settings).items()
    if name != "unknown"
}

NAMES = tuple(_READERS)


def values_of(name: str) -> tuple[str, ...]:
    """Return the possible values of a setting; none if they are too many to list."""
    reader = _READERS[name]
    if reader is language_named:
        return tuple(LANGUAGES)
    if isinstance(reader, type) and issubclass(reader, Enum):
        return tuple(each.value for each in reader)
    return ()


@lru_cache(maxsize=1000)
def read_settings(stored: tuple[Setting, ...]) -> Settings:
    """Return the settings in an account."""
    settings, unknown = USUAL, list[Unknown]()
    for name, value in map(structs.astuple, stored):
        is_told = name == _TOLD
        if is_told:
            name, _, value = value.partition(" ")
        try:
            settings = settings.with_setting(name, value)
        except (KeyError, ValueError):
            unknown.append(Unknown(name, value, is_told))
    return structs.replace(settings, unknown=tuple(unknown))


HOURS = {DigestAt.MORNING: 7, DigestAt.NOON: 12, DigestAt.EVENING: 19}
"""The hours of digests, in the player's time zone."""
