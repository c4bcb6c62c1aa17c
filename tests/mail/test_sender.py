"""When the sender flushes the outbox."""

import socketserver
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from pbm_oust.mail.flush import Relaying
from pbm_oust.mail.sender import Sender
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.support.answering import serving_in_thread
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


def _letter() -> Draft:
    to = "alice@example.org"
    content = f"From: {ADDRESS}\nTo: {to}\nSubject: 1\nMessage-ID: <1@example.com>\n\nhello\n"
    return Draft(Head(to, "<1@example.com>", "1"), content.encode(), datetime.now(UTC))


def _to(home: Home, relay: Endpoint) -> Relaying:
    return Relaying(home, relay, ADDRESS, time.time)
