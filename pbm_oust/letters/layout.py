"""What a letter says, as blocks: paragraphs and boards, for both its text and its HTML. Pure.

A template writes paragraphs, with blank lines between them, and marks (`marks.py`).
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from pbm_oust.accounts.tags import AnswerPurpose, Joining
from pbm_oust.grammar.notation import Partial
from pbm_oust.play.notices import Shown
from pbm_oust.render.text import board_text
from pbm_oust.render.visible import visible_letter

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


WIDTH = 75
"""The longest line of our own sentences."""

_MARKED = re.compile(f"({BOARD}|{OFFERS}|{SAID}[^{END}]*{END})")


class Look(Enum):
    """How a paragraph looks."""

    PROSE = "prose"
    """Our own sentences."""
    SAID = "said"
    """What a player wrote."""
    LINES = "lines"
    """Lines that stay as they are: commands and tables."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, each as it was written."""

    look: Look
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offers:
    """Where the open challenges stand that the reader may join by a link. Text has no links."""

    challenges: tuple[Joining, ...]


Block = Paragraph | Shown | Offers


@dataclass(frozen=True, slots=True)
class Written:
    """What a letter says, from which its text and its HTML are made."""

    subject: str
    blocks: tuple[Block, ...]
    answering: AnswerPurpose | None = None
    """What an answer to it is for, if that needs no password."""
    again: tuple[Partial, ...] = ()
    """What an answer may say to start the next game, if the letter tells of the end of one."""

    @property
    def text(self) -> str:
        """The letter as text: sentences wrapped, and what a player wrote indented."""
        return "\n\n".join(filter(None, map(_text, self.blocks))) + "\n"


def blocks(
    written: str, shown: Sequence[Shown] = (), offers: tuple[Joining, ...] = ()
) -> Iterator[Block]:
    """Yield the blocks of what a template has written.

    `shown` are the boards at its marks, and `offers` what may be joined at another one.

    Raises ValueError if the template does not show exactly these.
    """
    boards = iter(shown)
    for part in _MARKED.split(written):
        if part == BOARD:
            board = next(boards, None)
            if board is None:
                raise ValueError(f"more than {len(shown)} boards are shown")
            yield board
        elif part == OFFERS:
            yield Offers(offers)
        elif part.startswith(SAID):
            for lines in _parted(part.strip(SAID + END).splitlines()):
                yield Paragraph(Look.SAID, lines)
        else:
            yield from map(_paragraph, _parted(part.split("\n")))
    if next(boards, None):
        raise ValueError(f"fewer than {len(shown)} boards are shown")


def _parted(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the lines between blank ones, with all that they hold to be seen."""
    for is_blank, some in groupby(map(visible_letter, lines), lambda line: not line.strip()):
        if not is_blank:
            yield tuple(some)


def _paragraph(lines: tuple[str, ...]) -> Paragraph:
    """Return sentences, or lines that stay as they are if one of them is indented."""
    is_indented = any(line.startswith(" ") for line in lines)
    return Paragraph(Look.LINES if is_indented else Look.PROSE, lines)


def _text(block: Block) -> str:
    if isinstance(block, Shown):
        return board_text(block.game.position, block.game.latest_stones())
    if isinstance(block, Offers):
        return ""
    if block.look is Look.SAID:
        return indented(block.lines)
    return "\n".join(map(wrapped, block.lines))


def wrapped(line: str) -> str:
    """Return a sentence broken into lines that fit; an indented line stays as it is."""
    if len(line) <= WIDTH or line.startswith(" "):
        return line
    return "\n".join(broken(line, WIDTH))


def broken(line: str, width: int) -> Iterator[str]:
    """Yield the lines of a text that is broken between words, as `textwrap` does it.

    A word that is too long has a line of its own. All white space must be spaces.
    """
    line = line.rstrip(" ")
    while len(line) > width:
        end = line.rfind(" ", 0, width + 1)
        if end < 0:
            end = line.find(" ")
        if end < 0:
            break
        if line[:end].strip(" "):
            yield line[:end].rstrip(" ")
        line = line[end:].lstrip(" ")
    yield line


def indented(lines: Iterable[str]) -> str:
    """Return lines as they are, but wrapped and indented."""
    room = WIDTH - 2
    slim = (
        line.rstrip()
        if len(line) <= room and "\t" not in line
        else textwrap.fill(line, room, break_long_words=False, break_on_hyphens=False)
        for line in lines
    )
    return textwrap.indent("\n".join(slim), "  ")


def beside(text: str, column: int, width: int = WIDTH) -> str:
    """Return a text that begins in a column, with its later lines indented to that column."""
    indent = " " * column
    lines = textwrap.wrap(
        indent + text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines)[column:]


def item(text: str) -> str:
    """Return a sentence as an item of a list, wrapped and indented."""
    return textwrap.fill(
        text, WIDTH, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False
    )
