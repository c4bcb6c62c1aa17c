"""Honest players: at each table two who move in turn, and how long each mail waits for its 250."""

import smtplib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from pbm_oust.accounts.asks import Ask, Topic, reply_address, token_for
from pbm_oust.store.home import Home
from tests.support.accounts import account_of
from tests.support.mails import mail
from tests.support.server import ADDRESS
from tests.support.waiting import PATIENCE

WIDTH = 25
_COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
SQUARES = [
    f"{letter}{row}"
    for number, letter in enumerate(_COLUMNS[:WIDTH])
    for row in range(1, WIDTH + 1)
    if (number + row) % 2
]
"""Every other cell: no two of them touch, so each placement ends a turn."""


@dataclass
class Table:
    """Two players at one board, who place in turn on cells that do not touch."""

    number: int
    random: Random
    port: int
    home: Home
    waits: list[float] = field(default_factory=list)
    """Seconds from the end of each move's DATA to its 250."""
    played: list[str] = field(default_factory=list)
    """The cells of the moves that were acknowledged."""

    @property
    def players(self) -> tuple[str, str]:
        """The userids, that of x first."""
        return f"honest{2 * self.number}", f"honest{2 * self.number + 1}"

    def begin(self) -> None:
        """Start the board; it is the one with the table's number."""
        x, o = self.players
        with self._client() as client:
            line = f"oust challenge {x} {o} {password_of(x)} -size={WIDTH}"
            self._send(client, x, line, ADDRESS)

    def play(self, pace: float, goes_on: Callable[[], bool]) -> None:
        """Answer with a move each `pace` seconds, as long as `goes_on` says so and cells are left.

        Others guess at passwords until none is taken for a while; answers to letters need none.
        """
        self.waits, due = [], time.monotonic() + self.random.uniform(0, pace)
        left = self.random.sample(SQUARES, len(SQUARES))
        cells = (cell for cell in left if cell not in self.played)
        for cell in cells:
            time.sleep(max(0.0, due - time.monotonic()))
            if not goes_on():
                return
            mover = self.players[len(self.played) % 2]
            with self._client() as client:
                self.waits.append(self._send(client, mover, cell, self._answered_at(mover)))
            self.played.append(cell)
            due = max(due + pace, time.monotonic())

    @contextmanager
    def _client(self) -> Iterator[smtplib.SMTP]:
        source = f"127.0.2.{self.number + 1}"
        with smtplib.SMTP("127.0.0.1", self.port, "localhost", PATIENCE, (source, 0)) as client:
            client.ehlo()
            yield client

    def _answered_at(self, mover: str) -> str:
        """Return the address of the letter that asks for the next move."""
        ask = Ask.on_board(Topic.PLAY, "oust", self.number + 1, len(self.played) + 1, mover)
        token = token_for(self.home.key(), account_of(self.home, mover), ask)
        return reply_address(ADDRESS, ask, token)

    def _send(self, client: smtplib.SMTP, userid: str, line: str, recipient: str) -> float:
        """Send a mail with a line; return how long its 250 takes.

        Raises SMTPException for another reply.
        """
        sender = address_of(userid)
        message_id = f"Message-ID: <{self.random.getrandbits(64):x}@honest.example>"
        data = mail(f"From: {sender}", f"To: {recipient}", message_id, text=f"{line}\r\n")
        client.mail(sender)
        client.rcpt(recipient)
        client.docmd("DATA")
        client.send(data + b"\r\n.\r\n")
        begun = time.monotonic()
        code, reply = client.getreply()
        waited = time.monotonic() - begun
        if code != 250:
            raise smtplib.SMTPDataError(code, reply)
        return waited


def password_of(userid: str) -> str:
    """Return the password of an honest player."""
    return f"pass-of-{userid}"


def address_of(userid: str) -> str:
    """Return the address of an honest player."""
    return f"{userid}@honest.example"
