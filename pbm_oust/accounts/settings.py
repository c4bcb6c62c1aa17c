"""What players have settled about their mail. Pure.

    Setting: mail digest

So it reads in the player's account. What is as usual is not written down. A value that means
nothing here, such as a time zone that is no longer known, is kept as it is, and until its player
chooses another one the usual value counts.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from enum import Enum
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import astuple, replace

from pbm_oust.accounts.account import Account, Digested, Setting
from pbm_oust.accounts.vacations import away_at
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, language_named

_UTC = ZoneInfo("UTC")
_NO_ZONES = frozenset(["Factory"])
"""Names in the list of zones that say that none was chosen."""
_TOLD = "told"
"""Stands in place of the name of an unknown setting of which its player knows."""


class MailWhen(Enum):
    """When a player is mailed boards on which others acted; how a game ended is always mailed."""

    EACH = "each"
    """After each record."""
    MINE = "mine"
    """When it is their turn."""
    DIGEST = "digest"
    """Once a day, all boards that wait for them in one mail. What is proposed comes at once."""
    OFF = "off"
    """Not for turns: only what is proposed, and reminders."""


class Switch(Enum):
    """Whether something is done."""

    ON = "on"
    OFF = "off"


class BoardForm(Enum):
    """How boards are drawn in mails."""

    HTML = "html"
    """With links on the points where the reader can play; as text besides."""
    TEXT = "text"
    """As text alone."""


class SubjectForm(Enum):
    """What the Subjects of mails about a board say."""

    NEWS = "news"
    """What has happened, and whose turn it is."""
    BOARD = "board"
    """The board and its players, always the same, for programs that group mails by Subject."""


class DigestAt(Enum):
    """At which hour of the player's day a digest goes out."""

    MORNING = "morning"
    NOON = "noon"
    EVENING = "evening"


class Auth(Enum):
    """What proves that a command is the player's, besides answers to letters."""

    PASSWORD = "password"  # a word of the settings # nosec B105
    SENDER = "sender"
    """Also that it comes from an address of theirs, where that is verified."""


class Unknown(Struct, frozen=True):
    """A setting that was stored and means nothing here."""

    name: str
    value: str
    is_told: bool = False
    """Whether the player knows of it."""


class Settings(Struct, frozen=True):
    """All settings of a player. Apart from the last, the fields have the names players write."""

    mail: MailWhen = MailWhen.EACH
    autopass: Switch = Switch.OFF
    """Whether the server passes for the player where nothing else is possible."""
    language: Language = ENGLISH
    zone: ZoneInfo = _UTC
    """The time zone of dates in mails."""
    board: BoardForm = BoardForm.HTML
    broadcasts: Switch = Switch.ON
    """Whether the player gets what is written to everybody."""
    subject: SubjectForm = SubjectForm.NEWS
    auth: Auth = Auth.PASSWORD
    mine: Switch = Switch.ON
    """Whether the player is mailed their own moves."""
    digest: DigestAt = DigestAt.MORNING
    unknown: tuple[Unknown, ...] = ()
    """What the player has settled that means nothing here; the usual values count."""


USUAL = Settings()


@cache
def _zones() -> dict[str, str]:
    """Return the names of all time zones, those that are no longer used too, by their folding.

    A city stands for its zone where no other zone has one of that name.
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


def _folded_zone(text: str) -> str:
    return text.casefold().replace("-", "_").rstrip(".")


def _read_zone(text: str) -> ZoneInfo:
    """Return the time zone with a name in letters of either case. Raises ValueError."""
    try:
        return ZoneInfo(_zones()[_folded_zone(text)])
    except (KeyError, OSError, ValueError):
        raise ValueError(f"{text!r} is no time zone like Europe/Paris") from None


_READERS: dict[str, Callable[[str], Any]] = {
    "mail": MailWhen,
    "autopass": Switch,
    "language": language_named,
    "zone": _read_zone,
    "board": BoardForm,
    "broadcasts": Switch,
    "subject": SubjectForm,
    "auth": Auth,
    "mine": Switch,
    "digest": DigestAt,
}

NAMES = tuple(_READERS)


def values_of(name: str) -> tuple[str, ...]:
    """Return the values that a setting can have; none where they are too many to name."""
    reader = _READERS[name]
    if reader is language_named:
        return tuple(LANGUAGES)
    if isinstance(reader, type) and issubclass(reader, Enum):
        return tuple(each.value for each in reader)
    return ()


def with_setting(settings: Settings, name: str, value: str) -> Settings:
    """Return settings with one of them changed. Raises ValueError for a value that is none."""
    change: dict[str, Any] = {name: _READERS[name](value)}
    unknown = tuple(each for each in settings.unknown if each.name != name)
    return replace(settings, **change, unknown=unknown)


def with_all_told(settings: Settings) -> Settings:
    """Return settings whose player knows which of them mean nothing here."""
    unknown = tuple(replace(each, is_told=True) for each in settings.unknown)
    return replace(settings, unknown=unknown)


def has_untold(settings: Settings) -> bool:
    """Return whether some of the settings mean nothing here and their player was not told."""
    return bool(settings.unknown) and not all(each.is_told for each in settings.unknown)


def format_setting(settings: Settings, name: str) -> str:
    """Return a value as players write it."""
    value = getattr(settings, name)
    return str(value.value if isinstance(value, Enum) else value)


def _unusual(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of those settings that are not as usual."""
    for name in NAMES:
        if getattr(settings, name) != getattr(USUAL, name):
            yield name, format_setting(settings, name)


def _stored(settings: Settings) -> Iterator[Setting]:
    for name, value in _unusual(settings):
        yield Setting(name, value)
    for each in settings.unknown:
        told = Setting(_TOLD, f"{each.name} {each.value}")
        yield told if each.is_told else Setting(each.name, each.value)


def setting_lines(account: Account) -> list[str]:
    """Return the settings of an account as a person reads it."""
    settings = settings_of(account)
    known = [f"{name} {value}" for name, value in _unusual(settings)]
    unknown = [f"{each.name} {each.value} (not known here)" for each in settings.unknown]
    return [f"{Setting.word}: {line}" for line in (*known, *unknown)]


def settings_of(account: Account) -> Settings:
    """Return the settings of an account."""
    return read_settings(account.settings)


@lru_cache(maxsize=1000)
def read_settings(stored: tuple[Setting, ...]) -> Settings:
    """Return the settings that an account keeps."""
    settings, unknown = USUAL, list[Unknown]()
    for name, value in map(astuple, stored):
        is_told = name == _TOLD
        if is_told:
            name, _, value = value.partition(" ")
        try:
            settings = with_setting(settings, name, value)
        except (KeyError, ValueError):
            unknown.append(Unknown(name, value, is_told))
    return replace(settings, unknown=tuple(unknown))


def with_settings(account: Account, settings: Settings) -> Account:
    """Return an account with these settings."""
    return replace(account, settings=tuple(_stored(settings)))


HOURS = {DigestAt.MORNING: 7, DigestAt.NOON: 12, DigestAt.EVENING: 19}
"""The hours of the day, in the player's time zone."""


def digested(account: Account) -> Digested:
    """Return when the boards were last looked at; for the first digest, when the player joined."""
    return account.digests[-1] if account.digests else Digested(account.joined, account.joined)


def with_digested(account: Account, last: Digested) -> Account:
    """Return an account that says so."""
    return replace(account, digests=(last,))


def latest_slot(now: datetime, settings: Settings) -> datetime:
    """Return the latest moment up to `now` at which digests go out by some settings, in UTC."""
    slots = (_slot(now, settings, days=-back) for back in range(2))
    return next(slot for slot in slots if slot <= now)


def next_slot(after: datetime, settings: Settings) -> datetime:
    """Return the first moment after another at which digests go out by some settings, in UTC."""
    slots = (_slot(after, settings, days=ahead) for ahead in range(3))
    return next(slot for slot in slots if slot > after)


def next_digest(account: Account) -> datetime | None:
    """Return when a player's boards are to be looked at; None for players without digests."""
    settings = settings_of(account)
    if settings.mail is not MailWhen.DIGEST:
        return None
    slot = next_slot(digested(account).looked, settings)
    while away := away_at(account.vacations, slot):
        slot = next_slot(away.end, settings)
    return slot


def _slot(moment: datetime, settings: Settings, *, days: int) -> datetime:
    """Return when digests go out some days after the day in which a moment lies."""
    day = moment.astimezone(settings.zone).date() + timedelta(days=days)
    return datetime.combine(day, time(HOURS[settings.digest]), settings.zone).astimezone(UTC)
