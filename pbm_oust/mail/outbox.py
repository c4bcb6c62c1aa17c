"""The outbox: letters on the disk, handed to a relay or read where they are."""

import logging
import smtplib
from collections.abc import Iterator
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from pbm_oust.config import Endpoint
from pbm_oust.home import Home, NoSuchFile

log = logging.getLogger("pbm_oust")

_PATIENCE = 60
"""Seconds that a relay may take to answer."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter in the outbox, which goes to one address."""

    name: str
    message: EmailMessage

    @property
    def recipient(self) -> str:
        """The address that the letter goes to; empty where it cannot be read."""
        return self.header("To")

    def header(self, name: str) -> str:
        """Return a header's value, or an empty text where there is none that can be read."""
        try:
            return str(self.message.get(name, ""))
        except Exception:  # noqa: BLE001 - the parser fails in several ways on what is not ours
            return ""


@dataclass(frozen=True, slots=True)
class Flushed:
    """What became of the letters when the outbox was flushed."""

    sent: int
    kept: int


def read_letters(home: Home) -> Iterator[Letter]:
    """Yield the letters in the outbox, oldest first; those that go meanwhile are left out."""
    for name in home.letters():
        try:
            yield read_letter(home, name)
        except NoSuchFile:
            continue


def read_letter(home: Home, name: str) -> Letter:
    """Return a letter of the outbox. Raises NoSuchFile."""
    parser = BytesParser(EmailMessage, policy=policy.default)
    return Letter(name, parser.parsebytes(home.read_letter(name)))


def flush(home: Home, relay: Endpoint, address: str) -> Flushed:
    """Hand every letter to a relay and take those that it accepts out of the outbox.

    A letter that the relay does not accept now stays for a later time, and does not hold up the
    others. Raises OSError where the relay does not answer or goes away; smtplib's own errors are
    OSErrors.
    """
    sent = kept = 0
    local, _, host = address.rpartition("@")
    bounces = f"{local}+bounces@{host}"
    with home.locked_outbox():
        letters = list(read_letters(home))
        if not letters:
            return Flushed(0, 0)
        with smtplib.SMTP(relay.host, relay.port, local_hostname=host, timeout=_PATIENCE) as smtp:
            for letter in letters:
                reason = _send(smtp, letter, bounces)
                if reason:
                    log.warning("letter %s stays in the outbox: %s", letter.name, reason)
                    kept += 1
                else:
                    home.remove_letter(letter.name)
                    sent += 1
    return Flushed(sent, kept)


def _send(smtp: smtplib.SMTP, letter: Letter, bounces: str) -> str | None:
    """Hand over a letter and return None, or why it was not accepted. Raises OSError."""
    if not letter.recipient:
        return "its recipient cannot be read"
    try:
        smtp.send_message(letter.message, bounces, [letter.recipient])
    except smtplib.SMTPServerDisconnected:
        raise
    except smtplib.SMTPRecipientsRefused as error:
        code, text = error.recipients[letter.recipient]
        return f"{code} {text.decode('ascii', 'replace')}"
    except smtplib.SMTPResponseException as error:
        return f"{error.smtp_code} {error.smtp_error!r}"
    except (smtplib.SMTPException, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None
