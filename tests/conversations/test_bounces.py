"""Letters that come back: when an address is closed, and who learns of it."""

from datetime import timedelta

from pbm_oust.accounts.tags import envelope_sender
from tests.support import tables
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, Talk
from tests.support.mails import mail

tabled = tables.tabled(__file__)

MOVE = "oust move 1 alice wonderland C3"
QMAIL = f"""Hi. This is the qmail-send program at mail.example.net.
I couldn't hand your message over to the address below.
This is a permanent error; I've given up.

<{BOB}>:
203.0.113.5 does not like recipient.
Remote host said: 550 %s

--- Below this line is a copy of the message.

Return-Path: <nobody>
To: {BOB}
Subject: oust 1 #1: your turn, bob
Message-ID: <%s@example.com>
"""


def come_back(talk: Talk, said: str, days: int, letters: int = 2) -> None:
    """Let letters to Bob come back on so many days, the last of which is today."""
    back = envelope_sender(ADDRESS, talk.home.key(), BOB)
    today = talk.now
    for day in range(days):
        talk.now = today - timedelta(days=days - 1 - day)
        for number in range(letters):
            text = QMAIL % (said, f"{day}.{number}")
            data = mail(
                "From: MAILER-DAEMON@mail.example.net", "Subject: failure notice", text=text
            )
            talk.hand_in(data, "", back)
            assert talk.outcome == "returned"
            assert talk.letters == []


def is_told(talk: Talk) -> bool:
    return any(each.startswith(f"{BOB}: ") for each in talk.send(ALICE, MOVE))


@tabled("said")
def test_who_is_refused_for_policy_or_for_a_while_gets_mail_however_often(
    said: str, talk: Talk
) -> None:
    come_back(talk, said, days=5)
    assert is_told(talk)
    assert "letters came back" not in talk.text_to(BOB)
    assert "of our mails to bob@example.net came back" in talk.text_to(BOB)


def test_many_letters_that_come_back_on_one_day_close_no_address(talk: Talk) -> None:
    come_back(talk, "5.1.1 no mailbox here by that name", days=1, letters=12)
    assert is_told(talk)


def test_a_mailbox_that_refuses_on_three_days_is_closed_and_all_are_told(talk: Talk) -> None:
    come_back(talk, "5.1.1 no mailbox here by that name", days=3)
    assert not is_told(talk)
    assert "Mail to bob is coming back" in talk.text_to(ALICE)
    talk.send(BOB, "oust show 1")
    assert "So we had stopped writing to this address." in talk.text_to(BOB)


def test_letters_that_come_back_without_any_id_close_a_mailbox_too(talk: Talk) -> None:
    back, today = envelope_sender(ADDRESS, talk.home.key(), BOB), talk.now
    for day in (2, 1, 0):
        talk.now = today - timedelta(days=day)
        date = f"Date: {talk.now:%d %b %Y %H:%M:%S} -0000"
        text = f"I wasn't able to deliver your message.\r\n\r\n<{BOB}>:\r\nno mailbox (#5.1.1)\r\n"
        talk.hand_in(mail("From: MAILER-DAEMON@mail.example.net", date, text=text), "", back)
        assert talk.outcome == "returned"
    assert not is_told(talk)


def test_the_operator_sees_why_letters_came_back(talk: Talk) -> None:
    come_back(talk, "5.1.1 no mailbox here by that name", days=3)
    shown = run(talk.home, "players", "show", "bob").output
    assert f"Came back from {BOB}: 5.1.1 (refused for good; on 3 days it closes" in shown
    found = run(talk.home, "doctor").output
    assert f"6 letters to {BOB} came back since 2026-11-18" in found
    assert "5.1.1 (refused for good" in found
