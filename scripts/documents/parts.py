"""The parts of a page that a script writes, between two comments that name them.

<!-- begin commands: written by scripts/write_docs -->
<!-- end commands -->
"""

import re
from collections.abc import Iterable


class NoSuchPart(ValueError):
    """A page has no part of that name, or more than one."""


def with_part(page: str, name: str, text: str) -> str:
    """Return a page with other text in one of its parts. Raises NoSuchPart."""
    frame = re.compile(rf"(<!-- begin {name}:[^>]*-->\n).*?(<!-- end {name} -->)", re.DOTALL)
    written, count = frame.subn(lambda found: f"{found[1]}\n{text.strip()}\n\n{found[2]}", page)
    if count != 1:
        raise NoSuchPart(f"the part {name!r} is there {count} times")
    return written


def escaped(text: str) -> str:
    """Return plain text as Markdown that shows the same."""
    return re.sub(r"([\\*_<>|`]|^#)", r"\\\1", text)


def code(text: str) -> str:
    """Return text as Markdown shows it in a table as code."""
    return "`" + text.replace("|", "\\|") + "`"


def table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
