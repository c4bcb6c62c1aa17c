"""Moves that were submitted, as accounts keep them."""

from datetime import UTC, datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.submissions import Submission, submitted_on, with_submissions
from pbm_oust.board.record import Deed, Place
from tests.support.games import new_game

STORED = f"scrypt 16384 8 1 {'00' * 16} {'00' * 32}"
ACCOUNT = Account("alice", STORED, ("alice@example.org",), datetime(2026, 11, 20, tzinfo=UTC))


def test_what_was_submitted_belongs_to_its_board() -> None:
    mine = Submission("oust", 17, 1, Place(("D4",)))
    others = [Submission("churn", 17, 1, Deed.PASS), Submission("oust", 18, 1, Deed.PASS)]
    game = new_game("square 5x5")
    assert submitted_on(with_submissions(ACCOUNT, [*others, mine]), game) == mine
    assert submitted_on(with_submissions(ACCOUNT, others), game) is None
