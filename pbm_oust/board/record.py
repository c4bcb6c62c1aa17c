"""Records of actions on a board, as a value that grows by one; and the wishes of players. Pure."""

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
"""Marks the server and its operator in histories."""


class Deed(Enum):
    """An action of a player other than placing stones."""

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
        """Whether the deed waits for the other player's answer."""
        return self in (Deed.PROPOSE, Deed.UNDO)


PLAYING = (Deed.PASS, Deed.SWAP)
"""The deeds that are moves, like placements: done in turn, and possible to take back."""

WISHED = tuple(deed for deed in Deed if deed is not Deed.RETRACT)
"""The deeds that have a command."""


class Verb(Enum):
    """An action of the server or its operator on a board."""

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
    """Take back the moves after a given record."""


class Ruling(Struct, frozen=True):
    """An action of the server or its operator, and its side."""

    verb: Verb
    side: Side | None = None
    userid: str = ""
    """The new owner of the side."""
    days: int = 0
    """The number of days by which the time is extended."""
    back_to: int = 0
    """The number of the last record that stays; 0 if all moves are taken back."""


class Place(Struct, frozen=True):
    """The wish to place stones on cells, by name, in this order.

    Raises ValueError if there are no cells.
    """

    cells: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.cells:
            raise ValueError("no cell is named")


Wish = Place | Deed
"""An action that a player wants, not yet checked."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A placed stone, and the number of stones that it took off the board."""

    cell: str
    took: int = 0
    taken: int = field(default=0, compare=False)
    """The taken cells as `Grid` lays them out, once the rules have placed the stone."""
    lost: int = field(default=0, compare=False)
    """Those of them that had stones of the side that placed."""


Action = tuple[Placement, ...] | Deed | Ruling
"""The action of a record."""


class Record(Struct, frozen=True):
    """An action on a board: its side, its time and its message key."""

    number: int
    side: Side | None
    """The acting side; None for the server and its operator."""
    action: Action
    at: datetime
    message_key: str

    @property
    def by(self) -> str:
        """The actor as histories have it: x, o, or * for the server and its operator."""
        return self.side.value if self.side else SERVER

    @property
    def wish(self) -> Wish | Ruling:
        """The wish or ruling that leads to the record."""
        if isinstance(self.action, tuple):
            return Place(tuple(done.cell for done in self.action))
        return self.action

    @property
    def is_playing(self) -> bool:
        """Whether the record is a move: placements, a pass or a swap."""
        return isinstance(self.action, tuple) or self.action in PLAYING

    @property
    def is_talk(self) -> bool:
        """Whether the record leaves the board, its players and the turn as they were."""
        if isinstance(self.action, Ruling):
            return self.action.verb in (Verb.REMIND, Verb.EXTEND)
        return self.action in (Deed.PROPOSE, Deed.UNDO, Deed.REJECT)


S = TypeVar("S")
_KEY_OF = attrgetter("message_key")


class Records(tuple[Record, ...]):
    """A sequence of records. Sequences made of one another share computed results."""

    _folds: Mapping[Any, tuple[int, Any]] = {}
    """The number of records folded, and the result, by function."""

    @property
    def latest(self) -> Record | None:
        """The last record, if any."""
        return self[-1] if self else None

    def and_then(self, *more: Record) -> "Records":
        """Return these records and more."""
        longer = Records(self + more)
        longer._folds = self._folds
        return longer

    def first(self, number: int) -> "Records":
        """Return the first `number` records, or all if there are fewer."""
        return Records(self[:number])

    def has_message_key(self, key: str) -> bool:
        """Return whether some record has this message key."""
        return key in map(_KEY_OF, self)

    def of_message(self, key: str) -> Record:
        """Return the latest record with a message key. There must be one."""
        return next(record for record in reversed(self) if record.message_key == key)

    def folded(self, start: S, step: Callable[[S, Record], S]) -> S:
        """Return the result of `step` over all records, from a start that must always be the same.

        Results are remembered, also for longer sequences made of this one.
        """
        done, state = self._folds.get(step, (0, start))
        if done < len(self):
            state = reduce(step, self[done:], state)
            self._folds = {**self._folds, step: (len(self), state)}
        return cast(S, state)

    def __hash__(self) -> int:
        return hash((len(self), self.latest))
