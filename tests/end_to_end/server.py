"""A real server process for tests, and players who have only a mail program."""

import mailbox
import re
import signal
import smtplib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("pbm-oust"))
ADDRESS = "pbmserv@example.com"


@dataclass
class Server:
    """A server that runs; `port` takes SMTP."""

    home: Path
    process: subprocess.Popen[str]
    port: int
    log: str = ""

    def stop(self) -> int:
        """Tell the server to stop and return its exit status."""
        self.log = stopped(self.process)
        return self.process.returncode


def stopped(process: subprocess.Popen[str]) -> str:
    """Tell a server to stop, which it does within ten seconds; return its log."""
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=10)
    return log


def listening_port(process: subprocess.Popen[str]) -> int:
    """Return the port at which a server that has just been started takes SMTP."""
    assert process.stdout is not None
    announced = process.stdout.readline()
    found = re.search(r"at 127\.0\.0\.1:(\d+)", announced)
    assert found, announced + process.communicate(timeout=20)[1]
    return int(found[1])


@contextmanager
def running(home: Path, *options: str) -> Iterator[Server]:
    """Run a server on a port of its own for the body of the `with`."""
    command = [PROGRAM, "--home", str(home), "serve", "--address", ADDRESS]
    process = subprocess.Popen(
        [*command, "--smtp", "127.0.0.1:0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server = Server(home, process, listening_port(process))
    try:
        yield server
    finally:
        if process.poll() is None:
            server.stop()


@dataclass
class Player:
    """Somebody with an address who mails commands and reads the answers in the outbox."""

    userid: str
    password: str
    server: Server
    read: set[str] = field(default_factory=set)

    @property
    def address(self) -> str:
        """The player's address."""
        return f"{self.userid}@example.org"

    def send(self, subject: str, text: str = "") -> None:
        """Mail a command."""
        message = EmailMessage()
        message["From"] = self.address
        message["To"] = ADDRESS
        message["Subject"] = subject
        message["Message-ID"] = make_msgid(domain="example.org")
        message.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.server.port, local_hostname="localhost") as smtp:
            smtp.send_message(message)

    def new_mail(self) -> list[EmailMessage]:
        """Return the letters to the player that he has not read, oldest first."""
        letters = letters_in(self.server.home)
        new = [
            key for key in letters if key not in self.read and self.address in letters[key]["To"]
        ]
        self.read.update(new)
        return [letters[key] for key in new]

    def sign_up(self) -> None:
        """Make the account."""
        self.send(f"signup {self.userid} {self.password}")
        (welcome,) = self.new_mail()
        assert welcome["Subject"] == f"welcome, {self.userid}"

    def follow_example(self, mail: EmailMessage) -> None:
        """Send the line that a board mail gives as an example."""
        line = re.search(r"^  (\w+ move .*)$", mail.get_content(), re.MULTILINE)
        assert line, mail.get_content()
        self.send(line[1].replace("PASSWORD", self.password))


def letters_in(home: Path) -> dict[str, EmailMessage]:
    """Return the letters of an outbox by their names, oldest first, as a mail program reads it."""
    from email import message_from_bytes
    from email.policy import default

    box = mailbox.Maildir(str(home / "outbox"), create=False)
    found: dict[str, EmailMessage] = {}
    for key in sorted(box.keys()):
        message = message_from_bytes(box.get_bytes(key), policy=default)
        assert isinstance(message, EmailMessage)
        found[key] = message
    return found
