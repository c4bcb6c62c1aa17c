"""Headers, decoded one by one; a header that cannot be decoded is taken as it is."""

from collections import defaultdict
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses
from functools import lru_cache

from pbm_oust.accounts.address import is_address, parse_address
from pbm_oust.mail.reading.charsets import NO_TEXT, decoded, without_surrogates
import re

_IN_BRACKETS = re.compile(r'<((?:"[^"<>]*"@)?[^<>"]*)>(?!\s*<)|"(?:[^"\\]|\\.)*+"|\((?:[^()\\]|\\.)*+\)')
"""What stands in `<>`; without a group, quotes and comments, in which such signs mean nothing."""


def raw_headers(message: Message) -> dict[str, list[str]]:
    """Return the values of all headers by their names in lower case; encoded words stay encoded.

    Bytes beyond ASCII are read as UTF-8; what is not UTF-8 becomes U+FFFD.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for name, value in message.raw_items():
        text = str(value)
        if not text.isascii():
            text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        found[name.lower()].append(text)
    return found


def header_text(value: str) -> str:
    """Return the value of a header as one line; what cannot be decoded becomes U+FFFD."""
    try:
        text = "".join(_part_text(part, charset) for part, charset in decode_header(value))
    except Exception:  # noqa: BLE001 - the raw text stands where decoding fails
        text = value
    return one_line(without_surrogates(text)).translate(NO_TEXT)


def _part_text(part: bytes | str, charset: str | None) -> str:
    if isinstance(part, str):
        return part
    return decoded(part, charset) if charset else part.decode("raw-unicode-escape", "replace")


def one_line(text: str) -> str:
    """Return a text with each run of spaces and line ends replaced by a single space."""
    return " ".join(text.split())


def first_address(values: list[str]) -> str:
    """Return the first proper address in the values of From, or an empty text.

    What stands between `<` and `>` is the address, whatever the name in front of it looks like.
    """
    return _first_address(tuple(one_line(value) for value in values))


@lru_cache(1000)
def _first_address(lines: tuple[str, ...]) -> str:
    found = [match[1] or "" for line in lines for match in _IN_BRACKETS.finditer(line)]
    try:
        others = [address for _, address in getaddresses(lines)]
    except Exception:  # noqa: BLE001 - the parser gives up in several ways
        others = []
    # The parser makes an address of `Dora @ Work`.
    found += [address for address in others if any(address in line for line in lines)]
    return next(map(parse_address, filter(is_address, found)), "")
