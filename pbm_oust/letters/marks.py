"""Marks in what a template writes: where a board goes, links, and what a player wrote. Pure.

They are characters that no text may hold; they are removed from all other text.
"""

from dataclasses import dataclass
import re

BOARD, SAID, END, OFFERS = "\ufdd0", "\ufdd1", "\ufdd2", "\ufdd3"
"""Mark a board, the beginning and end of what a player wrote, and links that join open challenges
(Unicode, section 23.7)."""
_MARKS = re.compile(f"[{BOARD}-{OFFERS}]")


@dataclass(frozen=True, slots=True)
class Marked:
    """A part of what a template writes that keeps its marks."""

    text: str

    def __str__(self) -> str:
        return self.text


def board_below(heading: str) -> Marked:
    """Return a heading with the mark of a board below it."""
    return Marked(f"{heading}\n\n{BOARD}")


def quoted(text: str) -> Marked:
    """Return what a player wrote, marked as such."""
    return Marked(f"{SAID}{unmarked(text)}{END}")


def unmarked(value: object) -> object:
    """Return what a template is about to write, without the marks that a text may not have."""
    if not isinstance(value, str) or value.isascii():
        return value
    return _MARKS.sub("", value)
