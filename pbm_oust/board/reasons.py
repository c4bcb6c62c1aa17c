"""Why something cannot be done on a board: what is not allowed now, and what is not legal. Pure."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pbm_oust.refusal import IllegalReason, NotAllowedReason, Reason
from pbm_oust.rules.position import Fault, Position

if TYPE_CHECKING:
    from pbm_oust.board.game import Game


@dataclass(frozen=True, slots=True)
class MayHaveBoard(Reason):
    """A reason that may be about a board."""

    game: "Game | None" = None
    supposed: str = field(default="", kw_only=True)
    """The turn that is only supposed to have been made, if the board is shown after one."""
    told_to: str = field(default="", kw_only=True)
    """The player who would be told this, if their turn is only supposed."""


@dataclass(frozen=True, slots=True)
class OfBoard(MayHaveBoard):
    """A reason about a board."""

    game: "Game"


def game_in(reason: Reason) -> "Game | None":
    """Return the game that a reason is about, or None."""
    return reason.game if isinstance(reason, MayHaveBoard) else None


class GameOver(OfBoard, NotAllowedReason):
    """The game has ended."""


class NotYourTurn(OfBoard, NotAllowedReason):
    """The other side is to move."""


class MustPass(OfBoard, NotAllowedReason):
    """There is no placement."""


class MayNotPass(OfBoard, NotAllowedReason):
    """There are placements."""


class SwapOff(OfBoard, NotAllowedReason):
    """The board is played without the pie rule."""


class SwapTooLate(OfBoard, NotAllowedReason):
    """It is not the first action of o."""


class DeclineTooLate(OfBoard, NotAllowedReason):
    """The player has made a move."""


@dataclass(frozen=True, slots=True)
class OfferWaits(OfBoard, NotAllowedReason):
    """An offer has not been answered yet."""

    own: bool
    """Whether it is the player's own."""


class NoOffer(OfBoard, NotAllowedReason):
    """There is nothing to accept or reject."""


class NothingToUndo(OfBoard, NotAllowedReason):
    """The player has made no move that stands."""


class SamePlayer(NotAllowedReason):
    """Both sides would have the same player."""


@dataclass(frozen=True, slots=True)
class NoSuchRecord(OfBoard, NotAllowedReason):
    """The board has fewer records."""

    number: int
    """The number of the wanted record."""


@dataclass(frozen=True, slots=True)
class OffGrid(OfBoard, IllegalReason):
    """The grid does not have the cell."""

    nth: int
    """Which placement of the command it is, counted from 1."""


@dataclass(frozen=True, slots=True)
class AfterTurn(OfBoard, IllegalReason):
    """The placements before have ended the turn."""

    nth: int
    played: tuple[str, ...]
    """The cells of the placements before."""
    over: bool
    """Whether these have ended the game too."""


@dataclass(frozen=True, slots=True)
class AgainstRules(OfBoard, IllegalReason):
    """The rules of the game refuse the placement."""

    nth: int
    played: tuple[str, ...]
    fault: Fault
    before: Position
    """The position after the placements before."""
