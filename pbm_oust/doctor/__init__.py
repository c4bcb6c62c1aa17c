"""Checks of a home, and the findings they yield.

Each `check_` function yields findings about one thing, and changes nothing. A finding says what was
examined, whether it is right, and if not, what to do.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from pathlib import Path

from msgspec import Struct

from pbm_oust.store.configuration import Configuration
from pbm_oust.store.faults import DatabaseFault, ValueDamaged, command_line
from pbm_oust.store.home import Home

RESTORE = "Put the database back from a backup"
"""The remedy for a damaged database."""


class Severity(Enum):
    """The severity of a finding, in ascending order."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but the operator may want to know."""
    BAD = "BAD"


class Finding(Struct, frozen=True):
    """One line of `pbm-oust doctor`: sentences about one thing."""

    severity: Severity
    about: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity.value:4}  {self.about}: {self.text}"


class Examiner(Struct, frozen=True):
    """The home under examination, and the maker of findings about it.

    `words` are those of a `pbm-oust` command that puts things right.

    A usual look takes seconds, however large the home is.
    """

    home: Home
    about: str
    configuration: Configuration
    now: datetime
    is_whole: bool = True
    """Whether everything is examined, however long that takes."""

    def ok(self, text: str) -> Finding:
        """Return the finding that something is right."""
        return Finding(Severity.OK, self.about, text)

    def note(self, text: str, *words: str) -> Finding:
        """Return a finding that the operator may want to know."""
        text = f"{text}:  {command_line(self.home.path, *words)}" if words else text
        return Finding(Severity.NOTE, self.about, text)

    def bad(self, what: str, remedy: str, *words: str, command: str = "") -> Finding:
        """Return a finding about a fault and its remedy, perhaps with another command to paste."""
        command = command_line(self.home.path, *words) if words else command
        to_do = f"{remedy}:  {command}" if command else f"{remedy}."
        return Finding(Severity.BAD, self.about, f"{what}. {to_do}")

    def all_or(self, ok: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings, or `ok` if there are none."""
        is_ok = True
        for finding in findings:
            is_ok = is_ok and finding.severity is not Severity.BAD
            yield finding
        if is_ok:
            yield self.ok(ok)

    def name_of(self, path: Path) -> str:
        """Return a path as findings show it: relative to the home."""
        home = self.home.path
        return str(path.relative_to(home)) if path.is_relative_to(home) else str(path)


def verdict(findings: Iterable[Finding]) -> Severity:
    """Return the highest severity among some findings."""
    found = {finding.severity for finding in findings}
    return next((each for each in reversed(Severity) if each in found), Severity.OK)


Check = Callable[[Examiner], Iterator[Finding]]


def examined(on: Examiner, check: Check) -> Iterator[Finding]:
    """Yield the findings of a check; it ends if the database is damaged or cannot be read."""
    try:
        yield from check(on)
    except ValueDamaged as damage:
        yield on.bad(str(damage), RESTORE)
    except DatabaseFault:
        yield on.note("not looked at, because the database cannot be read")


def counted(number: int, thing: str) -> str:
    """Return a number of things in words: 1 board, 2 boards."""
    return f"{number} {thing if number == 1 else f'{thing}s'}"


def first_of(things: Sequence[str]) -> str:
    """Return the first of some things, and the number of the others, in words."""
    return f"{things[0]} (and {len(things) - 1} more)" if len(things) > 1 else things[0]
