"""Letters that came back from an address since its owner last wrote. Pure."""

import re
from datetime import datetime

from pbm_oust.accounts.tags import without_tokens
from pbm_oust.accounts.verification import CODE
from pbm_oust.frozen import frozen
from pbm_oust.regex import regex

LONGEST = 250
"""How much is kept of a Message-ID or a Subject."""
MOST_DAYS = 3
"""On how many days a mailbox refuses letters for good before its address gets no more."""

_HARD = regex(r"5\.(?!3\.4|6\.|7\.)")
"""The statuses of RFC 3463 that say that a mailbox does not work: not those of a letter that is too
large (5.3.4) or cannot be read (5.6), nor those of policy (5.7), nor temporary ones."""
_POLICY = regex(
    r"block(?:ed |[ -]?)list|\bblocked\b|black[ -]?list|\brbl\b|dnsbl|spamhaus|\bspam|dmarc|\bspf\b"
    r"|dkim|policy|reputation|rate limit",
    re.IGNORECASE,
)
_WITHOUT_DETAIL = regex(r"5\.[01]\.0")

STATUS = regex(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])")
"""A reason as in RFC 3463."""

_WITH_CODE = regex(rf"(verify) {CODE.pattern}\b", re.IGNORECASE)


@frozen
class Bounce:
    """A letter that came back."""

    at: datetime
    status: str
    """Why, as in RFC 3463: 5.1.1."""
    letter: str
    """The Message-ID of the letter."""
    subject: str
    """The Subject of the letter, in one line."""

    @classmethod
    def of(cls, at: datetime, status: str, letter: str, subject: str) -> "Bounce":
        """Return a bounce, made of headers as they came: cut to what a line can hold.

        A code that may still come back is left out, and so is the token of an answer.
        """
        word = without_tokens(re.sub(r"[^!-~]", "", letter), "-")[:LONGEST]
        line = re.sub(r"[^ -~]", "?", " ".join(subject.split()))[:LONGEST]
        line = _WITH_CODE.sub(r"\1", line)
        return cls(at, status, word or "-", line)


@frozen
class Returned:
    """An address, and the letters that came back from it, oldest first."""

    address: str
    bounces: tuple[Bounce, ...]

    @property
    def is_suspended(self) -> bool:
        """Whether the address gets no more letters."""
        return len({each.at.date() for each in self.bounces if is_hard(each.status)}) >= MOST_DAYS


def listed_reasons(returned: Returned) -> str:
    """Return why letters came back from an address, in words for the operator."""
    statuses = dict.fromkeys(each.status for each in returned.bounces)
    return ", ".join(f"{status} ({_meaning(status)})" for status in statuses)


def _meaning(status: str) -> str:
    """Return what a status says of its mailbox."""
    if is_hard(status):
        return f"refused for good; on {MOST_DAYS} days it closes the address"
    if status.startswith("5.7."):
        return "refused by policy; it closes no address"
    return "temporary; it closes no address" if status[0] == "4" else "it closes no address"


def is_hard(status: str) -> bool:
    """Return whether a status of RFC 3463 says that a mailbox does not work."""
    return bool(_HARD.match(status))


def status_of(stated: str, explained: str) -> str:
    """Return why a letter was refused, as in RFC 3463: 5.1.1.

    `stated` holds the status, perhaps among other words, and `explained` what the mail server says.
    Words about policy count where the status leaves the reason open.
    """
    found = STATUS.search(stated) or STATUS.search(explained)
    status = found[0] if found else "5.0.0"
    return "5.7.0" if _WITHOUT_DETAIL.fullmatch(status) and _POLICY.search(explained) else status
