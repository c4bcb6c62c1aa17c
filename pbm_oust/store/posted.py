"""Reading the letters in the outbox."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser

from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.letters import State
from pbm_oust.store.outbox import name_of

_AS_WRITTEN = policy.default.clone(refold_source="none")
"""Keeps the headers of letters as they were written."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter in the outbox, which goes to one address."""

    name: str
    message: EmailMessage

    @property
    def recipient(self) -> str:
        """The address that the letter goes to; empty if it cannot be read."""
        return self.header("To")

    @property
    def subject(self) -> str:
        """The letter's Subject."""
        return self.header("Subject")

    @property
    def message_id(self) -> str:
        """The letter's Message-ID; its name if it has none."""
        return self.header("Message-ID") or self.name

    @property
    def text(self) -> str:
        """The text of the letter, without its HTML."""
        body = self.message.get_body(("plain",))
        return str(body.get_content()) if body else ""

    @property
    def posted(self) -> float:
        """When the letter was written, in seconds since the epoch; its name begins with it."""
        seconds, _, _ = self.name.partition(".")
        return float(seconds) if seconds.isdecimal() else 0.0

    def header(self, name: str) -> str:
        """Return a header's value, or an empty text if there is none or it cannot be read."""
        try:
            return str(self.message.get(name, ""))
        except Exception:  # noqa: BLE001 - the parser fails in several ways on what is not ours
            return ""


def read_letters(home: Home) -> Iterator[Letter]:
    """Yield the letters in the outbox, oldest first; those that leave meanwhile are left out."""
    return _read(home, home.outbox.letters())


def read_all_letters(home: Home) -> Iterator[tuple[Letter, State]]:
    """Yield all letters of the outbox, each once, with whether it waits, is held back or failed."""
    for listed in home.outbox.listed():
        state = State.WAITING if listed.state is State.FILE else listed.state
        with suppress(NoSuchFile):
            yield read_letter(home, name_of(listed)), state


def _read(home: Home, names: list[str]) -> Iterator[Letter]:
    for name in names:
        with suppress(NoSuchFile):
            yield read_letter(home, name)


def read_letter(home: Home, name: str) -> Letter:
    """Return a letter of the outbox. Raises NoSuchFile."""
    return Letter(name, parse_content(home.outbox.read(name)))


def parse_content(content: bytes) -> EmailMessage:
    """Return a letter as a message, with its headers as they were written."""
    return BytesParser(EmailMessage, policy=_AS_WRITTEN).parsebytes(content)


def on_the_wire(content: bytes, *, is_international: bool) -> bytes:
    """Return a letter with the line ends of SMTP, and with UTF-8 in its headers if that may be."""
    if content.isascii():
        return content.replace(b"\n", b"\r\n")
    policy = _AS_WRITTEN.clone(linesep="\r\n", utf8=is_international)
    return parse_content(content).as_bytes(policy=policy)
