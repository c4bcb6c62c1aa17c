"""What a trial is played on: where mails are handed over, and what players see of the home."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from smtplib import SMTP
from typing import Protocol


class Broken(Exception):
    """The trial cannot go on; the message says why."""


class Stage(Protocol):
    """One host or several that serve a home, while something happens to them again and again."""

    home: Path
    """A home of files, in which everything is at the end."""
    log: Path
    hosts: int
    """How many there are, numbered from 0 on."""
    host: str
    address: str
    """The address that takes commands; its domain is `host`."""
    wire: str
    """What joins several hosts with their databases; empty for a single one."""
    histories_take: float
    """Seconds within which histories have what was acknowledged; a kill may come in between."""
    letters_take: float
    """Seconds within which letters about what was acknowledged can be read."""

    def start(self) -> None:
        """Start what serves."""

    def wait_until_ready(self) -> None:
        """Wait until mail is taken everywhere. Raises Broken."""

    def check_alive(self) -> None:
        """Raise Broken if a server has ended by itself."""

    def kill(self, random: Random, cut: float | None) -> bool:
        """Let something happen; return whether it has to be started again."""

    def connect(self, host: int, seconds: float) -> SMTP | None:
        """Return a connection to a host, which waits so many seconds for each answer.

        None while nobody listens. Raises OSError.
        """

    def deliver(self, sender: str, data: bytes, fuse: float | None = None) -> int:
        """Hand a mail to a process of `pbm-oust deliver`, and return its exit status.

        With a `fuse`, which is between 0 and 1, it is killed when it has taken about that share
        of its time.
        """

    def history(self, kind: str, board: int) -> bytes | None:
        """Return the history of a board; None if there is none."""

    def board_with(self, kind: str, text: str) -> int | None:
        """Return a board of a kind in whose history a text stands."""

    def letters(self) -> Iterator[str]:
        """Yield the letters that players can read."""

    def stop(self) -> int:
        """Tell what serves to stop, and return its exit status."""

    def close(self) -> None:
        """Kill what still runs; then the home is as it will be judged."""


def greeted(smtp: SMTP, greeting: tuple[int, bytes], host: str) -> SMTP:
    """Return a connection if it was greeted by a host. Raises OSError."""
    if host.encode() not in greeting[1]:
        smtp.close()
        raise ConnectionError(f"{greeting[1]!r} is not from {host}")
    return smtp
