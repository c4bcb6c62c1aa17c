"""LMTP conversations: one recipient and one answer a message."""

import smtplib
from collections.abc import Iterator

import pytest

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import (
    S250_DONE,
    S250_RECIPIENT,
    S451_LATER,
    S452_RECIPIENTS,
    S550_RECIPIENT,
)
from pbm_oust.mail.session import Protocol
from pbm_oust.store.home import Home
from tests.support.accounts import all_codes
from tests.support.listening import ADDRESS, ALICE, ask, begin, client_of, command, listening, send

SIGNUP = command("signup alice wonderland", "Message-ID: <1@example.org>")


@pytest.fixture
def local(home: Home) -> Iterator[smtplib.SMTP]:
    with listening(home, Protocol.LMTP) as port, client_of(port, "LHLO") as client:
        yield client


def test_lmtp_answers_once_for_the_recipient_that_was_taken(
    home: Home, local: smtplib.SMTP
) -> None:
    ask(local, f"MAIL FROM:<{ALICE}>")
    assert ask(local, "RCPT TO:<bob@example.org>") == S550_RECIPIENT
    assert ask(local, f"RCPT TO:<{ADDRESS}>") == S250_RECIPIENT
    assert send(local, SIGNUP) == S250_DONE
    assert ask(local, "NOOP").startswith("250")
    assert len(home.outbox.letters()) == 1


def test_lmtp_takes_one_recipient_at_a_time_and_the_next_one_afterwards(
    home: Home, local: smtplib.SMTP
) -> None:
    begin(local)
    assert ask(local, "RCPT TO:<pbmserv+a@example.org>") == S452_RECIPIENTS
    assert send(local, SIGNUP) == S250_DONE
    begin(local, "pbmserv+a@example.org")
    assert send(local, command("help")) == S250_DONE
    assert len(home.outbox.letters()) == 2


def test_lmtp_puts_off_what_the_home_refuses(home: Home, local: smtplib.SMTP) -> None:
    home.key_path.rename(home.path / "elsewhere")
    begin(local)
    assert send(local, SIGNUP) == S451_LATER
    assert ask(local, "NOOP").startswith("250")


def test_lmtp_wants_lhlo(local: smtplib.SMTP) -> None:
    assert ask(local, "EHLO client.example.org").startswith("5")


def test_lmtp_acknowledges_the_null_sender_and_does_not_answer(
    home: Home, local: smtplib.SMTP
) -> None:
    begin(local, sender="")
    assert send(local, command("help")) == S250_DONE
    assert home.outbox.letters() == []


def test_lmtp_refuses_a_message_that_is_too_large_once(home: Home, local: smtplib.SMTP) -> None:
    begin(local)
    line = b"x" * 70 + b"\r\n"
    assert send(local, SIGNUP + line * (LARGEST_MAIL // len(line) + 1)).startswith("552")
    assert ask(local, "NOOP").startswith("250")
    assert home.ask(all_codes) == []
