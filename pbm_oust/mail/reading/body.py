"""The text of a mail among its parts."""

import re
from collections.abc import Iterator
from email.message import Message

from pbm_oust.mail.reading.charsets import decoded
from pbm_oust.mail.reading.flowed import unflowed
from pbm_oust.mail.reading.html import text_of_html
from pbm_oust.mail.reading.limits import DEEPEST_PART
from pbm_oust.mail.reading.pgp import ENCRYPTED, without_armour
from pbm_oust.regex import regex

_CLOSED_TYPES = (
    "application/ms-tnef",
    "application/vnd.ms-tnef",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
    "application/pgp-encrypted",
)
_NO_TEXT = dict.fromkeys(
    {*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0xFDD0, 0xFDF0)} - {0x09, 0x0A}
)
"""Characters that control terminals or programs and are not text."""
_CHARSET_OF_HTML = regex(rb"""<meta[^>]{0,100}charset=["']?([\w:.-]{1,40})""", re.IGNORECASE)


def text_of(message: Message) -> str:
    """Return the first text that is not an attachment: plain text, or else text made from HTML.

    It still has its quotes and signature. Quotes from HTML are marked with `>`.
    """
    parts = list(_text_parts(message, 0))
    for part in (each for each in parts if not _is_html(each)):
        text = without_armour(_plain(part))
        if text.strip():
            return text
    for part in filter(_is_html, parts):
        text = text_of_html(_content(part))
        if text.strip():
            return text
    return ""


def is_closed(message: Message) -> bool:
    """Return whether some part may hold a text that we cannot read.

    Such a part is encrypted, signed in a way that encloses the text, or Outlook's winmail.dat.
    """
    return any(
        part.get_content_type() in _CLOSED_TYPES
        or (part.get_content_type() == "text/plain" and ENCRYPTED in _content(part).split("\n"))
        for part in _parts(message, 0)
    )


def _parts(message: Message, depth: int) -> Iterator[Message]:
    """Yield the parts with content of their own; none from mails inside the mail."""
    if depth > DEEPEST_PART or message.get_content_maintype() == "message":
        return
    if not message.is_multipart():
        yield message
        return
    for part in message.get_payload():
        if isinstance(part, Message):
            yield from _parts(part, depth + 1)


def _text_parts(message: Message, depth: int) -> Iterator[Message]:
    """Yield the text parts; a part that claims to have parts and has none counts as text."""
    for part in _parts(message, depth):
        is_text = part.get_content_type() in ("text/plain", "text/html")
        is_whole = part.get_content_maintype() == "multipart"
        if (is_text or is_whole) and part.get_content_disposition() != "attachment":
            yield part


def _is_html(part: Message) -> bool:
    return part.get_content_subtype() == "html"


def _plain(part: Message) -> str:
    text = _content(part)
    if _parameter(part, "format") == "flowed":
        return unflowed(text, _parameter(part, "delsp") == "yes")
    return text


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of a part's Content-Type in lower case, or an empty text."""
    value = part.get_param(name, "")
    return str(value[2] if isinstance(value, tuple) else value).lower()


def _content(part: Message) -> str:
    """Return the text of a part, with newlines for line ends."""
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = part.get_content_charset()
    if charset is None and _is_html(part):
        named = _CHARSET_OF_HTML.search(payload[:2048])
        charset = named[1].decode() if named else None
    text = decoded(payload, charset or "utf-8")
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines.translate(_NO_TEXT).removeprefix("\ufeff")
