"""What players have queued, as it is kept."""

from pathlib import Path

from pbm_oust.accounts.queue import MOST_ANSWERS, MOST_CLAUSES
from pbm_oust.rules.grid import COLUMNS
from tests.support.accounts import account_of
from tests.support.home_by_mail import ALICE, BOB, Talk


def test_nothing_queued_is_kept_for_a_board_that_is_over(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    talk.send(BOB, "oust queue 1 bob lookingglass if A1 then E5")
    assert account_of(talk.home, "bob").queue
    talk.send(ALICE, "oust resign 1 alice wonderland")
    assert not account_of(talk.home, "bob").queue


def test_no_more_is_queued_on_a_board_than_may_be_there(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=13")
    turns = [f"{column}{row}" for column in COLUMNS for row in range(1, 13)][: MOST_ANSWERS + 1]
    for begun in range(0, len(turns), MOST_CLAUSES):
        some = turns[begun : begun + MOST_CLAUSES]
        lines = "; ".join(f"if {turn} then N13" for turn in some)
        talk.send(BOB, f"oust queue 1 bob lookingglass {lines}")
    assert len(account_of(talk.home, "bob").queue) == MOST_ANSWERS
    assert f"more than {MOST_ANSWERS} answers" in talk.letters[-1].words
