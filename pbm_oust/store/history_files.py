"""The histories as files: `HOME/oust/17.txt`. Anybody may read them; writing takes their locks."""

import os
import stat
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from pbm_oust.regex import regex
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.disk import (
    Disk,
    Hold,
    NoSuchFile,
    linked,
    locked_file,
    locked_folder,
    open_regular,
)
from pbm_oust.store.guarding import FOLDER_OF_HISTORIES, HISTORY
from pbm_oust.store.histories import NO_STAMP, Found, Stamp
from pbm_oust.store.waiting import BoardName

_NAME = regex(r"([1-9][0-9]{0,8})\.txt")
_LARGEST_INTEGER = 2**63 - 1
_STEP = 100_000_000
"""Nanoseconds: the clock by which files are stamped goes in steps, the longest of which are of some
milliseconds."""


class HeldFile:
    """A locked history, and its content when the lock was taken."""

    def __init__(self, handle: int, path: str, disk: Disk, known: Found | None) -> None:
        self._handle = handle
        self._path = path
        self._disk = disk
        self.found = _read(handle, known)

    def append(self, data: bytes, at: int) -> None:
        """Write after the first `at` bytes, over what was there. Raises OSError, Undecided."""
        self._disk.append(self._handle, data, at)

    def sync(self, *, with_folder: bool) -> None:
        """Sync the file, whoever wrote it, and if asked its name."""
        self._disk.step_sync(self._handle)
        if with_folder:
            self._disk.sync_folder(Path(self._path).parent)

    def replace(self, data: bytes) -> None:
        """Write the history anew. Its lock then stops nobody, so this must come last."""
        path, mode = Path(self._path), stat.S_IMODE(os.fstat(self._handle).st_mode)
        with locked_folder(path.parent, Hold.SHARED):
            self._disk.replace(path, data, mode)

    def is_in_place(self) -> bool:
        """Return whether the locked file is still the one at the path."""
        try:
            return os.path.samestat(os.fstat(self._handle), os.lstat(self._path))
        except FileNotFoundError:
            return False

    def stamp(self) -> Stamp:
        """Return the stamp of the file as it is now."""
        return _stamp_of(os.fstat(self._handle))


class HistoryFiles:
    """The histories of the home at a path. The methods may raise OSError."""

    is_within_database = False

    def __init__(self, home: Path, disk: Disk | None = None) -> None:
        self._home = home
        self._folders = {kind: home / kind for kind in KINDS}
        self._disk = disk or Disk()

    @property
    def opener(self) -> "Callable[[], HistoryFiles]":
        """What gives these histories to another process."""
        return partial(HistoryFiles, self._home)

    def prepare(self) -> None:
        """Make missing folders."""
        for folder in self._folders.values():
            self._disk.make_folder(folder, FOLDER_OF_HISTORIES)

    def remove_drafts(self) -> None:
        """Remove the files that dead processes were writing, which takes a look at all names."""
        for folder in self._folders.values():
            with locked_folder(folder):
                self._disk.remove_drafts(folder)

    def path(self, name: BoardName) -> Path:
        """Return the path of a board's history."""
        return self._folders[name.kind] / f"{name.board}.txt"

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of all boards of a kind that have a file, in order."""
        try:
            matches = map(_NAME.fullmatch, os.listdir(self._folder(kind)))
        except FileNotFoundError:
            return []
        return sorted(int(match[1]) for match in matches if match)

    def stamp(self, name: BoardName, within: Snapshot | None = None) -> Stamp:
        """Return the stamp of a history as it is now; NO_STAMP if there is no file."""
        try:
            return _stamp_of(os.lstat(self._text_path(name)))
        except FileNotFoundError:
            return NO_STAMP

    def stamps(
        self, kind: str, numbers: Collection[int], within: Snapshot
    ) -> dict[BoardName, Stamp]:
        """Return the stamps of histories as they are now, as far as they can be read."""
        found = dict[BoardName, Stamp]()
        for name in (BoardName(kind, number) for number in numbers):
            with suppress(OSError):
                found[name] = self.stamp(name)
        return found

    def read(
        self, name: BoardName, known: Found | None = None, within: Snapshot | None = None
    ) -> Found:
        """Return the content of a history: `known`, if that is still it. Raises NoSuchFile."""
        path = self._checked_path(name)
        try:
            if known and _is_still(known, os.lstat(path)):
                return known
            handle = open_regular(path)
        except FileNotFoundError:
            raise NoSuchFile(str(name)) from None
        try:
            return _read(handle)
        finally:
            os.close(handle)

    def extend(
        self,
        transaction: Transaction,
        name: BoardName,
        found: Found | None,
        data: bytes,
        otherwise: Exception,
    ) -> Callable[[], Found]:
        """Raise TypeError: no transaction writes to files."""
        raise TypeError(f"lines wait for the file of {name}")

    def create(self, name: BoardName, data: bytes) -> None:
        """Write a new history; the folder must be locked. Raises FileExistsError."""
        self._disk.create(self.path(name), data, HISTORY)

    def create_all(self, contents: Mapping[BoardName, bytes]) -> None:
        """Write new histories, and sync them together. Raises FileExistsError.

        The names of all histories are durable after it, whoever gave them.
        """
        with ExitStack() as held:
            for kind in self._folders:
                held.enter_context(self.held_folder(kind))
            paths = {self.path(name): data for name, data in contents.items()}
            self._disk.create_all(paths, HISTORY)
            for folder in self._folders.values():
                self._disk.sync_folder(folder)

    @contextmanager
    def held(self, name: BoardName, known: Found | None = None) -> Iterator[HeldFile]:
        """Lock a history, so that nobody else writes to it. Raises NoSuchFile.

        `known` is what was found before, if anything is known.
        """
        path = self._checked_path(name)
        with ExitStack() as held:
            try:
                handle = held.enter_context(locked_file(path))
            except FileNotFoundError:
                raise NoSuchFile(str(name)) from None
            yield HeldFile(handle, path, self._disk, known)

    @contextmanager
    def held_folder(self, kind: str) -> Iterator[None]:
        """Lock the folder of a kind, so that nobody else makes a history there."""
        with locked_folder(self._folder(kind)):
            yield

    def close(self) -> None:
        """Do nothing: no file stays open."""

    def _folder(self, kind: str) -> Path:
        """Return the folder of a kind. Raises OSError if it is a link."""
        folder = self._folders[kind]
        if os.path.islink(folder):
            raise linked(folder)
        return folder

    def _checked_path(self, name: BoardName) -> str:
        """Return the path of a board's history. Raises OSError if its folder is a link."""
        self._folder(name.kind)
        return self._text_path(name)

    def _text_path(self, name: BoardName) -> str:
        """Return the path as text: joining a Path would take longer than a look at the file."""
        return f"{self._folders[name.kind]}/{name.board}.txt"


def _read(handle: int, known: Found | None = None) -> Found:
    """Return the content of an open file, with its stamp from before the reading.

    That is `known`, if it is still the content.
    """
    status = os.fstat(handle)
    if known and _is_still(known, status):
        return known
    is_old = max(status.st_mtime_ns, status.st_ctime_ns) + _STEP < time.time_ns()
    parts, length = list[bytes](), 0
    while part := os.pread(handle, max(status.st_size - length, 0) + 1, length):
        parts.append(part)
        length += len(part)
    return Found(b"".join(parts), _stamp_of(status), status.st_ctime_ns, is_old)


def _is_still(found: Found, status: os.stat_result) -> bool:
    """Return whether a file has not changed since it was read."""
    is_same = (found.stamp, found.changed) == (_stamp_of(status), status.st_ctime_ns)
    return found.is_old and is_same


def _stamp_of(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ino & _LARGEST_INTEGER)
