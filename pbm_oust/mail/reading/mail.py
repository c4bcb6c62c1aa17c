"""Mails as values: sender, Subject, text, and identity. Pure."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from email import message_from_bytes
from email.message import Message
from enum import Enum
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import TypeVar

from msgspec import Struct

from pbm_oust.accounts.address import ascii_host
from pbm_oust.accounts.asks import mail_id
from pbm_oust.board import sgf
from pbm_oust.mail.reading.body import BodyPart, has_closed_text, has_reaction, parts_of, text_of
from pbm_oust.mail.reading.charsets import decoded
from pbm_oust.mail.reading.headers import (
    first_address,
    first_name,
    header_text,
    one_line,
    raw_headers,
)
from pbm_oust.mail.reading.limits import (
    LARGEST_HEADERS,
    UnreadableMail,
    within_limits,
    without_parameters,
)
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.mail.reading.phrases import is_receipt, without_prefixes
from pbm_oust.mail.reading.results import MethodResult, NotReadable, parse_results

LONGEST_CHAT = 10_000
LONGEST_LINE = 120
"""The most characters shown of a line that was left out."""

_RECIPIENT_HEADERS = ("delivered-to", "x-original-to", "envelope-to", "to")
_MESSAGE_ID = re.compile(rb"^message-id:\s*(<[!-;=?-~]{1,250}>)\s*$", re.IGNORECASE | re.MULTILINE)
_OF_THIS_HOST = (MemoryError, OSError, ImportError)
"""Errors of this host, which no mail causes."""
T = TypeVar("T")


class Mail(Struct, frozen=True):
    """A parsed mail."""

    sender: str
    """The address for an answer, or an empty text."""
    name: str
    """The name beside the first address in From; often empty."""
    subjects: tuple[str, ...]
    """The Subjects, decoded and without reply prefixes; usually one."""
    text: str
    """The sender's certain words, without quotes, signature and attachments."""
    unsure: str
    """Text between quotes, or near a probable quote: perhaps by others."""
    left_out: str
    """The first line of dropped text that may be the sender's; often empty."""
    is_text_closed: bool
    """Whether some text cannot be read: it is encrypted, or in winmail.dat."""
    message_id: str
    identity: str
    """What sets the mail apart from all others of its sender: a digest of its Message-ID and
    content. The same mail has the same one whichever way it came, and whenever it was sent again;
    its Date counts only if it has no Message-ID."""
    former: tuple[str, ...]
    """What set it apart in earlier versions of the program: its Message-ID alone, if it has one; a
    digest of all, with its Date."""
    headers: Mapping[str, list[str]]
    """The values of all headers by their names in lower case; encoded words stay encoded."""
    headers_text: str
    """The headers in small letters, a line `name: value` for each."""
    kind: str
    """The type in Content-Type: `multipart/report`."""
    is_reaction: bool
    """Whether it is only a reaction to another mail, such as an emoji of Gmail."""
    is_receipt: bool
    """Whether it is a read receipt, or a program's request to recall a mail."""

    @property
    def short_id(self) -> str:
        """The short id by which it can be followed through the log."""
        return mail_id(self.message_id, self.identity)

    @property
    def recipients(self) -> tuple[str, ...]:
        """The recipients in the headers, in use only if the envelope is unknown."""
        found = list[str]()
        for name in _RECIPIENT_HEADERS:
            for value in self.headers[name]:
                if address := first_address((value,)):
                    found.append(address)
        return tuple(found)


def read_mail(data: bytes, envelope_sender: str = "") -> Mail:
    """Return the parsed mail; without an address in From, its sender is the envelope's.

    Raises UnreadableMail for a mail that exceeds the limits, or cannot be parsed.
    """
    return taken_apart(data, partial(_read, envelope_sender))


def short_id(data: bytes) -> str:
    """Return the short id of a mail that cannot be read, or is not yet; its beginning is enough.

    Where that has no Message-ID, all its bytes make the id.
    """
    beginning = data[:LARGEST_HEADERS]
    found = _MESSAGE_ID.search(re.split(rb"\r?\n\r?\n", beginning, maxsplit=1)[0])
    return mail_id(found[1].decode() if found else "", sha256(beginning).hexdigest())


def whole_texts(data: bytes) -> list[str]:
    """Return the texts of a mail with all quotes, and its attached texts.

    First comes the text that would be read, then each form of it. Raises UnreadableMail.
    """
    return taken_apart(data, lambda message: [*_texts(parts_of(message)), *_files(message)])


def _texts(parts: list[BodyPart]) -> Iterator[str]:
    """Yield the text of a mail as it is read, and then the text of each part, without files."""
    yield text_of(parts)
    yield from (text_of([part]) for part in parts if not part.is_attached)


def _files(message: Message) -> Iterator[str]:
    """Yield the attachments of a mail as text."""
    for part in message.walk():
        content = part.get_payload(decode=True) if part.get_filename() else None
        if isinstance(content, bytes):
            charset = part.get_content_charset()
            text = None if charset else sgf.decoded(content)
            yield text or decoded(content, charset or "utf-8")


def taken_apart(data: bytes, read: Callable[[Message], T]) -> T:
    """Return the result of `read`, which is pure, for a parsed mail.

    Errors are due to the bytes of the mail: the library has many ways to fail over a header or
    parameter. The mail is then parsed without the usual cause, or is refused for good. Raises
    UnreadableMail.
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


def _read(envelope_sender: str, message: Message) -> Mail:
    raw = raw_headers(message)
    headers_text = ""
    for name, values in raw.items():
        for value in values:
            headers_text += f"{name}: {one_line(value)}\n".lower()
    subjects = list(map(header_text, raw["subject"]))
    parts = parts_of(message)
    text = text_of(parts)
    message_id = one_line("".join(raw["message-id"][:1]))
    dates = [] if message_id.strip("<> ") else raw["date"]
    own = own_text(text)
    beyond = f"{own.sure}\n{own.unsure}"[LONGEST_CHAT:].strip().partition("\n")[0]
    return Mail(
        sender=first_address(tuple(raw["from"])) or first_address((envelope_sender,)),
        name=first_name(tuple(raw["from"])),
        subjects=tuple(map(without_prefixes, subjects)),
        text=own.sure[:LONGEST_CHAT],
        unsure=own.unsure[: max(0, LONGEST_CHAT - len(own.sure))],
        left_out=(own.left_out or beyond)[:LONGEST_LINE],
        is_text_closed=not text.strip() and has_closed_text(parts),
        message_id=message_id if re.fullmatch(r"<[!-;=?-~]{1,250}>", message_id) else "",
        identity=_digest(message_id, *dates, *subjects, text),
        former=(
            message_id or f"content {_digest(*subjects, *raw['date'], text)}",
            _digest(message_id, *subjects, *raw["date"], text),
        ),
        headers=raw,
        headers_text=headers_text,
        kind=message.get_content_type(),
        is_reaction=has_reaction(parts),
        is_receipt=any(is_receipt(subject, text) for subject in subjects),
    )


def _digest(*texts: str) -> str:
    """Return the hash of some texts."""
    return sha256("\0".join(texts).encode()).hexdigest()


MOST_HEADERS = 3
"""The number of headers used, from the top: each filter of a server may add one."""
LONGEST_HEADER = 1500

_DOMAIN = r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_ADDRESS = rf"[^\s\"<>@,;:()\\]+@{_DOMAIN}"
_ONLY_ADDRESS = re.compile(
    rf'(?P<bare>{_ADDRESS})|(?:[^"<>@,;:()\\]|"[^"<>@\\]*")*<(?P<named>{_ADDRESS})>'
)
"""A From that all programs read alike: an address, or a name and an address in `<>`."""
_WORD = re.compile(r"[\w.\-\x80-\U0010ffff]{1,255}")


class Verdict(Enum):
    """The authenticity of a mail's From."""

    VERIFIED = "verified"
    """The domain has sent the mail."""
    FORGED = "forged"
    """The domain has not sent the mail, by DMARC."""
    UNKNOWN = "unknown"


def verdict_of(mail: Mail, authserv_id: str) -> Verdict:
    """Return the verdict on a mail's From in the headers of our mail server, by its name.

    If it is verified, the sender of the mail is the only address there.
    """
    froms = mail.headers["from"]
    read = [_read_results(value) for value in mail.headers["authentication-results"][:MOST_HEADERS]]
    ours = [results for server, results in filter(None, read) if server == authserv_id.lower()]
    if any((each.method, each.found) == ("dmarc", "fail") for each in chain.from_iterable(ours)):
        return Verdict.FORGED
    # One that cannot be read may be ours, and what stands below it may not.
    first = next((each for each in read if not each or each[0] == authserv_id.lower()), None)
    if first and len(froms) == 1 and len(froms[0]) <= LONGEST_HEADER:
        sender = _in_ascii(mail.sender)
        is_sure = sender and _only_address(_in_ascii(froms[0])) == sender
        if is_sure and _is_verified(first[1], sender.rpartition("@")[2].lower()):
            return Verdict.VERIFIED
    return Verdict.UNKNOWN


def _read_results(value: str) -> tuple[str, tuple[MethodResult, ...]] | None:
    """Return the server and the results in a header, or None if it cannot be read."""
    if len(value) > LONGEST_HEADER:
        return None
    try:
        return parse_results(_in_ascii(one_line(value)))
    except NotReadable:
        return None


def _only_address(value: str) -> str:
    """Return the address of an unambiguous From, or an empty text."""
    match = _ONLY_ADDRESS.fullmatch(one_line(value))
    return (match["bare"] or match["named"]) if match else ""


def _is_verified(results: Sequence[MethodResult], domain: str) -> bool:
    """Return whether a domain has sent a mail, by DMARC, DKIM or SPF."""
    if sum(each.method == "dmarc" for each in results) > 1:
        return False
    return any(
        signer == domain if each.method == "dmarc" else _is_aligned(domain, signer)
        for each in results
        if each.found == "pass"
        for signer in _signers(each)
    )


def _signers(result: MethodResult) -> Iterator[str]:
    """Yield the sender's domain by the result of a method."""
    names = {"dmarc": "header.from", "dkim": "header.d", "spf": "smtp.mailfrom"}
    values = result.properties.get(names.get(result.method, ""), ())
    if len(values) == 1:
        yield values[0].rpartition("@")[2]


def _in_ascii(text: str) -> str:
    """Return a text with its domains in ASCII, and no other change."""
    return _WORD.sub(lambda found: ascii_host(found[0]) or found[0], text)


def _is_aligned(domain: str, signer: str) -> bool:
    """Return whether a domain equals a signer's, or lies below it.

    Without a list of public suffixes nothing more can be said of two domains (RFC 7489, 3.1).
    """
    is_domain = re.fullmatch(_DOMAIN, signer) is not None
    return is_domain and (domain == signer or domain.endswith(f".{signer}"))
