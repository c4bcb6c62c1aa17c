"""Texts laid out as pieces of a mail: quotes, columns and items of a list."""

import textwrap

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
