"""Moves that wait for the word of the player who submitted them. Pure.

    Submitted: oust 17 5 D4,E5

This is a line of his account: the board, the number that its next record had, and the move.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.game import Game
from pbm_oust.board.notation import NUMBER, format_wish, parse_wish
from pbm_oust.board.record import Wish

KEY = "Submitted"


@dataclass(frozen=True, slots=True)
class Submission:
    """A move that was submitted on a board, and the position that it is for."""

    kind: str
    board: int
    number: int
    """The number that the next record had when this was submitted."""
    wish: Wish

    def is_on(self, game: Game) -> bool:
        """Return whether this was submitted on a game's board."""
        return (self.kind, self.board) == (game.header.kind.name, game.header.board)


def format_submission(submission: Submission) -> str:
    """Return the value of a submission's line."""
    board = f"{submission.kind} {submission.board}"
    return f"{board} {submission.number} {format_wish(submission.wish)}"


def parse_submission(text: str) -> Submission:
    """Return the submission of a line. Raises ValueError for other words."""
    words = text.split(" ")
    if len(words) != 4:
        raise ValueError("it is not written 'GAME BOARD NUMBER MOVE'")
    kind, board, number, wish = words
    for word in (board, number):
        if not NUMBER.fullmatch(word):
            raise ValueError(f"{word!r} is no number")
    return Submission(kind, int(board), int(number), parse_wish(wish))


def submissions_of(account: Account) -> tuple[Submission, ...]:
    """Return what a player has submitted, a board each. Raises BadAccount."""
    found = []
    for line in account.values(KEY):
        try:
            found.append(parse_submission(line))
        except ValueError as error:
            raise BadAccount(f"the submitted move {line!r}: {error}") from None
    return tuple(found)


def submitted_on(account: Account, game: Game) -> Submission | None:
    """Return what a player has submitted on a game's board, or None. Raises BadAccount."""
    return next((each for each in submissions_of(account) if each.is_on(game)), None)


def with_submissions(account: Account, submissions: Iterable[Submission]) -> Account:
    """Return an account with these submissions in the place of those it had."""
    return account.with_values(KEY, map(format_submission, submissions))
