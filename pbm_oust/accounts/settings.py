"""What players have settled about their mail. Pure.

    Setting: mail digest

So it reads in the player's account. What is as usual is not written down.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any
from zoneinfo import ZoneInfo

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Kept, Row
from pbm_oust.frozen import frozen, replace
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, language_named

_UTC = ZoneInfo("UTC")


class MailWhen(Enum):
    """When a player is mailed boards on which others acted; how a game ended is always mailed."""

    EACH = "each"
    """After each record."""
    MINE = "mine"
    """When it is their turn."""
    DIGEST = "digest"
    """Once a day, all boards that wait for them in one mail. What is proposed comes at once."""


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


class Auth(Enum):
    """What proves that a command is the player's, besides answers to letters."""

    PASSWORD = "password"  # a word of the settings # nosec B105
    SENDER = "sender"
    """Also that it comes from an address of theirs, where that is verified."""


@frozen
class Settings:
    """All settings of a player. The names of the fields are those that players write."""

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


USUAL = Settings()


def _read_zone(text: str) -> ZoneInfo:
    for form in (text, text.title(), text.upper()):
        try:
            return ZoneInfo(form)
        except (OSError, ValueError, LookupError):
            continue
    raise ValueError(f"{text!r} is no time zone like Europe/Paris")


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
}

NAMES = tuple(field.name for field in fields(Settings))


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
    return replace(settings, **change)


def format_setting(settings: Settings, name: str) -> str:
    """Return a value as players write it."""
    value = getattr(settings, name)
    return str(value.value if isinstance(value, Enum) else value)


def _unusual(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield the names and the values of those settings that are not as usual."""
    for name in NAMES:
        if getattr(settings, name) != getattr(USUAL, name):
            yield name, format_setting(settings, name)


def _settings(rows: Sequence[Row]) -> Settings:
    settings = USUAL
    for name, value in rows:
        if name not in NAMES:
            raise ValueError(f"the setting {name!r} is not known")
        try:
            settings = with_setting(settings, name, value)
        except ValueError:
            possible = " or ".join(values_of(name)) or "a time zone like Europe/Paris"
            raise ValueError(f"the setting {f'{name} {value}'!r} is not {possible}") from None
    return settings


SETTINGS: Kept[Settings] = Kept(
    name="settings",
    key="Setting",
    columns=(Column("name"), Column("value")),
    empty=USUAL,
    to_rows=_unusual,
    of_rows=_settings,
    to_lines=lambda settings: [f"{name} {value}" for name, value in _unusual(settings)],
)


def settings_of(account: Account) -> Settings:
    """Return the settings of an account."""
    return SETTINGS.of(account)


def with_settings(account: Account, settings: Settings) -> Account:
    """Return an account with these settings."""
    return SETTINGS.put(account, settings)
