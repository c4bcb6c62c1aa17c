"""A real disk that is full or may not be written: a file system in memory, of the server alone."""

import os
import re
import smtplib
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from tests.support.accounts import make_account
from tests.support.server import ADDRESS, PROGRAM, letters_in, listening_port, stopped

NAMESPACE = ("unshare", "--map-root-user", "--mount")
MOUNTED = 'mount -t tmpfs -o size=2m pbm_oust "$0" && exec "$@"'


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
        return self._within(
            PROGRAM,
            "--home",
            str(self.inside),
            "deliver",
            stdin=f"From: alice@example.org\nSubject: {subject}\n\n",
        ).returncode

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

    def forbid_writing(self) -> None:
        """Make the disk one that can only be read."""
        self._within("mount", "-o", "remount,bind,ro", str(self.inside)).check_returncode()

    def allow_writing(self) -> None:
        """Undo `forbid_writing`."""
        self._within("mount", "-o", "remount,bind,rw", str(self.inside)).check_returncode()

    def _within(self, *command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        enter = ("nsenter", "--preserve-credentials", "-U", "-m", "-t", str(self.process.pid))
        return subprocess.run(
            [*enter, *command], input=stdin, capture_output=True, text=True, timeout=60
        )


@contextmanager
def confined(inside: Path) -> Iterator[Confined]:
    inside.mkdir()
    serve = (PROGRAM, "--home", str(inside), "serve", "--address", ADDRESS)
    process = subprocess.Popen(
        [*NAMESPACE, "sh", "-c", MOUNTED, str(inside), *serve, "--smtp", "127.0.0.1:0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    port = listening_port(process)
    try:
        yield Confined(process, inside, port)
    finally:
        stopped(process)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Confined]:
    with confined(tmp_path / "home") as server:
        make_account(Home(server.home), "alice", "wonderland", "alice@example.org")
        make_account(Home(server.home), "bob", "lookingglass", "bob@example.org")
        assert server.send("oust challenge alice bob -size=5", number=3) == 250
        yield server


def contents(home: Path) -> dict[str, bytes]:
    """Return every file of a home but the filler."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.name != "filler"
    }


TROUBLES: list[tuple[Callable[[Confined], None], Callable[[Confined], None]]] = [
    (Confined.fill, Confined.make_room),
    (Confined.forbid_writing, Confined.allow_writing),
]


@pytest.mark.parametrize(("begin", "end"), TROUBLES)
@pytest.mark.slow
def test_trouble_with_the_disk_keeps_mail_with_its_sender_until_it_is_over(
    begin: Callable[[Confined], None], end: Callable[[Confined], None], server: Confined
) -> None:
    before = contents(server.home)
    begin(server)
    assert server.send("oust move 1 alice wonderland C3", number=4) == 451
    assert server.send("oust challenge alice bob -size=7", number=5) == 451
    assert server.send("signup carol lamplight", "carol@example.org", number=6) == 451
    assert server.send("oust move 1 bob lookingglass C3", "bob@example.org", number=7) == 451
    assert server.send("help", number=8) == 451
    assert server.deliver("help") == os.EX_TEMPFAIL
    assert contents(server.home) == before
    end(server)
    assert server.send("oust move 1 alice wonderland C3", number=4) == 250
    assert server.send("oust challenge alice bob -size=7", number=5) == 250
    assert server.send("signup carol lamplight", "carol@example.org", number=6) == 250
    assert server.deliver("help") == os.EX_OK
    subjects = [str(letter["Subject"]) for letter in letters_in(server.home).values()]
    assert re.fullmatch(r"verify [a-z2-7]{16}", subjects.pop(-2))
    assert subjects[2:] == [
        "oust 1 #2: bob to move",
        "oust 1 #2: your turn, bob",
        "oust 2 #1: your turn, alice",
        "oust 2 #1: alice to move",
        "help",
    ]
