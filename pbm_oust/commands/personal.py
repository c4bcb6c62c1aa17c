"""The commands by which players settle things for themselves: settings, limit, reject and so on."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pbm_oust.commands.aliases import without_accents
from pbm_oust.commands.grammar import Form, Parameter, Rest
from pbm_oust.commands.values import BOARD, PASSWORD, USERID, read_userids
from pbm_oust.commands.words import find_command_word, find_word, fold
from pbm_oust.languages import LANGUAGES
from pbm_oust.players import Secret
from pbm_oust.refusal import Unread, Unreadable
from pbm_oust.replying import Credential
from pbm_oust.rules.position import Kind
from pbm_oust.settings import NAMES, Settings, format_setting, values_of, with_setting
from pbm_oust.willing import HIGHEST_LIMIT

_LANGUAGES = {name: each.code for each in LANGUAGES.values() for name in (each.code, *each.names)}
_VALUES = {(name, value) for name in NAMES for value in values_of(name)}
_VALUES |= {("language", name) for name in _LANGUAGES}
SETTING_WORDS = frozenset(
    {*NAMES, *(value for _, value in _VALUES), *(f"{name}={value}" for name, value in _VALUES)}
)
"""The words of settings, which no password can be."""
DELETE = "delete"
REALLY = "really"


@dataclass(frozen=True, slots=True)
class Settle:
    """Change settings, names and values as the server writes them; without any, show all."""

    userid: str
    password: Secret
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """Be on at most so many active boards at once; 0 for any number."""

    userid: str
    password: Secret
    limit: int


@dataclass(frozen=True, slots=True)
class Reject:
    """Take no challenges from these players; without any, list those from whom none are taken."""

    userid: str
    password: Secret
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unreject:
    """Take challenges from these players again."""

    userid: str
    password: Secret
    userids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TakeNote:
    """Keep the text of the mail as a note about a board, show the note, or delete it."""

    kind: Kind
    board: int
    userid: str
    password: Credential
    is_deleted: bool


@dataclass(frozen=True, slots=True)
class Watch:
    """Have every record of a board mailed."""

    kind: Kind
    board: int
    userid: str
    password: Credential


@dataclass(frozen=True, slots=True)
class Unwatch:
    """Have the records of a board mailed no longer."""

    kind: Kind
    board: int
    userid: str
    password: Credential


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Pass the text of the mail on to everybody who wants such mails."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Export:
    """Mail a player all that is stored about him."""

    userid: str
    password: Secret


@dataclass(frozen=True, slots=True)
class Forget:
    """Remove a player's account and his userid from all histories; say what that means first."""

    userid: str
    password: Secret
    is_sure: bool


def _read_changes(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the settings that some words change: `mail mine` or `mail=mine`. Raises Unreadable."""
    changes: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        name = _find(name, NAMES, word if equals else name, "=" + value if equals else "")
        if not equals:
            if not rest:
                missing = values_of(name) or ("ZONE",)
                raise Unreadable(Unread.MISSING_WORD, missing=missing)
            word = value = rest.pop(0)
        changes[name] = _read_value(name, value, word)
    return tuple(changes.items())


def _read_value(name: str, value: str, word: str) -> str:
    """Return the value of a setting as the server writes it; `word` is where it stands."""
    if name == "language":
        with suppress(Unreadable):
            value = _LANGUAGES[find_word(without_accents(fold(value)), _LANGUAGES)]
    if values := values_of(name):
        return _find(value, values, word, before="" if word == value else f"{name}=")
    try:
        return format_setting(with_setting(Settings(), name, value), name)
    except ValueError:
        raise Unreadable(Unread.BAD_ZONE, word, right=word.replace(value, "UTC")) from None


def _find(wanted: str, known: Sequence[str], word: str, behind: str = "", before: str = "") -> str:
    """Return the known word that is wanted. Raises Unreadable with the word it stands in."""
    try:
        return find_command_word(wanted, known)
    except Unreadable as error:
        right = error.facts.get("resembles") or known[0]
        facts = {**error.facts, "known": list(known), "right": f"{before}{right}{behind}"}
        raise Unreadable(error.reason, word, **facts) from None


def _read_limit(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) <= HIGHEST_LIMIT):
        raise Unreadable(Unread.BAD_LIMIT, word, most=HIGHEST_LIMIT)
    return int(word)


def _only(wanted: str) -> Rest:
    """Return the rest of a form that is one word, or nothing: whether it is there."""

    def read(words: Sequence[str]) -> bool:
        for word in words[:1]:
            find_command_word(word, [wanted])
        if len(words) > 1:
            raise Unreadable(Unread.SURPLUS_WORD, words[1])
        return bool(words)

    return Rest((f"[{wanted}]",), read, least=0, known=frozenset([wanted]))


_OWN = (USERID, PASSWORD)
_OF_BOARD = (BOARD, USERID, PASSWORD)

FORMS = (
    Form(
        "settings",
        Settle,
        _OWN,
        Rest(("[NAME VALUE]..",), _read_changes, least=0, known=SETTING_WORDS),
        is_of_kind=False,
    ),
    Form("limit", Limit, (*_OWN, Parameter("BOARDS", _read_limit)), is_of_kind=False),
    Form("reject", Reject, _OWN, Rest(("[USERID..]",), read_userids, least=0), is_of_kind=False),
    Form("unreject", Unreject, _OWN, Rest(("USERID..",), read_userids), is_of_kind=False),
    Form("note", TakeNote, _OF_BOARD, _only(DELETE)),
    Form("watch", Watch, _OF_BOARD),
    Form("unwatch", Unwatch, _OF_BOARD),
    Form("broadcast", Broadcast, _OWN, is_of_kind=False),
    Form("export", Export, _OWN, is_of_kind=False),
    Form("forget", Forget, _OWN, _only(REALLY), is_of_kind=False),
)
