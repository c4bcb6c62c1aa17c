"""Small pieces of a mail: what somebody wrote, and times."""

import textwrap
from datetime import datetime

from pbm_oust.notices import Reader

WIDTH = 75
"""Lines of our own sentences are at most this long."""


def quoted(text: str) -> str:
    """Return what a player wrote, wrapped and indented."""
    lines = (textwrap.fill(line, WIDTH - 2, break_on_hyphens=False) for line in text.splitlines())
    return textwrap.indent("\n".join(lines), "  ")


def in_time_of(at: datetime, reader: Reader) -> str:
    """Return a time as a reader's clock shows it: 2026-11-20 16:36 CET."""
    return at.astimezone(reader.settings.zone).strftime("%Y-%m-%d %H:%M %Z")


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
