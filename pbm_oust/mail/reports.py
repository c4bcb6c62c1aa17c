"""Bounces: reading what mail servers write about a letter that failed (RFC 3464, RFC 6533).

The address that a bounce comes to has a token of the recipient. So whatever names an address that
fits the token says whose letter it was: a delivery report, or the plain text that some write.
"""

import base64
import binascii
import hmac
import quopri
import re
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser

from msgspec import Struct

from pbm_oust.accounts.address import is_address, parse_address
from pbm_oust.accounts.bounces import status_of
from pbm_oust.accounts.tags import bounce_token, tag_of
from pbm_oust.mail.reading.body import parts_of, text_of

_REPORTS = ("message/delivery-status", "message/global-delivery-status")
_RETURNED = ("message/rfc822", "message/global")
_RETURNED_HEADERS = ("text/rfc822-headers", "message/global-headers", "message/rfc822-headers")
_LONGEST = 64 * 1024
"""The most bytes of a plain bounce that are read."""
_ADDRESS = re.compile(
    r"(?:\"[^\s<>\"]{1,64}\"|[^\s<>()\[\],;:\"']{1,64})@[^\s<>()\[\],;:\"']{1,255}"
)
_MOST_ADDRESSES = 100
_FROM_ROBOT = re.compile(
    r"daemon|postmaster|mail ?(?:delivery|server|system|administrator)|microsoftexchange",
    re.IGNORECASE,
)
_COPY = re.compile(
    r"^(?:-{2,}|={2,}|\s*>).{0,20}(?:copy of|below this line|returned|original|unsent|forwarded)"
    r".*$|^return-path:",
    re.IGNORECASE | re.MULTILINE,
)
"""The line above the returned letter in a plain bounce."""
_LATE = re.compile(
    r"delayed|warning|not yet been|still (?:being )?(?:retry|try)|will (?:be retried|keep trying)"
    r"|continue to (?:try|retry)|will (?:try|retry)",
    re.IGNORECASE,
)
_FAILED = re.compile(
    r"permanent|fatal|fail|undeliver|could ?n[o']t (?:be )?deliver|can ?not (?:be )?deliver"
    r"|not (?:be )?delivered|unable to|no such|unknown|does not exist|rejected|returned|giving up"
    r"|\b5\d\d\b|^<\S+>\s?:",
    re.IGNORECASE | re.MULTILINE,
)
"""Phrases about a failed letter; qmail heads its reasons with an address in any language."""
_FOR_GOOD = re.compile(r"(?<![\d.])5\.\d{1,3}\.\d{1,3}|\b55\d\b|permanent")
_CODE_POINT = re.compile(r"\\x\{([0-9A-Fa-f]{2,6})\}")
"""A letter beyond ASCII in an address of RFC 6533."""


class FailedDelivery(Struct, frozen=True):
    """A report on a letter that was not delivered."""

    recipient: str
    status: str
    """The reason as in RFC 3463: 5.1.1."""
    letter: str
    """The Message-ID of the letter, or else that of the report."""
    subject: str


def read_report(message: Message, sent_to: str, key: bytes) -> FailedDelivery | None:
    """Return the failed delivery in a report to `sent_to`; None if there is none.

    It has a part message/delivery-status (RFC 3464), or the same with letters beyond ASCII (RFC
    6533); or it is the text of a mail server, as qmail writes it. A report that a letter is late,
    or that it arrived, is none. Nor is a report whose recipient does not match the token in
    `sent_to`.
    """
    token = tag_of(sent_to).partition(".")[2]
    groups = list(_fields_of_recipients(message))
    returned = _returned_letter(message)
    if not groups:
        return _read_text(message, token, key)
    to = _addresses(f"{returned.get('To', '')} {text_of(parts_of(message))}")
    ours = [fields for fields in groups if any(_is_of(token, key, name) for name in _named(fields))]
    for fields in ours or groups:
        if _field(fields, "Action").lower() != "failed":
            continue
        recipient = _first_of(token, key, [*_named(fields), *to])
        if recipient:
            status = status_of(_field(fields, "Status"), _field(fields, "Diagnostic-Code"))
            return _failed(recipient, status, returned, message)
    return None


def _read_text(message: Message, token: str, key: bytes) -> FailedDelivery | None:
    """Return the failed delivery in the plain words of a mail server, or None."""
    failed = str(message.get("X-Failed-Recipients", ""))
    if not (failed or _FROM_ROBOT.search(str(message.get("From", "")))):
        return None
    text = text_of(parts_of(message))[:_LONGEST]
    copy = _COPY.search(text)
    told, rest = (text[: copy.start()], text[copy.start() :]) if copy else (text, "")
    subject = str(message.get("Subject", ""))
    if _LATE.search(subject) or (_LATE.search(told) and not _FOR_GOOD.search(told)):
        return None
    if not (failed or _FAILED.search(f"{subject}\n{told}")):
        return None
    returned = _returned_letter(message)
    if not returned.items():
        head = rest.partition("\n")[2].lstrip() if not rest.lower().startswith("return") else rest
        returned = Parser().parsestr(head, headersonly=True)
    recipient = _first_of(token, key, _addresses(f"{failed} {text} {returned.get('To', '')}"))
    if not recipient:
        return None
    return _failed(recipient, status_of("", told), returned, message)


def _failed(recipient: str, status: str, returned: Message, report: Message) -> FailedDelivery:
    letter = returned.get("Message-ID") or report.get("Message-ID") or ""
    return FailedDelivery(recipient, status, str(letter), str(returned.get("Subject", "")))


def _field(fields: Message, name: str) -> str:
    return str(fields.get(name, "")).strip()


def _named(fields: Message) -> list[str]:
    """Return the addresses of one recipient: the one in the letter, and the final one."""
    values = (_field(fields, name) for name in ("Original-Recipient", "Final-Recipient"))
    return [_decoded(value.rpartition(";")[2].strip().strip("<>")) for value in values]


def _decoded(address: str) -> str:
    """Return an address of a report with numbered letters decoded (RFC 6533)."""
    try:
        return _CODE_POINT.sub(lambda found: chr(int(found[1], 16)), address)
    except ValueError:
        return address


def _addresses(text: str) -> list[str]:
    """Return the addresses in a text without repetitions, up to a limit."""
    ended = (address.rstrip(".") for address in _ADDRESS.findall(text[:_LONGEST]))
    found = (each for address in ended for each in (address, address.lstrip(".")))
    return list(dict.fromkeys(found))[:_MOST_ADDRESSES]


def _first_of(token: str, key: bytes, addresses: list[str]) -> str:
    """Return the first address that matches a token, or an empty text."""
    found = next((each for each in addresses if _is_of(token, key, each)), "")
    return parse_address(found) if is_address(found) else found


def _is_of(token: str, key: bytes, recipient: str) -> bool:
    wanted = bounce_token(key, recipient).encode()
    return bool(recipient) and hmac.compare_digest(wanted, token.encode("utf-8", "replace"))


def _parts(message: Message) -> list[Message]:
    payload = message.get_payload() if message.is_multipart() else []
    return [part for part in payload if isinstance(part, Message)]


def _leaves(message: Message) -> Iterator[Message]:
    """Yield the parts of a mail without parts of their own, and attached mails."""
    left = _parts(message)
    while left:
        part = left.pop(0)
        if part.get_content_maintype() == "multipart":
            left[:0] = _parts(part)
        else:
            yield part


def _fields_of_recipients(message: Message) -> Iterator[Message]:
    """Yield the groups of fields of a report, one about the message and one for each recipient."""
    for part in _leaves(message):
        if part.get_content_type() in _REPORTS:
            for group in re.split(r"\n[ \t]*\n", _inner_text(part)):
                yield Parser().parsestr(group.lstrip("\n"), headersonly=True)


def _returned_letter(message: Message) -> Message:
    """Return the letter in a report, or its headers; an empty one if there is none."""
    for part in _leaves(message):
        kind = part.get_content_type()
        if kind in _RETURNED or kind in _RETURNED_HEADERS:
            return Parser().parsestr(_inner_text(part).lstrip("\n"), headersonly=True)
    return Message()


def _inner_text(part: Message) -> str:
    """Return the text of a part, also of an attached mail that is encoded all the same."""
    if not part.is_multipart():
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
    else:
        data = b"\n\n".join(each.as_bytes().strip(b"\n") for each in _parts(part))
        encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
        try:
            if encoding == "base64":
                data = base64.b64decode(data, validate=False)
            elif encoding == "quoted-printable":
                data = quopri.decodestring(data)
        except binascii.Error:
            return ""
    return data.decode("utf-8", "replace").replace("\r\n", "\n")
