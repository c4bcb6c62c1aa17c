"""Texts laid out for letters, and taken apart into paragraphs as HTML wants them. Pure."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

WIDTH = 75
"""Lines of our own sentences are at most this long."""


def quoted(text: str) -> str:
    """Return what a player wrote, wrapped and indented."""
    lines = (textwrap.fill(line, WIDTH - 2, break_on_hyphens=False) for line in text.splitlines())
    return textwrap.indent("\n".join(lines), "  ")


def beside(text: str, column: int, width: int = WIDTH) -> str:
    """Return a text that begins in a column, its later lines indented to there."""
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


class Look(Enum):
    """How a paragraph looks."""

    PROSE = "prose"
    """Sentences of ours."""
    SAID = "said"
    """What a player wrote."""
    LINES = "lines"
    """Lines that stay as they are: commands, and tables."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together, without the indentation that they share."""

    look: Look
    lines: tuple[str, ...]


def paragraphs(text: str, said: Sequence[str] = ()) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text.

    Sentences that were wrapped are made whole again. What has an indented line is left as it is;
    where it stands in one of the texts `said`, a player wrote it.
    """
    words = [_in_one_line(each) for each in said]
    for is_blank, block in groupby(text.split("\n"), lambda line: not line.strip()):
        lines = list(block)
        if is_blank:
            continue
        if not any(line.startswith(" ") for line in lines):
            yield Paragraph(Look.PROSE, tuple(_unwrapped(lines)))
            continue
        is_said = any(_in_one_line("\n".join(lines)) in each for each in words)
        margin = min(len(line) - len(line.lstrip()) for line in lines)
        look = Look.SAID if is_said else Look.LINES
        yield Paragraph(look, tuple(line[margin:].rstrip() for line in lines))


def _unwrapped(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines as they were before those that are longer than a mail is wide were broken.

    A line that is nearly as wide and not broken is taken for one where a long word follows it.
    """
    whole, latest = lines[0], lines[0]
    for line in lines[1:]:
        if len(latest) + 1 + len(line.split(" ", 1)[0]) > WIDTH:
            whole += f" {line}"
        else:
            yield whole
            whole = line
        latest = line
    yield whole


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
