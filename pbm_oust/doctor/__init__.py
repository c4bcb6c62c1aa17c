"""What is right and wrong with a home.

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
"""What to do when the database is damaged."""


class Severity(Enum):
    """How serious a finding is, from the least serious on."""

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
    """Examines one thing in a home, and makes the findings about it.

    `words` are those of a command of ours on the home that puts it right.
    """

    home: Home
    about: str
    configuration: Configuration
    now: datetime

    def ok(self, text: str) -> Finding:
        """Return that something is right."""
        return Finding(Severity.OK, self.about, text)

    def note(self, text: str, *words: str) -> Finding:
        """Return something that the operator may want to know."""
        text = f"{text}:  {command_line(self.home.path, *words)}" if words else text
        return Finding(Severity.NOTE, self.about, text)

    def bad(self, what: str, remedy: str, *words: str, command: str = "") -> Finding:
        """Return what is wrong, and what to do about it; perhaps with another command to paste."""
        command = command_line(self.home.path, *words) if words else command
        to_do = f"{remedy}:  {command}" if command else f"{remedy}."
        return Finding(Severity.BAD, self.about, f"{what}. {to_do}")

    def all_or(self, ok: str, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings, or else that all is right."""
        is_ok = True
        for finding in findings:
            is_ok = is_ok and finding.severity is not Severity.BAD
            yield finding
        if is_ok:
            yield self.ok(ok)

    def name_of(self, path: Path) -> str:
        """Return the name of a path in a finding: relative to the home."""
        home = self.home.path
        return str(path.relative_to(home)) if path.is_relative_to(home) else str(path)


def verdict(findings: Iterable[Finding]) -> Severity:
    """Return how serious the most serious one of some findings is."""
    found = {finding.severity for finding in findings}
    return next((each for each in reversed(Severity) if each in found), Severity.OK)


Check = Callable[[Examiner], Iterator[Finding]]


def examined(on: Examiner, check: Check) -> Iterator[Finding]:
    """Yield what a check finds; it ends if the database is damaged or cannot be read."""
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
    """Return the first of some things, and how many more there are."""
    return f"{things[0]} (and {len(things) - 1} more)" if len(things) > 1 else things[0]
