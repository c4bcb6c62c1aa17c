"""What a record can say: who did what; and what players wish for. Pure."""

from dataclasses import field
from datetime import datetime
from enum import Enum

from dataclasses import dataclass
from pbm_oust.rules.position import Side

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


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the server or its operator did, and to which side."""

    verb: Verb
    side: Side | None = None
    userid: str = ""
    """Who takes the side over."""
    days: int = 0
    """By how many days its time is extended."""
    back_to: int = 0
    """The number of the record after which moves are taken back; 0 for all moves."""


@dataclass(frozen=True, slots=True)
class Place:
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


@dataclass(frozen=True, slots=True)
class Record:
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
    def is_playing(self) -> bool:
        """Whether this is a move: placements, a pass or a swap."""
        return isinstance(self.action, tuple) or self.action in PLAYING

    @property
    def is_talk(self) -> bool:
        """Whether this leaves the board, its players and the turn as they were."""
        if isinstance(self.action, Ruling):
            return self.action.verb in (Verb.REMIND, Verb.EXTEND)
        return self.action in (Deed.PROPOSE, Deed.UNDO, Deed.REJECT)


def wish_of(action: Action) -> Wish | Ruling:
    """Return the wish that leads to an action."""
    if isinstance(action, tuple):
        return Place(tuple(done.cell for done in action))
    return action
