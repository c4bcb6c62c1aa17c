"""Records: who did what, as a value that grows by one; and what players wish for. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from itertools import islice
from operator import is_not
from typing import TypeVar, cast, overload

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


class _Kept:
    """The records that values of a game and of what it led to have in common."""

    __slots__ = ("folds", "indexed", "places", "records")

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.records = list(records)
        self.folds: dict[object, tuple[int, object]] = {}
        """What each fold led to after so many records."""
        self.places: dict[str, int] = {}
        """Where the first record with a message key is."""
        self.indexed = 0
        """How many records have been entered in `places`."""


class Records(Sequence[Record]):
    """Some records in their order. It is a value; several of them share what they have in common.

    Only one value can grow without a copy: the longest one of those that share. Any number of
    threads may use it.
    """

    __slots__ = ("_kept", "latest", "length")

    length: int
    """The number of records."""
    latest: Record | None
    """The last one of them."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._kept = _Kept(records)
        self.length = len(self._kept.records)
        self.latest = self._kept.records[-1] if self.length else None

    def and_then(self, *more: Record) -> "Records":
        """Return these records and more."""
        kept, length = self._kept, self.length + len(more)
        if len(kept.records) == self.length:
            kept.records.extend(more)
        # What follows may be that of another value, or of another thread that was faster.
        following = kept.records[self.length : length]
        if len(following) < len(more) or any(map(is_not, following, more)):
            kept = _Kept((*self, *more))
        return _part(kept, length)

    def first(self, number: int) -> "Records":
        """Return the first so many records, or all of them if there are not so many."""
        return _part(self._kept, min(number, self.length))

    def has_message_key(self, key: str) -> bool:
        """Return whether some record has this message key."""
        kept = self._kept
        for place in range(kept.indexed, len(kept.records)):
            kept.places.setdefault(kept.records[place].message_key, place)
            kept.indexed = place + 1
        return kept.places.get(key, self.length) < self.length

    def of_message(self, key: str) -> Record:
        """Return the record with a message key. Raises KeyError if there is none."""
        for record in reversed(self):
            if record.message_key == key:
                return record
        raise KeyError(key)

    def folded(self, start: S, step: Callable[[S, Record], S]) -> S:
        """Return what a step for each record makes of a start, which must always be the same.

        What it made of the records that longer values share is remembered.
        """
        done, state = self._kept.folds.get(step, (0, start))
        if done > self.length:
            done, state = 0, start
        for record in self._kept.records[done : self.length]:
            state = step(cast(S, state), record)
        self._kept.folds[step] = self.length, state
        return cast(S, state)

    @overload
    def __getitem__(self, place: int) -> Record: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Record, ...]: ...
    def __getitem__(self, place: int | slice) -> Record | tuple[Record, ...]:
        records, length = self._kept.records, self.length
        if isinstance(place, slice):
            start, stop, step = place.indices(length)
            if step == 1:
                return tuple(records[start:stop])
            return tuple(records[each] for each in range(start, stop, step))
        if not -length <= place < length:
            raise IndexError(place)
        return records[place if place >= 0 else place + length]

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Record]:
        return islice(self._kept.records, self.length)

    def __reversed__(self) -> Iterator[Record]:
        return map(self._kept.records.__getitem__, range(self.length - 1, -1, -1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Records):
            return NotImplemented
        is_as_long = self.length == other.length
        return is_as_long and (self._kept is other._kept or [*self] == [*other])

    def __hash__(self) -> int:
        return hash((self.length, self.latest))

    def __repr__(self) -> str:
        return f"Records({[*self]!r})"


def _part(kept: _Kept, length: int) -> Records:
    """Return the first of the records that are kept."""
    part = Records.__new__(Records)
    part._kept, part.length = kept, length
    part.latest = kept.records[length - 1] if length else None
    return part
