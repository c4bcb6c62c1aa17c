"""Cases of tests that stand in files beside them."""

import re
from pathlib import Path

_BLOCK = re.compile(r"^== ([^\n]+) ==\n(.*?)(?=^== [^\n]+ ==$|\Z)", re.MULTILINE | re.DOTALL)


def unescaped(text: str) -> str:
    """Return a text in which Python's escapes stand for what they mean."""
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


def pairs(path: Path) -> list[tuple[str, str]]:
    """Return the cases of a file, one a line: what is given, ` => `, and what must come of it.

    Both know Python's escapes. Empty lines and those that begin with `# ` are none.
    """
    lines = [line for line in path.read_text().split("\n") if line and not line.startswith("# ")]
    cases = [line.split(" => ") for line in lines]
    return [(unescaped(given), unescaped(wanted)) for given, wanted in cases]


def blocks(path: Path) -> dict[str, str]:
    """Return the texts of a file by the names above them, as in `== a name ==`.

    They know Python's escapes, and end where the last of their lines does.
    """
    found = _BLOCK.findall(path.read_text())
    return {name: unescaped(text).rstrip("\n") for name, text in found}
