"""What an answer to a letter means, if something in it proves which letter it answers. Pure."""

import base64
import hashlib
from enum import Enum
from typing import ClassVar

from dataclasses import dataclass


class Purpose(Enum):
    """What an answer to a letter about one board is for."""

    PLAY = "play"
    """It does on the board what its player may do there."""
    CHAT = "chat"
    """Its text goes to the other player."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of a player to a letter about one of their boards.

    One that comes with a mail has been verified; it stands where a command has its password.
    """

    purpose: Purpose
    kind: str
    board: int
    number: int
    """The number of the record that the answer may make."""
    userid: str

    @property
    def word(self) -> str:
        """What the answer is for."""
        return self.purpose.value

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind} {self.board}"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return (self.purpose.value, self.kind, str(self.board), str(self.number), self.userid)


@dataclass(frozen=True, slots=True)
class Sheet:
    """An answer of a player to a letter that shows several of their boards."""

    userid: str
    positions: tuple[Reply, ...]
    """What the answer may do on each of them, in the order of the letter."""
    word: ClassVar[str] = "boards"

    @property
    def id(self) -> str:
        """What tells it from other sheets of its player: eight letters and digits."""
        digest = hashlib.sha256("\0".join(self.parts()).encode()).digest()
        return base64.b32encode(digest[:5]).decode().lower()

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return ("sheet", self.userid, self.text)

    @property
    def text(self) -> str:
        """The positions as they are kept: `oust.17.12 churn.3.5`."""
        return " ".join(f"{at.kind}.{at.board}.{at.number}" for at in self.positions)


@dataclass(frozen=True, slots=True)
class Correspondence:
    """An answer of a player to what another one has written to them, on no board."""

    userid: str
    to: str
    """The userid of the other player."""
    word: ClassVar[str] = "message"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such an answer and no other, as words."""
        return ("to", self.userid, self.to)


@dataclass(frozen=True, slots=True)
class Joining:
    """A mail of a player that joins an open challenge, by a link in a letter that lists it."""

    userid: str
    kind: str
    number: int
    """The number of the challenge."""
    word: ClassVar[str] = "join"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such a mail and no other, as words."""
        return ("join", self.userid, self.kind, str(self.number))


@dataclass(frozen=True, slots=True)
class Unsubscribing:
    """A mail of a player that ends letters of one sort, to an address in the head of one of them.

    What it says does not matter, for programs write it.
    """

    userid: str
    what: str
    """BROADCASTS, DIGEST, or the name of a board that the player watches."""
    word: ClassVar[str] = "off"

    def parts(self) -> tuple[str, ...]:
        """Return what proves such a mail and no other, as words."""
        return ("off", self.userid, self.what)


BROADCASTS, DIGEST = "broadcasts", "digest"
"""What goes to everybody, and what comes once a day."""

Answered = Reply | Sheet | Correspondence | Joining | Unsubscribing
"""The letter that a mail answers."""
