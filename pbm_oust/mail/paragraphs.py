"""The text of a mail taken apart into paragraphs, as HTML wants them. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby

from pbm_oust.mail.phrases import WIDTH


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
