"""Letters on their way to the relay, which is a real one on this machine."""

import itertools
from collections.abc import Iterator

import pytest

from pbm_oust.config import Endpoint
from pbm_oust.home import Home
from pbm_oust.mail.relaying import LONGEST_TRY, LONGEST_WAIT, SHORTEST_WAIT, Flushed, Relaying
from tests.end_to_end.sink import Sink, listening_sink

ADDRESS = "pbmserv@example.com"


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def relay() -> Iterator[tuple[Sink, Endpoint]]:
    with listening_sink() as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def relaying(home: Home, relay: tuple[Sink, Endpoint], clock: Clock) -> Relaying:
    return Relaying(home, relay[1], ADDRESS, clock)


def post(home: Home, clock: Clock, *recipients: str) -> None:
    letters = [
        f"From: {ADDRESS}\nTo: {to}\nSubject: {number}\n\nhello\n".encode()
        for number, to in enumerate(recipients)
    ]
    with home.outbox.posting(letters, "0" * 16, "oust.1"):
        pass
    clock.now = max(clock.now, float(home.outbox.letters()[-1].split(".")[0]))


def subjects(sink: Sink) -> list[bytes]:
    lines = (line for sent in sink.taken for line in (sent.original_content or b"").split(b"\r\n"))
    return [line for line in lines if line.startswith(b"Subject: ")]


def test_letters_go_in_the_order_in_which_they_were_written(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "a@example.org", "b@example.org", "a@example.org")
    assert relaying.flush() == Flushed(sent=3)
    assert subjects(relay[0]) == [b"Subject: 0", b"Subject: 1", b"Subject: 2"]
    assert home.outbox.letters() == []


def test_an_empty_outbox_needs_no_relay(home: Home, clock: Clock) -> None:
    assert Relaying(home, Endpoint("127.0.0.1", 1), ADDRESS, clock).flush() == Flushed()


def test_a_relay_that_does_not_answer_loses_nothing(home: Home, clock: Clock) -> None:
    post(home, clock, "a@example.org")
    with pytest.raises(OSError, match="refused"):
        Relaying(home, Endpoint("127.0.0.1", 1), ADDRESS, clock).flush()
    assert len(home.outbox.letters()) == 1


def test_an_address_that_is_put_off_holds_up_nobody_else_and_keeps_its_order(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "slow@example.org", "a@example.org", "slow@example.org", "b@example.org")
    assert relaying.flush() == Flushed(sent=2, kept=2)
    assert relay[0].put_off == 1
    assert len(home.outbox.letters()) == 2


def test_an_address_that_is_put_off_is_tried_after_longer_and_longer_waits(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "slow@example.org")
    tries = []
    begun = clock.now
    while clock.now < begun + 12 * 3600:
        before = relay[0].put_off
        relaying.flush()
        if relay[0].put_off > before:
            tries.append(clock.now - begun)
        clock.now += SHORTEST_WAIT
    waits = [after - before for before, after in itertools.pairwise(tries)]
    assert waits == [60, 240, 960, 3840, LONGEST_WAIT, LONGEST_WAIT]


def test_what_is_refused_for_good_is_set_aside(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "unknown@example.org", "a@example.org")
    assert relaying.flush() == Flushed(sent=1, failed=1)
    assert home.outbox.letters() == []
    (failed,) = home.outbox.failed_letters()
    assert b"To: unknown@example.org" in home.outbox.read(failed)


def test_what_is_put_off_for_days_is_set_aside(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "slow@example.org")
    assert relaying.flush() == Flushed(kept=1)
    clock.now += LONGEST_TRY + 1
    assert relaying.flush() == Flushed(failed=1)


def test_a_letter_whose_recipient_cannot_be_read_is_set_aside(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    with home.outbox.posting([b'To: "\nFrom: a@b\n\n'], "0" * 16, "oust.1"):
        pass
    assert relaying.flush() == Flushed(failed=1)
