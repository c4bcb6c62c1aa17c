"""Tables of cases that stand in a file beside their tests, each under the sentence of its test."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., None])
_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt\\])")


def of(file: str) -> dict[str, list[tuple[str, ...]]]:
    """Return the tables of a module by the names above them, as in `== a name`.

    They stand in a text file beside the module, which gives its `__file__`.

    A line is a case, ` => ` parts its words, and `''` is an empty one. Escapes are Python's. Empty
    lines and those that begin with `# ` are no cases.
    """
    _, *found = re.split(
        r"^== (.+)\n", Path(file).with_suffix(".txt").read_text(), flags=re.MULTILINE
    )
    return {
        name: [
            tuple(map(_unescaped, line.split(" => ")))
            for line in text.split("\n")
            if line and not line.startswith("# ")
        ]
        for name, text in zip(found[::2], found[1::2], strict=True)
    }


def _unescaped(word: str) -> str:
    if word == "''":
        return ""
    return _ESCAPED.sub(lambda found: found[0].encode().decode("unicode_escape"), word)


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
