"""The text of a mail among its parts."""

import codecs
import re
import tomllib
from collections.abc import Iterable
from email.message import Message
from functools import lru_cache
from pkgutil import get_data

from msgspec import Struct

from pbm_oust.mail.reading.html import text_of_html
from pbm_oust.mail.reading.limits import DEEPEST_PART

_MEANT: dict[str, str] = tomllib.loads((get_data(__package__, "charsets.toml") or b"").decode())
"""What the names of charsets mean that are not what they say."""

_NONE_OF_MAIL = ("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined")
"""Codecs of Python that are not charsets; some are slow."""

NO_TEXT = dict.fromkeys(
    {*range(0x20), 0x7F, *range(0x80, 0xA0), *range(0xFDD0, 0xFDF0)} - {0x09, 0x0A}
)
"""Characters that control terminals or programs and are not text."""


def decoded(data: bytes, charset: str) -> str:
    """Return bytes as text that can be written as UTF-8.

    Bytes that do not fit their charset, or whose charset is unknown, are read as UTF-8. What does
    not fit there becomes U+FFFD.
    """
    name = charset.strip().strip("\"'").partition("*")[0].lower()
    for candidate in (_MEANT.get(name, name), name):
        try:
            if codecs.lookup(candidate).name.replace("_", "-") not in _NONE_OF_MAIL:
                return without_surrogates(data.decode(candidate))
        except (LookupError, ValueError):
            continue
    return data.decode("utf-8", "replace")


def without_surrogates(text: str) -> str:
    """Return a text without surrogates, which some charsets decode to and UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


_SIGNATURE_LINE = "-- "


def unflowed(text: str, drops_space: bool) -> str:
    """Return a flowed text without soft line breaks, and with quotes marked by one `>`.

    `drops_space` is the parameter DelSp: the space that marks a soft break is not part of the text.
    """
    paragraphs: list[list[str]] = []
    open_depth = None
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if depth != open_depth or content == _SIGNATURE_LINE:
            paragraphs.append(["> "] if depth else [])
        is_soft = content.endswith(" ") and content != _SIGNATURE_LINE
        paragraphs[-1].append(content[:-1] if is_soft and drops_space else content)
        open_depth = depth if is_soft else None
    return "\n".join("".join(paragraph) for paragraph in paragraphs)


_ARMOUR = "-----BEGIN PGP "
_SIGNED = f"{_ARMOUR}SIGNED MESSAGE-----"
_PGP_SIGNATURE = f"{_ARMOUR}SIGNATURE-----"
_ENCRYPTED = f"{_ARMOUR}MESSAGE-----"


def without_armour(text: str) -> str:
    """Return the text that was signed, or the text above what was encrypted."""
    if _ARMOUR not in text:
        return text
    lines = text.split("\n")
    bare = [line.rstrip() for line in lines]
    if _ENCRYPTED in bare:
        return "\n".join(lines[: bare.index(_ENCRYPTED)])
    if _SIGNED not in bare:
        return text
    begin = bare.index(_SIGNED)
    try:
        begin = bare.index("", begin) + 1
        end = bare.index(_PGP_SIGNATURE, begin)
    except ValueError:
        return text
    return "\n".join(line.removeprefix("- ") for line in lines[begin:end])


_CLOSED_TYPES = (
    "application/ms-tnef",
    "application/vnd.ms-tnef",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
    "application/pgp-encrypted",
)
_REACTION = "text/vnd.google.email-reaction+json"
_NAMED = re.compile(
    r"(?<!\w)(?:file)?name\*?\d*\*?\s*=\s*[\"']?(?:[\w-]*'[\w-]*')?([^\"';]+)", re.IGNORECASE
)
_TYPED_ON_A_PHONE = re.compile(r"(?:text|mms)[-_]?\d*\.txt", re.IGNORECASE)
"""The names of texts that gateways of phones attach, beside pictures and pages of their own."""
_CHARSET_OF_HTML = re.compile(rb"""<meta[^>]{0,100}charset=["']?([\w:.-]{1,40})""", re.IGNORECASE)


class _Kind(Struct, frozen=True):
    """What a part says of its content in Content-Type."""

    type: str
    charset: str | None
    is_flowed: bool
    is_closed_up: bool
    """Whether the space at the end of a flowed line is no part of the text."""


class BodyPart(Struct, frozen=True):
    """A part of a mail."""

    message: Message
    kind: _Kind
    name: str
    """The name that it has as a file; empty if it has none."""

    @property
    def is_attached(self) -> bool:
        """Whether it is a file, unless it is named as phones name what was typed."""
        is_file = self.name or self.message.get_content_disposition() == "attachment"
        return bool(is_file) and not _TYPED_ON_A_PHONE.fullmatch(self.name)

    @property
    def is_text(self) -> bool:
        """Whether it is a text. Phones leave the type open that they have no name for.

        A part that claims to have parts and has none counts as text.
        """
        kind = self.kind.type
        if kind.startswith("application/"):
            return self.name.lower().endswith(".txt")
        return kind in ("text/plain", "text/html") or kind.startswith("multipart/")


def parts_of(message: Message) -> list[BodyPart]:
    """Return the parts with content of their own; none from mails inside the mail."""
    found = list[BodyPart]()
    waiting = [(message, 0)]
    while waiting:
        each, depth = waiting.pop()
        said = each.get("Content-Type")
        kind = _kind_said(None if said is None else str(said), each.get_default_type())
        if depth > DEEPEST_PART or kind.type.startswith("message/"):
            continue
        if each.is_multipart():
            inner = [part for part in each.get_payload() if isinstance(part, Message)]
            waiting += [(part, depth + 1) for part in reversed(inner)]
        else:
            named = _NAMED.search(f"{each.get('Content-Disposition', '')}; {said or ''}")
            found.append(BodyPart(each, kind, named[1].strip() if named else ""))
    return found


def text_of(parts: list[BodyPart]) -> str:
    """Return the texts that are no attachments: plain texts, or else texts made from HTML.

    They still have their quotes and signature. Quotes from HTML are marked with `>`. Phones attach
    what was typed: where no other text is, attached plain texts are the text.
    """
    html, plain, attached = list[BodyPart](), list[BodyPart](), list[BodyPart]()
    for part in parts:
        if part.is_text:
            is_html = part.kind.type.endswith("/html")
            if not part.is_attached:
                (html if is_html else plain).append(part)
            elif not is_html:
                attached.append(part)
    return (
        _joined(map(without_armour, map(_plain, plain)))
        or _joined(map(text_of_html, map(_content, html)))
        or _joined(map(_plain, attached))
    )


def _joined(texts: Iterable[str]) -> str:
    """Return those texts that hold something, each below the other."""
    return "\n\n".join(filter(str.strip, texts))


def has_closed_text(parts: list[BodyPart]) -> bool:
    """Return whether some part may hold a text that we cannot read.

    Such a part is encrypted, signed in a way that encloses the text, or Outlook's winmail.dat.
    """
    return any(
        part.kind.type in _CLOSED_TYPES
        or (part.kind.type == "text/plain" and _ENCRYPTED in _content(part).split("\n"))
        for part in parts
    )


def has_reaction(parts: list[BodyPart]) -> bool:
    """Return whether a mail reacts to another one with an emoji (RFC 9078, or Gmail's form)."""
    for part in parts:
        if part.kind.type == _REACTION or part.message.get_content_disposition() == "reaction":
            return True
    return False


@lru_cache(100)
def _kind_said(said: str | None, usual: str) -> _Kind:
    """Return the kind that a Content-Type names, or the usual one of such a part."""
    part = Message()
    part.set_default_type(usual)
    if said is not None:
        part["Content-Type"] = said
    is_flowed, is_closed_up = _parameter(part, "format"), _parameter(part, "delsp")
    charset = part.get_content_charset()
    return _Kind(part.get_content_type(), charset, is_flowed == "flowed", is_closed_up == "yes")


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of a part's Content-Type in lower case, or an empty text."""
    value = part.get_param(name, "")
    return str(value[2] if isinstance(value, tuple) else value).lower()


def _plain(part: BodyPart) -> str:
    text = _content(part)
    return unflowed(text, part.kind.is_closed_up) if part.kind.is_flowed else text


def _content(part: BodyPart) -> str:
    """Return the text of a part, with newlines for line ends."""
    payload = part.message.get_payload(decode=True)
    if not isinstance(payload, bytes):
        return ""
    charset = part.kind.charset
    if charset is None and part.kind.type.endswith("/html"):
        named = _CHARSET_OF_HTML.search(payload[:2048])
        charset = named[1].decode() if named else None
    text = decoded(payload, charset or "utf-8")
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines.translate(NO_TEXT).removeprefix("\ufeff")
