"""What may be done only so often by mail: guesses at passwords, codes, answers to strangers."""

from datetime import datetime

from pbm_oust.store.home import Home
from pbm_oust.store.limits import Counted
from tests.support.accounts import codes, make_account
from tests.support.home_by_mail import ALICE, NOON, mailed
from tests.support.outbox import letters

MALLORY = "mallory@example.com"


def send(home: Home, sender: str, line: str, at: datetime = NOON) -> list[str]:
    """Send a mail, and return the recipients and Subjects of the letters about it."""
    sent = mailed(home, sender, line, at=at)
    return [f"{letter.to}: {letter.subject.partition(' ')[0]}" for letter in sent]


def test_an_address_that_an_account_has_twice_gets_no_more_codes_than_another(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE, "Alice+tag@example.org")
    for _ in range(3):
        send(home, MALLORY, "forgot alice")
    assert len(list(codes(home))) == 3


def test_an_account_that_is_not_there_is_guessed_at_no_more_often(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    said = {}
    for userid, sender in (("alice", MALLORY), ("nobod", f"other.{MALLORY}")):
        for nth in range(4):
            send(home, sender, f"oust showas {userid} rabbithole{nth} all")
        letter = letters(home)[-1]
        text = letter.text.replace(userid, "USERID").replace(sender, "SENDER")
        said[userid] = letter.subject, text
    assert said["alice"] == said["nobod"]


def test_a_wrong_password_counts_once_though_its_mail_is_done_again_after_scrypt(
    home: Home,
) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    send(home, ALICE, "signup alice rabbithole")
    assert home.tally.number(Counted.WRONG_PASSWORDS_FOR_ONE, "alice") == 1
