"""What is refused before parsing, because parsing it could take minutes or the whole stack."""

import re

from pbm_oust.mail.size import LARGEST_MAIL
from pbm_oust.regex import regex

LARGEST_HEADERS = 32 * 1024
LARGEST_HEADER = 4 * 1024
MOST_LINES = 10_000
MOST_PARTS = 100
DEEPEST_PART = 10
MOST_GROUPS = 500

_HEADER = regex(rb"^[^\n]*(?:\n[ \t][^\n]*)*\n?", re.MULTILINE)
_PART_HEADER = regex(rb"^content-[^\n]*(?:\n[ \t][^\n]*)*", re.MULTILINE | re.IGNORECASE)
_REPORT = regex(rb"message/delivery-status", re.IGNORECASE)
"""A kind of part whose groups of lines become parts in the parser."""
_UNREAD_HEADER = regex(
    rb"(?:x-(?!auto)|arc-|dkim-|authentication-|received-spf|references|in-reply-to|thread-|cc|"
    rb"autocrypt|openpgp|face|ironport-)[^\n:]*:",
    re.IGNORECASE,
)
"""Headers that nothing reads, and that are sometimes longer than the limit."""


class UnreadableMail(ValueError):
    """A mail that would cost too much to parse; the message says why."""


def within_limits(data: bytes) -> bytes:
    """Return a mail with newlines for line ends and without long headers that nothing reads.

    Raises UnreadableMail for a mail that exceeds the limits.
    """
    if len(data) > LARGEST_MAIL:
        raise UnreadableMail(f"the message is larger than {LARGEST_MAIL} bytes")
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if data.count(b"\n") > MOST_LINES:
        raise UnreadableMail(f"there are more than {MOST_LINES} lines")
    headers, end, body = data.partition(b"\n\n")
    if len(headers) > LARGEST_HEADERS:
        raise UnreadableMail(f"the headers are larger than {LARGEST_HEADERS} bytes")
    each = _HEADER.findall(headers) if len(headers) > LARGEST_HEADER else []
    long = {header for header in each if len(header) > LARGEST_HEADER}
    if any(map(_UNREAD_HEADER.match, long)):
        each = [header for header in each if header not in long or not _UNREAD_HEADER.match(header)]
        headers = b"".join(each).removesuffix(b"\n")
    of_parts = _PART_HEADER.findall(body)
    if any(len(header) > LARGEST_HEADER for header in (*each, *of_parts)):
        raise UnreadableMail(f"a header is larger than {LARGEST_HEADER} bytes")
    if len(re.findall(rb"^--", body, re.MULTILINE)) > MOST_PARTS or len(of_parts) > MOST_PARTS * 4:
        raise UnreadableMail(f"there are more than {MOST_PARTS} parts")
    if data.count(b"\n\n") > MOST_GROUPS and _REPORT.search(data):
        raise UnreadableMail(f"there are more than {MOST_GROUPS} groups in a report")
    return headers + end + body
