"""Headers of a mail, decoded one by one; a header that cannot be decoded stays as it is."""

import re
from collections import defaultdict
from collections.abc import Mapping
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses
from functools import lru_cache

from pbm_oust.accounts.address import is_address, parse_address
from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.mail.reading.charsets import NO_TEXT, decoded, without_surrogates

_IN_BRACKETS = re.compile(
    r'<((?:"[^"<>]*"@)?[^<>"]*)>(?!\s*<)|"(?:[^"\\]|\\.)*+"|\((?:[^()\\]|\\.)*+\)'
)
"""The text in `<>` as a group, or a quote or comment without one, where brackets mean nothing."""


def raw_headers(message: Message) -> dict[str, list[str]]:
    """Return the values of all headers by their names in lower case; encoded words stay encoded.

    Bytes beyond ASCII are read as UTF-8. A Subject that is not UTF-8 may be in another charset; in
    addresses, nothing is guessed, and U+FFFD stands there.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for name, value in message.raw_items():
        text = str(value)
        if not text.isascii():
            raw = text.encode("utf-8", "surrogateescape")
            is_subject = name.lower() == "subject"
            text = decoded(raw, "utf-8") if is_subject else raw.decode("utf-8", "replace")
        found[name.lower()].append(text)
    return found


def header_text(value: str) -> str:
    """Return the value of a header as one line, with U+FFFD for undecodable bytes."""
    text = ""
    try:
        for part, charset in decode_header(value):
            if isinstance(part, str):
                text += part
            elif charset:
                text += decoded(part, charset)
            else:
                text += part.decode("raw-unicode-escape", "replace")
    except Exception:  # noqa: BLE001 - the raw text stands where decoding fails
        text = value
    return one_line(without_surrogates(text)).translate(NO_TEXT)


def one_line(text: str) -> str:
    """Return a text with each run of spaces and line ends replaced by a single space."""
    return " ".join(text.split())


@lru_cache(1000)
def first_address(values: tuple[str, ...]) -> str:
    """Return the first proper address in the values of From, or an empty text.

    It stands between `<` and `>`, even if the name before looks like an address.
    """
    lines = list(map(one_line, values))
    found = [match[1] or "" for line in lines for match in _IN_BRACKETS.finditer(line)]
    try:
        others = [address for _, address in getaddresses(lines)]
    except Exception:  # noqa: BLE001 - the parser gives up in several ways
        others = []
    # The parser makes an address of `Dora @ Work`.
    found += [address for address in others if any(address in line for line in lines)]
    return next(map(parse_address, filter(is_address, found)), "")


def first_name(values: tuple[str, ...]) -> str:
    """Return the name before the first address in the values of From, or an empty text."""
    value = header_text(values[0]) if values else ""
    name, bracket, _ = value.partition("<")
    return name.strip(" \"'") if bracket else ""


_RANGE = re.compile(
    r"([a-z]{1,8}(?:-[a-z0-9]{1,8})*)(?:\s*;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?))?", re.IGNORECASE
)


def language_asked(headers: Mapping[str, list[str]]) -> Language:
    """Return the language of a mail by its headers, or English.

    Accept-Language (RFC 3282) says what its sender likes to read. It takes precedence over
    Content-Language, which says what they write.
    """
    for name in ("accept-language", "content-language"):
        if (said := ",".join(headers[name])) and (found := ours_among(said)):
            return found
    return ENGLISH


@lru_cache(100)
def ours_among(said: str) -> Language | None:
    """Return the most preferred of our languages in a header, or None."""
    from babel.core import negotiate_locale

    found = negotiate_locale(_by_preference(said), list(LANGUAGES), sep="-")
    return LANGUAGES[found] if found else None


def _by_preference(value: str) -> list[str]:
    """Return the language tags of a header, the preferred one first; other parts are left out."""
    ranges = filter(None, (_RANGE.fullmatch(part.strip()) for part in value.split(",")))
    rated = [(float(found[2] or 1), found[1].lower()) for found in ranges]
    liked = sorted((each for each in rated if each[0]), key=lambda each: -each[0])
    return [tag for _, tag in liked]
