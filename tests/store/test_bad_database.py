"""A database that others hold, or that is damaged: what becomes of mail, and of the games."""

import errno
import os
import re
import smtplib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.home import Home
from tests.store.disturbed import ALICE, BOB
from tests.support.command_line import run
from tests.support.home_by_mail import home_of, mailed
from tests.support.listening import command, deliver, listening
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.rings import first_is_fast
from tests.support.server import ADDRESS, Server, running
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble

MOVE = "oust move 1 alice wonderland C3"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = home_of(tmp_path / "home", ALICE, BOB)
    mailed(home, ALICE, "oust challenge alice bob wonderland -size=5")
    home.database.close()
    yield home
    home.database.close()


def held(home: Home) -> apsw.Connection:
    """Return a connection that lets nobody else write."""
    connection = apsw.Connection(str(home.database_path))
    connection.execute("BEGIN IMMEDIATE")
    return connection


def send(server: Server, subject: str) -> int:
    """Hand over a mail from Alice and return the code of the answer."""
    data = mail(f"From: {ALICE}", f"Subject: {subject}", "Message-ID: <1@example.org>")
    with smtplib.SMTP("127.0.0.1", server.port, local_hostname="localhost") as smtp:
        smtp.ehlo()
        smtp.mail(ALICE)
        smtp.rcpt(ADDRESS)
        code, _ = smtp.data(data)
        return code


@pytest.mark.slow
def test_mail_stays_with_its_sender_as_long_as_another_program_holds_the_database(
    home: Home,
) -> None:
    with running(home.path) as server:
        with closing(held(home)):
            assert send(server, MOVE) == 451
        assert send(server, MOVE) == 250
        assert server.stop() == 0
    assert server.log.count("is locked by another program") >= 1
    assert len(letters(home)) == 4


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "its beginning is something else": lambda data: b"something else  " + data[16:],
    "its first page is gone": lambda data: bytes(4096) + data[4096:],
    "it is cut off": lambda data: data[:5000],
    "it is empty": lambda _data: b"",
}


@pytest.mark.parametrize("damage", first_is_fast(DAMAGE))
def test_with_a_damaged_database_games_are_shown_and_mail_stays_with_its_sender(
    damage: str, home: Home, caplog: pytest.LogCaptureFixture
) -> None:
    path = home.database_path
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    shown = run(home, "games", "show", "oust", "1")
    verified = run(home, "games", "verify")
    delivered = run(home, "deliver", stdin=mail(f"From: {ALICE}", "Subject: help"))
    served = run(home, "serve", "--smtp", "127.0.0.1:0")
    assert "oust 1, square 5x5: alice (x) to move" in shown.stdout
    assert "oust 1: ok, 0 records, alice (x) to move" in verified.stdout
    codes = [each.exit_code for each in (shown, verified, delivered, served)]
    assert codes == [0, 0, os.EX_TEMPFAIL, 1]
    advice = rf"{re.escape(str(path))} is damaged \(.+\)\. Stop the server, then restore a backup"
    for told in (shown.stderr, verified.stderr, caplog.text, str(served.exception)):
        assert re.search(advice, told)


def test_a_disk_that_becomes_read_only_keeps_mail_with_its_sender_until_it_is_not(
    home: Home,
) -> None:
    trouble = Trouble(0, Fault.STAYS, errno.EROFS)
    with FaultyVfs(trouble).in_use():
        served = Home(home.path, FaultyDisk(trouble))
        with listening(served) as port:
            assert deliver(port, command("help")).startswith("250")
            trouble.steps, trouble.at = 0, 1
            assert deliver(port, command(MOVE)).startswith("451")
            assert deliver(port, command("oust show 1")).startswith("451")
            trouble.end()
            assert deliver(port, command(MOVE)).startswith("250")
        served.database.close()
    assert len(letters(home)) == 5
