"""The items in the document of an account: notes, submitted moves, open challenges. Pure.

An item is an object in JSON, made and read by msgspec. What cannot be one raises ValueError.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, Struct, field, structs

from pbm_oust.board import Game, Header, Terms, Wish, notation
from pbm_oust.rules import KINDS, Grid, Side, parse_grid

Kind = Annotated[str, Meta(pattern=r"\A[a-z]+\Z")]
"""The name of a game, known here or not."""
Number = Annotated[int, Meta(ge=1, lt=10**9)]
"""The number of a board or a record."""
Key = Annotated[str, Meta(pattern=rf"\A(?:{notation.MESSAGE_KEY.pattern})\Z")]
"""A message key, or the name of a code in the same form."""
Userid = Annotated[str, Meta(pattern=rf"\A(?:{notation.USERID.pattern})\Z")]
"""The userid of another player, updated when it changes."""
Time = Annotated[datetime, Meta(tz=True)]
"""A moment, to the second."""


class Item(Struct, frozen=True, omit_defaults=True):
    """A single thing in an account."""

    word: ClassVar[str]
    """The label in an account's lines for people."""

    def __str__(self) -> str:
        """Return the item for people: its parts in a row."""
        return " ".join(_shown(part) for part in structs.astuple(self) if part is not None)


class OnBoard(Item, frozen=True, kw_only=True):
    """An item about a board."""

    kind: Kind
    board: Number

    @property
    def name(self) -> str:
        """The name of the board: `oust 17`."""
        return f"{self.kind} {self.board}"

    def is_on(self, game: Game) -> bool:
        """Return whether the item is about a game's board."""
        return self.name == game.name


def board_of(name: str) -> tuple[str, int]:
    """Return the game and the number of a board by its name."""
    kind, _, board = name.partition(" ")
    return kind, int(board)


def to_the_second(at: datetime) -> datetime:
    """Return a moment rounded down to a second."""
    return at.astimezone(UTC).replace(microsecond=0)


def _shown(part: Any) -> str:
    if isinstance(part, datetime):
        return notation.format_time(part)
    return str(part.value if isinstance(part, Enum) else part)


class Submission(OnBoard, frozen=True, kw_only=True):
    """A submitted move, and the position for it."""

    word: ClassVar[str] = "Submitted"
    number: Number = field(name="record")
    """The number of the record that the move may become."""
    move: str

    def __post_init__(self) -> None:
        notation.parse_wish(self.move)

    @classmethod
    def of(cls, kind: str, board: int, number: int, wish: Wish) -> Self:
        """Return the submission of a move on a board."""
        return cls(kind=kind, board=board, number=number, move=notation.format_wish(wish))

    @property
    def wish(self) -> Wish:
        """The move."""
        return notation.parse_wish(self.move)


def submitted_on(submissions: Iterable[Submission], game: Game) -> Submission | None:
    """Return a player's submission on a board, or None."""
    return next((each for each in submissions if each.is_on(game)), None)


LIFETIME = timedelta(days=60)
"""The lifetime of an open challenge."""
MOST_SEEKS = 10
"""The most open challenges of a player."""

SOURCE = "seek"
"""The first word in the source of a board that came from one, in its history."""

_ANY = "any"


class Seek(Item, frozen=True, kw_only=True):
    """An open challenge. `Seek.of` makes one."""

    word: ClassVar[str] = "Seek"
    kind: Kind
    number: Number
    at: Time
    side: Side | None = None
    """The side that the seeker wants; None for a random one."""
    grid_name: str = field(name="grid")
    terms_words: str = field(name="terms")

    def __post_init__(self) -> None:
        parse_grid(self.grid_name)
        notation.parse_terms(self.terms_words)

    @classmethod
    def of(
        cls, number: int, kind: str, at: datetime, side: Side | None, grid: Grid, terms: Terms
    ) -> Self:
        """Return an open challenge with this grid and these terms."""
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
        """Return the open challenge for people."""
        side = self.side.value if self.side else _ANY
        words = f"{self.number} {self.kind} {notation.format_time(self.at)} {side} {self.grid_name}"
        return f"{words} {self.terms_words}"

    def is_open(self, now: datetime) -> bool:
        """Return whether the challenge is still open at a time."""
        return now - self.at < LIFETIME

    def is_named(self, kind: str, number: int) -> bool:
        """Return whether the challenge has this game and number."""
        return (self.kind, self.number) == (kind, number)


INVITATION_LIFETIME = timedelta(days=28)
"""The lifetime of an invitation."""
MOST_INVITATIONS = 3
"""The most open invitations of a player."""


class Invitation(Item, frozen=True, kw_only=True):
    """An invitation of somebody by their address to a board, where they move first."""

    word: ClassVar[str] = "Invitation"
    kind: Kind
    at: Time
    to: Annotated[str, Meta(pattern=r"\A[a-z2-7]{16}\Z")]
    """The name of the address (`asks.invited`), which does not tell it; or the token of a link that
    is open to anybody."""
    grid_name: str = field(name="grid")
    terms_words: str = field(name="terms")
    is_declined: bool = field(name="declined", default=False)
    board: Number | None = None
    """The number of the board that its answer has begun."""
    userid: Userid | None = None
    """The userid that whoever came by a link would like to have."""
    link: str = ""
    """The token of the link that they came by; empty for others."""

    def __post_init__(self) -> None:
        parse_grid(self.grid_name)
        notation.parse_terms(self.terms_words)

    @classmethod
    def of(cls, kind: str, at: datetime, to: str, grid: Grid, terms: Terms) -> Self:
        """Return an invitation to a board with this grid and these terms."""
        return cls(
            kind=kind,
            at=at,
            to=to,
            grid_name=str(grid),
            terms_words=notation.format_terms(terms),
        )

    def header(self, number: int, guest: str, host: str, now: datetime) -> Header:
        """Return the header of its board, which has this number; the guest moves first."""
        grid, terms = parse_grid(self.grid_name), notation.parse_terms(self.terms_words)
        return Header(KINDS[self.kind], number, grid, guest, host, terms, now)

    def __str__(self) -> str:
        """Return the invitation for people."""
        state = (
            f"{self.kind} {self.board}"
            if self.board
            else "declined"
            if self.is_declined
            else "open"
        )
        words = f"{self.kind} {notation.format_time(self.at)} {self.to} {self.grid_name}"
        return f"{words} {self.terms_words} {state}"

    def is_valid(self, now: datetime) -> bool:
        """Return whether somebody may still answer at a time, or has answered of late."""
        return now - self.at < INVITATION_LIFETIME and self.kind in KINDS

    def is_open(self, now: datetime) -> bool:
        """Return whether it waits for an answer at a time."""
        return self.is_valid(now) and not (self.board or self.is_declined)
