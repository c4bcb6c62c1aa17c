"""Letters on their way to the relay, which is a real one on this machine."""

import asyncio
import itertools
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.policy import SMTP as AS_SMTP
from functools import partial
from pathlib import Path
from typing import Any, AnyStr

import pytest
from aiosmtpd.smtp import SMTP

from pbm_oust.accounts.bounces import Bounce, Returned
from pbm_oust.mail import flush
from pbm_oust.mail import relay as relays
from pbm_oust.mail.flush import (
    LONGEST_TRY,
    LONGEST_WAIT,
    MOST_CONNECTIONS,
    MOST_LETTERS,
    SHORTEST_WAIT,
    Flushed,
    Relaying,
)
from pbm_oust.mail.relay import connected, transmit
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.letters import (
    Draft,
    Head,
    LetterState,
    hold_letters,
    on_the_wire,
    parse_content,
    task_of,
)
from pbm_oust.store.upkeep import release_letters, turn_letters_into_files
from pbm_oust.store.verifications import all_bounces, bounces_of
from tests.support.disturbed import FAULTS, FaultyWrites
from tests.support.outbox import post as post_letters
from tests.support.postgresql import DatabaseServer
from tests.support.processes import run_at_once
from tests.support.rings import first_is_fast, slow
from tests.support.sink import Sink, listening_sink
from tests.support.trouble import Fault, FaultyDisk, Trouble
from tests.support.waiting import PATIENCE, wait_until

ADDRESS = "pbmserv@example.com"
DAYS = 86_400
NOWHERE = Endpoint("127.0.0.1", 1)


@dataclass
class Way:
    """The way of letters: an outbox, a relay with its place, and a clock that a test sets."""

    home: Home
    sink: Sink = field(default_factory=Sink)
    relay: Endpoint = NOWHERE
    now: float = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()

    @property
    def at(self) -> datetime:
        return datetime.fromtimestamp(self.now, UTC)

    def post(self, *names: str) -> None:
        """Put letters into the outbox for people at example.org, numbered in their Subjects."""
        letters = list[Draft]()
        for number, name in enumerate(names):
            to = name if "@" in name else f"{name}@example.org"
            text = f"From: {ADDRESS}\nTo: {to}\nSubject: {number}\n"
            content = f"{text}Message-ID: <{number}@example.com>\n\nhello\n".encode()
            letters.append(
                Draft(Head(to, f"<{number}@example.com>", f"{number}"), content, self.at)
            )
        post_letters(self.home, *letters)

    def relaying(self, home: Home | None = None) -> Relaying:
        return Relaying(home or self.home, self.relay, ADDRESS, lambda: self.now)

    def flush(self) -> Flushed:
        return self.relaying().flush()

    @property
    def waiting(self) -> list[str]:
        """Whom the letters in the outbox are for, in their order."""
        letters = self.home.outbox.listed(LetterState.WAITING)
        return [letter.head.recipient.removesuffix("@example.org") for letter in letters]

    @property
    def leaving(self) -> list[bool]:
        """Which letters in the outbox are being handed over."""
        return [letter.is_leaving for letter in self.home.outbox.listed(LetterState.WAITING)]

    @property
    def sent(self) -> list[str]:
        """Whom the relay has taken letters for, in their order."""
        return [sent.rcpt_tos[0].removesuffix("@example.org") for sent in self.sink.taken]

    @property
    def subjects(self) -> list[int]:
        """The Subjects of the letters that the relay has taken."""
        contents = [bytes(sent.original_content or b"") for sent in self.sink.taken]
        return [int(content.split(b"Subject: ")[1].split()[0]) for content in contents]

    def came_back(self) -> list[Returned]:
        return self.home.ask(all_bounces)

    @contextmanager
    def flushing(self) -> Iterator[None]:
        """Let a thread flush the outbox during the body of the `with`."""
        relaying = self.relaying()
        thread = threading.Thread(target=relaying.flush)
        thread.start()
        try:
            yield
        finally:
            relaying.stop()
            thread.join()


@pytest.fixture
def way(home: Home) -> Iterator[Way]:
    with listening_sink() as (sink, relay):
        yield Way(home, sink, relay)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for a relay that hangs as long as a test may take, and not at the end."""
    monkeypatch.setattr(relays, "PATIENCE", PATIENCE)


@pytest.fixture
def one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a flush need no second connection, however slow the machine is."""
    monkeypatch.setattr(flush, "MOST_CONNECTIONS", 1)


@pytest.fixture
def stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flush, "STOP_SECONDS", 0.01)


FLUSHING = """
import time
from pbm_oust.mail import flush
from pbm_oust.store.configuration import Endpoint

flush.MOST_CONNECTIONS = {connections}
relay = Endpoint("127.0.0.1", {port})
print(flush.Relaying(home, relay, "pbmserv@example.com", time.time).flush().sent)
"""
"""A script that flushes the outbox of its home, and prints how many letters went."""
HOME_OF_A_PROCESS = """
import sys
from pathlib import Path
from pbm_oust.store.home import Home
home = Home(Path(sys.argv[1]))
"""


@pytest.mark.usefixtures("one_connection")
def test_letters_go_in_their_order_over_one_connection_whatever_becomes_of_some(way: Way) -> None:
    way.post("a", "slow", "unknown", "slow", "b", "a")
    assert way.flush() == Flushed(sent=3, kept=2, failed=1)
    assert way.subjects == [0, 4, 5]
    assert len(way.sink.sessions) == way.sink.put_off == 1
    assert way.waiting == ["slow"] * 2
    (failed,) = way.home.outbox.letters(LetterState.FAILED)
    assert b"To: unknown@example.org" in way.home.outbox.read(failed)


class WithoutUtf8(SMTP):
    """A relay that takes ASCII alone."""

    async def push(self, status: AnyStr) -> None:
        """Leave out what the greeting offers for other addresses."""
        if "SMTPUTF8" not in str(status):
            await super().push(status)


def test_a_domain_beyond_ascii_goes_in_its_ascii_form(home: Home) -> None:
    with listening_sink(WithoutUtf8) as (sink, relay):
        way = Way(home, sink, relay)
        way.post("jurgen@b\u00fccher.example", "j\u00fcrgen")
        assert way.flush() == Flushed(sent=1, failed=1)
    assert way.sent == ["jurgen@xn--bcher-kva.example"]
    came_back = home.ask(bounces_of, "j\u00fcrgen@example.org")
    assert [each.status for each in came_back.bounces] == ["5.6.7"]  # no fault of the mailbox


@pytest.mark.usefixtures("one_connection")
def test_a_connection_takes_ten_letters_and_the_next_one_the_rest(way: Way) -> None:
    way.post(*(f"{number % 3}" for number in range(2 * MOST_LETTERS + 1)))
    assert way.flush() == Flushed(sent=21)
    assert way.sink.letters_begun == [10, 10, 1]


def test_a_relay_that_does_not_answer_loses_nothing_and_is_not_needed_without_letters(
    home: Home,
) -> None:
    way = Way(home)
    assert way.flush() == Flushed()
    way.post("a")
    with pytest.raises(OSError, match="refused"):
        way.flush()
    assert way.waiting == ["a"]


def test_an_address_that_is_put_off_stays_so_for_a_whole_flush_however_it_is_written(
    way: Way,
) -> None:
    way.post("slow", "Slow@Example.org", "slow", "a")
    assert way.relaying().flush(all_letters=True) == Flushed(sent=1, kept=3)
    assert way.sink.put_off == 1
    assert not any(way.leaving)


def test_an_address_that_is_put_off_is_tried_after_longer_and_longer_waits(way: Way) -> None:
    way.post("slow")
    tries, begun = list[float](), way.now
    while way.now < begun + 12 * 3600:
        before = way.sink.put_off
        way.flush()
        if way.sink.put_off > before:
            tries.append(way.now - begun)
        way.now += SHORTEST_WAIT
    waits = [after - before for before, after in itertools.pairwise(tries)]
    assert waits == [60, 240, 960, 3840, LONGEST_WAIT, LONGEST_WAIT]


def test_a_letter_that_was_held_back_for_long_is_tried_for_days_all_the_same(way: Way) -> None:
    way.post("slow")
    way.home.do(hold_letters)
    way.now += 2 * LONGEST_TRY.total_seconds()
    release_letters(way.home, way.at)
    for _ in range(3):
        assert way.flush() == Flushed(kept=1)
        way.now += LONGEST_WAIT
    way.now += LONGEST_TRY.total_seconds()
    assert way.flush() == Flushed(failed=1)


def test_a_letter_that_only_waited_for_another_one_for_days_is_tried_more_than_once(
    way: Way,
) -> None:
    way.post("slow", "slow")
    assert way.flush() == Flushed(kept=2)
    way.now += LONGEST_TRY.total_seconds() + 1
    assert way.flush() == Flushed(kept=1, failed=1)


def test_a_letter_arrives_as_it_is_whatever_lines_begin_with_a_dot(way: Way) -> None:
    said = b".\r\n..\r\n.first\r\n\r\n. last\r\n"
    with connected(way.relay, ADDRESS) as smtp:
        assert transmit(smtp, ADDRESS, "a@example.org", said, []) == "2.0.0 Ok: queued as Q1"
    assert [bytes(sent.original_content or b"") for sent in way.sink.taken] == [said]


def test_a_letter_whose_recipient_cannot_be_read_is_set_aside(way: Way) -> None:
    head = Head('"', "<1@example.com>", "1")
    post_letters(way.home, Draft(head, b'To: "\nFrom: a@b\n\n', way.at))
    assert way.flush() == Flushed(failed=1)


# What is set aside is a bounce


@pytest.mark.parametrize(
    ("name", "status", "seconds"),
    [
        ("unknown", "5.1.1", 0.0),
        ("spam", "5.7.1", 0.0),
        ("slow", "4.2.1", LONGEST_TRY.total_seconds() + 1),
    ],
)
def test_what_is_refused_for_good_or_for_days_has_come_back_from_its_address(
    name: str, status: str, seconds: float, way: Way
) -> None:
    way.post(name, "a")
    is_failed = not seconds
    assert way.flush() == Flushed(sent=1, kept=not is_failed, failed=is_failed)
    if seconds:
        assert way.came_back() == []
        way.now += seconds
        assert way.flush() == Flushed(failed=1)
    bounce = Bounce(way.at, status, "<0@example.com>", "0")
    assert way.came_back() == [Returned(f"{name}@example.org", (bounce,))]


@pytest.mark.parametrize("reply", ["550 5.7.1 go away", "530 5.7.0 log in", "451 4.3.0"])
def test_what_the_relay_has_against_us_is_never_permanent(reply: str, way: Way) -> None:
    way.post("a", "b")
    way.sink.refuses_senders, way.sink.refusal = True, reply
    assert way.flush() == Flushed(kept=2)
    assert (way.home.outbox.letters(LetterState.FAILED), way.came_back()) == ([], [])
    way.sink.refuses_senders = False
    way.now += SHORTEST_WAIT
    assert way.flush() == Flushed(sent=2)


def test_nor_has_a_letter_come_back_that_the_relay_refuses_for_days_because_of_us(way: Way) -> None:
    way.post("a")
    way.sink.refuses_senders = True
    assert way.flush() == Flushed(kept=1)
    way.now += LONGEST_TRY.total_seconds() + 1
    assert way.flush() == Flushed(failed=1)
    assert way.came_back() == []


# A relay that goes away


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["drop", "hang"])
def test_a_relay_that_goes_away_over_a_letter_takes_the_others(
    lost: str, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "PATIENCE", 4)
    way.post(lost, "a", lost, "b")
    assert way.flush() == Flushed(sent=2, kept=2)
    way.post("c", lost)
    assert way.flush() == Flushed(sent=1)
    way.now += SHORTEST_WAIT
    way.post("d")
    assert way.flush() == Flushed(sent=1, kept=3)
    assert (way.sent, way.waiting) == (["a", "b", "c", "d"], [lost] * 3)
    assert (way.home.outbox.letters(LetterState.FAILED), way.came_back()) == ([], [])


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

    async def handle_MAIL(self, server: SMTP, *given: Any) -> str:
        self.number += 1
        await super().handle_MAIL(server, *given)
        return await self.leave(server, "MAIL")

    async def handle_RCPT(self, server: SMTP, *given: Any) -> str:
        await super().handle_RCPT(server, *given)
        return await self.leave(server, "RCPT")

    async def handle_DATA(self, server: SMTP, *given: Any) -> str:
        said = await self.leave(server, "DATA")
        await super().handle_DATA(server, *given)
        return said


def test_what_a_relay_says_in_the_end_does_not_matter(way: Way) -> None:
    way.sink.farewell = "421 4.7.0 you have been here for long"
    way.post("a", "b")
    assert way.flush() == Flushed(sent=2)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize("says", ["421 4.7.0 too many letters, come again", ""])
@pytest.mark.parametrize("after", ["MAIL", "RCPT", "DATA"])
def test_a_relay_that_takes_few_letters_over_a_connection_gets_all_of_them_at_once(
    says: str, after: str, home: Home
) -> None:
    """The third letter of each connection is too many."""
    leaving = Leaving(lambda number: number % 3 == 0, says=says, after=after)
    with listening_sink(handler=leaving) as (_, relay):
        way = Way(home, leaving, relay)
        way.post(*(f"{number % 9}" for number in range(20)))
        assert way.flush() == Flushed(sent=20)
    assert {*way.sent} == {f"{number}" for number in range(9)}


@pytest.mark.parametrize("after", ["MAIL", "RCPT", "DATA"])
def test_once_a_relay_no_longer_cuts_all_connections_everything_leaves(
    after: str, home: Home
) -> None:
    leaving = Leaving(lambda _: True, after=after)
    with listening_sink(handler=leaving) as (_, relay):
        way = Way(home, leaving, relay)
        way.post(*(f"{number}" for number in range(50)))
        relaying = way.relaying()
        for _ in range(3):
            with pytest.raises(OSError, match=r"closed|reset"):
                relaying.flush()
        assert leaving.number < 30
        leaving.leaves_at = lambda _: False
        assert relaying.flush() == Flushed(sent=50)


@pytest.mark.usefixtures("one_connection")
def test_letters_that_were_to_wait_by_a_clock_that_was_ahead_leave_in_their_order(
    way: Way,
) -> None:
    way.now += 30 * DAYS
    way.post("slow", "a")
    assert way.flush() == Flushed(sent=1, kept=1)
    way.post("b", "slow")
    way.now -= 30 * DAYS
    way.post("b")
    assert way.flush() == Flushed(sent=2, kept=2)
    way.now += LONGEST_WAIT
    assert way.flush() == Flushed(kept=2)
    assert way.sent == ["a", "b", "b"]


def test_a_process_that_dies_over_a_letter_loses_none(way: Way) -> None:
    way.post("a", "hang", "b")
    script = HOME_OF_A_PROCESS + FLUSHING.format(connections=1, port=way.relay.port)
    with subprocess.Popen([sys.executable, "-c", script, str(way.home.path)]) as process:
        assert way.sink.hanging.wait(PATIENCE)
        process.kill()
    assert way.waiting == ["hang", "b"]


# Several at once, and faults


@pytest.mark.slow
def test_processes_that_flush_at_once_send_each_letter_once(way: Way) -> None:
    way.post(*(f"{number}" for number in range(30)))
    script = FLUSHING.format(connections=MOST_CONNECTIONS, port=way.relay.port)
    printed = run_at_once(way.home, *[script] * 3)
    assert sum(map(int, printed)) == 30
    assert (sorted(way.subjects), way.waiting) == ([*range(30)], [])


@pytest.mark.slow
@pytest.mark.parametrize("fault", first_is_fast(FAULTS))
def test_a_disk_that_fails_in_the_midst_of_a_flush_loses_no_letter(fault: Fault, way: Way) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        way.post("a", f"unknown{at}", "b")
        trouble, taken = Trouble(at, fault), len(way.sink.taken)
        with FaultyWrites(trouble).in_use():
            tried = Home(way.home.path, FaultyDisk(trouble))
            with suppress(OSError):
                way.relaying(tried).flush()
            is_disturbed = trouble.steps >= at
            trouble.end()
            tried.database.close()
        way.flush()
        assert {*way.sent[taken:]} == {"a", "b"}, at
        assert way.waiting == [], at
        assert len(way.home.outbox.letters(LetterState.FAILED)) == at
        assert len(way.home.ask(bounces_of, f"unknown{at}@example.org").bounces) == 1
    assert at > 5


# Connections


def connections() -> int:
    """Return how many threads have connections with flush."""
    return sum(thread.name == "relay" for thread in threading.enumerate())


@pytest.mark.usefixtures("stops_at_once")
@pytest.mark.parametrize("stalled", [1, slow(3)])
def test_recipients_over_whom_the_relay_takes_long_hold_up_nobody(stalled: int, way: Way) -> None:
    way.home.has_relay = True
    hanging = [f"hang{number}" for number in range(stalled)]
    way.post(*hanging)
    way.post(*(f"{number}" for number in range(40)))
    with way.flushing():
        way.sink.wait_for(40)
        assert way.sink.hanging.wait(PATIENCE)
        way.post("late")
        way.sink.wait_for(41)
        assert way.sent[-1] == "late"
        assert 1 <= connections() <= MOST_CONNECTIONS
    wait_until(lambda: way.waiting == hanging, "what the relay has taken to be gone")


def test_letters_to_one_address_keep_their_order_however_many_there_are(way: Way) -> None:
    way.post(*["a", "A@example.org"] * 21, "b")
    assert way.flush() == Flushed(sent=43)
    assert [number for number in way.subjects if number != 42] == [*range(42)]


@pytest.mark.usefixtures("stops_at_once")
def test_a_letter_that_is_being_handed_over_is_out_of_reach(way: Way) -> None:
    """It cannot be taken back, does not go into the Maildir, and others leave theirs to it."""
    way.home.has_relay = True
    way.post("hang")
    with way.flushing():
        assert way.sink.hanging.wait(PATIENCE)
        way.post("a")
        assert way.flush() == Flushed()
        way.sink.wait_for(1)
        way.home.has_relay = False
        turn_letters_into_files(way.home)
        assert list((way.home.outbox.path / "new").iterdir()) == []
        way.home.has_relay = True
    way.post("b")
    assert way.leaving == [True, False]


@pytest.mark.usefixtures("stops_at_once")
def test_a_flush_that_takes_long_tries_again_what_has_been_put_off(way: Way) -> None:
    def is_put_off(times: int) -> bool:
        return times in [letter.failures for letter in way.home.outbox.listed(LetterState.WAITING)]

    way.home.has_relay = True
    way.post("hang", "slow")
    with way.flushing():
        for times in (1, 2, 3):
            wait_until(partial(is_put_off, times), "a letter that waits for another time")
            way.now += LONGEST_WAIT
    assert way.waiting == ["hang", "slow"]


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
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flush, "ALL_BUSY", 0.0)
    with listening_sink(OneAtATime) as (sink, relay):
        way = Way(home, sink, relay)
        way.post(*(f"{number}" for number in range(60)))
        assert way.flush() == Flushed(sent=60)


# An outbox whose relay is gone


def test_without_a_relay_waiting_letters_go_into_the_maildir(way: Way) -> None:
    way.post("a", "slow")
    assert way.flush() == Flushed(sent=1, kept=1)
    way.home.has_relay = False
    turn_letters_into_files(way.home)
    (path,) = (way.home.outbox.path / "new").iterdir()
    assert b"To: slow@example.org" in path.read_bytes()
    way.home.has_relay = True
    way.sink.put_off = 0
    assert way.flush() == Flushed(kept=0)
    way.now += SHORTEST_WAIT
    assert way.flush() == Flushed(kept=1)


@pytest.mark.slow
def test_what_another_host_hands_over_does_not_go_into_the_maildir(
    tmp_path: Path, postgresql: DatabaseServer
) -> None:
    """A host without a relay may share a database with one that has one."""
    (tmp_path / "pbm_oust.toml").write_text(f'store = "{postgresql.empty_tables()}"\n')
    with closing(Home(tmp_path)) as home:
        way = Way(home)
        home.prepare()
        home.has_relay = True
        way.post("a", "b")
        home.has_relay = False
        with home.database.leased([task_of("a@example.org")]):
            turn_letters_into_files(home)
            assert way.waiting == ["a"]
        turn_letters_into_files(home)
        assert way.waiting == []


@pytest.mark.parametrize("is_international", [False, True])
def test_a_letter_of_ascii_goes_as_the_library_would_write_it(is_international: bool) -> None:
    content = b"From: a\nSubject: " + b"x" * 200 + b"\n\tfolded\nX: y\n\n.\nFrom me\n\n \nend"
    message = parse_content(content)
    policy = AS_SMTP.clone(refold_source="none", utf8=is_international)
    written = message.as_bytes(policy=policy)
    assert on_the_wire(content, is_international=is_international) == written
