"""The content of a letter as blocks: paragraphs and boards, for both its text and its HTML.

A template writes paragraphs with blank lines between them, and marks where a board stands, or the
words of a player.
"""

import os
import re
import textwrap
from collections.abc import Iterable, Sequence
from enum import Enum

import msgspec
from msgspec import Struct

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.grammar.form import Command
from pbm_oust.letters.pictures import Picture
from pbm_oust.play.notices import ShownBoard
from pbm_oust.render.text import board_text, players_text
from pbm_oust.render.visible import visible_letter

WIDTH = 75
"""The longest line of our own sentences."""

_SECRET = os.urandom(8).hex()
"""Ends every mark; no text holds it, because each process has its own."""
BOARD, OFFERS, SAID, PAGE, PICTURE, END = (
    f"\ufdd0{word} {_SECRET}" for word in ("board", "offers", "said", "page", "picture", "end")
)
"""Mark a board, links that join open challenges, and the beginning and end of what a player wrote,
of what leads to a page or of a board in the help.
"""
_MARKED = re.compile(f"({BOARD}|{OFFERS}|(?:{SAID}|{PAGE}|{PICTURE}).*?{END})", re.DOTALL)
_BLANK = re.compile(r"\n(?:[^\S\n]*\n)+")
"""The end of a line, and blank ones below it."""


def quoted(text: str) -> str:
    """Mark a text as the words of a player."""
    return f"{SAID}{text}{END}"


def leading_to(words: str, address: str, label: str) -> str:
    """Return words that lead to a page, its address and the label of a button, marked as such."""
    return f"{PAGE}{words}\n{address}\n{label}{END}"


def pictured(picture: Picture) -> str:
    """Return the mark of a board in the help, which holds all of it."""
    return f"{PICTURE}{msgspec.json.encode(picture).decode()}{END}"


class Appearance(Enum):
    """The look of a paragraph."""

    PROSE = "prose"
    """Our own sentences."""
    SAID = "said"
    """The words of a player."""
    LINES = "lines"
    """Lines that stay as they are: commands and tables."""


class Paragraph(Struct, frozen=True):
    """Lines that belong together, each as it was written."""

    look: Appearance
    lines: tuple[str, ...]


class Offers(Struct, frozen=True):
    """Where the open challenges stand that the reader may join by a link. Text has no links."""

    challenges: tuple[Ask, ...]


class PageLink(Struct, frozen=True):
    """A link to a page where the reader can do the same; HTML has a button for it."""

    words: str
    address: str
    label: str
    """The words on the button."""


Block = Paragraph | ShownBoard | Offers | PageLink | Picture


class Written(Struct, frozen=True):
    """A letter in words, from which its text and its HTML are made."""

    subject: str
    blocks: tuple[Block, ...]
    headline: str = ""
    """The beginning of its HTML, if that shows one board: the news, and whose turn it is."""
    is_board_first: bool = False
    """Whether the board, and what leads to its page, stand right below the headline."""
    answering: Topic | None = None
    """The purpose of an answer to it, if that needs no password."""
    again: tuple[Command, ...] = ()
    """The answers that start the next game, if the letter tells of the end of one."""

    @property
    def text(self) -> str:
        """The letter as text: sentences wrapped, and what a player wrote indented."""
        return self.within(WIDTH)

    def within(self, width: int) -> str:
        """Return the letter as text whose sentences have lines of at most so many characters."""
        written = []
        for block in self.blocks:
            if isinstance(block, ShownBoard):
                game = block.game
                written.append(players_text(game))
                written.append(board_text(game.position, game.latest_stones()))
            elif isinstance(block, Picture):
                written.append(textwrap.indent(block.text, "  "))
            elif isinstance(block, PageLink):
                written += (wrapped([block.words], width), f"  {block.address}")
            elif isinstance(block, Paragraph) and block.look is Appearance.SAID:
                written.append(indented(block.lines, width))
            elif isinstance(block, Paragraph):
                written.append(wrapped(block.lines, width))
        return "\n\n".join(written) + "\n"


def blocks(
    written: str, shown: Sequence[ShownBoard] = (), offers: tuple[Ask, ...] = ()
) -> tuple[Block, ...]:
    """Return the blocks of what a template has written.

    `shown` are the boards at its marks, and `offers` what may be joined at another one.

    Raises ValueError if the template does not show exactly these.
    """
    found: list[Block] = []
    boards = 0
    for part in _MARKED.split(written):
        if part == BOARD:
            found += shown[boards : boards + 1]
            boards += 1
        elif part == OFFERS:
            found.append(Offers(offers))
        elif part.startswith(PICTURE):
            held = part.removeprefix(PICTURE).removesuffix(END)
            found.append(msgspec.json.decode(held, type=Picture))
        elif part.startswith(PAGE):
            found.append(PageLink(*part.removeprefix(PAGE).removesuffix(END).split("\n")))
        else:
            found += _paragraphs(part)
    if boards != len(shown):
        raise ValueError(f"{boards} boards are shown, and not {len(shown)}")
    return tuple(found)


def _paragraphs(part: str) -> list[Paragraph]:
    """Return the paragraphs between blank lines, with every character visible.

    A paragraph with an indented line keeps its lines as they are; another one is sentences.
    """
    is_said = part.startswith(SAID)
    if is_said:
        part = "\n".join(part.removeprefix(SAID).removesuffix(END).splitlines())
    found = []
    for text in _BLANK.split(f"\n\n{visible_letter(part)}\n\n")[1:-1]:
        is_indented = text.startswith(" ") or "\n " in text
        look = Appearance.SAID if is_said else Appearance.LINES if is_indented else Appearance.PROSE
        found.append(Paragraph(look, tuple(text.split("\n"))))
    return found


def wrapped(lines: Iterable[str], width: int = WIDTH) -> str:
    """Return sentences broken into lines that fit; an indented line stays as it is."""
    fitting = []
    for line in lines:
        if len(line) <= width or line.startswith(" "):
            fitting.append(line)
        else:
            fitting += broken(line, width)
    return "\n".join(fitting)


def broken(line: str, width: int) -> list[str]:
    """Return the lines of a text that is broken between words, as `textwrap` does it.

    A word that is too long has a line of its own. All white space must be spaces.
    """
    found = []
    line = line.rstrip(" ")
    while len(line) > width:
        end = line.rfind(" ", 0, width + 1)
        if end < 0:
            end = line.find(" ")
        if end < 0:
            break
        if line[:end].strip(" "):
            found.append(line[:end].rstrip(" "))
        line = line[end:].lstrip(" ")
    return [*found, line]


def indented(lines: Iterable[str], width: int = WIDTH) -> str:
    """Return lines as they are, but wrapped and indented."""
    room, fitting = width - 2, []
    for line in lines:
        if len(line) <= room and "\t" not in line:
            fitting.append(line.rstrip())
        else:
            fitting.append(
                textwrap.fill(line, room, break_long_words=False, break_on_hyphens=False)
            )
    return textwrap.indent("\n".join(fitting), "  ")


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
