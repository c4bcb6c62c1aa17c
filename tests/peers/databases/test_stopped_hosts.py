"""A host that is stopped, as a paused container is, keeps nobody else from going on.

Its kernel still answers the server, so nothing but its silence tells.
"""

import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.peers.databases.conftest import Host, mailed
from tests.peers.databases.test_two_hosts import subjects
from tests.support.home_by_mail import ALICE, BOB
from tests.support.postgresql import DatabaseServer
from tests.support.sink import Sink
from tests.support.waiting import PATIENCE

STOPPING = """
import os, signal, sys
import psycopg

def stopping(do):
    def done(*words, **named):
        global left
        left -= 1
        found = do(*words, **named)
        if left == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        return found
    return done

left = int(sys.argv.pop(1))
psycopg.RawCursor.execute = stopping(psycopg.RawCursor.execute)
from pbm_oust.cli.main import run
run()
"""
"""A command line that is stopped when it has told the database so many things."""
LINES = {
    ALICE: "oust challenge alice bob wonderland",
    BOB: "churn challenge bob alice lookingglass",
}
TOLD = {
    "alice challenges you: oust 1": 1,
    "oust 1 #1: your turn, alice": 1,
    "bob challenges you: churn 1": 1,
    "churn 1 #1: your turn, bob": 1,
}
HOLDING = """
import os, signal, sys
from pbm_oust.store.home import open_server

database = open_server(sys.argv[1], sys.argv[2])
note = "INSERT INTO message_keys (message_key, outcome, at) VALUES ('a key', 'done', 1)"
much = "SELECT repeat('x', 1000) FROM generate_series(1, 100000)"

times = []

def stop():
    times.append(1)
    if len(times) == 1:
        os.kill(os.getpid(), signal.SIGSTOP)
"""
WORKS = {
    "in the middle of its work": """
def work(transaction):
    transaction.run(note)
    stop()
    transaction.run("SELECT 1")
database.write(work)
""",
    "after it has written several rows": """
def work(transaction):
    several = "INSERT INTO message_keys (message_key, outcome, at) VALUES (?, 'done', 1)"
    transaction.run_all(several, [("a key",), ("another key",)])
    stop()
    transaction.run("SELECT 1")
database.write(work)
""",
    "between an answer and what it writes": """
def work(transaction):
    transaction.rows("SELECT 1")
    stop()
    transaction.run(note)
database.write(work)
""",
    "before it takes a long answer": """
def work(transaction):
    transaction.run(note)
    transaction.run(much)
    stop()
    transaction.run("SELECT 1")
database.write(work)
""",
}
"""Works of a host that stops, by where it does."""


def deliver_until(stops_at: int, host: Host, sender: str) -> subprocess.Popen[bytes]:
    """Begin to deliver a mail on a host, until it is stopped or has ended."""
    deliver = ["--home", str(host.folder), "deliver", "--sender", sender]
    process = subprocess.Popen(
        [sys.executable, "-c", STOPPING, str(stops_at), *deliver],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin
    process.stdin.write(mailed(sender, LINES[sender], 1))
    process.stdin.close()
    process.stdin = None
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return process


@pytest.mark.parametrize("place", range(5, 100, 12))
def test_others_go_on_wherever_a_host_is_stopped(
    hosts: tuple[Host, Host], relay: Sink, place: int
) -> None:
    one, other = hosts
    stopped = deliver_until(place, one, ALICE)
    try:
        done = other.run("deliver", "--sender", BOB, given=mailed(BOB, LINES[BOB], 1))
    finally:
        stopped.send_signal(signal.SIGCONT)
    _, said = stopped.communicate(timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert stopped.returncode in (0, 75), said
    if stopped.returncode:
        assert b"cannot be used" in said or b"has given up a connection" in said
        again = one.run("deliver", "--sender", ALICE, given=mailed(ALICE, LINES[ALICE], 1))
        assert again.returncode == 0, again.stderr
    other.run("outbox", "flush")
    assert subjects(relay) == TOLD, said


@pytest.mark.parametrize("what", WORKS)
def test_who_stops_while_it_holds_something_begins_again_after_the_others(
    postgresql: DatabaseServer, what: str, tmp_path: Path
) -> None:
    url = postgresql.make_tables()
    command = [sys.executable, "-c", HOLDING + WORKS[what], str(tmp_path), url]
    with (
        closing(PostgresqlDatabase(url)) as database,
        subprocess.Popen(command, stderr=subprocess.PIPE) as process,
    ):
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        try:
            note = "INSERT INTO message_keys (message_key, outcome, at) VALUES ('a key', 'done', 2)"
            database.write(lambda transaction: transaction.run(note))
        finally:
            process.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 1
        assert b"UniqueViolation" in said
        with database.read() as snapshot:
            assert snapshot.rows("SELECT message_key, at FROM message_keys") == [("a key", 2)]
