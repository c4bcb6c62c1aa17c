"""What is refused before parsing, because parsing it could take minutes or the whole stack."""

import re

from pbm_oust.mail import LARGEST_MAIL

LARGEST_HEADERS = 32 * 1024
LARGEST_HEADER = 4 * 1024
MOST_LINES = 10_000
MOST_PARTS = 100
DEEPEST_PART = 10
MOST_GROUPS = 500

_HEADER = re.compile(rb"^[^\n]*(?:\n[ \t][^\n]*)*\n?", re.MULTILINE)
_PART_HEADER = re.compile(rb"^content-[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)
_PARAMETER = re.compile(rb";\s*[^;=\s]+\*[^;]*")
_REPORT = re.compile(rb"message/delivery-status", re.IGNORECASE)
"""A kind of part whose groups of lines become parts in the parser."""
_HEADER_NAME = re.compile(rb"([!-9;-~]*):")
_READ = re.compile(
    rb"from|subject|date|message-id|in-reply-to|references|(?:x-original-|envelope-|delivered-)?to|"
    rb"return-path|received|authentication-results|accept-language|mime-version|content-.*|"
    rb"auto-submitted|precedence|list-.*|(?:x-)?mailing-list|x-(?:auto.*|mail-autoreply|loop|"
    rb"apple-action|failed-recipients|fc-machinegenerated|pbm-oust)",
    re.IGNORECASE,
)
"""The headers that something reads; whatever stands in others costs nothing."""
_SPARED = (b"references", b"in-reply-to", b"to", b"authentication-results")
"""Those of them whose values a mail can do without if they are too long. Of Received it always can:
only how many there are counts."""


class UnreadableMail(ValueError):
    """A mail that would cost too much to parse; the message says why."""


def within_limits(data: bytes) -> bytes:
    """Return a mail with newlines for line ends and without the headers that nothing reads.

    Raises UnreadableMail if what is left exceeds the limits.
    """
    if len(data) > LARGEST_MAIL:
        raise UnreadableMail(f"the message is larger than {LARGEST_MAIL} bytes")
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data.count(b"\n") > MOST_LINES:
        raise UnreadableMail(f"there are more than {MOST_LINES} lines")
    headers, end, body = data.partition(b"\n\n")
    each = _read_headers(headers)
    headers = b"".join(each).removesuffix(b"\n")
    if len(headers) > LARGEST_HEADERS:
        raise UnreadableMail(f"the headers are larger than {LARGEST_HEADERS} bytes")
    of_parts = _PART_HEADER.findall(body)
    if max(map(len, (*each, *of_parts)), default=0) > LARGEST_HEADER:
        raise UnreadableMail(f"a header is larger than {LARGEST_HEADER} bytes")
    if len(re.findall(rb"^--", body, re.MULTILINE)) > MOST_PARTS or len(of_parts) > MOST_PARTS * 4:
        raise UnreadableMail(f"there are more than {MOST_PARTS} parts")
    if data.count(b"\n\n") > MOST_GROUPS and _REPORT.search(data):
        raise UnreadableMail(f"there are more than {MOST_GROUPS} groups in a report")
    return headers + end + body


def _read_headers(headers: bytes) -> list[bytes]:
    """Return the headers that something reads, and all lines from one that is no header on."""
    kept = list[bytes]()
    is_text = False
    for header in _HEADER.findall(headers):
        found = None if is_text else _HEADER_NAME.match(header)
        name = found[1].lower() if found else b""
        is_text = is_text or not (found or header.startswith(b"From "))
        if not found:
            kept.append(header)
        elif name == b"received" or (name in _SPARED and len(header) > LARGEST_HEADER):
            kept.append(name + b": (\n")
        elif _READ.fullmatch(name):
            kept.append(header)
    return kept


def without_parameters(data: bytes) -> bytes:
    """Return a mail whose parts have no parameters in the form of RFC 2231, such as `name*=`.

    The library fails over many of them, and nothing that we read has that form.
    """
    return _PART_HEADER.sub(lambda header: _PARAMETER.sub(b"", header[0]), data)
