"""Lines from which on a text is not its sender's: headers and titles of an older message. Pure."""

from collections.abc import Sequence
from enum import Enum

from pbm_oust.mail.reading.attributions import ADDRESS, any_of, signs_of
from pbm_oust.mail.reading.companies import disclaimer
from pbm_oust.mail.reading.phrases import ANNOUNCEMENTS, HEADER_NAMES, SUBJECT_NAMES
import re

SEPARATOR = re.compile(r"[-_=*~ ]{3,}")
"""A line drawn across the page."""
_SIGNATURE = re.compile(r"--[ \t\u00a0]\s*$|[*_]{1,3}\s?--\s?[*_]{1,3}\s*$")
"""What stands above a signature; Gmail writes it in bold."""
_BARE_SIGNATURE = re.compile(r"--$")
"""The same where a program has dropped its space, unless a person has drawn it."""
_UNDERSCORES = re.compile(r"\s{0,3}_{3,}\s*$")
_DRAWN = re.compile(r"\s{0,3}_{10,}\s*$|-{5}.*\w.*-{5}\s*$")
_OF_LIST = re.compile(r"(?=.*(?:@|https?:)).*(?:mailing[ -]?list|unsubscribe|listinfo|googlegroups)")
"""What mailing lists write below a line, in small letters."""
_MOST_LINES_OF_LIST = 6
_OURS = re.compile(r"pbm_oust|pbmserv")
"""What the headers of our own letters hold."""
_ANNOUNCED = frozenset(ANNOUNCEMENTS)
_AROUND_ANNOUNCEMENT = " \t-=_*~#|:\uff1a\u00a0"
_LONGEST_ANNOUNCEMENT = 160
_DASHES = ("--", "==", "__", "**", "~~", "# ", "|--")
_BEGINNING = re.compile(
    r"\s{0,8}from \S+\s.{0,60}\d{4}\s*"
    r"|\W{0,8}(?:message du|nachricht vom|mensaje del|messaggio del|message of)\s\d.{0,60}"
)
"""The first line of a mail in an mbox, or what some French programs write there."""
_HEADERS = frozenset(HEADER_NAMES)
_SUBJECTS = frozenset(SUBJECT_NAMES)
_LONGEST_HEADER_NAME = 30
_HEADERS_IN_A_BLOCK = 3
_MOST_HEADERS = 8
_HEADER_IN_LINE = re.compile(rf"(?<!\w)(?:{any_of(HEADER_NAMES)})[ \u00a0]?[:\uff1a]")
_LONGEST_LINE_OF_HEADERS = 1000
_LEAST_TO_WRAP = 50
"""A header that is at least so long may go on below."""
_MOST_EMPTY_LINES = 10


class Ending(Enum):
    """Whether a line ends what the sender wrote for this mail."""

    NO = 0
    DOUBTFUL = 1
    """It may. A person may as well have written it, and what follows."""
    LIKELY = 2
    """It does as far as can be told; the sender should know."""
    SIGNATURE = 3
    """It does: a signature follows, or what a mailing list or a company adds."""
    OLDER = 4
    """It does: an older message follows."""


def ending(lines: Sequence[str], number: int, is_letter_below: bool) -> Ending:
    """Return whether a line ends the sender's text; `is_letter_below`: a board of ours follows."""
    line = lines[number]
    if _SIGNATURE.match(line):
        return Ending.SIGNATURE
    if _BARE_SIGNATURE.match(line):
        return Ending.LIKELY
    if disclaims := disclaimer(lines, number):
        return Ending.SIGNATURE if disclaims > 1 else Ending.LIKELY
    if _UNDERSCORES.match(line):
        below = " ".join(lines[number + 1 : number + 1 + _MOST_LINES_OF_LIST])
        if _OF_LIST.match(below.lower()):
            return Ending.SIGNATURE
    if announced := _announcement(line):
        return announced
    headers = max(_headers_from(lines, number), _headers_in_line(line), key=len)
    if len(headers) >= _HEADERS_IN_A_BLOCK:
        is_subject = any(_name_of(header) in _SUBJECTS for header in headers)
        return judged(" ".join(headers), is_letter_below, is_sure=is_subject)
    return Ending.DOUBTFUL if headers[1:] or _DRAWN.match(line) else Ending.NO


def judged(above: str, is_letter_below: bool, *, is_sure: bool = False) -> Ending:
    """Return whether an older message follows below what looks like its headers.

    It does if they name us; it is likely if they hold an address or, as `is_sure` says, something
    else that only a program writes, or if a board of ours follows; and certain if both are so.
    """
    is_sure = is_sure or bool(ADDRESS.search(above))
    if _OURS.search(above.lower()) or (is_sure and is_letter_below):
        return Ending.OLDER
    return Ending.LIKELY if is_sure or is_letter_below else Ending.DOUBTFUL


def _announcement(line: str) -> Ending | None:
    """Return what a line says that announces an older message, between dashes or before a colon."""
    if len(line) > _LONGEST_ANNOUNCEMENT:
        return None
    words = line.strip(_AROUND_ANNOUNCEMENT)
    line = line.strip()
    if words.lower() in _ANNOUNCED:
        if line.startswith(_DASHES):
            return Ending.OLDER
        return Ending.LIKELY if line.endswith((":", "\uff1a")) else None
    if line.startswith("---") and line.endswith("---") and signs_of(words) > 1:
        return judged(words, is_letter_below=False)
    return None


def _headers_from(lines: Sequence[str], number: int) -> list[str]:
    """Return the headers on this line and the next ones that are not empty.

    A line of dashes above them, or words between dashes, or the first line of a mail in an mbox,
    counts as one.
    """
    line = lines[number].rstrip()
    is_title = line.startswith("---") and line.endswith("---")
    found = list[str]()
    if is_title or SEPARATOR.fullmatch(line) or _BEGINNING.fullmatch(line.lower()):
        found.append(line)
        number = next_written(lines, number + 1)
    above = len(found)
    while number < len(lines) and len(found) < _MOST_HEADERS and _name_of(lines[number]):
        found.append(lines[number])
        number = _behind_header(lines, number)
    return found if len(found) > above else []


def _behind_header(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not empty behind a header, which may be long."""
    following = next_written(lines, number + 1)
    is_wrapped = following < len(lines) and (
        lines[following][:1] in (" ", "\t") or len(lines[number]) >= _LEAST_TO_WRAP
    )
    if is_wrapped and not _name_of(lines[following]):
        behind = next_written(lines, following + 1)
        if behind < len(lines) and _name_of(lines[behind]):
            return behind
    return following


def _headers_in_line(line: str) -> list[str]:
    """Return the headers of an older message that stand on one line."""
    colons = line.count(":") + line.count("\uff1a")
    if colons < _HEADERS_IN_A_BLOCK or len(line) > _LONGEST_LINE_OF_HEADERS:
        return []
    line = line.lower()
    begins = [found.start() for found in _HEADER_IN_LINE.finditer(line)]
    if not begins or line[: begins[0]].strip(" \t*|"):
        return []
    headers = [line[at:to] for at, to in zip(begins, [*begins[1:], len(line)], strict=True)]
    return headers if len({_name_of(each) for each in headers}) >= _HEADERS_IN_A_BLOCK else []


def _name_of(line: str) -> str:
    """Return the name of the header on a line, or an empty text if none is there."""
    name, colon, _ = line[:_LONGEST_HEADER_NAME].replace("\uff1a", ":").partition(":")
    name = name.strip(" \t*|>\u00a0").lower()
    return name if colon and name in _HEADERS else ""


def next_written(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not empty; after too many, of the last one."""
    for each in range(number, min(number + _MOST_EMPTY_LINES, len(lines))):
        if lines[each].strip():
            return each
    return min(number + _MOST_EMPTY_LINES, len(lines))
