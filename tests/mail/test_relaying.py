"""Letters on their way to the relay, which is a real one on this machine."""

import asyncio
import itertools
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.policy import SMTP as AS_SMTP
from functools import partial
from typing import AnyStr

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.accounts.bounces import Bounce, Returned
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.mail import relay as relays
from pbm_oust.mail.relay import (
    LONGEST_TRY,
    LONGEST_WAIT,
    MOST_CONNECTIONS,
    MOST_LETTERS,
    SHORTEST_WAIT,
    Flushed,
    Relaying,
)
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head, State, hold_letters, on_the_wire, parse_content
from pbm_oust.store.upkeep import release_letters, turn_letters_into_files
from pbm_oust.store.verifications import all_bounces, bounces_of
from tests.support.disturbed import FAULTS, FaultyWrites
from tests.support.outbox import post as post_letters
from tests.support.processes import run_at_once
from tests.support.rings import first_is_fast, slow
from tests.support.sink import Sink, listening_sink
from tests.support.trouble import Fault, FaultyDisk, Trouble
from tests.support.waiting import PATIENCE, wait_until

ADDRESS = "pbmserv@example.com"
DAYS_AHEAD = 30 * 86_400
"""How many seconds a clock is ahead for a while."""


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def relay() -> Iterator[tuple[Sink, Endpoint]]:
    with listening_sink() as found:
        yield found


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a relay that hangs as long as a test may take."""
    monkeypatch.setattr(relays, "PATIENCE", PATIENCE)


@pytest.fixture
def one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a flush need no second connection, however slow the machine is."""
    monkeypatch.setattr(relays, "MOST_CONNECTIONS", 1)


@pytest.fixture
def relaying(home: Home, relay: tuple[Sink, Endpoint], clock: Clock) -> Relaying:
    return Relaying(home, relay[1], ADDRESS, clock)


def post(home: Home, clock: Clock, *recipients: str) -> None:
    at = datetime.fromtimestamp(clock.now, UTC)
    letters = [
        Draft(
            Head(to, f"<{number}@example.com>", f"{number}"),
            f"From: {ADDRESS}\nTo: {to}\nSubject: {number}\n"
            f"Message-ID: <{number}@example.com>\n\nhello\n".encode(),
            at,
        )
        for number, to in enumerate(recipients)
    ]
    post_letters(home, *letters)


def recipients(home: Home) -> list[str]:
    """Return whom the letters in the outbox are for, in their order."""
    return [letter.head.recipient for letter in home.outbox.waiting()]


def is_put_off(home: Home, times: int) -> bool:
    """Return whether a letter in the outbox has been put off so many times."""
    return times in [letter.failures for letter in home.outbox.waiting()]


def bounce_of(clock: Clock, status: str) -> Bounce:
    """Return the bounce that the first letter posted leads to."""
    return Bounce(datetime.fromtimestamp(clock.now, UTC), status, "<0@example.com>", "0")


def subjects(sink: Sink) -> list[bytes]:
    lines = (line for sent in sink.taken for line in (sent.original_content or b"").split(b"\r\n"))
    return [line for line in lines if line.startswith(b"Subject: ")]


HOME_OF_A_PROCESS = """
import sys
from pathlib import Path
from pbm_oust.store.home import Home
home = Home(Path(sys.argv[1]))
"""
OVER_ONE_CONNECTION = """
from pbm_oust.mail import relay as relays
relays.MOST_CONNECTIONS = 1
"""


def flushing(relay: Endpoint) -> str:
    """Return a script that flushes the outbox of its home, and prints how many letters went."""
    return f"""
import time
from pbm_oust.store.configuration import Endpoint
from pbm_oust.mail.relay import MOST_CONNECTIONS, Relaying
relay = Endpoint({relay.host!r}, {relay.port})
print(Relaying(home, relay, {ADDRESS!r}, time.time).flush().sent)
"""


@pytest.mark.usefixtures("one_connection")
def test_letters_go_in_their_order_over_one_connection_whatever_becomes_of_some(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    others = ("slow@example.org", "unknown@example.org", "slow@example.org")
    post(home, clock, "a@example.org", *others, "b@example.org", "a@example.org")
    assert relaying.flush() == Flushed(sent=3, kept=2, failed=1)
    assert subjects(relay[0]) == [b"Subject: 0", b"Subject: 4", b"Subject: 5"]
    assert len(relay[0].sessions) == relay[0].put_off == 1
    assert recipients(home) == ["slow@example.org"] * 2
    (failed,) = home.outbox.aside(State.FAILED)
    assert b"To: unknown@example.org" in home.outbox.read(failed)


class WithoutUtf8(SMTP):
    """A relay that takes ASCII alone."""

    async def push(self, status: AnyStr) -> None:
        """Leave out what the greeting offers for other addresses."""
        if "SMTPUTF8" not in str(status):
            await super().push(status)


def test_a_domain_beyond_ascii_goes_in_its_ascii_form(home: Home, clock: Clock) -> None:
    post(home, clock, "jurgen@b\u00fccher.example", "j\u00fcrgen@example.org")
    with listening_sink(WithoutUtf8) as (sink, relay):
        flushed = Relaying(home, relay, ADDRESS, clock).flush()
    assert flushed == Flushed(sent=1, failed=1)
    assert sink.taken[0].rcpt_tos == ["jurgen@xn--bcher-kva.example"]
    came_back = home.ask(bounces_of, "j\u00fcrgen@example.org")
    assert [each.status for each in came_back.bounces] == ["5.6.7"]  # no fault of the mailbox


@pytest.mark.usefixtures("one_connection")
def test_a_connection_takes_ten_letters_and_the_next_one_the_rest(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, *(f"{number % 3}@example.org" for number in range(2 * MOST_LETTERS + 1)))
    assert relaying.flush() == Flushed(sent=21)
    assert relay[0].letters_begun == [10, 10, 1]


def test_a_relay_that_does_not_answer_loses_nothing_and_is_not_needed_without_letters(
    home: Home, clock: Clock
) -> None:
    relaying = Relaying(home, Endpoint("127.0.0.1", 1), ADDRESS, clock)
    assert relaying.flush() == Flushed()
    post(home, clock, "a@example.org")
    with pytest.raises(OSError, match="refused"):
        relaying.flush()
    assert len(home.outbox.letters()) == 1


def test_an_address_that_is_put_off_stays_so_for_a_whole_flush_however_it_is_written(
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "MOST_FOUND", 2)
    post(home, clock, "slow@example.org", "Slow@Example.org", "slow@example.org", "a@example.org")
    assert relaying.flush(all_letters=True) == Flushed(sent=1, kept=3)
    assert relay[0].put_off == 1
    assert not any(letter.is_leaving for letter in home.outbox.waiting())


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


def test_a_letter_that_fails_while_the_outbox_is_listed_is_listed_once(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "a@example.org", "unknown@example.org")
    listing = home.outbox.listed()
    assert relaying.flush() == Flushed(sent=1, failed=1)
    listed = [(letter.head.recipient, letter.state) for letter in listing]
    assert listed == [("a@example.org", State.FILE), ("unknown@example.org", State.FILE)]


def test_a_letter_that_was_held_back_for_long_is_tried_for_days_all_the_same(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "slow@example.org")
    home.do(hold_letters)
    clock.now += 2 * LONGEST_TRY.total_seconds()
    release_letters(home, datetime.fromtimestamp(clock.now, UTC))
    for _ in range(3):
        assert relaying.flush() == Flushed(kept=1)
        clock.now += LONGEST_WAIT
    clock.now += LONGEST_TRY.total_seconds()
    assert relaying.flush() == Flushed(failed=1)


def test_a_letter_whose_recipient_cannot_be_read_is_set_aside(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    at = datetime.fromtimestamp(clock.now, UTC)
    post_letters(home, Draft(Head('"', "<1@example.com>", "1"), b'To: "\nFrom: a@b\n\n', at))
    assert relaying.flush() == Flushed(failed=1)


def test_each_letter_comes_back_to_an_address_of_its_own_recipient(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "a@example.org", "b@example.org")
    relaying.flush()
    senders = {sent.rcpt_tos[0]: sent.mail_from for sent in relay[0].taken}
    assert senders == {to: envelope_sender(ADDRESS, home.key(), to) for to in senders}
    assert len(set(senders.values())) == 2


# What is set aside is a bounce


@pytest.mark.parametrize(
    ("address", "status"), [("unknown@example.org", "5.1.1"), ("spam@example.org", "5.7.1")]
)
def test_what_is_refused_for_good_has_come_back_from_its_address(
    address: str, status: str, home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, address, "a@example.org")
    assert relaying.flush() == Flushed(sent=1, failed=1)
    assert home.ask(all_bounces) == [Returned(address, (bounce_of(clock, status),))]


def test_what_is_put_off_for_days_is_set_aside_and_has_come_back(
    home: Home, clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "slow@example.org", "a@example.org")
    assert relaying.flush() == Flushed(sent=1, kept=1)
    assert home.ask(all_bounces) == []
    clock.now += LONGEST_TRY.total_seconds() + 1
    assert relaying.flush() == Flushed(failed=1)
    assert home.ask(all_bounces) == [Returned("slow@example.org", (bounce_of(clock, "4.2.1"),))]


@pytest.mark.parametrize("reply", ["550 5.7.1 go away", "530 5.7.0 log in", "451 4.3.0"])
def test_what_the_relay_has_against_us_is_never_permanent(
    reply: str, home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "a@example.org", "b@example.org")
    relay[0].refuses_senders, relay[0].refusal = True, reply
    assert relaying.flush() == Flushed(kept=2)
    assert (home.outbox.aside(State.FAILED), home.ask(all_bounces)) == ([], [])
    relay[0].refuses_senders = False
    clock.now += SHORTEST_WAIT
    assert relaying.flush() == Flushed(sent=2)


# A relay that goes away


@pytest.mark.slow
@pytest.mark.parametrize("manner", ["drop", "hang"])
def test_a_relay_that_goes_away_over_a_letter_takes_the_others(
    manner: str,
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "PATIENCE", 1.5)
    lost = f"{manner}@example.org"
    post(home, clock, lost, "a@example.org", lost, "b@example.org")
    assert relaying.flush() == Flushed(sent=2, kept=2)
    post(home, clock, "c@example.org", lost)
    assert relaying.flush() == Flushed(sent=1)
    clock.now += SHORTEST_WAIT
    post(home, clock, "d@example.org")
    assert relaying.flush() == Flushed(sent=1, kept=3)
    assert [sent.rcpt_tos[0][0] for sent in relay[0].taken] == ["a", "b", "c", "d"]
    assert recipients(home) == [lost] * 3
    assert (home.outbox.aside(State.FAILED), home.ask(all_bounces)) == ([], [])


class Leaving(Sink):
    """A relay that goes away over the letters that `leaves_at` says, by their numbers from 1."""

    def __init__(self, leaves_at: Callable[[int], bool], *, says: str = "", after: str) -> None:
        """It `says` something before, or nothing, `after` MAIL, RCPT or the letter."""
        super().__init__()
        self.leaves_at, self._says, self._after = leaves_at, says, after
        self.number = 0

    async def leave(self, server: SMTP, after: str) -> str:
        """Go away if it is time to."""
        if after != self._after or not self.leaves_at(self.number):
            return "250 OK"
        if self._says:
            await server.push(self._says)
        assert isinstance(server.transport, asyncio.Transport)
        server.transport.close() if self._says else server.transport.abort()
        await asyncio.Event().wait()
        return ""

    async def handle_MAIL(
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        self.number += 1
        await super().handle_MAIL(server, session, envelope, address, options)
        return await self.leave(server, "MAIL")

    async def handle_RCPT(
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        await super().handle_RCPT(server, session, envelope, address, options)
        return await self.leave(server, "RCPT")

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        said = await self.leave(server, "DATA")
        await super().handle_DATA(server, session, envelope)
        return said


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("says", ["421 4.7.0 too many letters, come again", ""])
@pytest.mark.parametrize("after", ["MAIL", "RCPT", "DATA"])
def test_a_relay_that_takes_few_letters_over_a_connection_gets_all_of_them_at_once(
    says: str, after: str, home: Home, clock: Clock
) -> None:
    """The third letter of each connection is too many."""
    post(home, clock, *(f"{number % 9}@example.org" for number in range(20)))
    leaving = Leaving(lambda number: number % 3 == 0, says=says, after=after)
    with listening_sink(handler=leaving) as (_, relay):
        assert Relaying(home, relay, ADDRESS, clock).flush() == Flushed(sent=20)
    assert {sent.rcpt_tos[0] for sent in leaving.taken} == {f"{n}@example.org" for n in range(9)}


@pytest.mark.parametrize("after", ["MAIL", "RCPT", "DATA"])
def test_once_a_relay_no_longer_cuts_all_connections_everything_leaves(
    after: str, home: Home, clock: Clock
) -> None:
    post(home, clock, *(f"{number}@example.org" for number in range(50)))
    leaving = Leaving(lambda _: True, after=after)
    with listening_sink(handler=leaving) as (_, relay):
        relaying = Relaying(home, relay, ADDRESS, clock)
        for _ in range(3):
            with pytest.raises(OSError, match=r"closed|reset"):
                relaying.flush()
        assert leaving.number < 30
        leaving.leaves_at = lambda _: False
        assert relaying.flush() == Flushed(sent=50)


@pytest.mark.usefixtures("one_connection")
def test_letters_that_were_to_wait_by_a_clock_that_was_ahead_leave_in_their_order(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    clock.now += DAYS_AHEAD
    post(home, clock, "slow@example.org", "a@example.org")
    assert relaying.flush() == Flushed(sent=1, kept=1)
    post(home, clock, "b@example.org", "slow@example.org")
    clock.now -= DAYS_AHEAD
    post(home, clock, "b@example.org")
    assert relaying.flush() == Flushed(sent=2, kept=2)
    clock.now += LONGEST_WAIT
    assert relaying.flush() == Flushed(kept=2)
    assert [sent.rcpt_tos[0][0] for sent in relay[0].taken] == ["a", "b", "b"]


def test_what_a_relay_says_in_the_end_does_not_matter(
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "MOST_FOUND", 1)
    relay[0].farewell = "421 4.7.0 you have been here for long"
    post(home, clock, "a@example.org", "b@example.org")
    assert relaying.flush() == Flushed(sent=2)


def test_a_process_that_dies_over_a_letter_loses_none(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock
) -> None:
    post(home, clock, "a@example.org", "hang@example.org", "b@example.org")
    script = f"{HOME_OF_A_PROCESS}{OVER_ONE_CONNECTION}{flushing(relay[1])}"
    with subprocess.Popen([sys.executable, "-c", script, str(home.path)]) as process:
        assert relay[0].hanging.wait(PATIENCE)
        process.kill()
    assert recipients(home) == ["hang@example.org", "b@example.org"]


# Several at once, and faults


def test_processes_that_flush_at_once_send_each_letter_once(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock
) -> None:
    post(home, clock, *(f"{number}@example.org" for number in range(30)))
    printed = run_at_once(home, *[flushing(relay[1])] * 3)
    assert sum(map(int, printed)) == 30
    assert sorted(subjects(relay[0])) == sorted(b"Subject: %d" % number for number in range(30))
    assert home.outbox.letters() == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
def test_a_disk_that_fails_in_the_midst_of_a_flush_loses_no_letter(
    fault: Fault, home: Home, relay: tuple[Sink, Endpoint], clock: Clock
) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        post(home, clock, "a@example.org", f"unknown{at}@example.org", "b@example.org")
        trouble = Trouble(at, fault)
        taken = len(relay[0].taken)
        with FaultyWrites(trouble).in_use():
            tried = Home(home.path, FaultyDisk(trouble))
            with suppress(OSError):
                Relaying(tried, relay[1], ADDRESS, clock).flush()
            is_disturbed = trouble.steps >= at
            trouble.end()
            tried.database.close()
        Relaying(home, relay[1], ADDRESS, clock).flush()
        sent = {each.rcpt_tos[0] for each in relay[0].taken[taken:]}
        assert sent == {"a@example.org", "b@example.org"}, at
        assert home.outbox.letters() == [], at
        assert len(home.outbox.aside(State.FAILED)) == at
        assert len(home.ask(bounces_of, f"unknown{at}@example.org").bounces) == 1
    assert at > 5


# Connections


@contextmanager
def flushing_meanwhile(relaying: Relaying) -> Iterator[None]:
    """Let a thread flush the outbox during the body of the `with`."""
    thread = threading.Thread(target=relaying.flush)
    thread.start()
    try:
        yield
    finally:
        relaying.stop()
        thread.join()


def connections() -> int:
    """Return how many threads have connections with relays."""
    return sum(thread.name == "relay" for thread in threading.enumerate())


@pytest.mark.parametrize("stalled", [1, slow(3)])
def test_recipients_over_whom_the_relay_takes_long_hold_up_nobody(
    stalled: int,
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "STOP_SECONDS", 0.01)
    home.has_relay = True
    post(home, clock, *(f"hang{number}@example.org" for number in range(stalled)))
    post(home, clock, *(f"{number}@example.org" for number in range(40)))
    with flushing_meanwhile(relaying):
        relay[0].wait_for(40)
        assert relay[0].hanging.is_set()
        post(home, clock, "late@example.org")
        assert relay[0].wait_for(41)[-1].rcpt_tos == ["late@example.org"]
        assert 1 <= connections() <= MOST_CONNECTIONS
    hanging = [f"hang{number}@example.org" for number in range(stalled)]
    wait_until(lambda: recipients(home) == hanging, "what the relay has taken to be gone")


def test_letters_to_one_address_keep_their_order_however_many_there_are(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    many = 43
    post(home, clock, *["a@example.org", "A@example.org"] * (many // 2), "b@example.org")
    assert relaying.flush() == Flushed(sent=many // 2 * 2 + 1)
    to_a = [sent for sent in relay[0].taken if sent.rcpt_tos != ["b@example.org"]]
    found = [(sent.original_content or b"").split(b"Subject: ")[1].split()[0] for sent in to_a]
    assert found == [b"%d" % number for number in range(many // 2 * 2)]


def test_a_letter_that_is_being_handed_over_is_out_of_reach(
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It cannot be taken back, does not go into the Maildir, and others leave theirs to it."""
    monkeypatch.setattr(relays, "STOP_SECONDS", 0.01)
    home.has_relay = True
    post(home, clock, "hang@example.org")
    with flushing_meanwhile(relaying):
        assert relay[0].hanging.wait(PATIENCE)
        post(home, clock, "a@example.org")
        assert Relaying(home, relay[1], ADDRESS, clock).flush() == Flushed()
        relay[0].wait_for(1)
        home.has_relay = False
        turn_letters_into_files(home)
        assert list((home.outbox.path / "new").iterdir()) == []
        home.has_relay = True
    post(home, clock, "b@example.org")
    assert [letter.is_leaving for letter in home.outbox.waiting()] == [True, False]


def test_a_flush_that_takes_long_tries_again_what_has_been_put_off(
    home: Home,
    relay: tuple[Sink, Endpoint],
    clock: Clock,
    relaying: Relaying,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(relays, "STOP_SECONDS", 0.01)
    home.has_relay = True
    post(home, clock, "hang@example.org", "slow@example.org")
    with flushing_meanwhile(relaying):
        for tried in (1, 2, 3):
            wait_until(partial(is_put_off, home, tried), "a letter that waits for another time")
            clock.now += LONGEST_WAIT
    assert recipients(home) == ["hang@example.org", "slow@example.org"]


class OneAtATime(SMTP):
    """A relay that takes one connection at a time, and closes others."""

    taken: "OneAtATime | None" = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if OneAtATime.taken:
            assert isinstance(transport, asyncio.Transport)
            transport.close()
            return
        OneAtATime.taken = self
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        if OneAtATime.taken is self:
            OneAtATime.taken = None
            super().connection_lost(error)


def test_a_relay_that_takes_few_connections_gets_few(
    home: Home, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "ALL_BUSY", 0.0)
    post(home, clock, *(f"{number}@example.org" for number in range(60)))
    with listening_sink(OneAtATime) as (_, relay):
        assert Relaying(home, relay, ADDRESS, clock).flush() == Flushed(sent=60)


# An outbox whose relay is gone


def test_without_a_relay_waiting_letters_go_into_the_maildir(
    home: Home, relay: tuple[Sink, Endpoint], clock: Clock, relaying: Relaying
) -> None:
    post(home, clock, "a@example.org", "slow@example.org")
    assert relaying.flush() == Flushed(sent=1, kept=1)
    home.has_relay = False
    turn_letters_into_files(home)
    (path,) = (home.outbox.path / "new").iterdir()
    assert b"To: slow@example.org" in path.read_bytes()
    home.has_relay = True
    relay[0].put_off = 0
    assert relaying.flush() == Flushed(kept=0)
    clock.now += SHORTEST_WAIT
    assert relaying.flush() == Flushed(kept=1)


@pytest.mark.parametrize("is_international", [False, True])
def test_a_letter_of_ascii_goes_as_the_library_would_write_it(is_international: bool) -> None:
    content = b"From: a\nSubject: " + b"x" * 200 + b"\n\tfolded\nX: y\n\n.\nFrom me\n\n \nend"
    message = parse_content(content)
    policy = AS_SMTP.clone(refold_source="none", utf8=is_international)
    written = message.as_bytes(policy=policy)
    assert on_the_wire(content, is_international=is_international) == written
