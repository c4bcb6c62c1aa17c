"""Hosts share work by locks, which a host that dies or stops loses."""

import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import pairwise

import psycopg
import pytest

from pbm_oust.mail import flush as flushing
from pbm_oust.mail.flush import Flushed, Relaying
from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.mail.server import Sweeper
from pbm_oust.play.request import Ending
from pbm_oust.service.sweep import sweep
from pbm_oust.store.database import Database
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.letters import Draft, Head, task_of
from pbm_oust.store.postgresql import PostgresqlConnection, PostgresqlDatabase
from tests.peers.databases.conftest import Host, mailed
from tests.peers.databases.test_two_hosts import records, subjects
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, new_id
from tests.support.mails import mail
from tests.support.outbox import post
from tests.support.postgresql import DatabaseServer
from tests.support.sink import Sink, SinkThatWaits, listening_sink
from tests.support.waiting import PATIENCE, wait_until

BOARDS = 5
SECONDS = 6.0
"""How long a lease lasts in these tests."""
HOLDING = """
import sys
from pbm_oust.store.database import Database
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from pbm_oust.store.postgresql import PostgresqlDatabase
from pbm_oust.store.postgresql import PostgresqlDatabase

database = PostgresqlDatabase(sys.argv[1])
database.kept_seconds = float(sys.argv[2])
with database.leases() as leases:
    print(*sorted(leases.take(sys.argv[3:])), flush=True)
    sys.stdin.readline()
    print(leases.is_sure, flush=True)
"""
"""A host that has leases, and is at work until somebody asks whether it still has them."""


def test_a_host_that_dies_or_stops_loses_what_it_has(postgresql: DatabaseServer) -> None:
    url = postgresql.make_tables()
    database = PostgresqlDatabase(url)
    assert can_have(database, "what nobody has")
    with holding(url, "dead's") as dead, holding(url, "stopped's") as stopped:
        dead.kill()
        stopped.send_signal(signal.SIGSTOP)
        with database.leased(["stopped's"]) as ours:
            assert ours == set()
        for task in ("dead's", "stopped's"):
            wait_until(partial(can_have, database, task), "the lease has ended")
        stopped.send_signal(signal.SIGCONT)
        assert is_sure(stopped) == "False"
    with holding(url, "mine") as alive:
        assert is_sure(alive) == "True"
    database.close()


def test_a_connection_that_cannot_have_leases_is_closed(
    postgresql: DatabaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    database, opened = PostgresqlDatabase(postgresql.make_tables()), list[PostgresqlConnection]()
    connect = database.connect

    def connected() -> PostgresqlConnection:
        opened.append(connect())
        return opened[-1]

    monkeypatch.setattr(database, "connect", connected)
    database.kept_seconds = -SECONDS  # which the server refuses
    with pytest.raises(psycopg.Error):
        database.leases()
    assert [each.raw.closed for each in opened] == [True]


def is_sure(process: subprocess.Popen[str]) -> str:
    """Return what a process says that has leases, asked whether they are still its own."""
    said, _ = process.communicate("well?\n", timeout=PATIENCE)
    return said.strip()


@contextmanager
def holding(url: str, *tasks: str) -> Iterator[subprocess.Popen[str]]:
    """Give a process that has leases."""
    command = [sys.executable, "-c", HOLDING, url, str(SECONDS), *tasks]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout
            assert process.stdout.readline().split() == [*" ".join(tasks).split()]
            yield process
        finally:
            process.kill()


def can_have(database: Database, task: str) -> bool:
    """Return whether a lease can be had."""
    with database.leased([task]) as ours:
        return task in ours


@pytest.fixture
def late(hosts: tuple[Host, Host]) -> tuple[Host, Host]:
    """Hosts with boards on which alice should be reminded."""
    home = hosts[0].home()
    for _ in range(BOARDS):
        challenge(home, "oust challenge alice bob wonderland", timedelta(days=8))
    home.close()
    return hosts


def challenge(home: Home, line: str, ago: timedelta) -> None:
    """Let alice have started a board some time ago."""
    inbound = open_inbound(home, ADDRESS, lambda: home.now() - ago)
    headers = f"From: {ALICE}", f"Subject: {line}", new_id()
    handled = inbound.take(mail(*headers), Envelope(ALICE, (ADDRESS,)))
    assert handled.ending is Ending.DONE, handled


def reminders(relay: Sink) -> Counter[str]:
    """Return how often each reminder has left."""
    told = subjects(relay)
    return Counter({subject: told[subject] for subject in told if "reminder" in subject})


REMINDERS = {f"oust {number} #2: reminder, your turn, alice": 1 for number in range(1, BOARDS + 1)}


def test_hosts_that_sweep_at_once_remind_once(late: tuple[Host, Host], relay: Sink) -> None:
    begun = [host.begin("sweep") for host in late for _ in range(2)]
    assert [end().returncode for end in begun] == [0] * 4
    late[0].run("outbox", "flush")
    assert reminders(relay) == REMINDERS


def test_what_a_dead_host_was_to_do_is_done_by_another(
    late: tuple[Host, Host], relay: Sink
) -> None:
    home = late[1].home()
    work = open_inbound(home, ADDRESS, home.now).work
    with holding(url_of(late[0]), "oust 1", "oust 2") as dead:
        assert [deed.about for deed in sweep(work).done] == ["oust 3", "oust 4", "oust 5"]
        dead.kill()
        late_ones = list[str]()

        def are_done() -> bool:
            late_ones.extend(deed.about for deed in sweep(work).done)
            return late_ones == ["oust 1", "oust 2"]

        wait_until(are_done, "the leases have ended")
    home.close()
    late[1].run("outbox", "flush")
    assert reminders(relay) == REMINDERS


def test_a_host_that_has_seen_no_lease_takes_over_as_soon_as_others(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, shared = 15.0, 0.5
    monkeypatch.setattr("pbm_oust.mail.server.SHARED_SECONDS", shared)
    home, ended = hosts[1].home(), list[float]()
    sweeping = Sweeper(usual, lambda: None, lambda: ended.append(time.monotonic()))
    sweeping.use(open_inbound(home, ADDRESS, home.now).work)
    try:
        wait_until(lambda: ended, "the first sweep, at which nothing is due and nobody is at work")
        with holding(url_of(hosts[0]), "oust 1") as dead:
            challenge(home, "oust challenge alice bob wonderland", timedelta(days=8))
            dead.kill()
        wait_until(lambda: is_reminded(home), "the reminder")
    finally:
        sweeping.stop()
        sweeping.wait()
    assert all(later - earlier < usual for earlier, later in pairwise(ended))
    home.close()


def is_reminded(home: Home) -> bool:
    """Return whether the player on the only board has had a reminder."""
    return any("remind" in line for line in moves(home, 1))


def test_letters_leave_once_the_host_that_had_them_is_dead(
    hosts: tuple[Host, Host], relay: Sink
) -> None:
    line = "oust challenge alice bob wonderland"
    with holding(url_of(hosts[0]), task_of(BOB)) as dead:
        done = hosts[1].run("deliver", "--sender", ALICE, given=mailed(ALICE, line, 1))
        assert done.returncode == 0, done.stderr
        assert [sent.rcpt_tos for sent in relay.taken] == [[ALICE]]
        dead.kill()
        home = hosts[1].home()
        wait_until(partial(can_have, home.database, task_of(BOB)), "the lease has ended")
        home.close()
        assert hosts[1].run("outbox", "flush").returncode == 0
    assert sorted(subjects(relay).values()) == [1, 1]


@pytest.fixture
def outbox(hosts: tuple[Host, Host]) -> Iterator[tuple[Home, Home]]:
    """The homes of two hosts, with letters to six addresses in their outbox."""
    one, other = homes = tuple(host.home() for host in hosts)
    other.prepare()
    at = one.now()
    heads = [Head(f"{to}@example.org", f"<{to}{n}@x>", f"{n}") for n in range(3) for to in "abcdef"]
    post(one, *(Draft(head, f"Subject: {head.subject}\n\n".encode(), at) for head in heads))
    yield one, other
    for home in homes:
        home.close()


def test_hosts_share_the_letters_and_each_leaves_once(
    outbox: tuple[Home, Home], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flushing, "MOST_CONNECTIONS", 1)
    waits = SinkThatWaits()
    with listening_sink(handler=waits) as (_, slow), listening_sink() as (quick, fast):
        one, other = (
            Relaying(home, endpoint, ADDRESS, home.database.time)
            for home, endpoint in zip(outbox, (slow, fast), strict=True)
        )
        with ThreadPoolExecutor(1) as pool:
            flushed = pool.submit(one.flush)
            try:
                assert waits.hanging.wait(PATIENCE)
                assert other.flush() == Flushed(sent=15)
            finally:
                waits.released.set()
            assert flushed.result(PATIENCE) == Flushed(sent=3)
    assert sent_by(waits) == {"a@example.org": ["0", "1", "2"]}
    assert sent_by(quick) == {f"{to}@example.org": ["0", "1", "2"] for to in "bcdef"}


def sent_by(sink: Sink) -> dict[str, list[str]]:
    """Return the subjects of the letters that a relay has taken for each address, in order."""
    found = dict[str, list[str]]()
    for sent in sink.taken:
        to, content = sent.rcpt_tos[0], bytes(sent.original_content or b"").decode()
        found.setdefault(to, []).append(content.splitlines()[0].removeprefix("Subject: "))
    return found


def test_the_house_plays_where_a_dead_host_was_to_play(hosts: tuple[Host, Host]) -> None:
    home = hosts[0].home()
    for _ in range(2):
        challenge(home, "oust challenge house1 alice wonderland -size=4", timedelta(0))
    with holding(url_of(hosts[0]), "house: oust 1") as dead:
        plays = hosts[1].begin("house")
        wait_until(lambda: moves(home, 2), "a move on the other board")
        assert moves(home, 1) == []
        dead.kill()
        assert plays().returncode == 0
    assert [len(moves(home, number)) for number in (1, 2)] == [1, 1]
    home.close()


def moves(home: Home, board: int) -> list[str]:
    """Return what the records of a board say."""
    return records(home.ask(home.boards.history, BoardName("oust", board)))


def url_of(host: Host) -> str:
    """Return the URL of the database of a host."""
    home = host.home()
    assert isinstance(home.database, PostgresqlDatabase)
    home.close()
    return home.database.url
