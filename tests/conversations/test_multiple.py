"""Several commands in one mail, each of them a line of its text."""

from datetime import UTC, datetime
from email import message_from_bytes

import pytest

from pbm_oust.mail.inbound import Envelope, open_intake
from pbm_oust.service.service import MOST_LINES
from pbm_oust.store.home import Home
from tests.support.accounts import codes, make_account
from tests.support.mails import FROM, mail

ALICE = "alice@example.org"
NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)


def send(home: Home, *lines: str, number: int = 1) -> str:
    """Send the lines as one mail, and return the Subject of the latest letter."""
    text = "".join(f"{line}\r\n" for line in lines)
    data = mail(FROM, "Subject: multiple", f"Message-ID: <{number}@example.org>", text=text)
    open_intake(home, "pbmserv@example.org", lambda: NOW).take(data, Envelope(ALICE))
    return str(message_from_bytes(home.outbox.read(home.outbox.letters()[-1]))["Subject"])


def test_as_many_lines_as_allowed_are_carried_out(home: Home) -> None:
    assert send(home, *["help"] * MOST_LINES) == f"{MOST_LINES} of {MOST_LINES} done"
    assert send(home, *["help"] * (MOST_LINES + 1)) == "not understood"


def test_one_mail_answers_all_lines(home: Home) -> None:
    send(home, "list", "help", "oust games")
    assert len(home.outbox.letters()) == 1


def test_lines_behind_one_that_is_refused_are_not_attempted(home: Home) -> None:
    assert send(home, "signup alice wonderland", "nonsense", "signup bob lookingglass") == (
        "1 of 3 done"
    )
    assert len(home.pending.names()) == 1


def test_a_mail_that_comes_twice_does_nothing_twice(home: Home) -> None:
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", ALICE)
    challenges = ["oust challenge alice bob -size=5"] * 2
    send(home, *challenges, number=2)
    send(home, *challenges, number=2)
    assert home.boards("oust") == [1, 2]


def test_a_line_whose_answer_goes_elsewhere_is_done_all_the_same(home: Home) -> None:
    line = "signup alice wonderland bob@example.net"
    for _ in range(2):
        assert send(home, line) == "1 of 1 done"
    assert [address for address, _ in codes(home)] == ["bob@example.net"] * 2


@pytest.mark.parametrize("inner", ["multiple", "MULTIPLE", "mult"])
def test_the_lines_hold_no_further_lines(inner: str, home: Home) -> None:
    assert send(home, "signup alice wonderland", inner) == "not understood"
    assert home.pending.names() == []


def test_a_code_comes_in_a_mail_of_its_own_that_can_be_answered(home: Home) -> None:
    assert send(home, "signup alice wonderland", "help") == "2 of 2 done"
    letters = [message_from_bytes(home.outbox.read(name)) for name in home.outbox.letters()]
    ((address, code),) = codes(home)
    assert address == ALICE
    assert [letter["Reply-To"] for letter in letters] == [
        f"pbmserv+verify.{code}@example.org",
        None,
    ]
    assert code not in letters[-1].as_string()
