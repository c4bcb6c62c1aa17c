"""Cases of tests, and scripts, that stand in files beside them.

A line is a case, ` => ` parts its words, and `''` is an empty one. Escapes are Python's. Empty
lines and those that begin with `# ` are no cases. `== a name` stands above what has one.
"""

import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

from tests.support.rings import slow

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


def words(file: str, name: str) -> list[str]:
    """Return a table of a module with one column."""
    return [word for (word,) in of(file)[name]]


def named(file: str, name: str) -> dict[str, str]:
    """Return a table of a module with two columns: what is meant by each word."""
    return {row[0]: row[1] for row in of(file)[name]}


def tabled(file: str) -> Callable[..., Callable[[Test], Test]]:
    """Return what marks the tests of a module: each runs for all cases in the table of its name.

    The mark names the parameters, `@tabled("line", "count", count=int)`, and what reads some. Of a
    table whose cases take long, the fast ring runs the first: `fast` says how many.
    """
    found = of(file)

    def marking(
        *names: str, fast: int | None = None, **read: Callable[[str], object]
    ) -> Callable[[Test], Test]:
        def mark(test: Test) -> Test:
            table = found[test.__name__.removeprefix("test_").replace("_", " ")]
            cases = [
                [read.get(name, str)(word) for name, word in zip(names, case, strict=True)]
                for case in table
            ]
            first = len(cases) if fast is None else fast
            given = [pytest.param(*case) for case in cases[:first]]
            given += [slow(*case) for case in cases[first:]]
            marked: Test = pytest.mark.parametrize(",".join(names), given)(test)
            return marked

        return mark

    return marking


def scripted(folder: Path, some: slice = slice(None)) -> pytest.MarkDecorator:
    """Return what marks a test: it runs for all scripts in the files of a folder.

    Its parameters are `players`, who takes part, `before`, lines that come first, and `lines`.
    A file begins with who takes part and the lines that come before each of its scripts; `#` begins
    a comment there. A script that ends with a table, `-- LINE => ANSWER` and its cases, runs for
    each of them, or for some, which stand in place of these words; with two tables, for each pair.
    """
    found = [script for path in sorted(folder.glob("*.txt")) for script in scripts(path, some)]
    return pytest.mark.parametrize(("players", "before", "lines"), found)


def scripts(path: Path, some: slice = slice(None)) -> Iterator[ParameterSet]:
    """Yield the scripts of a file, each for some of its cases."""
    head, named = _parted(path)
    players, *before = (line for line in head.split("\n") if line and line[0] != "#")
    for name, text in named:
        script, *tables = re.split(r"^-- (.+)\n", text, flags=re.MULTILINE)
        lines = script.strip("\n").split("\n")
        names = " => ".join(tables[::2]).split(" => ")
        assert all(any(_cases(cases)) for cases in tables[1::2]), name
        for cases in [*product(*map(_cases, tables[1::2]))][some]:
            words = [word for case in cases for word in case]
            given = dict(zip(names, words, strict=True)) if tables else {}
            filled = tuple(_filled(line, given) for line in lines)
            title = ", ".join([f"{path.stem}: {name}", *words])
            yield pytest.param(tuple(players.split()), tuple(before), filled, id=title)


def _filled(line: str, given: dict[str, str]) -> str:
    """Return a line with words in place of their names."""
    names = "|".join(given)
    return re.sub(names, lambda found: given[found[0]], line) if names else line


def _parted(path: Path) -> tuple[str, Iterator[tuple[str, str]]]:
    head, *found = re.split(r"^== (.+)\n", path.read_text(), flags=re.MULTILINE)
    return head, zip(found[::2], found[1::2], strict=True)


def _cases(text: str) -> Iterator[tuple[str, ...]]:
    for line in text.split("\n"):
        if line and not line.startswith("# "):
            yield tuple("" if word == "''" else unescaped(word) for word in line.split(" => "))
