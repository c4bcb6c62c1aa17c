"""What somebody who watches a board reads of an offer that is not made to him."""

from datetime import UTC, datetime

from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.letters import text_letter
from tests.support.mails import mail

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
PASSWORDS = {"alice": "wonderland", "bob": "lookingglass", "carol": "rabbithole"}


def text_for(reader: str, home: Home, *subjects: str) -> str:
    """Send the Subjects, each from the player it names first, and return the reader's last mail."""
    intake = open_intake(home, "pbmserv@example.org", lambda: NOW)
    for number, subject in enumerate(subjects):
        sender = next(userid for userid in PASSWORDS if userid in subject)
        address = f"{sender}@example.org"
        lines = (f"From: {address}", f"Subject: {subject}", f"Message-ID: <{number}@example.org>")
        intake.take(mail(*lines, text=""), Envelope(address))
    letters = [text_letter(home.outbox.read(name)) for name in home.outbox.letters()]
    mine = [letter for letter in letters if letter["To"] == f"{reader}@example.org"]
    return " ".join(str(mine[-1].get_payload()).split())


def test_only_the_other_player_is_told_how_to_answer_an_offer(home: Home) -> None:
    for userid, password in PASSWORDS.items():
        make_account(home, userid, password, f"{userid}@example.org")
    start = "oust challenge alice bob -size=5", "oust watch 1 carol rabbithole"
    propose = "oust move 1 alice wonderland propose"
    watched = text_for("carol", home, *start, propose)
    assert "alice proposes a draw, and bob has not answered yet." in watched
    assert "accept" not in watched
    assert "oust move 1 bob PASSWORD accept" in text_for("bob", home)
