"""A real disk that is full: a file system in memory, of the server alone."""

import json
import os
import smtplib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import pytest

from tests.support.player import read_maildir
from tests.support.server import ADDRESS, PROGRAM, listening_port, stopped
from tests.support.waiting import PATIENCE, wait_until

NAMESPACE = ("unshare", "--map-root-user", "--mount")
MOUNTED = 'mount -t tmpfs -o size=2m,mode=700 pbm_oust "$0" && exec "$@"'


@dataclass
class Confined:
    """A server whose home is a small file system that no other process sees by its path."""

    process: subprocess.Popen[str]
    inside: Path
    """The home as the server knows it."""
    port: int

    @property
    def home(self) -> Path:
        """The home as it can be looked at from outside."""
        return Path(f"/proc/{self.process.pid}/root{self.inside}")

    def send(self, subject: str, sender: str = "alice@example.org", number: int = 0) -> int:
        """Hand over a mail and return the code of the answer."""
        message = EmailMessage()
        message["From"] = sender
        message["To"] = ADDRESS
        message["Subject"] = subject
        message["Message-ID"] = f"<{number}@example.org>"
        with smtplib.SMTP("127.0.0.1", self.port, local_hostname="localhost") as smtp:
            try:
                smtp.send_message(message)
            except smtplib.SMTPDataError as error:
                return error.smtp_code
            return 250

    def deliver(self, subject: str) -> int:
        """Hand a mail to `deliver` and return its exit status."""
        mail = f"From: alice@example.org\nSubject: {subject}\n\n"
        return self.run("deliver", stdin=mail).returncode

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Run a command of the program on the home."""
        return self._within(PROGRAM, "--home", str(self.inside), *arguments, stdin=stdin)

    def fill(self) -> None:
        """Leave no room on the disk."""
        with (self.home / "filler").open("wb") as filler:
            try:
                while True:
                    os.write(filler.fileno(), bytes(4096))
            except OSError:
                return

    def make_room(self) -> None:
        """Undo `fill`."""
        (self.home / "filler").unlink()

    def _within(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        enter = ("nsenter", "--preserve-credentials", "-U", "-m", "-t", str(self.process.pid))
        return subprocess.run(
            [*enter, *command], input=stdin, capture_output=True, text=True, timeout=PATIENCE
        )


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Confined]:
    """Give a server that runs, with two players and a board."""
    home = tmp_path / "home"
    serve = ("serve", "--address", ADDRESS, "--smtp", "127.0.0.1:0")
    home.mkdir()
    process = subprocess.Popen(
        [*NAMESPACE, "sh", "-c", MOUNTED, str(home), PROGRAM, "--home", str(home), *serve],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        server = Confined(process, home, listening_port(process))
        add_players(server)
        assert server.send("oust challenge alice bob wonderland -size=5", number=3) == 250
        wait_until((server.home / "oust" / "1.txt").exists, "a history")
        yield server
    finally:
        stopped(process)


def add_players(home: Confined) -> None:
    for userid, password in (("alice", "wonderland"), ("bob", "lookingglass")):
        added = ("players", "add", userid, f"{userid}@example.org", "--password", password)
        home.run(*added).check_returncode()


def _are_files(server: Confined) -> bool:
    """Return whether all letters are in the Maildir."""
    listed = json.loads(server.run("outbox", "list", "--json").stdout)
    return {each["name"] for each in listed} <= set(read_maildir(server.home / "outbox"))


def contents(server: Confined) -> dict[str, str]:
    """Return every history and letter, and what the database knows."""
    wait_until(partial(_are_files, server), "all letters in the Maildir")
    paths = (path for path in server.home.rglob("*") if path.is_file())
    found = {str(path): path.read_text() for path in paths if path.suffix in (".txt", ".pbm_oust")}
    for listing in ("players", "games", "outbox"):
        listed = server.run(listing, "list", "--json")
        listed.check_returncode()
        found[listing] = listed.stdout
    return found


@pytest.mark.slow
def test_a_full_disk_keeps_mail_with_its_sender_until_there_is_room(server: Confined) -> None:
    before = contents(server)
    server.fill()
    assert server.send("oust move 1 alice wonderland C3", number=4) == 451
    assert server.send("oust challenge alice bob wonderland -size=7", number=5) == 451
    assert server.send("signup carol lamplight", "carol@example.org", number=6) == 451
    assert server.send("oust move 1 bob lookingglass C3", "bob@example.org", number=7) == 451
    assert server.send("help", number=8) == 451
    assert server.deliver("help") == os.EX_TEMPFAIL
    server.make_room()
    assert contents(server) == before
    assert server.send("oust move 1 alice wonderland C3", number=4) == 250
    assert server.send("oust challenge alice bob wonderland -size=7", number=5) == 250
    assert server.send("signup carol lamplight", "carol@example.org", number=6) == 250
    assert server.deliver("help") == os.EX_OK
    wait_until(partial(_are_files, server), "all letters in the Maildir")
    letters = read_maildir(server.home / "outbox")
    subjects = [str(letter["Subject"]) for letter in letters.values()]
    assert subjects.pop(-2) == "please confirm your account carol"
    assert subjects[2:] == [
        "oust 1 #2: bob to move",
        "oust 1 #2: your turn, bob",
        "oust 2 #1: your turn, alice",
        "alice challenges you: oust 2",
        "the help",
    ]
