"""The items in the document of an account: notes, submitted moves, open challenges. Pure.

An item is an object in JSON, made and read by msgspec. What cannot be one raises ValueError.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, Struct, field, structs

from pbm_oust.board import Game, Terms, Wish, notation
from pbm_oust.rules import Grid, Side, parse_grid

Kind = Annotated[str, Meta(pattern=r"\A[a-z]+\Z")]
"""The name of a game, which need not be one of this program."""
Number = Annotated[int, Meta(ge=1, lt=10**9)]
"""The number of a board or a record."""
Key = Annotated[str, Meta(pattern=rf"\A(?:{notation.MESSAGE_KEY.pattern})\Z")]
"""A message key, or the name of a code, which is written like one."""
Userid = Annotated[str, Meta(pattern=rf"\A(?:{notation.USERID.pattern})\Z")]
"""The userid of another player, which changes when that player gets another one."""
Time = Annotated[datetime, Meta(tz=True)]
"""A moment, to the second."""


class Item(Struct, frozen=True, omit_defaults=True):
    """One thing that an account keeps."""

    word: ClassVar[str]
    """What stands in front of it where a person reads an account."""

    def __str__(self) -> str:
        """Return how a person reads it: its parts, one behind the other."""
        return " ".join(_shown(part) for part in structs.astuple(self) if part is not None)


class OnBoard(Item, frozen=True, kw_only=True):
    """Something about a board."""

    kind: Kind
    board: Number

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind} {self.board}"

    def is_on(self, game: Game) -> bool:
        """Return whether this is about a game's board."""
        return self.name == game.name


def board_of(name: str) -> tuple[str, int]:
    """Return the game and the number in the name of a board."""
    kind, _, board = name.partition(" ")
    return kind, int(board)


def to_the_second(at: datetime) -> datetime:
    """Return a moment as an item has it."""
    return at.astimezone(UTC).replace(microsecond=0)


def _shown(part: Any) -> str:
    if isinstance(part, datetime):
        return notation.format_time(part)
    return str(part.value if isinstance(part, Enum) else part)


class Submission(OnBoard, frozen=True, kw_only=True):
    """A move that was submitted on a board, and the position that it is for."""

    word: ClassVar[str] = "Submitted"
    number: Number = field(name="record")
    """The number that the next record had when this was submitted."""
    move: str

    def __post_init__(self) -> None:
        notation.parse_wish(self.move)

    @classmethod
    def of(cls, kind: str, board: int, number: int, wish: Wish) -> Self:
        """Return a move that is submitted on a board."""
        return cls(kind=kind, board=board, number=number, move=notation.format_wish(wish))

    @property
    def wish(self) -> Wish:
        """The move."""
        return notation.parse_wish(self.move)


def submitted_on(submissions: Iterable[Submission], game: Game) -> Submission | None:
    """Return what a player has submitted on a game's board, or None."""
    return next((each for each in submissions if each.is_on(game)), None)


LIFETIME = timedelta(days=60)
"""How long an open challenge waits."""
MOST_SEEKS = 10
"""How many open challenges one player may have."""

SOURCE = "seek"
"""The word by which the history of a board says that it came from one."""

_ANY = "any"


class Seek(Item, frozen=True, kw_only=True):
    """An open challenge. `Seek.of` makes one."""

    word: ClassVar[str] = "Seek"
    kind: Kind
    number: Number
    at: Time
    side: Side | None = None
    """The side that the seeker wants; none where lots are drawn."""
    grid_name: str = field(name="grid")
    terms_words: str = field(name="terms")

    def __post_init__(self) -> None:
        parse_grid(self.grid_name)
        notation.parse_terms(self.terms_words)

    @classmethod
    def of(
        cls, number: int, kind: str, at: datetime, side: Side | None, grid: Grid, terms: Terms
    ) -> Self:
        """Return an open challenge for a board with this grid and these terms."""
        return cls(
            kind=kind,
            number=number,
            at=at,
            side=side,
            grid_name=str(grid),
            terms_words=notation.format_terms(terms),
        )

    @property
    def grid(self) -> Grid:
        """The grid of the board."""
        return parse_grid(self.grid_name)

    @property
    def terms(self) -> Terms:
        """The terms of the board."""
        return notation.parse_terms(self.terms_words)

    def __str__(self) -> str:
        """Return how a person reads it."""
        side = self.side.value if self.side else _ANY
        words = f"{self.number} {self.kind} {notation.format_time(self.at)} {side} {self.grid_name}"
        return f"{words} {self.terms_words}"

    def is_open(self, now: datetime) -> bool:
        """Return whether this still waits at a time."""
        return now - self.at < LIFETIME

    def is_named(self, kind: str, number: int) -> bool:
        """Return whether this is the challenge of this number in a game."""
        return (self.kind, self.number) == (kind, number)
