"""One board as a fold over its records: who may do what now, and what a record does. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from pbm_oust.refusal import Barred, Illegal, NotAllowed, Unlawful
from pbm_oust.rules.grid import Grid, NoSuchCell
from pbm_oust.rules.position import (
    How,
    IllegalPass,
    IllegalPlacement,
    Kind,
    Position,
    Result,
    Side,
    taken,
)


class Deed(Enum):
    """What a player can do besides placing stones."""

    PASS = "pass"
    SWAP = "swap"
    RESIGN = "resign"


@dataclass(frozen=True, slots=True)
class Place:
    """The wish to place stones on these cells in this order, named as players name them.

    There is at least one; no cells raise ValueError.
    """

    cells: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.cells:
            raise ValueError("no cell is named")


Wish = Place | Deed
"""What a player asks for, before the board has been asked."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A stone that was placed, and how many stones that took off the board."""

    cell: str
    took: int = 0


Action = tuple[Placement, ...] | Deed
"""What a record says was done."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the players agreed on besides the grid. Times are in days; a total of 0 is unlimited."""

    swap: bool = True
    rated: bool = True
    nagtime: int = 7
    forfeittime: int = 21
    totaltime: int = 0


@dataclass(frozen=True, slots=True)
class Header:
    """What is settled when a board starts. `x` and `o` are the userids that own the sides then."""

    kind: Kind
    board: int
    grid: Grid
    x: str
    o: str
    terms: Terms
    started: datetime

    @property
    def name(self) -> str:
        """The board's name, as `oust 17`."""
        return f"{self.kind.name} {self.board}"

    @property
    def owners(self) -> frozenset[str]:
        """The userids of both players."""
        return frozenset((self.x, self.o))


@dataclass(frozen=True, slots=True)
class Record:
    """What one accepted command did. `cause` is the id of the message that asked for it."""

    number: int
    side: Side
    action: Action
    at: datetime
    cause: str


@dataclass(frozen=True, slots=True)
class Game:
    """A board after its records. A value: acting returns the next game."""

    header: Header
    position: Position
    x: str
    """The userid that owns side x at this moment."""
    o: str
    records: tuple[Record, ...] = ()
    result: Result | None = None

    @classmethod
    def start(cls, header: Header) -> "Game":
        """Return the game before its first record."""
        return cls(header, header.kind.start(header.grid), header.x, header.o)

    @property
    def name(self) -> str:
        """The board's name, as `oust 17`."""
        return self.header.name

    @property
    def next_number(self) -> int:
        """The number that the next record will have."""
        return len(self.records) + 1

    @property
    def to_move(self) -> Side:
        """The side that acts next, as long as there is no result."""
        return self.position.to_move

    @property
    def player_to_move(self) -> str:
        """The userid that acts next, as long as there is no result."""
        return self.owner(self.to_move)

    @property
    def must_pass(self) -> bool:
        """Whether the side to move has no placement in a game that goes on."""
        return not self.result and not self.position.has_placement()

    @property
    def can_swap(self) -> bool:
        """Whether the pie rule lets the side to move exchange the owners now."""
        return (
            self.header.terms.swap
            and not self.result
            and self.to_move is Side.O
            and all(record.side is Side.X for record in self.records)
        )

    def owner(self, side: Side) -> str:
        """Return the userid that owns a side at this moment."""
        return self.x if side is Side.X else self.o

    def side_of(self, userid: str) -> Side | None:
        """Return the side that a player owns at this moment, or None."""
        return {self.x: Side.X, self.o: Side.O}.get(userid)

    def has_cause(self, cause: str) -> bool:
        """Return whether some record was caused by the message with this id."""
        return any(record.cause == cause for record in self.records)

    def after(self, number: int) -> "Game":
        """Return the game as it was after its first `number` records."""
        return replay(self.header, self.records[:number])

    def latest_stones(self) -> int:
        """Return the stones on the board that the latest record placed."""
        if not self.records or isinstance(self.records[-1].action, Deed):
            return 0
        cells = sum(self.header.grid.parse_cell(done.cell) for done in self.records[-1].action)
        return cells & (self.position.stones(Side.X) | self.position.stones(Side.O))

    def act(self, side: Side, wish: Wish, at: datetime, cause: str) -> "Game":
        """Return the game after a side has done what it wishes; one record longer.

        Raises NotAllowed or Illegal where it may not; then nothing of the wish is done.
        """
        if self.result:
            raise NotAllowed(Barred.GAME_OVER, game=self)
        if side is not self.to_move and wish is not Deed.RESIGN:
            raise NotAllowed(Barred.NOT_YOUR_TURN, game=self)
        action: Action
        match wish:
            case Place():
                position, action = self._place(wish)
                acted = replace(self, position=position, result=position.result)
            case Deed.PASS:
                acted, action = self._pass(), wish
            case Deed.SWAP:
                acted, action = self._swap(), wish
            case Deed.RESIGN:
                acted, action = replace(self, result=Result(side.other, How.RESIGN)), wish
        record = Record(self.next_number, side, action, at, cause)
        return replace(acted, records=(*self.records, record))

    def _place(self, wish: Place) -> tuple[Position, tuple[Placement, ...]]:
        if self.must_pass:
            raise NotAllowed(Barred.MUST_PASS, game=self)
        position, done = self.position, list[Placement]()
        for nth, name in enumerate(wish.cells, 1):
            if done and not position.is_mid_turn:
                raise Illegal(
                    Unlawful.AFTER_TURN,
                    name,
                    game=self,
                    nth=nth,
                    played=wish.cells[: nth - 1],
                    won=position.result is not None,
                )
            try:
                cell = self.header.grid.parse_cell(name)
                following = position.place(cell)
            except NoSuchCell:
                raise Illegal(Unlawful.OFF_GRID, name, game=self, nth=nth) from None
            except IllegalPlacement as fault:
                raise Illegal(
                    Unlawful.AGAINST_RULES,
                    name,
                    game=self,
                    nth=nth,
                    fault=fault,
                    before=position,
                    played=wish.cells[: nth - 1],
                ) from None
            took = taken(position, following).bit_count()
            done.append(Placement(self.header.grid.format_cell(cell), took))
            position = following
        return position, tuple(done)

    def _pass(self) -> "Game":
        try:
            return replace(self, position=self.position.pass_turn())
        except IllegalPass:
            raise NotAllowed(Barred.MAY_NOT_PASS, game=self) from None

    def _swap(self) -> "Game":
        if not self.header.terms.swap:
            raise NotAllowed(Barred.SWAP_OFF, game=self)
        if not self.can_swap:
            raise NotAllowed(Barred.SWAP_TOO_LATE, game=self)
        return replace(self, x=self.o, o=self.x)


def wish_of(action: Action) -> Wish:
    """Return the wish that leads to an action."""
    if isinstance(action, Deed):
        return action
    return Place(tuple(done.cell for done in action))


def replay(header: Header, records: Iterable[Record]) -> Game:
    """Return the game after these records, which must be ones that `Game.act` made."""
    game = Game.start(header)
    for record in records:
        game = game.act(record.side, wish_of(record.action), record.at, record.cause)
    return game
