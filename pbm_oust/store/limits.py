"""How often something was done of late: `HOME/limits/2026-11-20.txt`, a file a day.

    2026-11-20T15:36:00Z code 4f0c1d2e9a8b7c6d

One line each time: when, what, and a hash of the address or the userid that it is counted for.
Files are kept until nothing counts them any more. The folder may be emptied at any time: counting
then begins anew.
"""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path

from pbm_oust.accounts.address import normal_address
from pbm_oust.board.notation import format_time, parse_time
from pbm_oust.store.disk import Disk, NoSuchFile, locked_file, locked_folder, read_file


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something may be done within a time."""

    word: str
    most: int
    within: timedelta


class Counted(Enum):
    """What is counted, and how often it may happen."""

    CODE = Limit("code", 3, timedelta(days=1))
    """Mails with a code to one address, whoever asked for them."""
    ANSWER = Limit("answer", 20, timedelta(hours=1))
    """Answers to one address that is that of no account."""
    GUESS = Limit("guess", 5, timedelta(hours=1))
    """Wrong passwords for one userid from addresses that the account does not have."""
    SLIP = Limit("slip", 20, timedelta(hours=1))
    """Wrong passwords for one userid from addresses of the account."""
    PUZZLE = Limit("puzzle", 10, timedelta(hours=1))
    """Answers to the letters of one userid that could not be read."""
    RIDDLE = Limit("riddle", 60, timedelta(hours=1))
    """Other mails of one address that could not be read."""
    REMARK = Limit("remark", 20, timedelta(hours=1))
    """Answers to letters of one userid that were passed on."""


LONGEST = max(counted.value.within for counted in Counted)


class Limits:
    """What was counted in a home. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, home: Path, disk: Disk) -> None:
        self.path = home / "limits"
        self._disk = disk

    def is_reached(self, counted: Counted, subject: str, now: datetime) -> bool:
        """Return whether something was done as often as it may be for an address or a userid."""
        limit, name = counted.value, _name_of(subject)
        since, found = now - limit.within, 0
        for path in self._files():
            if (_day_of(path) or since.date()) < since.date():
                continue
            with suppress(NoSuchFile):
                for line in read_file(path).decode("utf-8", "replace").split("\n")[:-1]:
                    found += _is_of(line, limit.word, name, since)
        return found >= limit.most

    def count(self, counted: Counted, subject: str, now: datetime) -> None:
        """Write down that something was done."""
        line = f"{format_time(now)} {counted.value.word} {_name_of(subject)}\n".encode()
        with locked_folder(self.path):
            path = self.path / f"{now.date().isoformat()}.txt"
            if not path.exists():
                self._disk.create(path, line, mode=0o600)
                return
            with locked_file(path) as handle:
                data = os.pread(handle, os.fstat(handle).st_size, 0)
                self._disk.append(handle, line, at=data.rfind(b"\n") + 1)

    def forget_expired(self, now: datetime) -> None:
        """Remove the files that nothing counts any more."""
        for path in self._files():
            if (_day_of(path) or now.date()) < (now - LONGEST).date():
                with suppress(FileNotFoundError):
                    self._disk.remove(path)

    def _files(self) -> list[Path]:
        return sorted(path for path in self.path.glob("*.txt") if _day_of(path))


def _name_of(subject: str) -> str:
    """Return what an address or a userid is counted under, however the address is written."""
    plain = normal_address(subject) if "@" in subject else subject
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]


def _is_of(line: str, word: str, name: str, since: datetime) -> bool:
    """Return whether a line counts; one that cannot be read does not."""
    at, _, rest = line.partition(" ")
    if rest != f"{word} {name}":
        return False
    with suppress(ValueError):
        return parse_time(at) > since
    return False


def _day_of(path: Path) -> date | None:
    try:
        return datetime.strptime(path.stem, "%Y-%m-%d").date()
    except ValueError:
        return None
