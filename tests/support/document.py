"""The settings and commands in documents, with other paths and ports in them."""

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

DOCS = Path(__file__).parents[2] / "docs"
PACKAGE = Path(__file__).parents[2] / "debian"
"""What makes the Debian package."""


def block(name: str, changes: Mapping[str, str]) -> str:
    """Return a block of a document by the name on its fence, with texts replaced."""
    text = "\n".join(path.read_text() for path in sorted(DOCS.glob("*.md")))
    frame = rf"^( *)```\w+ {re.escape(name)}\n(.*?)^\1```$"
    found = re.findall(frame, text, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"the documents have {len(found)} blocks {name}"
    return _changed(name, dedent(found[0][1]), changes)


def example(name: str, changes: Mapping[str, str]) -> str:
    """Return a file among the examples of the documents, with texts replaced."""
    return _changed(name, (DOCS / "examples" / name).read_text(), changes)


def unit(name: str, changes: Mapping[str, str]) -> str:
    """Return a unit of systemd, with texts replaced."""
    return _changed(name, (PACKAGE / name).read_text(), changes)


def _changed(name: str, text: str, changes: Mapping[str, str]) -> str:
    missing = [old for old in changes if old not in text]
    assert not missing, f"{name} lacks {missing}"
    if not changes:
        return text
    return re.sub("|".join(map(re.escape, changes)), lambda old: changes[old[0]], text)


def settings(text: str, name: str) -> list[str]:
    """Return what a unit of systemd, or what is added to it, sets under a name, in order."""
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)
