"""Phrases that mail programs add to a text, in many languages, from phrases.toml. Pure."""

import re
import tomllib
from collections.abc import Sequence
from pkgutil import get_data

from pbm_oust.grammar.vocabulary import normal_form

PHRASES: dict[str, list[str]] = tomllib.loads(
    (get_data(__package__, "phrases.toml") or b"").decode()
)
"""Phrases by their sort."""


def any_of(*sorts: str) -> str:
    """Return a pattern that matches any of the phrases of some sorts, the longest first."""
    phrases = [phrase for sort in sorts for phrase in PHRASES[sort]]
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Invisible marks, some of them for the direction of a text."""
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_TAGS = any_of("spam_tags")
_NONE = frozenset(PHRASES["no_subjects"])
_PREFIX = re.compile(
    r"\s*(?:"
    rf"(?:{any_of('reply_prefixes')})\s*(?:\[\d+\]|\*\d+|\(\d+\)|\^\d+|\d+)?\s*:"
    r"|\[[^\]]{1,40}\]"
    rf"|\*{{2,5}}\s?(?:{_TAGS})\s?\*{{2,5}}:?"
    rf"|[{{(](?:{_TAGS})[}})]:?"
    r")\s*",
    re.IGNORECASE,
)


def without_prefixes(subject: str) -> str:
    """Return a Subject without reply prefixes, list tags and spam tags.

    It is empty where a mail program says that there is none. First, letters that merely look
    different are made plain, and invisible marks are dropped.
    """
    if not subject.isascii():
        subject = _INVISIBLE.sub("", normal_form("NFKC", subject))
    start = 0
    while match := _PREFIX.match(subject, start):
        start = match.end()
    rest = subject[start:].strip()
    bare = rest.strip("()<>[]\uff08\uff09 .").replace("\u2019", "'").lower()
    return "" if bare in _NONE else rest


_RECEIPT = re.compile(rf"(?:{any_of('receipts')})\s?:\s*(?P<read>.+)", re.IGNORECASE)
_SAYS_RECEIPT = re.compile(any_of("receipt_sentences"), re.IGNORECASE)
_LONGEST_RECEIPT = 1_000


def is_receipt(subject: str, text: str) -> bool:
    """Return whether a text is a read receipt, or a program's request to recall a mail.

    Its Subject holds that of the other mail, and the text repeats it, or is a single sentence.
    """
    found = _RECEIPT.fullmatch(_INVISIBLE.sub("", normal_form("NFKC", subject)).strip())
    said = " ".join(normal_form("NFKC", text).split())
    if not found or len(said) > _LONGEST_RECEIPT:
        return False
    named = rf"[:\"'(\u2018-\u201f\xab\xbb\u300c\u300e]\s*{re.escape(found['read'])}"
    is_named = re.search(named, said, re.IGNORECASE)
    return not said or bool(is_named or _SAYS_RECEIPT.search(said))


_LONGEST_WARNING = 600
_LEAST_DISCLAIMER = 100
_MOST_LINES = 6
_AROUND = " \t*_[]<>(){}!#=|-~\u26a0\ufe0f\u2757"

_WARNS = re.compile(rf"(?:{any_of('warnings')})(?!\w)", re.IGNORECASE)
_IS_OUTSIDE = re.compile(any_of("outside"), re.IGNORECASE)
_DISCLAIMS = re.compile(any_of("disclaimers"), re.IGNORECASE)
_IS_FOR_OTHERS = re.compile(any_of("for_others"), re.IGNORECASE)
_IS_SECRET = re.compile(any_of("secret"), re.IGNORECASE)


def lines_of_warning(lines: Sequence[str]) -> int:
    """Return the number of first lines that warn of an external sender.

    The warning is the first paragraph, and more is written below it.
    """
    begin = 0
    while begin < min(_MOST_LINES, len(lines)) and not lines[begin].strip(_AROUND):
        begin += 1
    if not (begin < _MOST_LINES and lines[begin:] and _WARNS.match(lines[begin].strip(_AROUND))):
        return 0
    end = begin
    while end < len(lines) and end - begin < _MOST_LINES and lines[end].strip():
        end += 1
    warning = " ".join(lines[begin:end])
    is_whole = end < len(lines) and not lines[end].strip() and any(map(str.strip, lines[end:]))
    is_warning = len(warning) <= _LONGEST_WARNING and _IS_OUTSIDE.search(warning)
    return end if is_whole and is_warning else 0


def disclaimer(lines: Sequence[str], number: int) -> int:
    """Return the certainty that the paragraph on a line is a disclaimer: 0 to 2.

    1: it calls the mail confidential. 2: it is also long, and says for whom the mail is or what to
    do with one that went astray, as no person would write.
    """
    if number == 0 or lines[number - 1].strip(_AROUND):
        return 0
    if not _DISCLAIMS.match(lines[number].strip(_AROUND)):
        return 0
    said = " ".join(lines[number : number + _MOST_LINES])
    if not _IS_SECRET.search(said):
        return 0
    return 2 if len(said) >= _LEAST_DISCLAIMER and _IS_FOR_OTHERS.search(said) else 1
