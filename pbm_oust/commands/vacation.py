"""The command for vacations: `vacation alice secret 2026-12-20 14`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from pbm_oust.commands.aliases import in_english
from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.values import PASSWORD, USERID
from pbm_oust.commands.words import fold
from pbm_oust.players import Secret
from pbm_oust.refusal import Unread, Unreadable

_DAYS = re.compile(r"[0-9]{1,4}")


class Ask(Enum):
    """What can be asked for besides a vacation."""

    LIST = "list"
    CANCEL = "cancel"


@dataclass(frozen=True, slots=True)
class Leave:
    """A vacation that is asked for: from a day on, for so many days."""

    first: date
    days: int


@dataclass(frozen=True, slots=True)
class Vacation:
    """Announce a vacation, end those announced, or list them."""

    userid: str
    password: Secret
    asked: Leave | Ask


def _read_asked(words: Sequence[str]) -> Leave | Ask:
    """Return what is asked for. Raises Unreadable."""
    if not words:
        return Ask.LIST
    if in_english(fold(words[0])) in (Ask.CANCEL.value, "0"):
        if len(words) > 1:
            raise Unreadable(Unread.SURPLUS_WORD, words[1])
        return Ask.CANCEL
    first = _read_date(words[0])
    if len(words) < 2:
        raise Unreadable(Unread.MISSING_WORD, missing=("DAYS",))
    if not _DAYS.fullmatch(words[1]):
        raise Unreadable(Unread.BAD_DAYS, words[1])
    if len(words) > 2:
        raise Unreadable(Unread.SURPLUS_WORD, words[2])
    days = int(words[1])
    return Leave(first, days) if days else Ask.CANCEL


def _read_date(word: str) -> date:
    try:
        read = date.fromisoformat(fold(word))
    except ValueError:
        read = None
    if read is None or read.isoformat() != fold(word):
        raise Unreadable(Unread.BAD_DATE, word)
    return read


FORMS = (
    Form(
        "vacation",
        Vacation,
        (USERID, PASSWORD),
        Rest(
            ("DATE DAYS", Ask.CANCEL.value, ""),
            _read_asked,
            least=0,
            fixed=frozenset([Ask.CANCEL.value]),
        ),
        is_of_kind=False,
    ),
)
