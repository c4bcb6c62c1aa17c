"""Mail as it arrives: bytes become the few things that matter. Pure, and never raises.

Headers are decoded one by one with the tolerant parser of the standard library; a header that
cannot be decoded is taken as it stands, so that dirt in one never loses the whole mail.
"""

import hashlib
import re
from collections import defaultdict
from dataclasses import dataclass
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses

from pbm_oust.mail.text import own_text
from pbm_oust.players import is_address

LARGEST_HEADERS = 32 * 1024
LARGEST_HEADER = 4 * 1024
MOST_PARTS = 100
DEEPEST_PART = 10
LONGEST_CHAT = 10_000

_REPLY_PREFIX = re.compile(
    r"\s*(?:"
    r"(?:re|aw|sv|vs|antw|odp|ynt|rif|res|ref|wg|tr|fw|fwd|enc|rv|doorst|i|r)"
    r"\s*(?:\[\d+\]|\*\d+|\(\d+\))?\s*[:\uff1a]"
    r"|\[[^\]]{1,40}\]"
    r"|\*{3,5}\s?spam\s?\*{3,5}"
    r")\s*",
    re.IGNORECASE,
)

_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "to")

_HEADER = re.compile(rb"^[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE)
_PART_HEADER = re.compile(rb"^content-[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)


class UnreadableMail(ValueError):
    """A mail that is not parsed because doing so could cost too much; the message says why."""


@dataclass(frozen=True, slots=True)
class Mail:
    """What matters of a mail."""

    sender: str
    """The address that an answer goes to, or an empty text where there is none."""
    subjects: tuple[str, ...]
    """The Subjects, decoded, reply prefixes taken off; usually one."""
    text: str
    """What the sender wrote himself: without quotes, signature and attachments."""
    message_id: str
    identity: str
    """The Message-ID, or else what tells the mail from others by its content."""
    recipients: tuple[str, ...]
    """Whom the mail says it is for, which counts only where the envelope is not known."""
    headers: Message
    """The parsed message, for a look at its other headers."""


def read_mail(data: bytes, envelope_sender: str = "") -> Mail:
    """Return what matters of a mail; without an address in From, it is from the envelope sender.

    Raises UnreadableMail for a mail that exceeds the limits.
    """
    _check_limits(data)
    try:
        message = message_from_bytes(data)
    except RecursionError:
        raise UnreadableMail("its parts lie too deep in one another") from None
    raw = _raw_headers(message)
    subjects = [_decoded(value) for value in raw["subject"]]
    text = _body(message)
    message_id = _one_line("".join(raw["message-id"][:1]))
    content = "\0".join((*subjects, *raw["date"], text))
    digest = hashlib.sha256(content.encode()).hexdigest()
    return Mail(
        sender=first_address(raw["from"]) or first_address([envelope_sender]),
        subjects=tuple(without_prefixes(subject) for subject in subjects),
        text=own_text(text)[:LONGEST_CHAT],
        message_id=message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", message_id) else "",
        identity=message_id or f"content {digest}",
        recipients=tuple(
            address
            for name in _RECIPIENT_HEADERS
            for address in (first_address([value]) for value in raw[name])
            if address
        ),
        headers=message,
    )


def whole_text(data: bytes) -> str:
    """Return the text of a mail with all that is quoted in it. Raises UnreadableMail."""
    _check_limits(data)
    try:
        return _body(message_from_bytes(data))
    except RecursionError:
        raise UnreadableMail("its parts lie too deep in one another") from None


def without_prefixes(subject: str) -> str:
    """Return a Subject without reply prefixes, list tags and spam tags in front."""
    while match := _REPLY_PREFIX.match(subject):
        subject = subject[match.end() :]
    return subject.strip()


def _check_limits(data: bytes) -> None:
    """Refuse what the parser could spend minutes or its whole stack on."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    headers, _, body = data.partition(b"\n\n")
    of_parts = _PART_HEADER.findall(body)
    if len(headers) > LARGEST_HEADERS:
        raise UnreadableMail(f"the headers are larger than {LARGEST_HEADERS} bytes")
    if any(len(each) > LARGEST_HEADER for each in (*_HEADER.findall(headers), *of_parts)):
        raise UnreadableMail(f"a header is larger than {LARGEST_HEADER} bytes")
    if len(re.findall(rb"^--", body, re.MULTILINE)) > MOST_PARTS or len(of_parts) > MOST_PARTS * 4:
        raise UnreadableMail(f"there are more than {MOST_PARTS} parts")


def _raw_headers(message: Message) -> dict[str, list[str]]:
    """Return the values of all headers by their names in lower case, encoded words as they are.

    Bytes beyond ASCII are taken as UTF-8; what is not becomes U+FFFD.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for name, value in message.raw_items():
        raw = str(value).encode("utf-8", "surrogateescape")
        found[name.lower()].append(raw.decode("utf-8", "replace"))
    return found


def _decoded(value: str) -> str:
    """Return a header's value as text in one line; what cannot be decoded becomes U+FFFD."""
    try:
        parts = decode_header(value)
        value = "".join(_part_text(part, charset) for part, charset in parts)
    except Exception:  # noqa: BLE001, S110 - the raw text stands where decoding fails
        pass
    return _one_line(_without_surrogates(value))


def _part_text(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    try:
        return part.decode(charset or "raw-unicode-escape", "replace")
    except LookupError:
        return part.decode("ascii", "replace")


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _without_surrogates(text: str) -> str:
    """Return a text that can be written as UTF-8; some charsets decode to what cannot."""
    return text.encode("utf-8", "replace").decode()


def first_address(values: list[str]) -> str:
    """Return the first address in the values of From that is one, or an empty text."""
    lines = [_one_line(value) for value in values]
    try:
        found = [address for _, address in getaddresses(lines)]
    except Exception:  # noqa: BLE001 - the parser gives up in several ways
        found = re.findall(r"<([^<>]*)>", " ".join(lines))
    return next(filter(is_address, found), "")


def _body(message: Message) -> str:
    """Return the text of the first part that is plain text and no attachment."""
    part = _plain_part(message, 0)
    if part is None:
        return ""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = part.get_content_charset("utf-8")
    try:
        text = payload.decode(charset)
    except (LookupError, UnicodeDecodeError, ValueError):
        text = payload.decode("utf-8", "replace")
    text = _without_surrogates(text)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def _plain_part(message: Message, depth: int) -> Message | None:
    if depth > DEEPEST_PART:
        return None
    if message.get_content_maintype() == "message":
        return None
    if message.is_multipart():
        for part in message.get_payload():
            found = _plain_part(part, depth + 1) if isinstance(part, Message) else None
            if found is not None:
                return found
        return None
    is_text = message.get_content_type() == "text/plain"
    attached = message.get_content_disposition() == "attachment"
    return message if is_text and not attached else None
