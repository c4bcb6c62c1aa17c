"""Moves that wait for the word of the player who submitted them. Pure.

    Submitted: oust 17 5 D4,E5

So they read in the player's account: the board, the number that its next record had, and the move.
"""

from collections.abc import Iterable
from typing import ClassVar, Self

from msgspec import field

from pbm_oust.accounts.items import Number, OnBoard
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_wish, parse_wish
from pbm_oust.board.record import Wish


class Submission(OnBoard, frozen=True, kw_only=True):
    """A move that was submitted on a board, and the position that it is for."""

    word: ClassVar[str] = "Submitted"
    number: Number = field(name="record")
    """The number that the next record had when this was submitted."""
    move: str

    def __post_init__(self) -> None:
        parse_wish(self.move)

    @classmethod
    def of(cls, kind: str, board: int, number: int, wish: Wish) -> Self:
        """Return a move that is submitted on a board."""
        return cls(kind=kind, board=board, number=number, move=format_wish(wish))

    @property
    def wish(self) -> Wish:
        """The move."""
        return parse_wish(self.move)

    def is_on(self, game: Game) -> bool:
        """Return whether this was submitted on a game's board."""
        return (self.kind, self.board) == (game.header.kind.name, game.header.board)


def submitted_on(submissions: Iterable[Submission], game: Game) -> Submission | None:
    """Return what a player has submitted on a game's board, or None."""
    return next((each for each in submissions if each.is_on(game)), None)
