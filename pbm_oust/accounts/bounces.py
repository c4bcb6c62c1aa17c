"""Letters that came back from an address since its owner last wrote. Pure."""

import re
from datetime import datetime

from pbm_oust.accounts.tags import without_tokens
from pbm_oust.accounts.verification import CODE
from pbm_oust.frozen import frozen
from pbm_oust.regex import regex

LONGEST = 250
"""How much is kept of a Message-ID or a Subject."""
MOST_BOUNCES = 3
"""How many letters come back from an address before it gets no more."""

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
        return len(self.bounces) >= MOST_BOUNCES
