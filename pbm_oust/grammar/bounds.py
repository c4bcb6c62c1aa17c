"""How long a line may be: so long as any command, and no longer. Pure."""

from pbm_oust.accounts.queue import MOST_CLAUSES
from dataclasses import dataclass
from pbm_oust.grammar.aliases import in_english
from pbm_oust.refusal import Unreadable, UnreadableReason
import re
from pbm_oust.rules.grid import LONGEST

MOST_WORDS = 60
"""How many words a line may have besides cells, and besides `if` and `then`."""
MOST_CELLS = LONGEST * LONGEST
"""How many cells a line may name: all those of the largest grid."""
LONGEST_LINE = 4_000
"""How many characters a line may have: room for so many cells and words, and five addresses."""

_CELLS = re.compile(r"\b(?:(?:[a-z] ?[0-9]{1,2})+|[0-9]{1,2}[a-z])\b")
_CELL = re.compile(r"[a-z] ?[0-9]|[0-9][a-z]")
_WORD = re.compile(r"[^\s,;]+")
_OF_CLAUSES = ("if", "then")


@dataclass(frozen=True, slots=True)
class LineTooLong(UnreadableReason):
    """A line has more words or cells than any command."""

    most: int = MOST_WORDS
    """The most words that there may be besides cells."""


_MOST_OF_CLAUSES = len(_OF_CLAUSES) * MOST_CLAUSES


def check_length(line: str) -> None:
    """Raise Unreadable for a line that is longer than any command."""
    if len(line) > LONGEST_LINE:
        raise Unreadable(LineTooLong())
    if len(line) <= MOST_WORDS:
        return
    plain = line.lower()
    cells = sum(len(_CELL.findall(found)) for found in _CELLS.findall(plain))
    words = _WORD.findall(_CELLS.sub(" ", plain))
    is_long = len(words) > MOST_WORDS + _MOST_OF_CLAUSES
    if is_long or cells > MOST_CELLS or sum(map(_counts, words)) > MOST_WORDS:
        raise Unreadable(LineTooLong())


def _counts(word: str) -> bool:
    return in_english(word, _OF_CLAUSES) not in _OF_CLAUSES
