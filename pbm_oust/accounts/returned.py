"""Letters that came back from an address since its owner last wrote. Pure.

pbm_oust bounces 1
Address: alice@example.org
Bounced: 2026-11-20T15:36:00Z 5.1.1 <oust.17.5.0123456789abcdef@example.com> oust 17 #6: ..
"""

import re
from dataclasses import dataclass
from datetime import datetime

from pbm_oust.accounts.address import parse_address
from pbm_oust.accounts.tags import without_tokens
from pbm_oust.accounts.verification import CODE
from pbm_oust.board.notation import format_time, parse_time

FIRST_LINE = "pbm_oust bounces 1"
LONGEST = 250
"""How much is kept of a Message-ID or a Subject."""
MOST_BOUNCES = 3
"""How many letters come back from an address before it gets no more."""

_WITH_CODE = re.compile(rf"(verify) {CODE.pattern}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Returned:
    """An address, and the letters that came back from it, oldest first."""

    address: str
    bounces: tuple[Bounce, ...]

    @property
    def is_suspended(self) -> bool:
        """Whether the address gets no more letters."""
        return len(self.bounces) >= MOST_BOUNCES


def format_returned(returned: Returned) -> str:
    """Return the text of an address's file."""
    lines = [
        f"Bounced: {format_time(each.at)} {each.status} {each.letter} {each.subject}".rstrip()
        for each in returned.bounces
    ]
    return "\n".join([FIRST_LINE, f"Address: {returned.address}", *lines]) + "\n"


def parse_returned(text: str) -> Returned:
    """Return what an address's file says. Raises ValueError."""
    first, *lines = text.splitlines() or [""]
    if first != FIRST_LINE:
        raise ValueError(f"line 1: the first line is {FIRST_LINE!r}")
    address = ""
    bounces = []
    for number, line in enumerate(lines, 2):
        key, _, value = line.partition(": ")
        try:
            if key == "Address":
                address = parse_address(value)
            elif key == "Bounced":
                at, status, letter, subject = f"{value} ".split(" ", 3)
                bounces.append(Bounce(parse_time(at), status, letter, subject.rstrip()))
            else:
                raise ValueError
        except ValueError:
            raise ValueError(
                f"line {number}: a line is 'Address: ADDRESS' or 'Bounced: TIME STATUS ID SUBJECT'"
            ) from None
    if not address:
        raise ValueError("there is no line 'Address'")
    return Returned(address, tuple(bounces))
