"""Why something cannot be done on a board: what is not allowed now, and what is not legal. Pure."""

from dataclasses import field
from typing import TYPE_CHECKING

from pbm_oust.frozen import frozen
from pbm_oust.refusal import IllegalReason, NotAllowedReason, Reason
from pbm_oust.rules.position import Fault, Position

if TYPE_CHECKING:
    from pbm_oust.board.game import Game


@frozen
class MayHaveBoard(Reason):
    """A reason that may be about a board."""

    game: "Game | None" = None
    supposed: str = field(default="", kw_only=True)
    """The turn that is only supposed to have been made, if the board is shown after one."""
    told_to: str = field(default="", kw_only=True)
    """The player who would be told this, if their turn is only supposed."""


@frozen
class OfBoard(MayHaveBoard):
    """A reason about a board."""

    game: "Game"


def board_of(reason: Reason) -> "Game | None":
    """Return the game that a reason is about, or None."""
    return reason.game if isinstance(reason, MayHaveBoard) else None


@frozen
class GameOver(OfBoard, NotAllowedReason):
    """The game has ended."""


@frozen
class NotYourTurn(OfBoard, NotAllowedReason):
    """The other side is to move."""


@frozen
class MustPass(OfBoard, NotAllowedReason):
    """There is no placement."""


@frozen
class MayNotPass(OfBoard, NotAllowedReason):
    """There are placements."""


@frozen
class SwapOff(OfBoard, NotAllowedReason):
    """The board is played without the pie rule."""


@frozen
class SwapTooLate(OfBoard, NotAllowedReason):
    """It is not the first action of o."""


@frozen
class DeclineTooLate(OfBoard, NotAllowedReason):
    """The player has made a move."""


@frozen
class OfferWaits(OfBoard, NotAllowedReason):
    """An offer has not been answered yet."""

    own: bool
    """Whether it is the player's own."""


@frozen
class NoOffer(OfBoard, NotAllowedReason):
    """There is nothing to accept or reject."""


@frozen
class NothingToUndo(OfBoard, NotAllowedReason):
    """The player has made no move that stands."""


@frozen
class SamePlayer(NotAllowedReason):
    """Both sides would have the same player."""


@frozen
class NoSuchRecord(OfBoard, NotAllowedReason):
    """The board has fewer records."""

    number: int
    """The number of the wanted record."""


@frozen
class OffGrid(OfBoard, IllegalReason):
    """The grid does not have the cell."""

    nth: int
    """Which placement of the command it is, counted from 1."""


@frozen
class AfterTurn(OfBoard, IllegalReason):
    """The placements before have ended the turn."""

    nth: int
    played: tuple[str, ...]
    """The cells of the placements before."""
    over: bool
    """Whether these have ended the game too."""


@frozen
class AgainstRules(OfBoard, IllegalReason):
    """The rules of the game refuse the placement."""

    nth: int
    played: tuple[str, ...]
    fault: Fault
    before: Position
    """The position after the placements before."""
