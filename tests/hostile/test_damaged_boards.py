"""A damaged board is answered for: whoever asks is told, and their servers do not try again."""

import pytest

from pbm_oust.mail.clients import S250_DONE, S451_LATER
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, mailed
from tests.support.listening import deliver
from tests.support.mails import mail

MALLORY = "mallory@example.com"
TOLD = "cannot be read at the moment"


@pytest.fixture(autouse=True)
def _damaged(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    lay_histories(home, {4: "pbm_oust history 1\nKind: chess\n"})


@pytest.mark.parametrize(
    ("sender", "line", "text"),
    [
        (MALLORY, "oust show 4", ""),
        (MALLORY, "oust show 4 1", ""),
        (MALLORY, "oust preview 4 D4", ""),
        (MALLORY, "oust show 4#2", ""),
        (MALLORY, "multiple", "oust show 4\noust games"),
        (ALICE, "oust showas alice wonderland 4", ""),
        (ALICE, "oust watch 4 alice wonderland", ""),
    ],
)
def test_who_asks_for_a_damaged_board_is_told_that_it_cannot_be_read(
    home: Home, sender: str, line: str, text: str
) -> None:
    (letter,) = mailed(home, sender, line, text)
    assert TOLD in letter.words
    assert "oust 4" in letter.text


@pytest.mark.parametrize(
    ("line", "text", "reply"),
    [
        ("oust show 4", "", S250_DONE),
        ("oust move 4 alice mistaken D4", "", S250_DONE),
        ("oust replay 4 1 alice bob", "", S250_DONE),
        ("Re: oust 4 #3: your turn", "D4", S250_DONE),
        ("oust move 4 alice wonderland D4", "", S451_LATER),
        ("oust note 4 alice wonderland", "", S451_LATER),
        ("oust replay 4 1 alice bob wonderland", "", S451_LATER),
        ("multiple", "oust games\r\noust move 4 alice wonderland D4\r\n", S451_LATER),
    ],
)
def test_only_what_a_player_has_written_for_a_damaged_board_waits_for_its_repair(
    port: int, line: str, text: str, reply: str
) -> None:
    assert deliver(port, mail(f"From: {ALICE}", f"Subject: {line}", text=text)) == reply
