"""The outbox: letters on the disk, handed to a relay or read where they are."""

import logging
import smtplib
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses

from pbm_oust.config import Endpoint
from pbm_oust.home import Home

log = logging.getLogger("pbm_oust")

_PATIENCE = 60
"""Seconds that a relay may take to answer."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter in the outbox."""

    name: str
    message: EmailMessage

    @property
    def recipients(self) -> list[str]:
        """The addresses that the letter goes to."""
        return [address for _, address in getaddresses(self.message.get_all("To", []))]

    def header(self, name: str) -> str:
        """Return a header's value, or an empty text."""
        return str(self.message.get(name, ""))


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the letters when the outbox was flushed."""

    sent: int
    kept: int


def read_letters(home: Home) -> Iterator[Letter]:
    """Yield the letters in the outbox, oldest first."""
    for name in home.letters():
        yield read_letter(home, name)


def read_letter(home: Home, name: str) -> Letter:
    """Return a letter of the outbox. Raises NoSuchFile."""
    message = message_from_bytes(home.read_letter(name), policy=policy.default)
    assert isinstance(message, EmailMessage)  # noqa: S101 - what this policy makes
    return Letter(name, message)


def flush(home: Home, relay: Endpoint, address: str) -> Flushed:
    """Hand every letter to a relay and take those that it accepts out of the outbox.

    A letter that the relay does not accept now stays for a later time. Raises OSError where the
    relay does not answer or goes away; smtplib's own errors are OSErrors.
    """
    sent = kept = 0
    local, _, host = address.rpartition("@")
    with home.locked_outbox():
        letters = list(read_letters(home))
        if not letters:
            return Flushed(0, 0)
        with smtplib.SMTP(relay.host, relay.port, local_hostname=host, timeout=_PATIENCE) as smtp:
            for letter in letters:
                try:
                    refused = smtp.send_message(
                        letter.message, f"{local}+bounces@{host}", letter.recipients
                    )
                except smtplib.SMTPServerDisconnected:
                    raise
                except smtplib.SMTPException as error:
                    log.warning("relay refused %s: %s", letter.name, type(error).__name__)
                    kept += 1
                    continue
                if refused:
                    log.warning("relay refused %d recipients of %s", len(refused), letter.name)
                home.remove_letter(letter.name)
                sent += 1
    return Flushed(sent, kept)
