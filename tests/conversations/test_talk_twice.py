"""A text that was not passed on is not passed on later, when its mail comes again."""

from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.home_by_mail import ALICE, CAROL, mailed


def send(home: Home, line: str, number: int) -> list[str]:
    """Send a mail of Alice and return the recipients and Subjects of the letters about it."""
    sent = mailed(home, ALICE, line, "Hello\r\n", number=number)
    return [f"{letter.to}: {letter.subject}" for letter in sent]


def test_a_message_that_was_refused_stays_refused_and_a_new_one_goes_once(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    line = "message alice wonderland carol"
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    make_account(home, "carol", "rabbithole", CAROL)
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    assert send(home, line, 2) == [f"{ALICE}: not done"]
    assert send(home, line, 4) == [f"{ALICE}: sent", f"{CAROL}: alice writes"]
    assert send(home, line, 4) == [f"{ALICE}: already sent"]
