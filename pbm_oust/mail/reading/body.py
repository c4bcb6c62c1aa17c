"""The text of a mail among its parts."""

import re
from collections.abc import Iterable
from email.message import Message
from enum import Enum
from functools import lru_cache
from itertools import groupby, islice, pairwise

from msgspec import Struct

from pbm_oust.mail.reading.charsets import NO_TEXT, decoded
from pbm_oust.mail.reading.html import text_of_enriched, text_of_html
from pbm_oust.mail.reading.limits import DEEPEST_PART
from pbm_oust.mail.reading.own_text import own_text
from pbm_oust.mail.reading.phrases import any_of

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
    """Return the signed text, or the text above an encrypted one."""
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
_RICH_TEXTS = ("text/rtf", "application/rtf")
_NO_TEXTS = re.compile(
    r"text/(?:(?:x-)?v?calendar|(?:x-)?vcard|directory|x-amp-html|rfc822-headers|css|javascript"
    r"|rtf|vnd\.google\.email-reaction\+json)"
    r"|application/(?:ics|rtf|pdf|postscript|(?:vnd\.)?ms-tnef|(?:x-)?pkcs7-.*|pgp-.*|.*zip)"
    r"|(?:image|audio|video|font|model|message)/.*"
)
"""Types that are no text of a mail, though they consist of letters."""
_REACTION = "text/vnd.google.email-reaction+json"
_NAMED = re.compile(
    r"(?<!\w)(?:file)?name\*?\d*\*?\s*=\s*[\"']?(?:[\w-]*'[\w-]*')?([^\"';]+)", re.IGNORECASE
)
_TYPED_ON_A_PHONE = re.compile(r"(?:text|mms)[-_]?\d*\.txt", re.IGNORECASE)
"""Names of attachments in which phone gateways put the typed text."""
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w:.-]{1,40})""", re.IGNORECASE)
"""The charset parameter, even in a header that cannot be read."""
_CHARSET_OF_HTML = re.compile(rb"""<meta[^>]{0,100}charset=["']?([\w:.-]{1,40})""", re.IGNORECASE)


class _Kind(Struct, frozen=True):
    """The type of a part by its Content-Type."""

    type: str
    charset: str | None
    is_flowed: bool
    is_closed_up: bool
    """Whether the space at the end of a flowed line is dropped (DelSp)."""


class _Sort(Enum):
    """The rank of a part as text of the mail; of several forms, the lowest is read."""

    PLAIN = 0
    HTML = 1
    OTHER = 2
    """An unknown type of text counts as plain (RFC 2046, 4.1.4)."""
    SUPPOSED = 3
    """A type other than text. It may be one for all that, if there is no other."""
    NONE = 4


_Forms = tuple[tuple[int, int], ...]


class BodyPart(Struct, frozen=True):
    """A part of a mail."""

    message: Message
    kind: _Kind
    name: str
    """The file name; empty if there is none."""
    forms: _Forms = ()
    """Where it is one of several forms: the multipart/alternative that it is in and the number of
    its form there, from the outermost on."""

    @property
    def is_attached(self) -> bool:
        """Whether it is a file, unless phones give typed texts such a name."""
        is_file = self.name or self.message.get_content_disposition() == "attachment"
        return bool(is_file) and not _TYPED_ON_A_PHONE.fullmatch(self.name)

    @property
    def sort(self) -> _Sort:
        """The rank as text. Phones leave the type open if they have no name for it.

        A part that claims to have parts and has none counts as text.
        """
        kind = self.kind.type
        if _NO_TEXTS.fullmatch(kind):
            return _Sort.NONE
        if kind == "text/plain" or kind.startswith("multipart/"):
            return _Sort.PLAIN
        if kind.startswith("text/"):
            return _Sort.HTML if "html" in kind else _Sort.OTHER
        if kind.startswith("application/") and self.name.lower().endswith(".txt"):
            return _Sort.PLAIN
        return _Sort.NONE if self.is_attached else _Sort.SUPPOSED

    @property
    def is_plain(self) -> bool:
        """Whether it is text without markup, or with markup that is readable."""
        return self.sort in (_Sort.PLAIN, _Sort.OTHER)


def parts_of(message: Message) -> list[BodyPart]:
    """Return the parts with content of their own, without those of attached mails."""
    found = list[BodyPart]()
    waiting: list[tuple[Message, int, _Forms]] = [(message, 0, ())]
    while waiting:
        each, depth, forms = waiting.pop()
        said = each.get("Content-Type")
        kind = _kind_said(None if said is None else str(said), each.get_default_type())
        if depth > DEEPEST_PART or kind.type.startswith("message/"):
            continue
        if each.is_multipart():
            inner = [part for part in each.get_payload() if isinstance(part, Message)]
            is_choice = kind.type == "multipart/alternative"
            waiting += [
                (part, depth + 1, (*forms, (id(each), number)) if is_choice else forms)
                for number, part in reversed(list(enumerate(inner)))
            ]
        else:
            named = _NAMED.search(f"{each.get('Content-Disposition', '')}; {said or ''}")
            found.append(BodyPart(each, kind, named[1].strip() if named else "", forms))
    return found


def text_of(parts: list[BodyPart]) -> str:
    """Return the text without attachments: plain texts, or else texts made from HTML.

    Quotes and signature are still there. Quotes from HTML are marked with `>`. Of several forms of
    one text, one is read. Phones attach typed text: where no other text is, attached plain texts
    are the text, and then any other readable part that is no file.
    """
    return _text_of(_with_one_form(parts))


def _text_of(parts: list[BodyPart]) -> str:
    """Return the text of parts without alternatives."""
    inline = [part for part in parts if not part.is_attached]
    html = [part for part in inline if part.sort is _Sort.HTML]
    # A page that is not one of several forms was added by a list or a gateway.
    texts = [part for part in inline if part.is_plain or (part.forms and part in html)]
    return (
        _joined(map(_read, texts))
        or _joined(map(_read, html))
        or _joined(_read(part) for part in parts if part.is_plain and part.is_attached)
        or _joined(_supposed(part) for part in inline if part.sort is _Sort.SUPPOSED)
    )


_UNSEEN = re.compile(
    r"[\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufeff\uffa0]*"
)
"""Characters without a shape of their own."""


def _is_seen(text: str) -> bool:
    return not _UNSEEN.fullmatch(text)


def _joined(texts: Iterable[str]) -> str:
    """Return the visible texts, one below the other."""
    return "\n\n".join(filter(_is_seen, texts))


def _with_one_form(parts: Iterable[BodyPart], depth: int = 0) -> list[BodyPart]:
    """Return the parts with one form of each alternative."""

    def choice(part: BodyPart) -> int | None:
        return part.forms[depth][0] if part.forms[depth:] else None

    found = list[BodyPart]()
    for at, group in groupby(parts, choice):
        if at is None:
            found += group
        else:
            forms = groupby(group, lambda part: part.forms[depth][1])
            found += _form_to_read([_with_one_form(form, depth + 1) for _, form in forms])
    return found


def _form_to_read(forms: list[list[BodyPart]]) -> list[BodyPart]:
    """Return the first form with a text of its own, plain texts before HTML."""

    def rank(form: list[BodyPart]) -> int:
        sorts = (part.sort for part in form if not part.is_attached)
        return min((sort.value for sort in sorts), default=_Sort.NONE.value)

    ranked = sorted(forms, key=rank)
    for form, other in pairwise(ranked):
        text = _text_of(form)
        if _is_seen(text) and not _says_nothing(text, other):
            return form
    return ranked[-1]


_WORD = re.compile(r"\w+")
_PLACEHOLDER = re.compile(any_of("placeholders"))
_LONGEST_PLACEHOLDER = 600
_MOST_WORDS = 200
_LEAST_SHARED = 0.25
"""The least share of common words in two forms of a text."""


def _says_nothing(text: str, form: list[BodyPart]) -> bool:
    """Return whether a text only stands in for another form, or shares no words with it."""
    first = " ".join(text[: _LONGEST_PLACEHOLDER + 1].lower().split())
    may_be = len(text) <= _LONGEST_PLACEHOLDER and _PLACEHOLDER.search(first)
    if not may_be:
        # Nearly always all words are there, and the other form need not be read for that.
        unquoted = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
        written = " ".join(_content(part) for part in form if not part.is_attached)
        if (words := _words(unquoted)) and words <= _words(written, None):
            return False
    other = _text_of(form)
    if may_be or not _is_seen(other):
        return _is_seen(other)
    said, own = _words(own_text(other).whole), _words(own_text(text).whole)
    if not said:
        return False
    if own:
        return len(own & _words(other, None)) <= _LEAST_SHARED * len(own)
    return len(said & _words(text, None)) <= _LEAST_SHARED * len(said)


def _words(text: str, most: int | None = _MOST_WORDS) -> set[str]:
    """Return the first words of a text in small letters, or all of them."""
    return {found[0] for found in islice(_WORD.finditer(text.lower()), most)}


def has_closed_text(parts: list[BodyPart]) -> bool:
    """Return whether some part may hold a text that cannot be read.

    Such a part is encrypted, signed in a way that encloses the text, or Outlook's winmail.dat.
    """
    return any(
        part.kind.type in _CLOSED_TYPES
        or (part.kind.type in _RICH_TEXTS and not part.is_attached)
        or (part.kind.type == "text/plain" and _ENCRYPTED in _content(part).split("\n"))
        for part in parts
    )


def has_reaction(parts: list[BodyPart]) -> bool:
    """Return whether a mail is an emoji reaction to another one (RFC 9078, or Gmail's form)."""
    for part in parts:
        if part.kind.type == _REACTION or part.message.get_content_disposition() == "reaction":
            return True
    return False


@lru_cache(100)
def _kind_said(said: str | None, usual: str) -> _Kind:
    """Return the kind for a Content-Type, or `usual` if there is none."""
    part = Message()
    part.set_default_type(usual)
    if said is not None:
        part["Content-Type"] = said
    is_flowed, is_closed_up = _parameter(part, "format"), _parameter(part, "delsp")
    named = _CHARSET.search(said or "")
    charset = part.get_content_charset() or (named[1] if named else None)
    kind = "".join(part.get_content_type().split(" charset=")[0].split())
    return _Kind(kind, charset, is_flowed == "flowed", is_closed_up == "yes")


def _parameter(part: Message, name: str) -> str:
    """Return a parameter of a part's Content-Type in lower case, or an empty text."""
    value = part.get_param(name, "")
    return str(value[2] if isinstance(value, tuple) else value).lower()


def _read(part: BodyPart) -> str:
    """Return the text of a part, without markup."""
    text = _content(part)
    if part.sort is _Sort.HTML:
        return text_of_html(text)
    if part.kind.type in ("text/enriched", "text/richtext"):
        return text_of_enriched(text)
    return without_armour(unflowed(text, part.kind.is_closed_up) if part.kind.is_flowed else text)


_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\f\r\x1b"))
_PAGE = re.compile(r"\s*<(?:!doctype|html|body)\b", re.IGNORECASE)


def _supposed(part: BodyPart) -> str:
    """Return the text of a part whose type is no text; empty if it is binary."""
    payload = part.message.get_payload(decode=True)
    if not isinstance(payload, bytes) or payload.translate(None, _CONTROLS) != payload:
        return ""
    text = _content(part)
    return "" if "\ufffd" in text else text_of_html(text) if _PAGE.match(text) else text


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
