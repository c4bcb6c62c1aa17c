"""Mail to the server by SMTP, and the letters that its relay takes, sorted by whom they are for."""

import smtplib
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import format_datetime
from pathlib import Path

from pbm_oust.store.home import Home
from tests.support.server import logging_into
from tests.support.sink import Sink, listening_sink
from tests.support.waiting import wait_until

ADDRESS = "pbmserv@league.example"


@dataclass
class Post:
    """The way of mail between the players and a server that runs."""

    home: Home
    port: int
    sink: Sink
    boxes: dict[str, list[EmailMessage]] = field(default_factory=lambda: defaultdict(list))
    """The letters that have come for an address, oldest first."""
    sent: int = 0
    _sorted: int = 0

    def send(self, sender: str, subject: str, text: str, at: datetime, to: str = ADDRESS) -> str:
        """Mail something to the server, which must take it, and return its Message-ID."""
        self.sent += 1
        message = EmailMessage()
        message["From"] = sender
        message["To"] = to
        message["Subject"] = subject
        message["Date"] = format_datetime(at)
        message["Message-ID"] = f"<league.{self.sent}@{sender.rpartition('@')[2]}>"
        message.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.port, local_hostname="localhost") as smtp:
            smtp.send_message(message)
        return str(message["Message-ID"])

    def settle(self) -> None:
        """Wait until the relay has taken all letters, and sort them into the boxes."""
        wait_until(lambda: not self.home.outbox.letters(), "the outbox to be empty")
        for envelope in self.sink.taken[self._sorted :]:
            content = envelope.content
            assert isinstance(content, bytes)
            letter = message_from_bytes(content, policy=default)
            assert isinstance(letter, EmailMessage)
            for recipient in envelope.rcpt_tos:
                self.boxes[recipient].append(letter)
            self._sorted += 1

    def answer_to(self, address: str, message_id: str) -> EmailMessage:
        """Return what has come for an address as the answer to a mail.

        The server may meanwhile have written to it about something else.
        """
        self.settle()
        (*_, answer) = (
            letter for letter in self.boxes[address] if letter["In-Reply-To"] == message_id
        )
        return answer


@contextmanager
def serving(home: Home, clock: Path, log: Path) -> Iterator[Post]:
    """Run a server by a clock in a file, with a relay that takes everything."""
    launcher = [sys.executable, "-m", "tests.league.launcher", str(home.path), str(clock)]
    with listening_sink() as (sink, relay):
        sink.knows_everybody = True
        with logging_into(log, [*launcher, str(relay.port)]) as (_, port):
            post = Post(home, port, sink)
            yield post
            post.settle()
