"""Whether a text agrees to what a letter asks, or says no to it: what its first line says. Pure."""

import re
from collections.abc import Iterable
from functools import cache

from pbm_oust.grammar.aliases import without_accents
from pbm_oust.grammar.plain import APOSTROPHES
from pbm_oust.grammar.wording import worded
from pbm_oust.grammar.words import fold
from pbm_oust.languages import LANGUAGES

_SIGNS = ".,!:;-"
_DOUBTFUL = frozenset("?\u00bf\uff1f>|")
"""Signs of a question, or of a quote."""


def agrees(text: str) -> bool:
    """Return whether a text says yes, in any language, and nothing else but thanks and the like.

    Its first line counts that is no mere greeting. What somebody writes below that does not matter.
    """
    line = _first_line(text)
    yes, no = _answers()
    if no.search(line) or _DOUBTFUL & set(line):
        return False
    rest, said = yes.subn(" ", line)
    return said > 0 and _says_nothing(rest)


def refuses(text: str) -> bool:
    """Return whether a text begins with no, in any language, and does not say yes as well."""
    line = _first_line(text)
    yes, no = _answers()
    begun = no.match(line)
    if begun is None or yes.search(line):
        return False
    rest = line[begun.end() :]
    return rest.lstrip()[:1] in (*_SIGNS,) or _says_nothing(no.sub(" ", rest))


def _first_line(text: str) -> str:
    """Return the first line that is no mere greeting, with plain letters."""
    lines = without_accents(text.translate(APOSTROPHES)).splitlines()
    said = (line.strip() for line in lines if line.strip())
    return next((line for line in said if not _is_greeting(line)), "")


def _is_greeting(line: str) -> bool:
    yes, no = _answers()
    return not (yes.search(line) or no.search(line)) and worded(line, ()).is_courtesy


def _says_nothing(rest: str) -> bool:
    return not any(map(str.isalnum, rest)) or worded(rest, ()).is_courtesy


@cache
def _answers() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds the words that say yes, and those that say no."""
    languages = LANGUAGES.values()
    yes = _any_of(word for language in languages for word in language.yes)
    return yes, _any_of(word for language in languages for word in language.no)


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    longest_first = sorted(map(fold, phrases), key=len, reverse=True)
    found = "|".join(re.escape(phrase).replace(r"\ ", "[ ,]+") for phrase in longest_first)
    return re.compile(rf"(?<![\w'])(?:{found})(?![\w'])", re.IGNORECASE)
