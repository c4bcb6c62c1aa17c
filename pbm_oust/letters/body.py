"""The body of a letter: text, the same as HTML, and what is attached. Pure.

Source: RFC 2045, RFC 2046 and RFC 2183.
"""

from base64 import encodebytes
from binascii import b2a_qp
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence

from dataclasses import dataclass
from pbm_oust.letters.fields import LONGEST_LINE

LARGEST = 88_000
"""The most bytes of all parts as they are sent.

With their header, letters stay under 90 KB: Gmail cuts them off at 102 KB.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a letter."""

    content: str
    """What it says, in lines; empty if it is a file, or holds other parts."""
    fields: str
    """How it says it: its header fields."""
    encoded: str
    """The content as it is sent, in ASCII."""
    size: int
    """The number of bytes that it takes as it is sent, with lines that end in CRLF."""


def _sized(content: str, fields: str, encoded: str) -> Part:
    lines = fields.count("\n") + encoded.count("\n") + 1
    return Part(content, fields, encoded, len(fields) + len(encoded) + lines + 1)


def part(content: str, subtype: str) -> Part:
    """Return lines as a part of a letter: `plain` text or `html`."""
    is_ascii = content.isascii()
    charset = "us-ascii" if is_ascii else "utf-8"
    if is_ascii and _has_short_lines(content):
        encoding, encoded = "7bit", content
    else:
        encoding, encoded = _encoded(content.encode())
    fields = (
        f'Content-Type: text/{subtype}; charset="{charset}"\n'
        f"Content-Transfer-Encoding: {encoding}\n"
    )
    return _sized(content, fields, encoded)


def _has_short_lines(content: str) -> bool:
    """Return whether no line is too long for a mail; few of the lines are looked at."""
    begun = 0
    while len(content) - begun > LONGEST_LINE:
        ended = content.rfind("\n", begun, begun + LONGEST_LINE + 1)
        if ended < 0:
            return False
        begun = ended + 1
    return True


def _encoded(data: bytes) -> tuple[str, str]:
    """Return the shorter of the two encodings of a text, with its name (RFC 2045, section 6)."""
    readable, dense = b2a_qp(data, istext=True), encodebytes(data)
    if len(readable) <= len(dense):
        return "quoted-printable", readable.decode()
    return "base64", dense.decode()


def file_part(name: str, data: bytes) -> Part:
    """Return a file as a part of a letter: `data` is its content, compressed by gzip (RFC 6713).

    Its name must be ASCII without quote marks.
    """
    fields = (
        f'Content-Type: application/gzip; name="{name}"\n'
        f'Content-Disposition: attachment; filename="{name}"\n'
        "Content-Transfer-Encoding: base64\n"
    )
    return _sized("", fields, encodebytes(data).decode())


def sgf_part(name: str, text: str) -> Part:
    """Return a game in SGF as a part of a letter. Its name must be ASCII without quote marks."""
    encoding, encoded = _encoded(text.encode())
    fields = (
        f'Content-Type: application/x-go-sgf; charset="utf-8"; name="{name}"\n'
        f'Content-Disposition: attachment; filename="{name}"\n'
        f"Content-Transfer-Encoding: {encoding}\n"
    )
    return _sized("", fields, encoded)


def beginning(content: str, room: int, ending: Callable[[int], str]) -> Part:
    """Return as many lines of a text as there is room for, in bytes.

    `ending` returns what follows them, given the number of lines that are left out.
    """
    lines = content.removesuffix("\n").split("\n")

    def first(count: int) -> Part:
        return part("\n".join([*lines[:count], "", ending(len(lines) - count), ""]), "plain")

    fitting = bisect_right(range(len(lines)), room, key=lambda count: first(count).size)
    return first(max(0, fitting - 1))


def body(parts: Sequence[Part], language: str, boundary: str, attached: Sequence[Part] = ()) -> str:
    """Return the fields of a letter about its body, a blank line, and the body.

    Of several parts, each says the same, and the last one best (RFC 2046, section 5.1.4). What is
    attached follows them. No line of any part may be the boundary, or the boundary behind `=_`.
    """
    of_language = f"Content-Language: {language}\n"
    fields, sent = parts[0].fields, parts[0].encoded
    if len(parts) == 1 and not attached:
        return f"{fields}MIME-Version: 1.0\n{of_language}\n{sent}"
    if len(parts) > 1:
        fields, sent = _together("alternative", boundary, map(_sent, parts))
    if attached:
        # Neither boundary may begin like the other one (RFC 2046, section 5.1.2).
        fields, sent = _together("mixed", f"=_{boundary}", [(fields, sent), *map(_sent, attached)])
    return f"MIME-Version: 1.0\n{fields}{of_language}\n{sent}"


def _sent(some: Part) -> tuple[str, str]:
    """Return the fields of a part, and the part as it is sent."""
    return some.fields, some.encoded


def _together(subtype: str, boundary: str, parts: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Return several parts as one, given what `_sent` returns of each."""
    each = "".join(f"--{boundary}\n{fields}\n{sent}\n" for fields, sent in parts)
    fields = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\n'
    return fields, f"{each}--{boundary}--\n"
