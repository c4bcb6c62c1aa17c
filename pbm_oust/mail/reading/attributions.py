"""Sentences such as `On Friday, Bob wrote:`, which say whose words follow. Pure."""

import re
from collections.abc import Sequence

from pbm_oust.mail.reading.phrases import OPENINGS, SAID
import re


def any_of(phrases: tuple[str, ...]) -> str:
    """Return a pattern that matches any of the phrases, the longest first."""
    return "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))


DIRECTIONS = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
"""Marks without a width, some of which say in which direction a text is read."""
_DIRECTION_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069 "
_COLONS = (":", "\uff1a")
_DATE = re.compile(r"\b\d{4}\b|\b\d{1,2}[:.h]\d{2}\b|\d{4}[\u5e74\ub144]|\b\d{1,2}[./-]\d{1,2}[./-]")
_IS_NEEDED = re.compile(r"[@\d]")
"""Any two of the three signs contain one of these."""
ADDRESS = re.compile(r"[^\s@<>]@[\w-]+\.\w")
_ENDS_IN_ADDRESS = re.compile(r"@[\w.-]+>\s*$")
_SAID = re.compile(rf"(?<!\w)(?:{any_of(SAID)})(?!\w)|\u5199\u9053|\u5beb\u9053", re.IGNORECASE)
_OPENING = re.compile(
    rf"[\W_]*(?:(?:{any_of(OPENINGS)})(?!\w)|\d{{1,4}}[-/.]\d|\d{{4}}[\u5e74\ub144]"
    r"|\w{2,4}[.,]{1,2}\s\d|\w{2,3}\s\d{1,2}\.)",
    re.IGNORECASE,
)
_WITHOUT_COLON = re.compile(r"\d{4}/\d{1,2}/\d{1,2},?\s.{0,80}<[^\s@<>]+@[^\s@<>]+>\s*")
"""What Gmail wrote at first, without a verb: `2009/11/20 Bob <bob@example.org>`."""
_LONGEST_ATTRIBUTION = 3
"""How many lines such a sentence may take."""
_LONGEST_LINE = 300
_LONGEST_SENTENCE = 600


def attribution(kept: Sequence[str], is_sure: bool = False) -> int:
    """Return how many of the last lines say who wrote what follows: 0 if they do not.

    They end in a colon and have a date, an address or the verb; `is_sure` asks for two of these.
    """
    if kept and _WITHOUT_COLON.fullmatch(DIRECTIONS.sub("", kept[-1])):
        return 1
    if not kept or not kept[-1].rstrip(_DIRECTION_MARKS).endswith(_COLONS):
        return 0
    if is_sure and not any(map(_IS_NEEDED.search, kept[-_LONGEST_ATTRIBUTION:])):
        return 0
    number = _lines_of_sentence(kept)
    sentence = DIRECTIONS.sub("", " ".join(kept[-number:])[-_LONGEST_SENTENCE:])
    return number if signs_of(sentence) >= 1 + is_sure else 0


def signs_of(sentence: str) -> int:
    """Return how many of a date, an address and the verb are in a sentence."""
    return sum(bool(sign.search(sentence)) for sign in (_DATE, _SAID, ADDRESS))


def _goes_on_below(kept: Sequence[str]) -> bool:
    """Return whether the last line ends in an address, so that the verb may stand below it."""
    return bool(kept) and bool(_ENDS_IN_ADDRESS.search(kept[-1]))


def _lines_of_sentence(kept: Sequence[str]) -> int:
    """Return how many of the last lines belong to the sentence at their end.

    It begins on a line that begins like such sentences and has a date or an address, or else on
    the line with the verb.
    """
    with_verb = 0
    for count in range(1, min(_LONGEST_ATTRIBUTION, len(kept)) + 1):
        line = DIRECTIONS.sub("", kept[-count])
        if not line.strip() or len(line) > _LONGEST_LINE:
            break
        is_more = _DATE.search(line) or ADDRESS.search(line)
        if (is_more or (count == 1 and not _goes_on_below(kept[:-1]))) and _OPENING.match(line):
            return count
        if not with_verb and _SAID.search(line):
            with_verb = count
    return with_verb or 1
