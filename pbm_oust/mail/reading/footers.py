"""Lines that phones and mail programs write below a mail. Pure."""

import re

from pbm_oust.mail.reading.phrases import DEVICES, PHONE_FOOTERS
import re

_LONGEST = 200
_MOST_WORDS = 8
_LONGEST_NAME = 48
_ADDRESS_OF_PROGRAM = re.compile(r"[<(\[]*https?:\S*$|[<(]https?:[^\s<>()]*[>)]")
_AROUND = " \t.!*_\u3002\u00a0[]()<>\u200e\u200f"
_BRACKETS = str.maketrans("", "", "[]")
_OF_CHECKS = re.compile(
    r"(?:\S+\s+){0,5}(?:\S*\.)?\s?www\.(?:avast|avg)\.com(?:\s*<https?://[^\s<>]*>)?"
    r"|<?https?://[\w.-]*(?:avast|avg)\.com/\S*|<#[0-9a-f]{8}-[0-9a-f-]{27}>"
    r"|yahoo mail\s?: \w+, \w+, \w+"
    r"|version: [\d.]+ / virus database: .*|sent from mailspring\b.*",
    re.IGNORECASE,
)
"""What Avast, AVG, Yahoo and Mailspring write in any language, with the links around it."""
_KNOWN = re.compile("|".join(map(re.escape, DEVICES)), re.IGNORECASE)
_ENDS = [tuple(phrase.split("{}", 1)) for phrase in PHONE_FOOTERS if "{}" in phrase]
_BEGINNINGS = tuple(begin for begin, _ in _ENDS if begin)
_ENDINGS = tuple(end for begin, end in _ENDS if not begin)
_WHOLE = frozenset(phrase for phrase in PHONE_FOOTERS if "{}" not in phrase)


def is_footer(line: str) -> bool:
    """Return whether a line as a whole is one that a phone or a program adds.

    The phone or the program is named in one to six words; an address may follow.
    """
    if len(line) > _LONGEST:
        return False
    if _OF_CHECKS.fullmatch(line.strip(" \t.*_")):
        return True
    bare = _ADDRESS_OF_PROGRAM.sub("", line.strip()).translate(_BRACKETS).strip(_AROUND).lower()
    if bare in _WHOLE:
        return True
    may_be = bare.startswith(_BEGINNINGS) or bare.endswith(_ENDINGS)
    return may_be and any(_is_phrase(bare, *ends) for ends in _ENDS)


def names_program(line: str) -> bool:
    """Return whether such a line is certainly no person's: it names a device or a program."""
    is_known = _OF_CHECKS.fullmatch(line.strip(" \t.*_")) or _KNOWN.search(line)
    return line.strip(_AROUND).lower() in _WHOLE or bool(is_known)


def _is_phrase(line: str, begin: str, end: str) -> bool:
    if not (line.startswith(begin) and line.endswith(end)):
        return False
    name = line[len(begin) : len(line) - len(end)].strip()
    return 0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS
