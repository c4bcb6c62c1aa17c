"""NUL, which no text in PostgreSQL can hold: wherever a mail has one, that is no fault."""

from base64 import b64encode
from pathlib import Path

import pytest

from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk, new_id
from tests.support.mails import mail

FROM = f"From: {ALICE}"
MOVE, REST = "oust move 1 alice wonderland C3", "Hello\0 Bob\r\n"
IN_BASE64 = ("Content-Type: text/{}; charset=utf-8", "Content-Transfer-Encoding: base64")


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def subject(line: str) -> str:
    return f"Subject: =?utf-8?B?{encoded(line)}?="


MAILS = {
    "a Subject": (ALICE, mail(FROM, f"Subject: {MOVE}\0", new_id())),
    "a placement": (ALICE, mail(FROM, subject(f"{MOVE}\0"), new_id())),
    "a userid": (ALICE, mail(FROM, subject("forgot al\0ice"), new_id())),
    "an unknown word": (ALICE, mail(FROM, subject("fo\0o"), new_id())),
    "a password": (ALICE, mail(FROM, subject("signup dora sec\0ret123"), new_id())),
    "a Message-ID": (ALICE, mail(FROM, "Subject: help", "Message-ID: <a\0b@example.org>")),
    "a sender": ("al\0ice@example.org", mail("From: al\0ice@example.org", "Subject: help")),
    "a text": (ALICE, mail(FROM, f"Subject: {MOVE}", new_id(), text=REST)),
    "an encoded text": (
        BOB,
        mail(
            f"From: {BOB}",
            "Subject: oust move 1 bob lookingglass B2",
            new_id(),
            *(line.format("plain") for line in IN_BASE64),
            text=encoded(REST),
        ),
    ),
    "HTML": (
        ALICE,
        mail(
            FROM,
            "Subject: oust move 1 alice wonderland B4",
            new_id(),
            *(line.format("html") for line in IN_BASE64),
            text=encoded(f"<p>{REST}&#0;</p>"),
        ),
    ),
}
"""Senders and mails, by what has a NUL in them."""


@pytest.mark.parametrize("place", ["database"], indirect=True)
def test_a_mail_with_nul_is_answered_or_left_as_every_other(place: Path) -> None:
    talk, outcomes = Talk.begin(place, ALICE, BOB), dict[str, str]()
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    for what, (sender, data) in MAILS.items():
        talk.hand_in(data, sender, ADDRESS)
        outcomes[what] = talk.outcome
    talk.home.close()
    assert outcomes == {
        "a Subject": "refused: bad_placement",
        "a placement": "refused: bad_placement",
        "a userid": "refused: bad_userid",
        "an unknown word": "refused: unknown_word",
        "a password": "done: signup",
        "a Message-ID": "answered",
        "a sender": "silent: no sender address",
        "a text": "done: move",
        "an encoded text": "done: move",
        "HTML": "done: move",
    }
