"""Records: who did what, as a value that grows by one; and what players wish for. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from functools import reduce
from operator import attrgetter
from typing import Any, TypeVar, cast

from msgspec import Struct

from pbm_oust.rules import Side

SERVER = "*"
"""Stands for the server and its operator in histories."""


class Deed(Enum):
    """What a player can do besides placing stones."""

    PASS = "pass"  # a pass, no password # nosec B105
    SWAP = "swap"
    RESIGN = "resign"
    DECLINE = "decline"
    """Leave a board before having played on it; the game counts as never begun."""
    PROPOSE = "propose"
    """Offer a draw."""
    UNDO = "undo"
    """Ask to take the latest turn back."""
    ACCEPT = "accept"
    REJECT = "reject"
    RETRACT = "retract"
    """Take the latest record back while the other player does not know of it."""

    @property
    def is_offer(self) -> bool:
        """Whether this waits for the other player's answer."""
        return self in (Deed.PROPOSE, Deed.UNDO)


PLAYING = (Deed.PASS, Deed.SWAP)
"""The deeds that are moves, like placements: done in turn, and possible to take back."""

WISHED = tuple(deed for deed in Deed if deed is not Deed.RETRACT)
"""The deeds that players ask for by name."""


class Verb(Enum):
    """What the server or its operator can do to a board."""

    REMIND = "remind"
    """Remind a side that its time is running out."""
    FORFEIT = "forfeit"
    """End the game because a side has run out of time; before its first move, the game is void."""
    AWARD = "award"
    """End the game by the operator's word: a side wins, or it is a draw."""
    VOID = "void"
    """End the game as never begun."""
    ADOPT = "adopt"
    """Hand a side to another player."""
    EXTEND = "extend"
    """Give the side to move more time for its turn."""
    UNDO = "undo"
    """Take back the moves after a record."""


class Ruling(Struct, frozen=True):
    """What the server or its operator did, and to which side."""

    verb: Verb
    side: Side | None = None
    userid: str = ""
    """Who takes the side over."""
    days: int = 0
    """By how many days its time is extended."""
    back_to: int = 0
    """The number of the record after which moves are taken back; 0 for all moves."""


class Place(Struct, frozen=True):
    """The wish to place stones on these cells in this order; players' names for the cells.

    Raises ValueError if there are no cells.
    """

    cells: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.cells:
            raise ValueError("no cell is named")


Wish = Place | Deed
"""What a player wishes to do, before anybody knows whether it is possible."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A stone that was placed, and how many stones it took off the board."""

    cell: str
    took: int = 0
    taken: int = field(default=0, compare=False)
    """The cells of those stones as `Grid` lays them out, once the rules have placed this one."""


Action = tuple[Placement, ...] | Deed | Ruling
"""What a record says was done."""


class Record(Struct, frozen=True):
    """What one accepted command did."""

    number: int
    side: Side | None
    """The side that did it; None for the server and its operator."""
    action: Action
    at: datetime
    message_key: str

    @property
    def by(self) -> str:
        """Who did it, as histories have it: x, o, or * for the server and its operator."""
        return self.side.value if self.side else SERVER

    @property
    def wish(self) -> Wish | Ruling:
        """The wish that leads to it."""
        if isinstance(self.action, tuple):
            return Place(tuple(done.cell for done in self.action))
        return self.action

    @property
    def is_playing(self) -> bool:
        """Whether this is a move: placements, a pass or a swap."""
        return isinstance(self.action, tuple) or self.action in PLAYING

    @property
    def is_talk(self) -> bool:
        """Whether this leaves the board, its players and the turn as they were."""
        if isinstance(self.action, Ruling):
            return self.action.verb in (Verb.REMIND, Verb.EXTEND)
        return self.action in (Deed.PROPOSE, Deed.UNDO, Deed.REJECT)


S = TypeVar("S")
_KEY_OF = attrgetter("message_key")


class Records(tuple[Record, ...]):
    """Some records in their order. Values that are made of one another share what was computed."""

    _folds: Mapping[Any, tuple[int, Any]] = {}
    """What each fold led to after so many records."""

    @property
    def latest(self) -> Record | None:
        """The last one of them."""
        return self[-1] if self else None

    def and_then(self, *more: Record) -> "Records":
        """Return these records and more."""
        longer = Records(self + more)
        longer._folds = self._folds
        return longer

    def first(self, number: int) -> "Records":
        """Return the first so many records, or all of them if there are not so many."""
        return Records(self[:number])

    def has_message_key(self, key: str) -> bool:
        """Return whether some record has this message key."""
        return key in map(_KEY_OF, self)

    def of_message(self, key: str) -> Record:
        """Return the latest record with a message key, which must be there."""
        return next(record for record in reversed(self) if record.message_key == key)

    def folded(self, start: S, step: Callable[[S, Record], S]) -> S:
        """Return what a step for each record makes of a start, which must always be the same.

        What it made of these records is remembered, also for those that are made of them.
        """
        done, state = self._folds.get(step, (0, start))
        if done < len(self):
            state = reduce(step, self[done:], state)
            self._folds = {**self._folds, step: (len(self), state)}
        return cast(S, state)

    def __hash__(self) -> int:
        return hash((len(self), self.latest))
