"""What a person wrote in a mail, without quotes, signatures and additions of programs. Pure."""

import re

from pbm_oust.mail.reading.footers import is_footer
from pbm_oust.mail.reading.phrases import ANNOUNCEMENTS, HEADER_NAMES, OPENINGS, SAID


def _any_of(phrases: tuple[str, ...]) -> str:
    """Return a pattern that matches any of the phrases, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


_DIRECTION_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069 "
_DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_QUOTED = re.compile(r"[ \t]{0,8}(?:[A-Za-z]{2,10}(?=>[ >]|>$))?[>\uff1e]")
_OTHER_MARK = re.compile(r"[ ]?[|\t}:%]")
"""Quote marks of a few programs; they count only right below an attribution."""
_OTHER_MARK_OR_EMPTY = re.compile(rf"{_OTHER_MARK.pattern}|\s*$")

_SIGNATURE = re.compile(r"--\s?$")
_UNDERSCORES = re.compile(r"\s{0,3}_{10,}\s*$")
_SEPARATOR = re.compile(r"[-_=*~ ]{3,}")
_ANNOUNCED = frozenset(ANNOUNCEMENTS)
_AROUND_ANNOUNCEMENT = " \t-=_*~#|:\uff1a\u00a0"
_LONGEST_ANNOUNCEMENT = 160
_DASHES = ("--", "==", "__", "**", "~~", "# ", "|--")
_MANY_DASHES = "-----"
_BEGINNING_IN_MBOX = re.compile(r"\s{0,8}From \S+\s.{0,60}\d{4}\s*")
_HEADERS = frozenset(HEADER_NAMES)
_LONGEST_HEADER_NAME = 30
_HEADERS_IN_A_BLOCK = 3
_MOST_EMPTY_LINES = 10
_MOST_FOOTERS = 3

_DATE = re.compile(
    r"\b\d{4}\b|\b\d{1,2}[:.h]\d{2}\b|\d{4}[\u5e74\ub144]|\b\d{1,2}[./-]\d{1,2}[./-]"
)
_IS_NEEDED = re.compile(r"[@\d]")
"""Any two of the three signs contain one of these."""
_ADDRESS = re.compile(r"[^\s@<>]@[\w-]+\.\w")
_SAID = re.compile(rf"(?<!\w)(?:{_any_of(SAID)})(?!\w)|\u5199\u9053|\u5beb\u9053", re.IGNORECASE)
_OPENING = re.compile(
    rf"[\W_]*(?:(?:{_any_of(OPENINGS)})(?!\w)|\d{{1,4}}[-/.]\d|\d{{4}}[\u5e74\ub144]"
    r"|\w{2,4}[.,]{1,2}\s\d|\w{2,3}\s\d{1,2}\.)",
    re.IGNORECASE,
)
_LONGEST_ATTRIBUTION = 3
"""How many lines a sentence like `On Monday, Bob wrote:` may take."""
_LONGEST_ATTRIBUTION_LINE = 300
_LONGEST_SENTENCE = 600


def own_text(text: str) -> str:
    """Return what the sender wrote.

    Removed are marked quotes, with the sentence above them that says who wrote them; lines that
    phones add; and everything after the `--` of a signature, a line that announces an older
    message, or a block of its headers. So is an unmarked quote below such a sentence.
    """
    kept: list[str] = []
    lines = text.split("\n")
    bare = [_DIRECTIONS.sub("", line) for line in lines]
    number = 0
    while number < len(lines):
        if _ends_own_text(bare, number):
            break
        if _QUOTED.match(bare[number]):
            _drop_above_quote(kept)
            number = _end_of_run(bare, number, _QUOTED)
            _keep(kept, "")
            continue
        _keep(kept, lines[number].rstrip())
        number += 1
        if _attribution(kept, is_sure=True):
            begin = _next_written(bare, number)
            mark = _OTHER_MARK.match(bare[begin]) if begin < len(bare) else None
            if mark:
                _drop_above_quote(kept)
                number = _end_of_run(bare, begin, _OTHER_MARK_OR_EMPTY)
                _keep(kept, "")
            elif begin == len(bare) or not _QUOTED.match(bare[begin]):
                break
    else:
        _drop_footers(kept)
        return "\n".join(kept).strip("\n")
    _drop_above_quote(kept)
    return "\n".join(kept).strip("\n")


def _keep(kept: list[str], line: str) -> None:
    """Add a line to those kept; several empty lines in a row become one."""
    if line or (kept and kept[-1]):
        kept.append(line)


def _ends_own_text(lines: list[str], number: int) -> bool:
    line = lines[number]
    return bool(
        _SIGNATURE.match(line)
        or _UNDERSCORES.match(line)
        or _announces_older_message(line)
        or _is_header_block(lines, number)
    )


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
    return bool(words) and line.startswith(_MANY_DASHES) and line.endswith(_MANY_DASHES)


def _is_header_block(lines: list[str], number: int) -> bool:
    """Return whether this line and the next ones that are not empty name headers.

    It takes three, or two below a line of dashes or below the first line of a mail in an mbox.
    """
    names = 0
    line = lines[number].rstrip()
    is_announced = bool(_SEPARATOR.fullmatch(line) or _BEGINNING_IN_MBOX.fullmatch(line))
    if is_announced:
        number = _next_written(lines, number + 1)
    while number < len(lines) and names < _HEADERS_IN_A_BLOCK and _names_a_header(lines[number]):
        names += 1
        number = _next_written(lines, number + 1)
    return names >= _HEADERS_IN_A_BLOCK - is_announced


def _names_a_header(line: str) -> bool:
    name, colon, _ = line[:_LONGEST_HEADER_NAME].replace("\uff1a", ":").partition(":")
    return bool(colon) and name.strip(" \t*|>\u00a0").lower() in _HEADERS


def _next_written(lines: list[str], number: int) -> int:
    """Return the number of the next line that is not empty; after too many, of the last one."""
    for each in range(number, min(number + _MOST_EMPTY_LINES, len(lines))):
        if lines[each].strip():
            return each
    return min(number + _MOST_EMPTY_LINES, len(lines))


def _end_of_run(lines: list[str], number: int, pattern: re.Pattern[str]) -> int:
    """Return the number of the next line that does not match a pattern."""
    while number < len(lines) and pattern.match(lines[number]):
        number += 1
    return number


def _attribution(kept: list[str], is_sure: bool = False) -> int:
    """Return how many of the last lines say who wrote what follows: 0 if they do not.

    They end in a colon and have a date, an address or the verb; `is_sure` asks for two of these.
    """
    if not kept or not kept[-1].rstrip(_DIRECTION_MARKS).endswith((":", "\uff1a")):
        return 0
    if is_sure and not any(map(_IS_NEEDED.search, kept[-_LONGEST_ATTRIBUTION:])):
        return 0
    number = _lines_of_sentence(kept)
    sentence = _DIRECTIONS.sub("", " ".join(kept[-number:])[-_LONGEST_SENTENCE:])
    signs = sum(bool(sign.search(sentence)) for sign in (_DATE, _SAID, _ADDRESS))
    return number if signs >= 1 + is_sure else 0


def _lines_of_sentence(kept: list[str]) -> int:
    """Return how many of the last lines belong to the sentence at their end.

    It begins on a line that begins like such sentences and has a date or an address, or else on
    the line with the verb.
    """
    with_verb = 0
    for count in range(1, min(_LONGEST_ATTRIBUTION, len(kept)) + 1):
        line = _DIRECTIONS.sub("", kept[-count])
        if not line.strip() or len(line) > _LONGEST_ATTRIBUTION_LINE:
            break
        is_more = count == 1 or _DATE.search(line) or _ADDRESS.search(line)
        if is_more and _OPENING.match(line):
            return count
        if not with_verb and _SAID.search(line):
            with_verb = count
    return with_verb or 1


def _drop_above_quote(kept: list[str]) -> None:
    """Drop from the end of the kept lines what is there only because an older message follows."""
    _drop_empty(kept)
    number = _attribution(kept)
    if number:
        del kept[-number:]
    while kept and (not kept[-1] or _SEPARATOR.fullmatch(kept[-1])):
        kept.pop()
    _drop_footers(kept)


def _drop_footers(kept: list[str]) -> None:
    _drop_empty(kept)
    for _ in range(_MOST_FOOTERS):
        if kept and is_footer(kept[-1]):
            kept.pop()
            _drop_empty(kept)


def _drop_empty(kept: list[str]) -> None:
    while kept and not kept[-1]:
        kept.pop()
