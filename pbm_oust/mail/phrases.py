"""What somebody wrote, as a piece of a mail."""

import textwrap

WIDTH = 75
"""Lines of our own sentences are at most this long."""


def quoted(text: str) -> str:
    """Return what a player wrote, wrapped and indented."""
    lines = (textwrap.fill(line, WIDTH - 2, break_on_hyphens=False) for line in text.splitlines())
    return textwrap.indent("\n".join(lines), "  ")
