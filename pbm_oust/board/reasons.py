"""Reasons of refusals on a board: not allowed now, or illegal by the rules. Pure."""

from typing import TYPE_CHECKING

from pbm_oust.refusal import IllegalReason, NotAllowedReason, Reason
from pbm_oust.rules import Position
from pbm_oust.rules.position import Fault

if TYPE_CHECKING:
    from pbm_oust.board.game import Game


class MayHaveBoard(Reason, frozen=True, kw_only=True):
    """A reason that may be about a board."""

    game: "Game | None" = None
    supposed: str = ""
    """The hypothetical turn, if the board is shown after one."""
    told_to: str = ""
    """The player to inform, if the turn is hypothetical."""


class OfBoard(MayHaveBoard, frozen=True):
    """A reason about a board."""

    game: "Game"


def game_in(reason: Reason) -> "Game | None":
    """Return the game of a reason, or None."""
    return reason.game if isinstance(reason, MayHaveBoard) else None


class GameOver(OfBoard, NotAllowedReason, frozen=True):
    """The game has ended."""


class NotYourTurn(OfBoard, NotAllowedReason, frozen=True):
    """The other side is to move."""


class MustPass(OfBoard, NotAllowedReason, frozen=True):
    """There is no placement."""


class MayNotPass(OfBoard, NotAllowedReason, frozen=True):
    """There are placements."""


class SwapOff(OfBoard, NotAllowedReason, frozen=True):
    """The board is played without the pie rule."""


class SwapTooLate(OfBoard, NotAllowedReason, frozen=True):
    """It is not the first action of o."""


class DeclineTooLate(OfBoard, NotAllowedReason, frozen=True):
    """The player has made a move."""


class IsBinding(OfBoard, NotAllowedReason, frozen=True):
    """Nobody can leave the board before a first move."""


class OfferWaits(OfBoard, NotAllowedReason, frozen=True):
    """An offer has not been answered yet."""

    own: bool
    """Whether the offer is the player's own."""


class NoOffer(OfBoard, NotAllowedReason, frozen=True):
    """There is nothing to accept or reject."""


class NothingToUndo(OfBoard, NotAllowedReason, frozen=True):
    """The player has made no move that stands."""


class SamePlayer(NotAllowedReason, frozen=True):
    """Both sides would have the same player."""


class NoSuchRecord(OfBoard, NotAllowedReason, frozen=True):
    """The board has fewer records."""

    number: int
    """The number of the wanted record."""


class OffGrid(OfBoard, IllegalReason, frozen=True):
    """The grid does not have the cell."""

    nth: int
    """The index of the placement in the command, counted from 1."""


class AfterTurn(OfBoard, IllegalReason, frozen=True):
    """The placements before have ended the turn."""

    nth: int
    played: tuple[str, ...]
    """The cells of the earlier placements."""
    over: bool
    """Whether the earlier placements have ended the game too."""


class AgainstRules(OfBoard, IllegalReason, frozen=True):
    """The rules of the game refuse the placement."""

    nth: int
    played: tuple[str, ...]
    fault: Fault
    before: Position
    """The position after the earlier placements."""
