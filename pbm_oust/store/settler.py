"""When what waits is written into the histories: at once, or soon, for many boards together."""

import logging
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from pbm_oust.store.boards import Boards
from pbm_oust.store.connections import Database
from pbm_oust.store.settling import settle
from pbm_oust.store.waiting import BoardName

log = logging.getLogger("pbm_oust")

SOON_SECONDS = 0.5
"""How long lines may wait for others that are written into the histories with them."""


class Settler:
    """Writes what waits into the histories of a home; what cannot be written goes on waiting.

    `soon` is how many seconds lines may wait.
    """

    def __init__(self, database: Database, boards: Boards, soon: float = SOON_SECONDS) -> None:
        self._database = database
        self._boards = boards
        self._soon = soon
        self._thread: threading.Thread | None = None
        self._names = set[BoardName]()
        """The boards to be settled soon."""
        self._lock = threading.Lock()
        self._has_work = threading.Event()
        self._is_stopping = threading.Event()

    def take(self, names: Collection[BoardName]) -> None:
        """Settle boards, soon if that thread runs, and else at once."""
        with self._lock:
            if self._thread:
                self._names |= set(names)
                self._has_work.set()
                return
        self.settle(names)

    def settle(self, names: Collection[BoardName] | None = None) -> None:
        """Write what waits into the histories of some boards, or of all."""
        try:
            for unsettled in settle(self._database, self._boards, names):
                log.warning("lines wait for the history of %s: %s", unsettled.name, unsettled.error)
        except OSError as error:
            log.warning("lines wait for their histories: %s", error)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Settle in a thread of its own while the body runs, which also shortens the log.

        At its end, all that was taken has been settled if that is possible.
        """
        self._is_stopping.clear()
        thread = threading.Thread(target=self._run, name="settler", daemon=True)
        with self._database.tended():
            self._thread = thread
            thread.start()
            try:
                yield
            finally:
                self._is_stopping.set()
                self._has_work.set()
                thread.join()

    def _run(self) -> None:
        while not self._is_stopping.is_set():
            self._has_work.wait()
            self._is_stopping.wait(self._soon)
            self._has_work.clear()
            self._step()
        with self._lock:
            self._thread = None
        self._step()

    def _step(self) -> None:
        with self._lock:
            names, self._names = self._names, set()
        try:
            if names:
                self.settle(names)
            self._database.shorten_log()
        except OSError as error:
            log.warning("the log of the database is not shortened: %s", error)
        except Exception:
            log.exception("lines wait for their histories: a fault in the program")
