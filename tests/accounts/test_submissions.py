"""Moves that were submitted, as accounts keep them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import Account, BadAccount, format_account, parse_account
from pbm_oust.accounts.submissions import Submission, submissions_of, submitted_on, with_submissions
from pbm_oust.board.record import Deed, Place, Wish
from tests.support.games import new_game

STORED = f"scrypt 16384 8 1 {'00' * 16} {'00' * 32}"
ACCOUNT = Account("alice", STORED, ("alice@example.org",), datetime(2026, 11, 20, tzinfo=UTC))

cells = st.builds("{}{}".format, st.sampled_from("ABCDEFGHJK"), st.integers(1, 25))
moves: st.SearchStrategy[Wish] = st.one_of(
    st.sampled_from([Deed.PASS, Deed.SWAP, Deed.RESIGN, Deed.DECLINE]),
    st.lists(cells, min_size=1, max_size=5).map(lambda names: Place(tuple(names))),
)
boards = st.integers(1, 999)
submissions = st.builds(Submission, st.sampled_from(["oust", "churn"]), boards, boards, moves)


@given(st.lists(submissions))
def test_what_was_submitted_comes_back_from_the_file_as_it_was(some: list[Submission]) -> None:
    stored = parse_account(format_account(with_submissions(ACCOUNT, some)))
    assert submissions_of(stored) == tuple(some)


def test_what_was_submitted_belongs_to_its_board() -> None:
    mine = Submission("oust", 17, 1, Place(("D4",)))
    others = [Submission("churn", 17, 1, Deed.PASS), Submission("oust", 18, 1, Deed.PASS)]
    game = new_game("square 5x5")
    assert submitted_on(with_submissions(ACCOUNT, [*others, mine]), game) == mine
    assert submitted_on(with_submissions(ACCOUNT, others), game) is None


@pytest.mark.parametrize(
    "line", ["oust 17 D4", "oust 17 5 d4", "oust 17 five D4", "oust 17 5 D4 E5"]
)
def test_a_line_that_is_no_submission_makes_the_account_damaged(line: str) -> None:
    with pytest.raises(BadAccount, match="the submitted move"):
        submissions_of(ACCOUNT.with_values("Submitted", [line]))
