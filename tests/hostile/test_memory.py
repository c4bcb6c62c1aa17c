"""The memory of a server under mails that never end."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm_oust.mail.clients import KEPT_FOR_MAIL_SERVERS, MOST_CONNECTIONS
from tests.hostile.attack import MEGABYTE, connections, resident, unfinished
from tests.support.player import Player
from tests.support.server import Server, running
from tests.support.waiting import wait_until

AS_MUCH_AS_FITS = 250 * 1024
BEGUN = b"From: a@example.org\r\nSubject: help\r\n\r\n"
GUESSES = """
import resource
from concurrent.futures import ThreadPoolExecutor

from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.mail.server import give_memory_back
from pbm_oust.play.passwords import NotDerived, Passwords

def guess(nth):
    try:
        passwords.match(Secret(f"guess{nth}"), stored)
    except NotDerived as needed:
        passwords.derive(needed.needed)

give_memory_back()
passwords, stored = Passwords(), hash_password(Secret("wonderland"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with ThreadPoolExecutor(30) as guessers:
    list(guessers.map(guess, range(60)))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""
"""A program that looks at many passwords at once, and says how much memory that took."""

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as server:
        Player("alice", "wonderland", server).send("help")
        yield server


@pytest.mark.parametrize("clients", [20, MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS])
@pytest.mark.parametrize(
    "content",
    [
        BEGUN + b"\r\n" * (AS_MUCH_AS_FITS // 2),
        BEGUN + b"x\r\n" * (AS_MUCH_AS_FITS // 3),
        BEGUN + b"x" * 70 + b"\r\n" + b"x" * (AS_MUCH_AS_FITS - 200),
        BEGUN + (b"x" * 998 + b"\r\n") * (AS_MUCH_AS_FITS // 1000),
        b"X: y\r\n" * (AS_MUCH_AS_FITS // 6),
        b"\r\n" * 262_000,
    ],
    ids=["empty lines", "short lines", "one line", "long lines", "headers", "more than is taken"],
)
def test_unfinished_mails_hold_no_more_than_their_bytes(
    server: Server, content: bytes, clients: int
) -> None:
    idle = resident(server)
    with unfinished(server, clients, content, at_once=False):
        held = resident(server, "VmHWM") - idle
    print(f"{clients} clients: {held / MEGABYTE:.1f} MB more than idle")
    assert held < 32 * MEGABYTE


def test_many_passwords_at_once_take_no_more_memory_than_a_few() -> None:
    done = subprocess.run([sys.executable, "-c", GUESSES], check=True, capture_output=True)
    assert int(done.stdout) < 64 * MEGABYTE


@pytest.mark.parametrize(
    "content",
    [BEGUN + (b"x" * 998 + b"\r\n") * (AS_MUCH_AS_FITS // 1000), b"x" * (AS_MUCH_AS_FITS)],
    ids=["unfinished mails", "endless lines"],
)
def test_memory_comes_back_after_many_rounds_of_attackers_who_go_away(
    server: Server, content: bytes
) -> None:
    idle = resident(server)
    for _ in range(10):
        with unfinished(server, MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS, content):
            pass
        wait_until(lambda: connections(server) == 0, "a server that has noticed that they are gone")
    wait_until(lambda: resident(server) - idle < 16 * MEGABYTE, "memory that comes back")
