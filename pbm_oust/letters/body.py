"""The body of a letter: text alone, or both text and HTML (RFC 2045 and RFC 2046). Pure."""

from binascii import b2a_qp
from collections.abc import Sequence

from pbm_oust.frozen import frozen
from pbm_oust.letters.fields import LONGEST_LINE

LARGEST = 90_000
"""The most bytes of all parts as they are sent: Gmail cuts letters off at 102 KB."""


@frozen
class Part:
    """A part of a letter."""

    content: str
    """What it says, in lines."""
    fields: str
    """How it says it: its header fields."""
    encoded: str
    """The content as it is sent, in ASCII."""

    @property
    def size(self) -> int:
        """The number of bytes that it takes as it is sent, with lines that end in CRLF."""
        lines = self.fields.count("\n") + self.encoded.count("\n") + 1
        return len(self.fields) + len(self.encoded) + lines + 1


def part(content: str, subtype: str) -> Part:
    """Return lines as a part of a letter: `plain` text or `html`."""
    is_ascii = content.isascii()
    charset = "us-ascii" if is_ascii else "utf-8"
    if is_ascii and max(map(len, content.split("\n"))) <= LONGEST_LINE:
        encoding, encoded = "7bit", content
    else:
        # RFC 2045, section 6.7
        encoding, encoded = "quoted-printable", b2a_qp(content.encode(), istext=True).decode()
    fields = (
        f'Content-Type: text/{subtype}; charset="{charset}"\n'
        f"Content-Transfer-Encoding: {encoding}\n"
    )
    return Part(content, fields, encoded)


def body(parts: Sequence[Part], language: str, boundary: str) -> str:
    """Return the fields of a letter about its body, a blank line, and the body.

    Of several parts, each says the same, and the last one best (RFC 2046, section 5.1.4). No line
    of any part may be the boundary.
    """
    of_language = f"Content-Language: {language}\n"
    if len(parts) == 1:
        (alone,) = parts
        return f"{alone.fields}MIME-Version: 1.0\n{of_language}\n{alone.encoded}"
    each = "".join(f"--{boundary}\n{some.fields}\n{some.encoded}\n" for some in parts)
    return (
        "MIME-Version: 1.0\n"
        f'Content-Type: multipart/alternative; boundary="{boundary}"\n'
        f"{of_language}\n{each}--{boundary}--\n"
    )
