"""Cases of tests, and scripts, that stand in files beside them.

A line is a case, ` => ` parts its words, and `''` is an empty one. Escapes are Python's. Empty
lines and those that begin with `# ` are no cases. `== a name` stands above what has one.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])
_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt\\])")


def unescaped(text: str) -> str:
    """Return a text in which Python's escapes stand for what they mean."""
    return _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), text)


def pairs(path: Path) -> list[tuple[str, str]]:
    """Return the cases of a file: what is given, and what must come of it."""
    return [(given, wanted) for given, wanted in _cases(path.read_text())]


def blocks(path: Path) -> dict[str, str]:
    """Return the texts of a file by their names; each ends where the last of its lines does."""
    return {name: unescaped(text).rstrip("\n") for name, text in _parted(path)[1]}


def of(file: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the tables of a module, which gives its `__file__`, by the names above them."""
    return {name: [*_cases(text)] for name, text in _parted(Path(file).with_suffix(".txt"))[1]}


def tabled(file: str) -> Callable[..., Callable[[Test], Test]]:
    """Return what marks the tests of a module: each runs for all cases in the table of its name.

    The mark names the parameters, `@tabled("line", "answer")`.
    """
    found = of(file)

    def marking(*names: str) -> Callable[[Test], Test]:
        def mark(test: Test) -> Test:
            table = found[test.__name__.removeprefix("test_").replace("_", " ")]
            cases = table if len(names) > 1 else [case for (case,) in table]
            marked: Test = pytest.mark.parametrize(",".join(names), cases)(test)
            return marked

        return mark

    return marking


def scripts(folder: Path) -> Iterator[tuple[str, list[str], list[str], list[str]]]:
    """Yield the scripts in the files of a folder: name, who takes part, what comes before, lines.

    A file begins with who takes part and the lines that come before each of its scripts; `#` begins
    a comment there.
    """
    for path in sorted(folder.glob("*.txt")):
        head, named = _parted(path)
        players, *before = (line for line in head.split("\n") if line and line[0] != "#")
        for name, text in named:
            yield f"{path.stem}: {name}", players.split(), before, text.strip("\n").split("\n")


def _parted(path: Path) -> tuple[str, Iterator[tuple[str, str]]]:
    head, *found = re.split(r"^== (.+)\n", path.read_text(), flags=re.MULTILINE)
    return head, zip(found[::2], found[1::2], strict=True)


def _cases(text: str) -> Iterator[tuple[str, ...]]:
    for line in text.split("\n"):
        if line and not line.startswith("# "):
            yield tuple("" if word == "''" else unescaped(word) for word in line.split(" => "))
