"""Several processes serve one home at one port, and one keeps them."""

import os
import signal
import smtplib
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.histories import board_numbers, history_text
from tests.support.mails import mail
from tests.support.processes import children_of
from tests.support.server import ADDRESS, PROGRAM, Server, running
from tests.support.sink import listening_sink
from tests.support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.slow

PROCESSES = 3
ALICE, BOB = "alice@example.org", "bob@example.net"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / "home")
    home.prepare()
    make_account(home, "alice", "wonderland", ALICE)
    make_account(home, "bob", "lookingglass", BOB)
    return home


@pytest.fixture
def server(home: Home) -> Iterator[Server]:
    with running(home.path, "--processes", str(PROCESSES)) as server:
        yield server


def members(server: Server) -> list[int]:
    return children_of(server.process.pid)


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


def talking(server: Server) -> smtplib.SMTP:
    return smtplib.SMTP("127.0.0.1", server.port, "localhost", PATIENCE)


def command(sender: str, line: str, message_id: str) -> bytes:
    return mail(f"From: {sender}", f"Subject: {line}", f"Message-ID: <{message_id}@example.org>")


def send(server: Server, sender: str, line: str, message_id: str) -> None:
    with talking(server) as client:
        client.sendmail(sender, [ADDRESS], command(sender, line, message_id))


def test_all_processes_serve_one_home(server: Server, home: Home) -> None:
    assert len(members(server)) == PROCESSES
    send(server, ALICE, "oust challenge alice bob wonderland -size=5", "begin")
    players = ((ALICE, "alice wonderland"), (BOB, "bob lookingglass"))
    for number, cell in enumerate(("A1", "C1", "E1", "A3", "C3", "E3")):
        sender, words = players[number % 2]
        send(server, sender, f"oust move 1 {words} {cell}", f"move{number}")
    assert history_text(home).count(" x ") == history_text(home).count(" o ") == 3
    assert server.stop() == 0
    assert server.log.count("outcome=done") == 7


def test_a_mail_that_comes_in_everywhere_at_once_is_done_once(server: Server, home: Home) -> None:
    same = command(ALICE, "oust challenge alice bob wonderland", "same")
    with ExitStack() as stack:
        clients = [stack.enter_context(talking(server)) for _ in range(12)]
        for client in clients:
            client.ehlo()
            client.mail(ALICE)
            client.rcpt(ADDRESS)
            client.docmd("DATA")
        for client in clients:
            client.send(same + b"\r\n.\r\n")
        assert [client.getreply()[0] for client in clients] == [250] * len(clients)
    assert board_numbers(home) == [1]


def test_who_dies_is_started_again_and_the_others_go_on(server: Server) -> None:
    before = members(server)
    os.kill(before[1], signal.SIGKILL)
    wait_until(lambda: is_gone(before[1]), "a process that is gone")
    with talking(server) as client:
        assert client.ehlo()[0] == 250
    wait_until(lambda: len(members(server)) == PROCESSES, "a new process")
    assert {before[0], before[2]} < set(members(server))
    assert server.stop() == 0
    assert f"the process {before[1]} has died with -9" in server.log


def test_all_stop_when_told_to(server: Server) -> None:
    before = members(server)
    assert server.stop() == 0
    assert all(map(is_gone, before))
    assert server.log.count("stopped") == PROCESSES


def test_all_stop_when_their_keeper_is_killed(server: Server) -> None:
    before = members(server)
    server.process.kill()
    wait_until(lambda: all(map(is_gone, before)), "processes that are gone")
    server.process.communicate()


def test_all_read_the_configuration_again(server: Server, home: Home) -> None:
    home.configuration.write_text('mail_servers = "127.0.0.1"\n')
    server.process.send_signal(signal.SIGHUP)

    def all_know() -> bool:
        with ExitStack() as stack:
            clients = [stack.enter_context(talking(server)) for _ in range(6 * PROCESSES)]
            return all(b"XCLIENT" in client.ehlo()[1] for client in clients)

    wait_until(all_know, "processes that know their mail server")


def test_letters_of_all_processes_leave_soon(home: Home) -> None:
    with listening_sink() as (relay, endpoint):
        options = ["--processes", str(PROCESSES), "--relay", f"smtp://{endpoint}"]
        with running(home.path, *options) as server:
            for number in range(9):
                send(server, f"stranger{number}@example.org", "help", f"help{number}")
            relay.wait_for(9)


def test_where_nobody_can_listen_all_end(home: Home) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [PROGRAM, "--home", str(home.path), "serve", "--smtp", f"127.0.0.1:{port}"]
        done = subprocess.run(
            [*command, "--processes", "2"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 2
    assert f"cannot listen at 127.0.0.1:{port}: Address already in use" in done.stderr
    assert done.stdout == ""


TOGETHER = """
import sys, time
from pbm_oust.mail.crew import Crew

class Slow(Crew):
    def _start(self, number):
        super()._start(number)
        time.sleep(0.3)

sys.exit(Slow(3, lambda member: 2, print).run())
"""
RELOADED = """
import os, signal, sys, time
from pbm_oust.mail.crew import Crew

def work(member):
    os.kill(os.getppid(), signal.SIGHUP)
    time.sleep(0.5)
    os.write(member.ready, b"\\n")
    signal.pause()

sys.exit(Crew(1, work, lambda: os.kill(os.getpid(), signal.SIGTERM)).run())
"""


def kept(program: str) -> tuple[int, str]:
    """Return the status and the errors of a keeper."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stderr


def test_a_keeper_outlives_several_that_die_together() -> None:
    assert kept(TOGETHER) == (2, "")


def test_a_sighup_before_anybody_listens_ends_nobody() -> None:
    assert kept(RELOADED) == (0, "")
