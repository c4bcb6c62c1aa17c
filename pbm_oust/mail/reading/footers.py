"""Footers of phones, mail programs and virus scanners, with their links. Pure."""

import re
from collections.abc import Sequence

from pbm_oust.mail.reading.phrases import DIRECTIONS, PHRASES, any_of

_LONGEST = 200
_MOST_WORDS = 8
_LONGEST_NAME = 48
_LINK = r"[<(\[]+\s?(?:https?:|www\.)[^\s<>()]*\s?[>)\]]+"
_ADDRESS_OF_PROGRAM = re.compile(rf"{_LINK}|[<(\[]*\b(?:https?:|www\.)\S*\s*$")
_ADDRESS_ALONE = re.compile(rf"{_LINK}|(?:https?:|www\.)\S+")
"""A line with nothing but a link, or a broken one in brackets."""
_MOST_LINES_OF_ADDRESS = 5
_MOST_FOOTERS = 6
_HOST = re.compile(r"(?:https?://|www\.)([^/\s<>?#\])]+)")
_STORES = (
    "aka.ms",
    "onelink.me",
    "app.link",
    "go.microsoft.com",
    "play.google.com",
    "apps.apple.com",
)
"""Sites that distribute programs."""
_AROUND = " \t.:!*_\u3002\u00a0[]()<>\u200e\u200f-\u2013\u2014"
_BRACKETS = str.maketrans("", "", "[]")
_OF_CHECKS = re.compile(
    r"(?:\S+\s+){0,5}(?:\S*\.)?\s?www\.(?:avast|avg)\.com(?:\s*<https?://[^\s<>]*>)?"
    r"|<?https?://[\w.-]*(?:avast|avg)\.com/\S*|<#[0-9a-f]{8}-[0-9a-f-]{27}>"
    r"|yahoo mail\s?: \w+, \w+(?:,| \w{1,3}) (?:\w{1,3} )?\w+"
    r"|version: [\d.]+ / virus database: .*|sent from mailspring\b.*",
    re.IGNORECASE,
)
"""Lines of Avast, AVG, Yahoo and Mailspring in any language, with links."""
_KNOWN = re.compile(rf"(?<![a-z])(?:{any_of('devices')})(?![a-z])", re.IGNORECASE)
_FOOTERS = PHRASES["phone_footers"]
_FOOTER_ENDS = [tuple(phrase.split("{}", 1)) for phrase in _FOOTERS if "{}" in phrase]
_BEGINNINGS = tuple(begin for begin, _ in _FOOTER_ENDS if begin)
_ENDINGS = tuple(end for begin, end in _FOOTER_ENDS if not begin)
_WHOLE = frozenset(phrase for phrase in _FOOTERS if "{}" not in phrase)
_OF_ANY = frozenset(" ".join((*_FOOTERS, "app com mail mobile note phone watch www")).split())
"""Words of footers that identify no program."""


def _is_footer(line: str) -> bool:
    """Return whether a whole line is the footer of a phone or a program.

    The phone or the program is named in at most eight words; a link may follow.
    """
    if len(line) > _LONGEST:
        return False
    if _OF_CHECKS.fullmatch(line.strip(" \t.*_")):
        return True
    plain = DIRECTIONS.sub("", _ADDRESS_OF_PROGRAM.sub("", line.strip()))
    bare = plain.translate(_BRACKETS).strip(_AROUND).lower()
    if bare in _WHOLE or _OF_CHECKS.fullmatch(bare):
        return True
    may_be = bare.startswith(_BEGINNINGS) or bare.endswith(_ENDINGS)
    return may_be and any(_is_phrase(bare, *ends) for ends in _FOOTER_ENDS)


def _ends_in_footer(lines: Sequence[str], end: int) -> bool:
    return end > 0 and _is_footer(lines[end - 1])


def _is_phrase(line: str, begin: str, end: str) -> bool:
    if not (line.startswith(begin) and line.endswith(end)):
        return False
    name = line[len(begin) : len(line) - len(end)].strip()
    return 0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS


def _names_program(line: str) -> bool:
    """Return whether a footer is certainly no person's: it names a device or a program."""
    is_known = _OF_CHECKS.fullmatch(line.strip(" \t.*_")) or _KNOWN.search(line)
    return line.strip(_AROUND).lower() in _WHOLE or bool(is_known)


def _address_above(lines: Sequence[str], end: int) -> int:
    """Return the number of lines above `end` that are one link and nothing else."""
    for count in range(1, min(_MOST_LINES_OF_ADDRESS, end) + 1):
        said = "".join(map(str.strip, lines[end - count : end]))
        is_one = count == 1 or (said[:1] in "<([" and said[-1:] in ">)]")
        if said and is_one and _ADDRESS_ALONE.fullmatch(said):
            return count
    return 0


def _is_of_footer(address: str, footer: str) -> bool:
    """Return whether a link certainly belongs to the program of a footer."""
    found = _HOST.search(address.lower())
    host = found[1] if found else ""
    named = {word for word in re.findall(r"\w{3,}", footer.lower()) if word not in _OF_ANY}
    return host.endswith(_STORES) or any(f".{word}" in f".{host}" for word in named)


def without_footers(lines: Sequence[str]) -> tuple[int, list[str]]:
    """Return the number of lines above the footers, and the footers a person may have written.

    The addresses beside such a line belong to it. Those lines come second that a person may have
    written.
    """
    end, doubtful = _written(lines, len(lines)), list[str]()
    for _ in range(_MOST_FOOTERS):
        above = end
        for _ in range(_MOST_FOOTERS):
            number = 0 if _ends_in_footer(lines, above) else _address_above(lines, above)
            if not number:
                break
            above = _written(lines, above - number)
        if not _ends_in_footer(lines, above):
            break
        footer = lines[above - 1]
        doubtful += [] if _names_program(footer) else [footer]
        end = _written(lines, above - 1)
        number = _address_above(lines, end)
        if number and _is_of_footer("".join(lines[end - number : end]), footer):
            end = _written(lines, end - number)
    return end, doubtful


def _written(lines: Sequence[str], end: int) -> int:
    """Return the number of lines up to `end` without empty ones at the end."""
    while end and not lines[end - 1].strip():
        end -= 1
    return end
