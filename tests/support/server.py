"""A real server process for tests, whose outbox the players read."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pbm_oust.store.home import Home
from pbm_oust.store.letters import unpublished
from tests.support.player import Letters, read_maildir
from tests.support.waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
PROGRAM = str(Path(sys.executable).with_name("pbm-oust"))
ADDRESS = "pbmserv@example.com"
STOPPING = 55
"""Seconds in which a server stops on any machine: less than it waits for clients and for relays."""


@dataclass
class Server:
    """A server that runs; `port` is the first one that it listens at."""

    home: Path
    process: subprocess.Popen[str]
    port: int
    log: str = ""
    commands: str = ADDRESS

    def stop(self) -> int:
        """Tell the server to stop and return its exit status."""
        self.log = stopped(self.process)
        return self.process.returncode

    def letters_to(self, address: str) -> Letters:
        """Return the letters to an address in the outbox."""
        letters = letters_in(self.home)
        return {key: letter for key, letter in letters.items() if address in letter["To"]}


def stopped(process: subprocess.Popen[str]) -> str:
    """Tell a server to stop, which it does within `STOPPING`; return its log.

    The log is whole once the programs that the server has started have ended as well.
    """
    process.send_signal(signal.SIGTERM)
    try:
        _, log = process.communicate(timeout=STOPPING)
    except subprocess.TimeoutExpired:
        if process.poll() is None:
            raise
        _, log = process.communicate(timeout=PATIENCE)
    return log


def listening_port(process: subprocess.Popen[str]) -> int:
    """Return the port at which a server that has just been started takes SMTP."""
    assert process.stdout is not None
    announced = process.stdout.readline()
    found = re.search(r"at (?:http://)?127\.0\.0\.1:(\d+)", announced)
    assert found, announced + (process.communicate(timeout=PATIENCE)[1] or "")
    return int(found[1])


@contextmanager
def running(home: Path, *options: str) -> Iterator[Server]:
    """Run a server on a port of its own for the body of the `with`."""
    command = [PROGRAM, "--home", str(home), "serve", "--address", ADDRESS]
    with started([*command, "--smtp", "127.0.0.1:0", *options], home) as server:
        yield server


@contextmanager
def started(
    command: Sequence[str], home: Path, user: str | None = None, folder: Path | None = None
) -> Iterator[Server]:
    """Run a server by a command line; as another user or in another folder, if one is named."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        user=user,
        group=user,
        extra_groups=[] if user else None,
    )
    server = Server(home, process, listening_port(process))
    try:
        yield server
    finally:
        if process.poll() is None:
            server.stop()
        print(server.log)


@contextmanager
def logging_into(log: Path, command: Sequence[str]) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a server that writes its log into a file; give it and its port."""
    with log.open("w") as written:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=written, text=True, cwd=ROOT
        )
    try:
        yield process, listening_port(process)
    finally:
        stopped(process)


def letters_in(home: Path) -> Letters:
    """Return the letters of an outbox by their names, oldest first, once all are in its files."""
    wait_until(lambda: not _has_unpublished(home), "all letters in the Maildir")
    return read_maildir(home / "outbox")


def _has_unpublished(path: Path) -> bool:
    """Return whether the sender beside a server has letters to write or move into the Maildir."""
    home = Home(path)
    try:
        is_waiting = bool(home.ask(unpublished, home.now(), 1))
        return is_waiting or any((path / "outbox" / "tmp").glob("*.pbm_oust"))
    finally:
        home.close()
