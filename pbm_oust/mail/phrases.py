"""Texts laid out as pieces of a mail: what somebody wrote, and items of a list."""

import textwrap

WIDTH = 75
"""Lines of our own sentences are at most this long."""


def quoted(text: str) -> str:
    """Return what a player wrote, wrapped and indented."""
    lines = (textwrap.fill(line, WIDTH - 2, break_on_hyphens=False) for line in text.splitlines())
    return textwrap.indent("\n".join(lines), "  ")


def item(text: str) -> str:
    """Return a sentence as an item of a list, wrapped and indented."""
    return textwrap.fill(
        text, WIDTH, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False
    )
