"""Moves that wait for the word of the player who submitted them. Pure.

    Submitted: oust 17 5 D4,E5

So they read in the player's account: the board, the number that its next record had, and the move.
"""

from collections.abc import Iterable, Sequence

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept, Row, board_of, checked_number
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_wish, parse_wish
from pbm_oust.board.record import Wish
from pbm_oust.frozen import frozen


@frozen
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
    """Return how a person reads a submission."""
    board = f"{submission.kind} {submission.board}"
    return f"{board} {submission.number} {format_wish(submission.wish)}"


def _row_of(submission: Submission) -> Row:
    wish = format_wish(submission.wish)
    return submission.kind, submission.board, submission.number, wish


def _submissions(rows: Sequence[Row]) -> tuple[Submission, ...]:
    found = []
    for kind, board, number, wish in rows:
        board_of(kind, board)
        found.append(Submission(kind, board, checked_number(number), parse_wish(wish)))
    return tuple(found)


SUBMISSIONS: Kept[tuple[Submission, ...]] = Kept(
    name="submissions",
    key="Submitted",
    columns=(
        Column("kind"),
        Column("board", Holds.NUMBER),
        Column("record", Holds.NUMBER),
        Column("move"),
    ),
    empty=(),
    to_rows=lambda submissions: map(_row_of, submissions),
    of_rows=_submissions,
    to_lines=lambda submissions: map(format_submission, submissions),
    merged=lambda submissions, others: tuple(dict.fromkeys((*submissions, *others))),
)


def submissions_of(account: Account) -> tuple[Submission, ...]:
    """Return what a player has submitted, a board each."""
    return SUBMISSIONS.of(account)


def submitted_on(account: Account, game: Game) -> Submission | None:
    """Return what a player has submitted on a game's board, or None."""
    return next((each for each in submissions_of(account) if each.is_on(game)), None)


def with_submissions(account: Account, submissions: Iterable[Submission]) -> Account:
    """Return an account with these submissions in the place of those it had."""
    return SUBMISSIONS.put(account, tuple(submissions))
