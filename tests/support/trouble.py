"""Disks that fail at a chosen moment: under SQLite, under our own files, and between statements.

A `Trouble` counts the operations of all that share it, so that each of them can be made to fail in
turn, until the work goes through undisturbed.
"""

import errno
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

import apsw

from pbm_oust.store.disk import Disk
from tests.support.vfs import WatchedVfs


class Fault(Enum):
    """What happens at the chosen operation."""

    ONCE = "fails once"
    HALF = "writes half, then fails once"
    STAYS = "fails from then on"
    DIES = "the process is killed"


class Trouble:
    """Goes wrong at operation number `at`, counted from 1; with 0, never."""

    def __init__(self, at: int = 0, fault: Fault = Fault.ONCE, number: int = errno.EIO) -> None:
        """`number` is the `errno` of what fails."""
        self.at = at
        self.fault = fault
        self.number = number
        self.steps = 0

    def end(self) -> None:
        """Let nothing go wrong any more."""
        self.at = 0

    def is_met(self, *, needs_room: bool = False) -> bool:
        """Count an operation, and return whether it goes wrong; a full disk hits some only."""
        if self.number == errno.ENOSPC and not needs_room:
            return False
        self.steps += 1
        if self.steps == self.at and self.fault is Fault.DIES:
            os.kill(os.getpid(), signal.SIGKILL)
        stays = self.fault is Fault.STAYS and 0 < self.at < self.steps
        return stays or self.steps == self.at


class FaultyVfs(WatchedVfs):
    """The disk under SQLite."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__("faulty")
        self._trouble = trouble

    def open(self, path: str, is_made: bool, do: Callable[[], apsw.VFSFile]) -> apsw.VFSFile:
        self._step(apsw.CantOpenError)
        return do()

    def read(self, path: str, do: Callable[[], bytes]) -> bytes:
        self._step(apsw.IOError)
        return do()

    def write(self, path: str, at: int, data: bytes, do: Callable[[bytes], None]) -> None:
        is_full = self._trouble.number == errno.ENOSPC
        try:
            self._step(apsw.FullError if is_full else apsw.IOError, needs_room=True)
        except apsw.Error:
            if self._trouble.fault is Fault.HALF:
                do(data[: len(data) // 2])
            raise
        do(data)

    def truncate(self, path: str, size: int, do: Callable[[], None]) -> None:
        self._step(apsw.IOError)
        do()

    def sync(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        self._step(apsw.IOError)
        do()

    def remove(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        self._step(apsw.IOError)
        do()

    def xGetLastError(self) -> tuple[int, str | None]:
        return self._trouble.number, None

    def _step(self, error: type[apsw.Error], *, needs_room: bool = False) -> None:
        if self._trouble.is_met(needs_room=needs_room):
            raise error(os.strerror(self._trouble.number))


class FaultyDisk(Disk):
    """The disk under our own files."""

    def __init__(self, trouble: Trouble) -> None:
        self._trouble = trouble

    def step_open(self, path: Path, flags: int, mode: int) -> int:
        self._step(needs_room=bool(flags & os.O_CREAT))
        return super().step_open(path, flags, mode)

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        try:
            self._step(needs_room=True)
        except OSError:
            if self._trouble.fault is Fault.HALF:
                super().step_write(handle, data[: len(data) // 2], at)
            raise
        return super().step_write(handle, data, at)

    def step_sync(self, handle: int) -> None:
        self._step()
        super().step_sync(handle)

    def step_truncate(self, handle: int, size: int) -> None:
        self._step()
        super().step_truncate(handle, size)

    def step_link(self, path: Path, target: Path) -> None:
        self._step(needs_room=True)
        super().step_link(path, target)

    def step_rename(self, path: Path, target: Path) -> None:
        self._step()
        super().step_rename(path, target)

    def step_remove(self, path: Path) -> None:
        self._step()
        super().step_remove(path)

    def _step(self, *, needs_room: bool = False) -> None:
        if self._trouble.is_met(needs_room=needs_room):
            raise OSError(self._trouble.number, os.strerror(self._trouble.number))


@contextmanager
def faulty_statements(trouble: Trouble) -> Iterator[None]:
    """Let statements fail on connections that are opened meanwhile."""

    def watch(connection: apsw.Connection) -> None:
        if connection.filename:
            connection.exec_trace = fail

    def fail(_cursor: apsw.Cursor, _statement: str, _values: object) -> bool:
        if trouble.is_met(needs_room=True):
            raise apsw.IOError(os.strerror(trouble.number))
        return True

    apsw.connection_hooks.append(watch)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(watch)
