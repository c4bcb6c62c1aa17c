"""Lines from which on a text is not its sender's: headers and titles of an older message. Pure."""

import re
from collections.abc import Sequence

from pbm_oust.mail.reading.attributions import any_of, signs_of
from pbm_oust.mail.reading.companies import is_disclaimer
from pbm_oust.mail.reading.phrases import ANNOUNCEMENTS, HEADER_NAMES
from pbm_oust.regex import regex

SEPARATOR = regex(r"[-_=*~ ]{3,}")
"""A line drawn across the page."""
_SIGNATURE = regex(r"--\s?$")
_UNDERSCORES = regex(r"\s{0,3}_{10,}\s*$")
_ANNOUNCED = frozenset(ANNOUNCEMENTS)
_AROUND_ANNOUNCEMENT = " \t-=_*~#|:\uff1a\u00a0"
_LONGEST_ANNOUNCEMENT = 160
_DASHES = ("--", "==", "__", "**", "~~", "# ", "|--")
_MANY_DASHES = "-----"
_BEGINNING = regex(
    r"\s{0,8}From \S+\s.{0,60}\d{4}\s*"
    r"|\W{0,8}(?:message du|nachricht vom|mensaje del|messaggio del|message of)\s\d.{0,60}",
    re.IGNORECASE,
)
"""The first line of a mail in an mbox, or what some French programs write there."""
_HEADERS = frozenset(HEADER_NAMES)
_LONGEST_HEADER_NAME = 30
_HEADERS_IN_A_BLOCK = 3
_HEADER_IN_LINE = regex(rf"(?<!\w)(?:{any_of(HEADER_NAMES)})[ \u00a0]?[:\uff1a]", re.IGNORECASE)
_LONGEST_LINE_OF_HEADERS = 1000
_LEAST_TO_WRAP = 50
"""A header that is at least so long may go on below."""
_MOST_EMPTY_LINES = 10


def ends_own_text(lines: Sequence[str], number: int) -> bool:
    """Return whether nothing from a line on was written by the sender for this mail."""
    line = lines[number]
    return bool(
        _SIGNATURE.match(line)
        or _UNDERSCORES.match(line)
        or _announces_older_message(line)
        or _headers_from(lines, number) >= _HEADERS_IN_A_BLOCK
        or _is_line_of_headers(line)
        or is_disclaimer(lines, number)
    )


def may_be_of_headers(lines: Sequence[str], number: int) -> bool:
    """Return whether a line and the next one look like headers, if not like enough of them."""
    return _headers_from(lines, number) == _HEADERS_IN_A_BLOCK - 1


def _announces_older_message(line: str) -> bool:
    """Return whether a line announces an older message, between dashes or before a colon.

    Between many dashes at both ends, any words will do.
    """
    if len(line) > _LONGEST_ANNOUNCEMENT:
        return False
    words = line.strip(_AROUND_ANNOUNCEMENT)
    line = line.strip()
    if words.lower() in _ANNOUNCED:
        return line.startswith(_DASHES) or line.endswith((":", "\uff1a"))
    if line.startswith("---") and line.endswith("---") and signs_of(words) > 1:
        return True
    return bool(words) and line.startswith(_MANY_DASHES) and line.endswith(_MANY_DASHES)


def _headers_from(lines: Sequence[str], number: int) -> int:
    """Return how many headers this line and the next ones that are not empty name, at most three.

    A line of dashes above them, or the first line of a mail in an mbox, counts as one.
    """
    line = lines[number].rstrip()
    names = int(bool(SEPARATOR.fullmatch(line) or _BEGINNING.fullmatch(line)))
    is_announced = bool(names)
    if is_announced:
        number = next_written(lines, number + 1)
    while number < len(lines) and names < _HEADERS_IN_A_BLOCK and _names_a_header(lines[number]):
        names += 1
        number = _behind_header(lines, number)
    return names if names > is_announced else 0


def _behind_header(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not empty behind a header, which may be long."""
    following = next_written(lines, number + 1)
    is_wrapped = following < len(lines) and (
        lines[following][:1] in (" ", "\t") or len(lines[number]) >= _LEAST_TO_WRAP
    )
    if is_wrapped and not _names_a_header(lines[following]):
        behind = next_written(lines, following + 1)
        if behind < len(lines) and _names_a_header(lines[behind]):
            return behind
    return following


def _is_line_of_headers(line: str) -> bool:
    """Return whether the headers of an older message stand on one line."""
    colons = line.count(":") + line.count("\uff1a")
    if colons < _HEADERS_IN_A_BLOCK or len(line) > _LONGEST_LINE_OF_HEADERS:
        return False
    names = {name.lower() for name in _HEADER_IN_LINE.findall(line)}
    return len(names) >= _HEADERS_IN_A_BLOCK and bool(_HEADER_IN_LINE.match(line.lstrip(" \t*|")))


def _names_a_header(line: str) -> bool:
    name, colon, _ = line[:_LONGEST_HEADER_NAME].replace("\uff1a", ":").partition(":")
    return bool(colon) and name.strip(" \t*|>\u00a0").lower() in _HEADERS


def next_written(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not empty; after too many, of the last one."""
    for each in range(number, min(number + _MOST_EMPTY_LINES, len(lines))):
        if lines[each].strip():
            return each
    return min(number + _MOST_EMPTY_LINES, len(lines))
