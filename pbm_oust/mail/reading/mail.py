"""From the bytes of a mail to the few things that matter. Pure."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from email import message_from_bytes
from email.message import Message
from typing import TypeVar

from dataclasses import dataclass
from pbm_oust.mail.reading.body import is_closed, is_reaction, text_of
from pbm_oust.mail.reading.charsets import decoded
from pbm_oust.mail.reading.headers import first_address, header_text, one_line, raw_headers
from pbm_oust.mail.reading.limits import UnreadableMail, within_limits, without_parameters
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.mail.reading.prefixes import without_prefixes

LONGEST_CHAT = 10_000
LONGEST_LINE = 120
"""How much is told of a line that was left out."""

_MOST_ANSWERED = 3
"""How many Message-IDs in In-Reply-To count."""
_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "to")
_OF_THIS_HOST = (MemoryError, OSError, ImportError)
"""Faults that no mail is guilty of."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Mail:
    """What matters about a mail."""

    sender: str
    """The address that an answer goes to, or an empty text."""
    subjects: tuple[str, ...]
    """The Subjects, decoded and without reply prefixes; usually one."""
    text: str
    """What the sender certainly wrote, without quotes, signature and attachments."""
    unsure: str
    """What stands between quotes, or where a quote seems to be: perhaps others wrote it."""
    left_out: str
    """The first line of what the sender may have written and nobody is told; often empty."""
    is_text_closed: bool
    """Whether there is a text that we cannot read: encrypted, or in winmail.dat."""
    message_id: str
    identity: str
    """What sets the mail apart from all others of its sender: a digest of its Message-ID and
    content. The same mail has the same one whichever way it came, and whenever it was sent again;
    its Date counts only if it has no Message-ID."""
    answered: tuple[str, ...]
    """The Message-IDs that the mail seems to answer, the likeliest first."""
    headers: Mapping[str, list[str]]
    """The values of all headers by their names in lower case; encoded words stay encoded."""
    kind: str
    """What its Content-Type says it is: `multipart/report`."""
    is_reaction: bool
    """Whether it is a reaction to a mail, such as an emoji of Gmail, and no mail of its own."""

    @property
    def recipients(self) -> tuple[str, ...]:
        """The recipients in the headers; they count only if the envelope is not known."""
        values = (value for name in _RECIPIENT_HEADERS for value in self.headers[name])
        return tuple(filter(None, (first_address([value]) for value in values)))


def read_mail(data: bytes, envelope_sender: str = "") -> Mail:
    """Return what matters about a mail; if From has no address, its envelope sender wrote it.

    Raises UnreadableMail for a mail that exceeds the limits, or that cannot be taken apart.
    """
    return taken_apart(data, lambda message: _read(message, envelope_sender))


def whole_texts(data: bytes) -> list[str]:
    """Return the text of a mail with everything it quotes, and the files attached to it as text.

    Raises UnreadableMail.
    """
    return taken_apart(data, lambda message: [text_of(message), *_files(message)])


def _files(message: Message) -> Iterator[str]:
    """Yield what is attached to a mail, as text."""
    for part in message.walk():
        content = part.get_payload(decode=True) if part.get_filename() else None
        if isinstance(content, bytes):
            yield decoded(content, part.get_content_charset("utf-8"))


def taken_apart(data: bytes, read: Callable[[Message], T]) -> T:
    """Return what `read`, which is pure, makes of a mail.

    Whatever it raises is due to the bytes of the mail: the library has many ways to fail over a
    header or parameter. Then the mail is read without the usual cause of that, or is refused for
    good. Raises UnreadableMail.
    """
    data = within_limits(data)
    try:
        return read(message_from_bytes(data))
    except _OF_THIS_HOST:
        raise
    except Exception:  # noqa: BLE001 - see above
        data = without_parameters(data)
    try:
        return read(message_from_bytes(data))
    except _OF_THIS_HOST:
        raise
    except Exception as error:
        kind = type(error).__name__
        raise UnreadableMail(f"its headers or parts cannot be taken apart ({kind})") from error


def _read(message: Message, envelope_sender: str) -> Mail:
    raw = raw_headers(message)
    subjects = [header_text(value) for value in raw["subject"]]
    text = text_of(message)
    message_id = one_line("".join(raw["message-id"][:1]))
    dates = [] if message_id.strip("<> ") else raw["date"]
    own = own_text(text)
    beyond = f"{own.sure}\n{own.unsure}"[LONGEST_CHAT:].strip().partition("\n")[0]
    return Mail(
        sender=first_address(raw["from"]) or first_address([envelope_sender]),
        subjects=tuple(without_prefixes(subject) for subject in subjects),
        text=own.sure[:LONGEST_CHAT],
        unsure=own.unsure[: max(0, LONGEST_CHAT - len(own.sure))],
        left_out=(own.left_out or beyond)[:LONGEST_LINE],
        is_text_closed=not text.strip() and is_closed(message),
        message_id=message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", message_id) else "",
        identity=_digest(message_id, *dates, *subjects, text),
        answered=_answered(raw),
        headers=raw,
        kind=message.get_content_type(),
        is_reaction=is_reaction(message),
    )


def _digest(*texts: str) -> str:
    """Return a digest of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _answered(raw: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the Message-IDs in In-Reply-To, and the last one in References."""
    named = re.findall(r"<[^<>\s]+>", " ".join(raw["in-reply-to"]))
    return (*named[:_MOST_ANSWERED], *re.findall(r"<[^<>\s]+>", " ".join(raw["references"]))[-1:])
