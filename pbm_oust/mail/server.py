"""The running server: listeners, their workers, the sender, and the regular sweep.

Its state is reported to systemd, or whoever else started it (sd_notify(3)).
"""

import asyncio
import ctypes
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol as Interface

from pbm_oust.mail.clients import ConnectionLimits, Patience
from pbm_oust.mail.handler import Counts, Handler
from pbm_oust.mail.inbound import Inbound, open_inbound
from pbm_oust.mail.listener import CannotListen, bound_endpoint, listen, listening_at_home
from pbm_oust.mail.own_socket import FOR_DELIVER, FOR_OWNER
from pbm_oust.mail.sender import Sender
from pbm_oust.mail.session import Protocol, Session
from pbm_oust.mail.tls import Tls, read_certificate
from pbm_oust.mail.workers import Workers
from pbm_oust.play.passwords import Passwords
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS
from pbm_oust.service.sweep import SweepFailure, sweep
from pbm_oust.store.configuration import BadConfiguration, Configuration, Endpoint
from pbm_oust.store.disk import guard
from pbm_oust.store.home import Home
from pbm_oust.store.rebuilding import look_less_for_circles
from pbm_oust.store.upkeep import find_trouble

LARGE = 64 * 1024
"""The size from which memory blocks are mapped: growing mails, and scrypt's tables."""
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def give_memory_back() -> None:
    """Let glibc return large blocks of memory, and share small ones."""
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, LARGE)
        library.mallopt(_M_ARENA_MAX, 1)


log = logging.getLogger("pbm_oust")

TALLY_SECONDS = 1
"""The time between two records of refusals."""


@asynccontextmanager
async def tallied(home: Home, clock: Callable[[], datetime]) -> AsyncIterator[None]:
    """Record refusals regularly while the body runs, and the rest at its end."""
    recording = asyncio.create_task(_record_on(home, clock))
    try:
        yield
    finally:
        recording.cancel()
        _record(home, clock)


async def _record_on(home: Home, clock: Callable[[], datetime]) -> None:
    while True:
        await asyncio.sleep(TALLY_SECONDS)
        await asyncio.to_thread(_record, home, clock)


def _record(home: Home, clock: Callable[[], datetime]) -> None:
    try:
        home.write_tally(clock())
    except OSError as error:
        log.warning("what was refused is not counted: %s", error)


SWEEP_SECONDS = 300
"""How long after a sweep the next one starts, and the first one after the start of the server.

Mail that waited in the mail server while this one was down comes in before that.
"""
SHARED_SECONDS = 25
"""The longest pause between sweeps if hosts share a home.

A dead host's tasks are free after half a minute, so they are done within a minute.
"""
SWEEPER_STOP_SECONDS = 1
"""The time for a sweep when the server stops; the rest stays due."""


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
        self._walked = -seconds
        """When it has looked at histories."""
        self._known: frozenset[SweepFailure] = frozenset()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self._thread.start()

    def use(self, work: UnitOfWork) -> None:
        """Use this unit of work from now on."""
        self._work = work

    def stop(self) -> None:
        """Begin no further sweep."""
        self._stopping.set()

    def wait(self) -> None:
        """Wait until the current sweep has ended or has taken too long."""
        self._thread.join(SWEEPER_STOP_SECONDS)

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
        """Sweep, and return the seconds until the next sweep."""
        if self._work is None:
            return self._seconds
        if time.monotonic() >= self._walked + self._seconds:
            self._look_at_histories(self._work.home)
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

    def _look_at_histories(self, home: Home) -> None:
        """Mend the files of some histories that others may have edited.

        After a full round, the remains of dead processes are removed.
        """
        if home.is_on_server:
            return
        for name in home.publisher.check_next():
            log.info("sweep %s: its file was not as it should be, and is", name)
            if self._stopping.is_set():
                return
        if not home.publisher.ahead:
            home.remove_drafts()


def notify(state: str) -> None:
    """Report a state of the server to the service manager, if there is one."""
    path = os.environ.get("NOTIFY_SOCKET", "")
    if path:
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
            there.connect(f"\0{path[1:]}" if path.startswith("@") else path)
            there.sendall(state.encode())


async def _keep_watch(home: Home) -> None:
    """Report to a watchdog, if there is one, that the loop and the store answer.

    A store in trouble answers, too: a restart would mend nothing.
    """
    seconds = int(os.environ.get("WATCHDOG_USEC", "0")) / 1_000_000
    while seconds:
        await asyncio.to_thread(find_trouble, home, lasts=False)
        notify("WATCHDOG=1")
        await asyncio.sleep(seconds / 4)


TURN_SECONDS = 0.0001
"""The longest time for which a computing thread delays others, above all that of the sessions."""
STOP_SECONDS = 6
"""The time for messages in progress when the server stops."""


class LetterSender(Interface):
    """Writes and sends letters, here or elsewhere."""

    def configure(self, configuration: Configuration) -> None:
        """Send as a configuration says from now on."""

    def wake(self) -> None:
        """Look for new letters soon. Any thread may call this."""


@asynccontextmanager
async def sending_here(home: Home) -> AsyncIterator[LetterSender]:
    """Let a thread of this process write and send letters while the body runs."""
    sender = Sender(home)
    try:
        yield sender
    finally:
        sender.stop()


@dataclass(slots=True)
class _Parts:
    """The parts of the server that a configuration sets."""

    handler: Handler
    sender: LetterSender
    sweeper: Sweeper


_Place = tuple[Endpoint, Protocol]


@dataclass(slots=True)
class Server:
    """A server for one home.

    `configure` reads the configuration, at the start and at every SIGHUP; `ready` is called with
    the endpoints when the server listens.
    """

    home: Home
    configure: Callable[[], Configuration]
    clock: Callable[[], datetime]
    ready: Callable[[Configuration, list[Endpoint]], None]
    sweep_seconds: float = SWEEP_SECONDS
    meanwhile: Callable[[Home], AbstractAsyncContextManager[None]] = lambda _home: nullcontext()
    """A context that is open while the server runs."""
    sending: Callable[[Home], AbstractAsyncContextManager[LetterSender]] = sending_here
    """A context that gives what writes and sends the letters."""
    counts: Counts = field(default_factory=Counts)
    _listeners: dict[_Place, asyncio.Server] = field(default_factory=dict)
    _limits: ConnectionLimits = field(default_factory=ConnectionLimits)
    _tls: Tls = field(default_factory=Tls)
    _passwords: Passwords = field(default_factory=lambda: Passwords(at_once=False))

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises CannotListen and BadConfiguration at the start."""
        give_memory_back()
        loop = asyncio.get_running_loop()
        signals: asyncio.Queue[int] = asyncio.Queue()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, signals.put_nowait, number)
        with self.home.keeping_up(), Workers() as workers:
            configuration = self.configure()
            inbound = self._inbound(configuration)
            async with self.sending(self.home) as sender:
                sweeper = Sweeper(self.sweep_seconds, sender.wake, self.counts.note_sweep)
                handler = Handler(inbound, workers, sender.wake, self.counts.note)
                try:
                    await self._serve(configuration, _Parts(handler, sender, sweeper), signals)
                finally:
                    sweeper.stop()
                    sweeper.wait()
        log.info("stopped")

    async def _serve(
        self, configuration: Configuration, parts: "_Parts", signals: asyncio.Queue[int]
    ) -> None:
        """Take mail until a signal to stop, and finish what has been begun."""
        handler = parts.handler
        of_owner, of_deliver = (
            listening_at_home(self.home.path, name, self._session(handler, protocol))
            for name, protocol in ((FOR_OWNER, Protocol.OWNER), (FOR_DELIVER, Protocol.DELIVER))
        )
        async with tallied(self.home, self.clock):
            async with of_owner, of_deliver, self.meanwhile(self.home):
                await self._use(configuration, parts)
                look_less_for_circles()
                sys.setswitchinterval(TURN_SECONDS)
                notify("READY=1")
                watch = asyncio.create_task(_keep_watch(self.home))
                await self._hear(signals, parts)
                watch.cancel()
                notify("STOPPING=1")
            parts.sweeper.stop()
            for listener in self._listeners.values():
                listener.close()
            if handler.at_work:
                await asyncio.wait(set(handler.at_work), timeout=STOP_SECONDS)

    async def _hear(self, signals: asyncio.Queue[int], parts: "_Parts") -> None:
        """Reload the configuration at each SIGHUP, until another signal comes."""
        while await signals.get() == signal.SIGHUP:
            try:
                await self._use(self.configure(), parts)
            except (BadConfiguration, OSError) as error:
                log.error("the configuration stays as it was: %s", error)

    async def _use(self, configuration: Configuration, parts: "_Parts") -> None:
        """Use a configuration; unchanged listeners stay."""
        try:
            context = read_certificate(configuration)
        except BadConfiguration as error:
            raise BadConfiguration(f"{self.home.configuration}: {error}") from None
        guard(self.home.path, KINDS, has_readers=configuration.readers)
        places = [
            (endpoint, protocol)
            for endpoint, protocol in (
                (configuration.smtp, Protocol.SMTP),
                (configuration.smtps, Protocol.SMTPS),
                (configuration.lmtp, Protocol.LMTP),
            )
            if endpoint
        ]
        added: dict[_Place, asyncio.Server] = {}
        try:
            for place in [each for each in places if each not in self._listeners]:
                session = self._session(parts.handler, place[1])
                is_shared = self.home.is_on_server
                added[place] = await listen(place[0], session, is_shared=is_shared)
        except CannotListen:
            for listener in added.values():
                listener.close()
            raise
        for place in [each for each in self._listeners if each not in places]:
            self._listeners.pop(place).close()
        self._listeners |= added
        self._limits.use(configuration.mail_servers, configuration.proxies)
        self._tls.context = context
        inbound = self._inbound(configuration)
        parts.handler.use(inbound)
        self.home.has_relay = configuration.relay is not None
        parts.sweeper.use(inbound.work)
        parts.sender.configure(configuration)
        endpoints = [bound_endpoint(self._listeners[place], place[0]) for place in places]
        self.ready(configuration, endpoints)

    def _inbound(self, configuration: Configuration) -> Inbound:
        """Return the inbound of a configuration."""
        given = self.home, configuration.address, self.clock, configuration.limits
        passwords, pages = self._passwords, configuration.web_address
        return open_inbound(*given, configuration.authserv_id, passwords, pages)

    def _session(self, handler: Handler, protocol: Protocol) -> Session:
        """Return the model for the sessions of a listener."""
        return Session(handler, protocol, self._limits, Patience(), self._tls)
