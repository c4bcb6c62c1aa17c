"""The settings and commands in documents, with other paths and ports in them."""

import re
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

_DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT, PAGES = _DOCS / "operate.md", _DOCS / "web.md"


def block(name: str, changes: Mapping[str, str], document: Path = DOCUMENT) -> str:
    """Return a block of a document by the name on its fence, with texts replaced."""
    text = document.read_text()
    frame = rf"^( *)```\w+ {re.escape(name)}\n(.*?)^\1```$"
    found = re.findall(frame, text, re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{document} has {len(found)} blocks {name}"
    text = dedent(found[0][1])
    missing = [old for old in changes if old not in text]
    assert not missing, f"{name} in {document} lacks {missing}"
    if not changes:
        return text
    return re.sub("|".join(map(re.escape, changes)), lambda old: changes[old[0]], text)


def settings(text: str, name: str) -> list[str]:
    """Return what a unit of systemd, or what is added to it, sets under a name, in order."""
    return re.findall(rf"^{name}=(.*)$", text, re.MULTILINE)
