"""The sweep inside the running server: every few minutes, or sooner where hosts share a home."""

import logging
import threading
import time
from collections.abc import Callable

from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.service.sweep import Trouble, sweep
from pbm_oust.store.publishing import Walk

log = logging.getLogger("pbm_oust")

SWEEP_SECONDS = 300
"""How long after a sweep the next one starts, and the first one after the start of the server.

Mail that waited in the mail server while this one was down comes in before that.
"""
SHARED_SECONDS = 25
"""How long after a sweep the next one starts at the latest where hosts share a home.

What a host was at when it died is free half a minute later, and is done within a minute.
"""
STOP_SECONDS = 1
"""How long a sweep may go on when the server is told to stop; what is left stays due."""


class Sweeper:
    """Sweeps every `seconds` in its own thread, and calls `wake` if there are new letters.

    Where hosts share the home, the pauses after the first sweep are shorter. Each time that a sweep
    has ended, `ended` is called. The thread does not outlive the process.
    """

    def __init__(
        self,
        seconds: float,
        wake: Callable[[], None],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._seconds = seconds
        self._wake = wake
        self._ended = ended
        self._work: UnitOfWork | None = None
        self._walk: Walk | None = None
        self._walked = -seconds
        """When it has looked at histories."""
        self._known: frozenset[Trouble] = frozenset()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self._thread.start()

    def use(self, work: UnitOfWork) -> None:
        """Sweep with this unit of work from now on."""
        if not work.home.is_on_server:
            self._walk = Walk(work.home.publisher, work.home.database)
        self._work = work

    def stop(self) -> None:
        """Begin no further sweep."""
        self._stopping.set()

    def wait(self) -> None:
        """Wait until the current sweep has ended or has taken too long."""
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        pause = self._seconds
        while not self._stopping.wait(pause):
            pause = self._seconds
            try:
                pause = self._sweep()
            except OSError as error:
                log.warning("the sweep is put off: %s", error)
            except Exception:
                log.exception("the sweep is put off: a fault in the program")

    def _sweep(self) -> float:
        """Sweep, and return after how many seconds to do so again."""
        if self._work is None:
            return self._seconds
        if time.monotonic() >= self._walked + self._seconds:
            self._look_at_histories()
            self._walked = time.monotonic()
        swept = sweep(self._work)
        for deed in swept.done:
            log.info("sweep %s: %s", deed.about, deed.what)
        for trouble in swept.troubles:
            if trouble not in self._known:
                log.warning("sweep %s: not possible: %s", trouble.about, trouble.reason)
        self._known = frozenset(swept.troubles)
        if swept.done:
            self._wake()
        self._ended()
        is_shared = self._work.home.is_on_server
        return min(self._seconds, SHARED_SECONDS) if is_shared else self._seconds

    def _look_at_histories(self) -> None:
        """Mend the files of some histories that others may have edited.

        Once all of them have been looked at, remove what dead processes were writing.
        """
        for name in self._walk.stretch() if self._walk else ():
            log.info("sweep %s: its file was not as it should be, and is", name)
            if self._stopping.is_set():
                return
        if self._work and self._walk and self._walk.is_round:
            self._work.home.remove_drafts()
