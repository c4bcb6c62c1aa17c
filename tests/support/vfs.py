"""A layer between SQLite and the disk in tests, which can watch each operation on a file.

A `WatchedVfs` replaces SQLite's own access to files for all databases that are opened while it is
in use. Locks and shared memory, which do not survive a power cut, bypass it.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import apsw

from tests.chaos.trace import Step, Trace, What

_JOURNALS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class WatchedVfs(apsw.VFS):
    """SQLite's own access to files, as operations that subclasses watch or let fail.

    Each is given a function that does the operation.
    """

    def __init__(self, name: str) -> None:
        self.base = apsw.vfs_names()[0]
        super().__init__(name, self.base, makedefault=True, iVersion=3)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:
            return apsw.VFSFile(self.base, name, flags)
        is_made = bool(flags[0] & apsw.SQLITE_OPEN_CREATE)
        return self.open(path, is_made, lambda: WatchedFile(self, path, name, flags))

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self.remove(filename, syncdir, lambda: super(WatchedVfs, self).xDelete(filename, syncdir))

    def open(self, path: str, is_made: bool, do: Callable[[], apsw.VFSFile]) -> apsw.VFSFile:
        """Open a file, and make it if it is missing and `is_made` says so."""
        return do()

    def read(self, path: str, do: Callable[[], bytes]) -> bytes:
        return do()

    def write(self, path: str, at: int, data: bytes, do: Callable[[bytes], None]) -> None:
        do(data)

    def truncate(self, path: str, size: int, do: Callable[[], None]) -> None:
        do()

    def sync(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        """Sync a file and, as SQLite does once for each journal or log, its folder."""
        do()

    def remove(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        """Remove a file, and sync its folder if so told."""
        do()

    @contextmanager
    def in_use(self) -> Iterator["WatchedVfs"]:
        """Let databases that are opened meanwhile use this access to files."""
        try:
            yield self
        finally:
            self.unregister()


class WatchedFile(apsw.VFSFile):
    """A file of a `WatchedVfs`."""

    def __init__(
        self, vfs: WatchedVfs, path: str, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        super().__init__(vfs.base, name, flags)
        self._vfs = vfs
        self._path = path
        self._names_itself = bool(flags[0] & _JOURNALS)

    def xRead(self, amount: int, offset: int) -> bytes:
        return self._vfs.read(self._path, lambda: super(WatchedFile, self).xRead(amount, offset))

    def xWrite(self, data: Any, offset: int) -> None:
        def do(some: bytes) -> None:
            super(WatchedFile, self).xWrite(some, offset)

        self._vfs.write(self._path, offset, bytes(data), do)

    def xTruncate(self, newsize: int) -> None:
        self._vfs.truncate(self._path, newsize, lambda: super(WatchedFile, self).xTruncate(newsize))

    def xSync(self, flags: int) -> None:
        with_folder, self._names_itself = self._names_itself, False
        self._vfs.sync(self._path, with_folder, lambda: super(WatchedFile, self).xSync(flags))


class TracedVfs(WatchedVfs):
    """A disk that records every step in the same trace as the rest of the home."""

    def __init__(
        self,
        trace: Trace,
        note: Callable[[Step], None] | None = None,
        spared: re.Pattern[str] | None = None,
    ) -> None:
        """`note` records a step while the trace is locked; `spared` are paths not to sync."""
        super().__init__("traced")
        self._trace = trace
        self._note = note or trace.add
        self._spared = spared

    def open(self, path: str, is_made: bool, do: Callable[[], apsw.VFSFile]) -> apsw.VFSFile:
        with self._trace.held() if is_made else nullcontext():
            is_new = is_made and not Path(path).exists()
            file = do()
            if is_new:
                self._note(Step(What.CREATE, path))
            return file

    def write(self, path: str, at: int, data: bytes, do: Callable[[bytes], None]) -> None:
        with self._trace.held():
            do(data)
            self._note(Step(What.WRITE, path, at=at, data=data))

    def truncate(self, path: str, size: int, do: Callable[[], None]) -> None:
        with self._trace.held():
            do()
            self._note(Step(What.TRUNCATE, path, at=size))

    def sync(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        if self._spared and self._spared.search(path):
            return
        with self._trace.held():
            upto = self._trace.size
        do()
        with self._trace.held():
            self._note(Step(What.SYNC, path, at=upto))
            if with_folder:
                self._note(Step(What.SYNC, str(Path(path).parent), at=upto))

    def remove(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        with self._trace.held():
            is_there = Path(path).exists()
            do()
            if is_there:
                self._note(Step(What.REMOVE, path))
                if with_folder:
                    self._note(Step(What.SYNC, str(Path(path).parent), at=self._trace.size))
