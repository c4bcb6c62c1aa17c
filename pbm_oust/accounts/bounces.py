"""Bounces of an address since its owner last wrote. Pure."""

import re
import tomllib
from datetime import datetime
from functools import cache
from pkgutil import get_data

from msgspec import Struct

from pbm_oust.accounts.tags import CODE, without_tokens

LONGEST = 250
"""The most characters kept of a Message-ID or a Subject."""
MOST_DAYS = 3
"""The number of days with permanent failures after which an address is suspended."""

_HARD = re.compile(r"5\.(?:0\.|1\.(?![78]$)|2\.(?![23]$)|4\.(?!7$|300$|316$)|5\.[01]$)")
"""The statuses of RFC 3463 that say that a mailbox does not work: not those of a sender that is not
liked (5.1.7, 5.1.8), of a mailbox that is full (5.2.2), of a mail server's own trouble (5.3), of a
letter that was late (5.4.7 and two of Exchange), too large or unreadable, nor of policy (5.7)."""
_WITHOUT_DETAIL = re.compile(r"5\.0\.\d+|5\.1\.0")

STATUS = re.compile(r"(?<![\d.])[245]\.[0-7]\.\d{1,3}(?![\d.])")
"""A reason as in RFC 3463."""

_WITH_CODE = re.compile(rf"(verify) {CODE.pattern}\b", re.IGNORECASE)


class Bounce(Struct, frozen=True):
    """A bounced letter."""

    at: datetime
    status: str
    """The reason as in RFC 3463: 5.1.1."""
    letter: str
    """The Message-ID of the letter."""
    subject: str
    """The Subject of the letter, in one line."""

    @classmethod
    def of(cls, at: datetime, status: str, letter: str, subject: str) -> "Bounce":
        """Return a bounce with its headers cut to one line.

        A code that may still come back is left out, and so is the token of an answer.
        """
        word = without_tokens(re.sub(r"[^!-~]", "", letter), "-")[:LONGEST]
        line = re.sub(r"[^ -~]", "?", " ".join(subject.split()))[:LONGEST]
        line = _WITH_CODE.sub(r"\1", line)
        return cls(at, status, word or "-", line)


class Returned(Struct, frozen=True):
    """An address and its bounces, oldest first."""

    address: str
    bounces: tuple[Bounce, ...]

    @property
    def is_suspended(self) -> bool:
        """Whether the address gets no more letters."""
        return len({each.at.date() for each in self.bounces if is_hard(each.status)}) >= MOST_DAYS

    @property
    def reasons(self) -> str:
        """The reasons of the bounces in words for the operator."""
        statuses = dict.fromkeys(each.status for each in self.bounces)
        return ", ".join(f"{status} ({_meaning(status)})" for status in statuses)


def _meaning(status: str) -> str:
    """Return the meaning of a status for a mailbox."""
    if is_hard(status):
        return f"refused for good; on {MOST_DAYS} days it closes the address"
    if status.startswith("5.7."):
        return "refused by policy; it closes no address"
    return "temporary; it closes no address" if status[0] == "4" else "it closes no address"


def is_hard(status: str) -> bool:
    """Return whether a status of RFC 3463 means that a mailbox does not work."""
    return bool(_HARD.match(status))


@cache
def _in_words() -> dict[str, re.Pattern[str]]:
    """Return the patterns of mail servers' words for statuses, from `bounces.toml`."""
    said = tomllib.loads((get_data(__package__, "bounces.toml") or b"").decode())
    return {status: re.compile("|".join(words), re.IGNORECASE) for status, words in said.items()}


def status_of(stated: str, explained: str) -> str:
    """Return the status of a refusal as in RFC 3463: 5.1.1.

    `stated` holds the status, perhaps among other words. `explained` is the mail server's text; it
    counts where the status leaves the reason open.
    """
    found: list[str] = STATUS.findall(stated) + STATUS.findall(explained)
    for status in found:
        if not _WITHOUT_DETAIL.fullmatch(status):
            return status
    for status, words in _in_words().items():
        if words.search(explained):
            return status
    return found[0] if found else "5.0.0"
