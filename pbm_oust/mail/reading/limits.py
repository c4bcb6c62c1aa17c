"""Limits on mails that would take minutes, or the whole stack, to parse."""

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
"""The type of a part whose groups of lines become parts in the parser."""
_HEADER_NAME = re.compile(rb"([!-9;-~]*):")
_BYTE_ORDER_MARK = re.compile(rb"^(?:\xef\xbb\xbf|\xc3\xaf\xc2\xbb\xc2\xbf)+")
"""The byte order mark of UTF-8, also if it was encoded twice."""
_OF_MBOX = re.compile(rb">*From [^\n]*\d\d:\d\d[^\n]*\d{4}")
"""The line above each mail in an mbox: neither header nor text."""
_READ = re.compile(
    rb"from|subject|date|message-id|in-reply-to|references|(?:x-original-|envelope-|delivered-)?to|"
    rb"return-path|received|authentication-results|accept-language|mime-version|content-.*|"
    rb"auto-submitted|precedence|list-.*|(?:x-)?mailing-list|x-(?:auto.*|mail-autoreply|loop|"
    rb"apple-action|failed-recipients|fc-machinegenerated|pbm-oust)",
    re.IGNORECASE,
)
"""The headers that are used; all others are dropped."""
_SPARED = (b"references", b"in-reply-to", b"to", b"authentication-results")
"""Used headers that are dropped if they are too long. Received is too: only the number counts."""
_ONCE = (b"from", b"to", b"subject", b"date", b"message-id")


class UnreadableMail(ValueError):
    """A mail that would cost too much to parse; the message says why."""

    mail_id = ""
    """The short id of the mail, as soon as somebody follows it."""


def within_limits(data: bytes) -> bytes:
    """Return a mail with newlines for line ends, and only with headers that are used.

    Raises UnreadableMail if the rest exceeds the limits.
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
    """Return the used headers, and the beginning of the text if it stands among them.

    A line that is no header is passed over if used headers follow it. The headers end there,
    without an empty line, if none follows, if one follows that can only be there once, or if the
    line begins a part.
    """
    each = [_BYTE_ORDER_MARK.sub(b"", header) for header in _HEADER.findall(headers)]
    each = [header for header in each if not _OF_MBOX.match(header)]
    found = [_HEADER_NAME.match(header) for header in each]
    names = [match[1].lower() if match else None for match in found]
    end, seen, is_behind = 0, set[bytes](), False
    for number, name in enumerate(names):
        if each[number].startswith(b"--") or (is_behind and name in _ONCE and name in seen):
            break
        if name is None:
            is_behind = True
        elif not is_behind or _READ.fullmatch(name):
            end = number + 1
            seen.add(name)
    kept = list[bytes]()
    for name, header in zip(names[:end], each, strict=False):
        if name == b"received" or (name in _SPARED and len(header) > LARGEST_HEADER):
            kept.append(name + b": (\n")
        elif name and _READ.fullmatch(name):
            kept.append(header)
    text = each[end:]
    return [*kept, b"\n", *text] if any(map(bytes.strip, text)) else kept


def without_parameters(data: bytes) -> bytes:
    """Return a mail without parameters in the form of RFC 2231, such as `name*=`.

    The library fails over many of them, and none is used here.
    """
    return _PART_HEADER.sub(lambda header: _PARAMETER.sub(b"", header[0]), data)
