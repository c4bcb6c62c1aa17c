"""The trace of a home: every step that changed its files, in the order in which they happened.

All processes on a home share its trace. A step is taken and written down under one lock, so that
whoever holds the lock finds that the trace and the files agree.
"""

import fcntl
import json
import os
import threading
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class What(Enum):
    """What a step did."""

    CREATE = "create"
    WRITE = "write"
    TRUNCATE = "truncate"
    LINK = "link"
    RENAME = "rename"
    REMOVE = "remove"
    SYNC = "sync"


@dataclass(frozen=True, slots=True)
class Step:
    """A step on a file or folder at `path`."""

    what: What
    path: str
    target: str = ""
    """The other name of a link or a rename."""
    at: int = 0
    """Where a write begins, the size that a truncation leaves, or how much of the trace had been
    written when a sync began: it makes nothing durable that came later."""
    data: bytes = b""
    place: int = 0
    """Where the step stands in the trace."""


class Trace:
    """A trace at `path`; every process opens it for itself."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._lock = threading.Lock()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the trace: nobody takes a step meanwhile. The lock goes with the process."""
        self.take()
        try:
            yield
        finally:
            self.leave()

    def take(self) -> None:
        """Take the trace's lock, and wait for it."""
        self._lock.acquire()
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def can_take(self) -> bool:
        """Take the trace's lock if nobody has it; return whether that was so."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._lock.release()
            return False
        return True

    def leave(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._handle, fcntl.LOCK_UN)
        self._lock.release()

    @property
    def size(self) -> int:
        """How much has been written."""
        return os.fstat(self._handle).st_size

    def add(self, step: Step) -> None:
        """Write down a step that has been taken; the trace is held."""
        data = b64encode(zlib.compress(step.data, 1)).decode() if step.data else ""
        words = [step.what.value, step.path, step.target, step.at, data]
        os.write(self._handle, json.dumps(words).encode() + b"\n")

    def steps(self, place: int = 0) -> Iterator[Step]:
        """Yield the steps from a place on; the trace is held, or nobody writes any more."""
        for line in os.pread(self._handle, self.size - place, place).splitlines(keepends=True):
            what, path, target, at, data = json.loads(line)
            content = zlib.decompress(b64decode(data)) if data else b""
            yield Step(What(what), path, target, at, content, place)
            place += len(line)

    def close(self) -> None:
        """Close the trace."""
        os.close(self._handle)
