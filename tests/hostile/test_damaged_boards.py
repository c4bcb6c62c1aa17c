"""A damaged board is answered for: whoever asks is told, and their servers do not try again."""

import pytest

from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.accounts import make_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, mailed
from tests.support.listening import deliver
from tests.support.mails import mail

tabled = tables.tabled(__file__)


@pytest.fixture(autouse=True)
def _damaged(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    lay_histories(home, {4: "pbm_oust history 1\nKind: chess\n"})


@tabled("line", "text", "reply")
def test_only_what_a_player_has_written_for_a_damaged_board_waits_for_its_repair(
    port: int, line: str, text: str, reply: str
) -> None:
    assert deliver(port, mail(f"From: {ALICE}", f"Subject: {line}", text=text)) == reply
