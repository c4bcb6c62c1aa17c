"""The outbox: letters on the disk until somebody else takes charge of them.

    HOME/outbox/    mail not yet handed to the relay, a Maildir
    HOME/failed/    mail that nobody takes, a Maildir

Letters are staged in `outbox/tmp` before the command they tell of is done, and move to `outbox/new`
afterwards, so that both stand or fall together whatever happens in between.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pbm_oust.store.disk import (
    Disk,
    Hold,
    NoSuchFile,
    Undecided,
    folder_if_free,
    locked_folder,
    read_file,
)

_sequence = count()

JOURNAL = "journal"
"""The place of a command that is written down in the journal only, which is held meanwhile."""
NOWHERE = "nowhere"
"""The place of an answer about which nothing is written down."""

_STATES = ("tmp", "new", "cur")
_STAGED = re.compile(r"[0-9]+\.\w+_([0-9a-f]{16})\.(.+)")


@dataclass(frozen=True, slots=True)
class Staged:
    """A letter that has not got its place: it is told where to look for what it tells of."""

    name: str
    cause: str
    """The id of the message that is being answered."""
    place: str
    """Where that is written down, as given to `Outbox.posting`."""


class Outbox:
    """The outbox of a home. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, home: Path, disk: Disk) -> None:
        self.path = home / "outbox"
        self.failed = home / "failed"
        self._disk = disk

    def prepare(self) -> None:
        """Make the folders that are missing."""
        for box in (self.path, self.failed):
            self._disk.make_folder(box, mode=0o700)
            for state in _STATES:
                self._disk.make_folder(box / state, mode=0o700)
            self._disk.sync_folder(box)

    @contextmanager
    def posting(self, letters: Sequence[bytes], cause: str, place: str) -> Iterator[None]:
        """Put letters into the outbox if the body of this `with` succeeds, and none if it fails.

        They are on the disk before the body runs and only get their place afterwards. `cause` is
        the id of the message that is being answered, and `place` names where the body writes it
        down, in letters, digits and `.-_`. Letters that a crash left without their place, or a disk
        that failed so that nobody knows what is on it, are found again by both.
        """
        seconds, microseconds = divmod(time.time_ns() // 1000, 10**6)
        moment = f"{seconds}.M{microseconds:06}"
        names = [f"{moment}Q{next(_sequence):06}P{os.getpid()}_{cause}.{place}" for _ in letters]
        with locked_folder(self.path / "tmp", Hold.SHARED):
            if place != NOWHERE:
                # Whoever writes there holds it, so these are of an earlier try that was not done.
                self._drop(self._staged_for(cause, place))
            try:
                for name, letter in zip(names, letters, strict=True):
                    self._disk.write(self.path / "tmp" / name, letter, mode=0o600)
                if names:
                    self._disk.sync_folder(self.path / "tmp")
                yield
            except Undecided:
                raise
            except BaseException:
                with suppress(OSError):
                    self._drop(names)
                raise
            self._publish(names)

    def finish(self, cause: str, place: str) -> None:
        """Publish letters that a crash left behind after their command was done.

        Nobody else may be writing there.
        """
        with locked_folder(self.path / "tmp", Hold.SHARED):
            self._publish(self._staged_for(cause, place))

    @contextmanager
    def left_behind(self) -> Iterator[list[Staged]]:
        """Hold the outbox while nobody is posting; gives the letters that were never finished."""
        with locked_folder(self.path / "tmp", Hold.ALONE):
            yield self._staged()

    def settle(self, staged: Staged, is_done: bool) -> None:
        """Publish a letter that was left behind if what it tells of was done, or drop it."""
        if is_done:
            self._publish([staged.name])
        else:
            self._drop([staged.name])

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Hold the letters for sending: no other process sends the same ones meanwhile."""
        with locked_folder(self.path):
            yield

    @contextmanager
    def held_back(self) -> Iterator[bool]:
        """Keep the letters from being sent; gives whether nobody is sending them just now."""
        with folder_if_free(self.path) as is_held:
            yield is_held

    def is_unopened(self, name: str) -> bool:
        """Return whether a letter waits, and no mail program has looked at it in the outbox."""
        return (self.path / "new" / name).exists()

    def letters(self) -> list[str]:
        """Return the names of the letters that wait, oldest first."""
        return self._names(self.path)

    def failed_letters(self) -> list[str]:
        """Return the names of the letters that were set aside, oldest first."""
        return self._names(self.failed)

    def read(self, name: str) -> bytes:
        """Return a letter. Raises NoSuchFile."""
        return read_file(self._letter(name))

    def remove(self, name: str) -> None:
        """Take a letter out: somebody else has taken charge of it. Raises NoSuchFile."""
        self._disk.remove(self._letter(name))

    def set_aside(self, name: str) -> None:
        """Put a letter that nobody takes among the failed ones. Raises NoSuchFile."""
        self._move(name, self.failed)

    def retry(self, name: str) -> None:
        """Put a letter that failed among those that wait. Raises NoSuchFile."""
        self._move(name, self.path)

    def _names(self, box: Path) -> list[str]:
        return sorted(path.name for state in ("new", "cur") for path in box.glob(f"{state}/[0-9]*"))

    def _letter(self, name: str) -> Path:
        boxes = (self.path, self.failed)
        for path in (box / state / name for box in boxes for state in ("new", "cur")):
            if path.exists():
                return path
        raise NoSuchFile(name)

    def _move(self, name: str, box: Path) -> None:
        path = self._letter(name)
        self._disk.move(path, box / "new" / name)
        for changed in (box / "new", path.parent):
            self._disk.sync_folder(changed)

    def _staged(self) -> list[Staged]:
        names = sorted(path.name for path in (self.path / "tmp").iterdir())
        matches = (_STAGED.fullmatch(name) for name in names)
        return [Staged(match[0], match[1], match[2]) for match in matches if match]

    def _staged_for(self, cause: str, place: str) -> list[str]:
        found = self._staged()
        return [each.name for each in found if (each.cause, each.place) == (cause, place)]

    def _drop(self, names: Sequence[str]) -> None:
        for name in names:
            with suppress(FileNotFoundError):
                self._disk.step_remove(self.path / "tmp" / name)

    def _publish(self, names: Sequence[str]) -> None:
        for name in names:
            self._disk.move(self.path / "tmp" / name, self.path / "new" / name)
        if names:
            self._disk.sync_folder(self.path / "new")
