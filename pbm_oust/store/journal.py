"""The journal: which mails have had their ending, for commands that leave no record on a board.

    HOME/journal/2026-11-20.txt

    2026-11-20T15:36:00Z 4f0c1d2e9a8b7c6d done
    2026-11-20T15:40:02Z 0b53a2c4d1e6f788 refused

One line a mail, by the id of the mail from its player, in a file a day; kept for 30 days. A mail
that was refused stays refused when it comes again, for its writer has been told that nothing was
done.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path

from pbm_oust.board.notation import CAUSE, format_time, parse_time
from pbm_oust.store.disk import Disk, NoSuchFile, locked_file, locked_folder, read_file

MEMORY = timedelta(days=30)


class Ending(Enum):
    """What became of a mail."""

    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal."""

    at: datetime
    cause: str
    ending: Ending


class BadJournal(ValueError):
    """A line of the journal that cannot be read; the message says which and why."""


class Journal:
    """The journal of a home. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, home: Path, disk: Disk) -> None:
        self.path = home / "journal"
        self._disk = disk

    def ending(self, cause: str) -> Ending | None:
        """Return what became of a mail, which is on the disk then; None where it is not known.

        Raises BadJournal.
        """
        for path in self._files():
            with suppress(NoSuchFile):
                for number, line in enumerate(_whole_lines(read_file(path)), 1):
                    if f" {cause} " in line:
                        self._disk.sync_file(path)
                        return _entry_at(path, number, line).ending
        return None

    def note(self, entry: Entry) -> None:
        """Write down what became of a mail, and forget what is older than 30 days."""
        with self.held():
            self.write(entry)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the journal: nobody else writes into it meanwhile."""
        with locked_folder(self.path):
            yield

    def write(self, entry: Entry) -> None:
        """Do what `note` does, where the journal is held already."""
        path = self.path / f"{entry.at.date().isoformat()}.txt"
        line = format_entry(entry).encode()
        if not path.exists():
            self._disk.create(path, line, mode=0o600)
            self._forget(entry.at.date() - MEMORY)
            return
        with locked_file(path) as handle:
            size = os.fstat(handle).st_size
            data = os.pread(handle, size, 0)
            self._disk.append(handle, line, at=data.rfind(b"\n") + 1)

    def entries(self) -> list[Entry]:
        """Return all entries, oldest first. Raises BadJournal, which names the file."""
        found = []
        for path in self._files():
            lines = enumerate(_whole_lines(read_file(path)), 1)
            found += [_entry_at(path, number, line) for number, line in lines]
        return found

    def _files(self) -> list[Path]:
        return sorted(path for path in self.path.glob("*.txt") if _day_of(path))

    def _forget(self, before: date) -> None:
        for path in self._files():
            if (_day_of(path) or before) < before:
                with suppress(OSError):
                    self._disk.remove(path)


def format_entry(entry: Entry) -> str:
    """Return the line of an entry, with its newline."""
    return f"{format_time(entry.at)} {entry.cause} {entry.ending.value}\n"


def parse_entry(line: str) -> Entry:
    """Return the entry that a line gives. Raises BadJournal."""
    try:
        at, cause, ending = line.split(" ")
        if not CAUSE.fullmatch(cause):
            raise ValueError(cause)
        return Entry(parse_time(at), cause, Ending(ending))
    except ValueError:
        raise BadJournal(f"{line!r} is not written 'TIME ID done|refused'") from None


def _whole_lines(data: bytes) -> list[str]:
    """Return the lines that end in a newline; what follows was never acknowledged."""
    return data.decode("utf-8", "replace").split("\n")[:-1]


def _entry_at(path: Path, number: int, line: str) -> Entry:
    """Return the entry on a line of a file. Raises BadJournal, which names both."""
    try:
        return parse_entry(line)
    except BadJournal as error:
        raise BadJournal(f"{path}: line {number}: {error}") from None


def _day_of(path: Path) -> date | None:
    """Return the day that a file of the journal is for; None for one that is of no day."""
    try:
        return datetime.strptime(path.stem, "%Y-%m-%d").date()
    except ValueError:
        return None
