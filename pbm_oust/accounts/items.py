"""The items in the document of an account, such as one note: their parts, and how they read. Pure.

An item is an object in JSON, made and read by msgspec. What cannot be one raises ValueError.
"""

from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct
from msgspec.structs import astuple

from pbm_oust.board.notation import MESSAGE_KEY, USERID, format_time

Kind = Annotated[str, Meta(pattern=r"\A[a-z]+\Z")]
"""The name of a game, which need not be one of this program."""
Number = Annotated[int, Meta(ge=1, lt=10**9)]
"""The number of a board or a record."""
Key = Annotated[str, Meta(pattern=rf"\A(?:{MESSAGE_KEY.pattern})\Z")]
"""A message key, or the name of a code, which is written like one."""
Userid = Annotated[str, Meta(pattern=rf"\A(?:{USERID.pattern})\Z")]
"""The userid of another player, which changes when that player gets another one."""
Time = Annotated[datetime, Meta(tz=True)]
"""A moment, to the second."""


class Item(Struct, frozen=True, omit_defaults=True):
    """One thing that an account keeps."""

    word: ClassVar[str]
    """What stands in front of it where a person reads an account."""

    def __str__(self) -> str:
        """Return how a person reads it: its parts, one behind the other."""
        return " ".join(_shown(part) for part in astuple(self) if part is not None)


class OnBoard(Item, frozen=True, kw_only=True):
    """Something about a board."""

    kind: Kind
    board: Number

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind} {self.board}"


def board_of(name: str) -> tuple[str, int]:
    """Return the game and the number in the name of a board."""
    kind, _, board = name.partition(" ")
    return kind, int(board)


def to_the_second(at: datetime) -> datetime:
    """Return a moment as an item has it."""
    return at.astimezone(UTC).replace(microsecond=0)


def _shown(part: Any) -> str:
    if isinstance(part, datetime):
        return format_time(part)
    return str(part.value if isinstance(part, Enum) else part)
