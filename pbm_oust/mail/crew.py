"""A crew: several processes that serve one home at the same ports, and the one that keeps them.

    Crew(4, work).run()

The keeper only forks: it opens nothing that a fork would share. It starts again whoever dies, and
hands on SIGHUP and SIGTERM. If it dies itself, the others stop.
"""

import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pbm_oust.frozen import frozen

log = logging.getLogger("pbm_oust")

STOP_SECONDS = 20
"""How long the members may take to stop, before they are killed."""
AGAIN_SECONDS = 5.0
"""Whoever dies without having served is started again only after a while."""

_HANDED_ON = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
_STOPPING = (signal.SIGTERM, signal.SIGINT)


@frozen
class Member:
    """One of several processes, or the only one."""

    number: int = 0
    alarm: tuple[int, int] | None = None
    """A pipe: others write into it when there are letters, and the first of them reads it."""
    keeper: int | None = None
    """What ends when the keeper dies."""
    ready: int | None = None
    """Where to tell that it serves."""

    @property
    def is_one_of_many(self) -> bool:
        """Whether others serve at the same ports."""
        return self.keeper is not None

    @property
    def is_first(self) -> bool:
        """Whether it does what only one may do: sweep, send letters, listen at Unix sockets."""
        return self.number == 0


ALONE = Member()


@dataclass(slots=True)
class _Started:
    number: int
    ready: int
    has_served: bool = False


class Crew:
    """So many processes that do the same work."""

    def __init__(self, size: int, work: Callable[[Member], int], ready: Callable[[], None]) -> None:
        """`work` returns the exit status of a member. `ready` is called once all of them serve."""
        self._size = size
        self._work = work
        self._ready = ready
        self._alarm = os.pipe()
        self._keeper = os.pipe()
        self._members: dict[int, _Started] = {}
        """By their process ids."""
        self._due: list[tuple[float, int]] = []
        """When to start again whom."""
        self._waiting = set(range(size))
        """Those who have not served yet."""
        self._events = selectors.DefaultSelector()
        self._stops_at: float | None = None
        self._status = 0

    def run(self) -> int:
        """Keep the crew until told to stop; return the exit status."""
        for end in self._alarm:
            os.set_blocking(end, False)
        woken, waker = socket.socketpair()
        for each in (woken, waker):
            each.setblocking(False)
        self._events.register(woken, selectors.EVENT_READ)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        for heard in (*_HANDED_ON, signal.SIGCHLD):
            signal.signal(heard, lambda *_: None)
        for number in range(self._size):
            self._start(number)
        while self._members or self._due:
            self._look(woken)
        return self._status

    def _look(self, woken: socket.socket) -> None:
        """Wait for what happens next, and deal with it."""
        for key, _ in self._events.select(self._patience()):
            if key.fileobj is woken:
                for number in woken.recv(1000):
                    self._hear(signal.Signals(number))
            elif started := self._members.get(int(key.data)):
                self._note_ready(started)
        now = time.monotonic()
        if self._stops_at is not None and now >= self._stops_at:
            self._tell(signal.SIGKILL)
        due = [number for at, number in self._due if at <= now]
        self._due = [each for each in self._due if each[0] > now]
        for number in due:
            self._start(number)

    def _patience(self) -> float | None:
        """Return how many seconds may pass until there is something to do."""
        moments = [at for at, _ in self._due]
        moments += [] if self._stops_at is None else [self._stops_at]
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    def _hear(self, heard: signal.Signals) -> None:
        if heard is signal.SIGCHLD:
            self._reap()
            return
        if heard in _STOPPING:
            self._stop()
        self._tell(heard)

    def _stop(self) -> None:
        if self._stops_at is None:
            self._stops_at = time.monotonic() + STOP_SECONDS
            self._due.clear()

    def _tell(self, told: signal.Signals) -> None:
        for process in self._members:
            with suppress(ProcessLookupError):
                os.kill(process, told)

    def _note_ready(self, started: _Started) -> None:
        started.has_served = bool(os.read(started.ready, 1))
        self._events.unregister(started.ready)
        if started.has_served and started.number in self._waiting:
            self._waiting.remove(started.number)
            if not self._waiting:
                self._ready()

    def _reap(self) -> None:
        """Find who has died, and start them again later if nobody has told them to stop."""
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                process, status = found
                started = self._members.pop(process, None)
                if started:
                    self._lose(process, started, os.waitstatus_to_exitcode(status))

    def _lose(self, process: int, started: _Started, status: int) -> None:
        with suppress(KeyError):
            self._events.unregister(started.ready)
        os.close(started.ready)
        if self._stops_at is not None:
            return
        if started.number in self._waiting:
            # It has never served: it has said why.
            self._status = status if status > 0 else 1
            self._stop()
            self._tell(signal.SIGTERM)
            return
        log.error("the process %d has died with %d and is started again", process, status)
        after = 0.0 if started.has_served else AGAIN_SECONDS
        self._due.append((time.monotonic() + after, started.number))

    def _start(self, number: int) -> None:
        """Fork a member."""
        ready, tells = os.pipe()
        process = os.fork()
        if not process:
            status = 1
            try:
                self._leave_to_keeper(ready)
                member = Member(
                    number,
                    alarm=self._alarm,
                    keeper=self._keeper[0],
                    ready=tells,
                )
                status = self._work(member)
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else 1
            except BaseException:
                log.exception("a fault in the program")
            finally:
                os._exit(status)
        os.close(tells)
        self._members[process] = _Started(number, ready)
        self._events.register(ready, selectors.EVENT_READ, process)

    def _leave_to_keeper(self, ready: int) -> None:
        """Close in a member what only the keeper uses."""
        signal.set_wakeup_fd(-1)
        for heard in (*_STOPPING, signal.SIGCHLD):
            signal.signal(heard, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the configuration is still to be read
        self._events.close()
        for end in (ready, self._keeper[1], *(each.ready for each in self._members.values())):
            os.close(end)
