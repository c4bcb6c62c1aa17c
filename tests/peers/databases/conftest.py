"""Hosts that share a database, as their operator sets them up."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, PASSWORDS
from tests.support.mails import mail
from tests.support.postgresql import DatabaseServer
from tests.support.server import PROGRAM
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import PATIENCE


@dataclass
class Host:
    """A host with a folder of its own, which shares its database with others."""

    folder: Path

    def home(self) -> Home:
        """Return the home as this host sees it."""
        return Home(self.folder)

    def run(self, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """Run a command line on this host."""
        return self.begin(*words, given=given)()

    def begin(self, *words: str, given: bytes = b"") -> "Running":
        """Begin a command line on this host, which reads at once what it is given."""
        with TemporaryFile() as reading:
            reading.write(given)
            reading.seek(0)
            process = subprocess.Popen(
                [PROGRAM, "--home", str(self.folder), *words],
                stdin=reading,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        return Running(process)


def wrong(host: Host) -> list[str]:
    """Return what the doctor finds wrong, but for the server: that of tests loses what it likes."""
    lines = host.run("doctor").stdout.decode().splitlines()
    return [line for line in lines if line.startswith("BAD") and "BAD   server: fsync" not in line]


@dataclass
class Running:
    """A command line that runs."""

    process: subprocess.Popen[bytes]

    def __call__(self) -> subprocess.CompletedProcess[bytes]:
        """Wait for its end, and return what it said."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)


def mailed(sender: str, line: str, number: int) -> bytes:
    """Return a mail with a line; mails with the same number are the same."""
    return mail(f"From: {sender}", f"Subject: {line}", f"Message-ID: <{number}@example.org>")


@pytest.fixture
def relaying() -> Iterator[tuple[Sink, Endpoint]]:
    """What all hosts hand their letters to, and where it is."""
    with listening_sink() as found:
        yield found


@pytest.fixture
def relay(relaying: tuple[Sink, Endpoint]) -> Sink:
    return relaying[0]


@pytest.fixture
def hosts(
    postgresql: DatabaseServer, relaying: tuple[Sink, Endpoint], tmp_path: Path
) -> tuple[Host, Host]:
    """Two hosts with one database, where alice and bob have signed up."""
    url = postgresql.make_database()
    for name in ("one", "other"):
        (tmp_path / name).mkdir(mode=0o700)
        (tmp_path / name / "pbm_oust.toml").write_text(
            f'address = "{ADDRESS}"\nstore = "{url}"\nrelay = "smtp://{relaying[1]}"\n'
        )
    one = Host(tmp_path / "one")
    home = one.home()
    home.prepare()
    for address in (ALICE, BOB):
        userid = address.partition("@")[0]
        make_account(home, userid, PASSWORDS[userid], address)
    home.close()
    return one, Host(tmp_path / "other")
