"""What is right and wrong with a home.

Each `check_` function yields findings about one thing, and changes nothing. A finding says what was
examined, whether it is right, and if not, what to do.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from msgspec import Struct

from pbm_oust.store.faults import DatabaseFault, ValueDamaged

Given = ParamSpec("Given")

RESTORE = "Put the database back from a backup"
"""What to do when the database is damaged."""


class Severity(Enum):
    """How serious a finding is."""

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
    """Makes the findings about one thing."""

    about: str

    def ok(self, text: str) -> Finding:
        """Return that something is right."""
        return Finding(Severity.OK, self.about, text)

    def note(self, text: str, command: str = "") -> Finding:
        """Return something that the operator may want to know; perhaps with a command to paste."""
        return Finding(Severity.NOTE, self.about, f"{text}:  {command}" if command else text)

    def bad(self, what: str, remedy: str, command: str = "") -> Finding:
        """Return what is wrong, and what to do about it; perhaps with a command to paste."""
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


def readable(
    about: Examiner,
) -> Callable[[Callable[Given, Iterator[Finding]]], Callable[Given, Iterator[Finding]]]:
    """Let a check end with a finding if the database is damaged or cannot be read."""

    def made_of(check: Callable[Given, Iterator[Finding]]) -> Callable[Given, Iterator[Finding]]:
        @wraps(check)
        def checked(*words: Given.args, **named: Given.kwargs) -> Iterator[Finding]:
            try:
                yield from check(*words, **named)
            except ValueDamaged as damage:
                yield about.bad(str(damage), RESTORE)
            except DatabaseFault:
                yield about.note("not looked at, because the database cannot be read")

        return checked

    return made_of


def counted(number: int, thing: str) -> str:
    """Return a number of things in words: 1 board, 2 boards."""
    return f"{number} {thing if number == 1 else f'{thing}s'}"


def first_of(things: Sequence[str]) -> str:
    """Return the first of some things, and how many more there are."""
    return f"{things[0]} (and {len(things) - 1} more)" if len(things) > 1 else things[0]


def status(path: Path) -> os.stat_result | None:
    """Return the status of a file, or None if it has gone meanwhile."""
    with suppress(FileNotFoundError):
        return path.stat()
    return None


def within(home: Path, path: Path) -> str:
    """Return the name of a path in a finding: relative to its home."""
    return str(path.relative_to(home)) if path.is_relative_to(home) else str(path)
