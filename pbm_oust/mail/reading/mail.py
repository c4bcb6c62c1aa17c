"""From the bytes of a mail to the few things that matter. Pure."""

import hashlib
import re
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message

from pbm_oust.frozen import frozen
from pbm_oust.mail.reading.body import is_closed, text_of
from pbm_oust.mail.reading.headers import first_address, header_text, one_line, raw_headers
from pbm_oust.mail.reading.limits import UnreadableMail, within_limits
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.mail.reading.prefixes import without_prefixes

LONGEST_CHAT = 10_000
LONGEST_LINE = 120
"""How much is told of a line that was left out."""

_MOST_ANSWERED = 3
"""How many Message-IDs in In-Reply-To count."""
_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "to")


@frozen
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
    """The Message-ID or, if there is none, a digest of the content."""
    answered: tuple[str, ...]
    """The Message-IDs that the mail seems to answer, the likeliest first."""
    headers: Mapping[str, list[str]]
    """The values of all headers by their names in lower case; encoded words stay encoded."""
    message: Message
    """The parsed message, for its parts."""

    @property
    def recipients(self) -> tuple[str, ...]:
        """The recipients in the headers; they count only if the envelope is not known."""
        values = (value for name in _RECIPIENT_HEADERS for value in self.headers[name])
        return tuple(filter(None, (first_address([value]) for value in values)))


def read_mail(data: bytes, envelope_sender: str = "") -> Mail:
    """Return what matters about a mail; if From has no address, its envelope sender wrote it.

    Raises UnreadableMail for a mail that exceeds the limits.
    """
    message = _parsed(data)
    raw = raw_headers(message)
    subjects = [header_text(value) for value in raw["subject"]]
    text = text_of(message)
    message_id = one_line("".join(raw["message-id"][:1]))
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
        identity=message_id or f"content {_digest(*subjects, *raw['date'], text)}",
        answered=_answered(raw),
        headers=raw,
        message=message,
    )


def whole_text(data: bytes) -> str:
    """Return the text of a mail with everything it quotes. Raises UnreadableMail."""
    return text_of(_parsed(data))


def _digest(*texts: str) -> str:
    """Return what sets a mail without a Message-ID apart."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def _answered(raw: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Return the Message-IDs in In-Reply-To, and the last one in References."""
    named = re.findall(r"<[^<>\s]+>", " ".join(raw["in-reply-to"]))
    return (*named[:_MOST_ANSWERED], *re.findall(r"<[^<>\s]+>", " ".join(raw["references"]))[-1:])


def _parsed(data: bytes) -> Message:
    try:
        return message_from_bytes(within_limits(data))
    except RecursionError:
        raise UnreadableMail("its parts lie too deep in one another") from None
