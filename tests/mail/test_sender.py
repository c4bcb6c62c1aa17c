"""When the sender flushes the outbox."""

import logging
import re
import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from pbm_oust.mail.flush import Relaying
from pbm_oust.mail.sender import Outage, Sender
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.support.accounts import make_account
from tests.support.answering import serving_in_thread
from tests.support.home_by_mail import NOON
from tests.support.outbox import post
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE, wait_until

ADDRESS = "pbmserv@example.com"


class HangingUp(socketserver.TCPServer):
    """A relay that ends each connection at once, and keeps the addresses of those who came."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.visits: list[object] = []

    def finish_request(self, request: object, client_address: object) -> None:
        """Say nothing; the connection ends with this."""
        self.visits.append(client_address)


@contextmanager
def hanging_up() -> Iterator[tuple[list[object], Endpoint]]:
    """Run such a relay; give the list of those who came."""
    relay = HangingUp()
    with serving_in_thread(relay) as endpoint:
        yield relay.visits, endpoint


@pytest.fixture
def sending(home: Home) -> Iterator[Sender]:
    """A sender that has a letter to send."""
    home.has_relay = True
    post(home, _letter())
    sending = Sender(home)
    yield sending
    sending.stop()


def test_a_relay_that_does_not_answer_is_left_alone_until_it_is_another(
    home: Home, sending: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm_oust.mail.sender.SHORTEST_PAUSE", PATIENCE)
    with hanging_up() as (visits, nowhere), listening_sink() as (sink, relay):
        sending.use(_to(home, nowhere))
        wait_until(lambda: visits, "somebody comes to the relay")
        for _ in range(20):
            sending.wake()
            time.sleep(0.01)
        # One that came while the way was still being settled is followed by the one that was asked.
        assert len(visits) <= 2
        sending.use(_to(home, relay))
        sink.wait_for(1)


def test_a_relay_that_does_not_answer_is_tried_again_and_again(
    home: Home, sending: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm_oust.mail.sender.SHORTEST_PAUSE", 0.01)
    with hanging_up() as (visits, relay):
        sending.use(_to(home, relay))
        wait_until(lambda: len(visits) > 2, "somebody comes to the relay for the third time")


def test_a_relay_that_is_down_is_told_when_it_begins_and_when_it_ends(
    home: Home,
    sending: Sender,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("pbm_oust.mail.sender.SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr("pbm_oust.mail.sender.LONGEST_PAUSE", 0.01)
    with hanging_up() as (visits, nowhere), listening_sink() as (_, relay):
        sending.use(_to(home, nowhere))
        wait_until(lambda: len(visits) > 10, "somebody comes to the relay again and again")
        sending.use(_to(home, relay))
        wait_until(lambda: "leave again" in caplog.text, "letters leave")
    began, ended = _warnings(caplog)
    assert began.startswith("letters stay in the outbox, 1 of them: ")
    assert re.fullmatch(r"letters leave again; 1 have waited since 2\S+Z", ended)


def test_a_relay_that_takes_nothing_from_us_is_down(
    home: Home, sending: Sender, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    with listening_sink() as (sink, relay):
        sink.refuses_senders, sink.refusal = True, "452 4.3.1 insufficient system storage"
        sending.use(_to(home, relay))
        wait_until(lambda: _warnings(caplog), "a warning")
    assert _warnings(caplog) == [
        "letters stay in the outbox, 1 of them: 452 4.3.1 insufficient system storage"
    ]
    assert 'outcome="waits 60 seconds"' in caplog.text


def test_an_outage_is_told_once_an_hour(
    home: Home, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [NOON.timestamp()]
    monkeypatch.setattr(home.database, "time", lambda: now[0])
    outage = Outage(home)
    for _ in range(3 * 240):
        outage.goes_on("gone away")
        now[0] += 15
    outage.is_over()
    outage.is_over()
    told = [re.sub(r"2\S+Z", "THEN", each) for each in _warnings(caplog)]
    assert told == [
        "letters stay in the outbox, 0 of them: gone away",
        *["letters stay in the outbox since THEN, 0 of them: gone away"] * 2,
        "letters leave again; 0 have waited since THEN",
    ]


def _warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]


def test_letters_that_another_process_writes_leave_soon(home: Home) -> None:
    with listening_sink() as (sink, relay):
        sending = Sender(home)
        sending.use(_to(home, relay))
        another = Home(home.path)
        another.has_relay = True
        post(another, _letter())
        another.database.close()
        sink.wait_for(1)
        sending.stop()


def test_only_a_players_letter_that_fails_is_a_warning(
    home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    home.has_relay = True
    make_account(home, "alice", "wonderland", "unknown.alice@example.org")
    for userid in ("alice", None):
        content = b"From: a@example.com\nSubject: 1\nMessage-ID: <1@example.com>\n\nhello\n"
        head = Head(f"unknown.{userid}@example.org", "<1@example.com>", "1", userid)
        post(home, Draft(head, content, datetime.now(UTC)))
    with listening_sink() as (_, relay), caplog.at_level("INFO", logger="pbm_oust"):
        assert _to(home, relay).flush().failed == 2
    (warning,) = _warnings(caplog)
    assert "outcome=failed player=alice" in warning
    assert "outcome=failed player=-" in caplog.text


def _letter() -> Draft:
    to = "alice@example.org"
    content = f"From: {ADDRESS}\nTo: {to}\nSubject: 1\nMessage-ID: <1@example.com>\n\nhello\n"
    return Draft(Head(to, "<1@example.com>", "1"), content.encode(), datetime.now(UTC))


def _to(home: Home, relay: Endpoint) -> Relaying:
    return Relaying(home, relay, ADDRESS, time.time)
