"""Words of a command line: splitting, folding what mail programs change, finding what was meant."""

import re
import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches

from pbm_oust.refusal import Unread, Unreadable

MASK = "********"
"""Stands where a word might be a password."""

SHORTEST_PASSWORD = 6
"""Passwords have at least this many characters, so that shorter words can be shown again."""

_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_SPACES = re.compile(r"[\s\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DASHES = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
)
QUOTES = (
    "'\"`\u00b4\u2018\u2019\u201a\u201b\u2032\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a"
)
_HARMLESS = re.compile(
    r"#?\d+(#\d+)?"  # the number of a board, of a record, or both
    r"|[a-z]\d{1,2}([,;][a-z]?\d{0,2})*(#\d*)?"  # placements
    r"|\d{4}-\d{1,2}-\d{1,2}"  # a day
    r"|--?[a-z]+(=(\d+([x,]\d+)?)?)?",  # an option
    re.IGNORECASE,
)


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a command line.

    Spaces of every kind part words; invisible marks, and quotes around words, are dropped. Letters
    that merely look different (full-width ones, ligatures) are made plain.
    """
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    words = (word.strip(QUOTES) for word in _SPACES.sub(" ", visible).split(" "))
    return tuple(word for word in words if word)


def fold(word: str) -> str:
    """Return a word with plain dashes, in lower case. Never used on passwords."""
    return word.translate(_DASHES).lower()


def find_word(word: str, known: Iterable[str]) -> str:
    """Return the known word that is written here, in full or by a beginning that only it has.

    A word that others begin with in full goes before them, as show before showas. Raises
    Unreadable for any other word, with the known word that it resembles, if one does.
    """
    vocabulary = sorted(known)
    folded = fold(word)
    if folded in vocabulary:
        return folded
    begun = [candidate for candidate in vocabulary if folded and candidate.startswith(folded)]
    if begun and all(candidate.startswith(begun[0]) for candidate in begun):
        return begun[0]
    if begun:
        raise Unreadable(Unread.AMBIGUOUS_WORD, word, known=begun)
    raise Unreadable(
        Unread.UNKNOWN_WORD, word, known=vocabulary, resembles=resembling(folded, vocabulary)
    )


def resembling(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was probably meant, or None."""
    close = get_close_matches(fold(word), list(known), n=1, cutoff=0.66)
    return close[0] if close else None


def is_harmless(word: str) -> bool:
    """Return whether a word cannot be a password, so that it may be shown again."""
    return len(word) < SHORTEST_PASSWORD or bool(_HARMLESS.fullmatch(fold(word)))
