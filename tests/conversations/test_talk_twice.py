"""A text that was not passed on is not passed on later, when its mail comes again."""

from datetime import UTC, datetime
from email import message_from_bytes

from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.mails import FROM, mail

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ALICE = "alice@example.org"


def send(home: Home, line: str, number: int) -> list[str]:
    """Send a mail of Alice and return the recipients and Subjects of the letters about it."""
    before = len(home.outbox.letters())
    data = mail(FROM, f"Subject: {line}", f"Message-ID: <{number}@example.org>")
    open_intake(home, "pbmserv@example.org", lambda: NOW).take(data, Envelope(ALICE))
    letters = [
        message_from_bytes(home.outbox.read(name)) for name in home.outbox.letters()[before:]
    ]
    return [f"{letter['To']}: {letter['Subject']}" for letter in letters]


def test_a_message_that_was_refused_stays_refused_and_a_new_one_goes_once(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    line = "message alice wonderland carol"
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    make_account(home, "carol", "rabbithole", "carol@example.com")
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    assert send(home, line, 4) == [f"{ALICE}: sent", "carol@example.com: alice writes"]
    assert send(home, line, 4) == [f"{ALICE}: already sent"]
