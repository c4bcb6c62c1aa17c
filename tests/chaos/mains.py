"""The power of a home: its disk held still at some step, and what was not durable undone."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.chaos.power import Storage
from tests.chaos.trace import Trace

PATIENCE = 1.0
"""Seconds that a fuse may burn; nothing may be going on that takes steps."""


class Mains:
    """Holds the disk of a home still, and cuts its power. The trace lies beside the home."""

    def __init__(self, home: Path, trace: Path, but: Path, fleeting: Path) -> None:
        """`but` is a file of the home that no process writes; one that is `fleeting` is memory.

        What is memory has no place in the trace, and is gone when the power goes.
        """
        self._home = home
        self._but = but
        self._fleeting = fleeting
        self._trace = Trace(trace)
        self._followed = 0
        self._storage = Storage()

    @contextmanager
    def still(self, fuse: Path | None = None) -> Iterator[None]:
        """Hold the disk still, at once or when a fuse has burnt down.

        Whoever burnt it stands still behind his step and holds everybody up; he has to be killed.
        """
        if fuse and _has_burnt_down(fuse, self._trace):
            yield
            return
        if not fuse:
            self._trace.take()
        try:
            yield
        finally:
            self._trace.leave()

    def cut(self, random: Random, share: float) -> int:
        """Undo what is not durable, or a part of it, when all processes have been killed.

        Returns how many steps are undone. `share` is the chance of each to be kept. Raises
        WrongTrace.
        """
        self._storage.follow(self._trace.steps(self._followed))
        self._fleeting.unlink(missing_ok=True)
        self._storage.check(self._home, but=[self._but])
        undone = self._storage.cut(random, share)
        self._storage.restore()
        self._followed = self._trace.size
        return undone

    def close(self) -> None:
        """Close the trace."""
        self._trace.close()


def _has_burnt_down(fuse: Path, trace: Trace) -> bool:
    """Return whether a fuse has burnt down. If it takes too long, the trace is taken instead."""
    deadline = time.monotonic() + PATIENCE
    while fuse.exists():
        if time.monotonic() > deadline and trace.can_take():
            fuse.unlink()
            return False
        time.sleep(0.002)
    return True
