"""Placements as people write them in letters: `d4`, `D4, E5 and F9.`, `D4-E5`. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from pbm_oust.grammar.words import QUOTES, fold, split_words
from pbm_oust.refusal import Unreadable
import re

_APART = re.compile(rf"(?:[\s,;.:!/&+|>()\[\]*~{re.escape(QUOTES)}-]|\b(?:and|then|et|puis)\b)+")
_CELLS = re.compile(r"(?:[a-z][0-9]{1,3})+")
_CELL = re.compile(r"[a-z][0-9]{1,3}")
_TURNED = re.compile(r"([0-9]{1,2})([a-z])")
_LATIN = "a-z0-9_\u00df-\u024f"
_WITHIN = re.compile(rf"(?<![{_LATIN}])[a-z][1-9][0-9]?(?![{_LATIN}])")
ASKING = "\u2753\u2754"
"""Question marks that are pictograms: a player who adds one has not decided."""
_MARKS = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
"""Characters that change how a pictogram looks."""


def parts_of(line: str) -> list[str]:
    """Return the parts of a folded line between commas, spaces and the like, without pictograms.

    The two halves of a cell are one part: `d 4`, but not `d4 5`.
    """
    plain = "".join(" " if _is_picture(char) else char for char in _MARKS.sub("", line))
    joined: list[str] = []
    for part in filter(None, _APART.split(plain)):
        last = joined[-1] if joined else ""
        is_half = len(last) == 1 and last.isalpha() and part.isdigit()
        is_turned = last.isdigit() and len(part) == 1 and part.isalpha()
        if is_half or is_turned:
            # A letter of another script is read by the figure beside it.
            joined[-1] = fold(last + part)
        else:
            joined.append(part)
    return joined


def cells_in(part: str) -> list[str]:
    """Return the cells of a part, as they are written: two for `d4e5`, and `4d` itself for `4d`."""
    if _TURNED.fullmatch(part):
        return [part]
    return _CELL.findall(part) if _CELLS.fullmatch(part) else []


def turned_round(parts: Sequence[str]) -> str:
    """Return parts as a line, with the letter put first in cells such as `4d`."""
    turned = [_TURNED.sub(r"\2\1", part) if _TURNED.fullmatch(part) else part for part in parts]
    cells = [part.upper() for part in turned if _CELLS.fullmatch(part)]
    words = [part for part in turned if not _CELLS.fullmatch(part)]
    return " ".join([*words, ",".join(cells)])


def is_placements(line: str) -> bool:
    """Return whether a line as it was sent holds placements and nothing else."""
    try:
        words = split_words(line)
    except Unreadable:
        return False
    parts = parts_of(fold(" ".join(words)))
    return bool(parts) and all(map(_CELLS.fullmatch, parts))


def runs_within(line: str) -> list[list[str]]:
    """Return the runs of cells in a folded line: those with only commas and the like in between."""
    runs: list[list[str]] = []
    end = 0
    for match in _WITHIN.finditer(line):
        if not (runs and _APART.fullmatch(line[end : match.start()])):
            runs.append([])
        runs[-1].append(match[0])
        end = match.end()
    return runs


def _is_picture(char: str) -> bool:
    return unicodedata.category(char) == "So" and char not in ASKING
