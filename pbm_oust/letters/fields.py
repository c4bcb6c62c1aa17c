"""Header fields as letters have them, each with its line end. Pure.

A field is one line whatever its value holds, so no value begins another field.
"""

import base64
from collections.abc import Iterator

from pbm_oust.render.visible import visible_line

LONGEST_LINE = 900
"""The most characters on a line; mail may not hold more than 998 (RFC 5322, section 2.1.1)."""

_ENCODED_BYTES = 39
"""The bytes of an encoded word, so that none is on a line of more than 76 characters."""


def field(name: str, value: str) -> str:
    """Return a field of ids and addresses: few programs understand these folded or encoded."""
    return f"{name}: {visible_line(value)}\n"


def text_field(name: str, value: str, *, is_utf8: bool = False) -> str:
    """Return a field of text.

    What cannot stand in it as it is becomes encoded words (RFC 2047). `is_utf8`: whether the letter
    may have other characters than ASCII in its fields, because an address has them (RFC 6532).
    """
    value = visible_line(value)
    is_plain = "=?" not in value and value == value.strip() and (is_utf8 or value.isascii())
    if is_plain and len(value) <= LONGEST_LINE:
        return f"{name}: {value}\n"
    return f"{name}: " + "\n ".join(_encoded_words(value)) + "\n"


def _encoded_words(text: str) -> Iterator[str]:
    """Yield encoded words, each of whole characters (RFC 2047, section 5)."""
    while text:
        count = _ENCODED_BYTES
        while len(text[:count].encode()) > _ENCODED_BYTES:
            count -= 1
        encoded = base64.b64encode(text[:count].encode()).decode()
        yield f"=?utf-8?b?{encoded}?="
        text = text[count:]
