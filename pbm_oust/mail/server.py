"""The running server: listeners, their workers, and the sender."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime

from pbm_oust.mail.clients import ConnectionLimits, Patience
from pbm_oust.mail.handler import Counts, Handler
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.mail.listener import CannotListen, bound_endpoint, listen, listening_at_home
from pbm_oust.mail.process import give_memory_back, tallied
from pbm_oust.mail.relay import Relaying
from pbm_oust.mail.sender import Sender
from pbm_oust.mail.session import LmtpSession, SmtpSession, SmtpsSession
from pbm_oust.mail.sweeper import SWEEP_SECONDS, Sweeper
from pbm_oust.mail.tls import Tls, read_certificate
from pbm_oust.mail.workers import Workers
from pbm_oust.play.passwords import Passwords
from pbm_oust.store.circles import look_less_for_circles
from pbm_oust.store.configuration import BadConfiguration, Configuration, Endpoint
from pbm_oust.store.guarding import guard
from pbm_oust.store.home import Home

log = logging.getLogger("pbm_oust")

TURN_SECONDS = 0.0001
"""How long a thread that computes may keep the others waiting, above all that of the sessions."""
STOP_SECONDS = 6
"""How long the messages being handled may take when the server is told to stop."""


@dataclass(slots=True)
class _Parts:
    """What a configuration is for."""

    handler: Handler
    sender: Sender
    sweeper: Sweeper


_Place = tuple[Endpoint, type[SmtpSession]]


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
    """What else goes on while it serves."""
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
            sender = Sender(self.home)
            sweeper = Sweeper(self.sweep_seconds, sender.wake, self.counts.note_sweep)
            inbound = open_inbound(self.home, configuration.address, self.clock)
            handler = Handler(inbound, workers, sender.wake, self.counts.note)
            try:
                await self._serve(configuration, _Parts(handler, sender, sweeper), signals)
            finally:
                sweeper.stop()
                sweeper.wait()
                sender.stop()
        log.info("stopped")

    async def _serve(
        self, configuration: Configuration, parts: "_Parts", signals: asyncio.Queue[int]
    ) -> None:
        """Take mail until a signal says that it is enough, and finish what has been begun."""
        handler = parts.handler
        own = listening_at_home(self.home.path, handler, self._limits, Patience(), self._tls)
        async with tallied(self.home, self.clock):
            async with own, self.meanwhile(self.home):
                await self._use(configuration, parts)
                look_less_for_circles()
                sys.setswitchinterval(TURN_SECONDS)
                await self._hear(signals, parts)
            parts.sweeper.stop()
            for listener in self._listeners.values():
                listener.close()
            if handler.at_work:
                await asyncio.wait(set(handler.at_work), timeout=STOP_SECONDS)

    async def _hear(self, signals: asyncio.Queue[int], parts: "_Parts") -> None:
        """Read the configuration again at each SIGHUP, until another signal comes."""
        while await signals.get() == signal.SIGHUP:
            try:
                await self._use(self.configure(), parts)
            except (BadConfiguration, OSError) as error:
                log.error("the configuration stays as it was: %s", error)

    async def _use(self, configuration: Configuration, parts: "_Parts") -> None:
        """Serve with a configuration; listeners that it does not change go on."""
        try:
            context = read_certificate(configuration)
        except BadConfiguration as error:
            raise BadConfiguration(f"{self.home.configuration}: {error}") from None
        guard(self.home.path, has_readers=configuration.readers)
        places = [
            (endpoint, protocol)
            for endpoint, protocol in (
                (configuration.smtp, SmtpSession),
                (configuration.smtps, SmtpsSession),
                (configuration.lmtp, LmtpSession),
            )
            if endpoint
        ]
        added: dict[_Place, asyncio.Server] = {}
        try:
            for place in [each for each in places if each not in self._listeners]:
                added[place] = await listen(
                    *place,
                    parts.handler,
                    self._limits,
                    Patience(),
                    self._tls,
                    is_shared=self.home.is_on_server,
                )
        except CannotListen:
            for listener in added.values():
                listener.close()
            raise
        for place in [each for each in self._listeners if each not in places]:
            self._listeners.pop(place).close()
        self._listeners |= added
        self._limits.use(configuration.mail_servers, configuration.proxies)
        self._tls.context = context
        address, relay = configuration.address, configuration.relay
        inbound = open_inbound(
            self.home,
            address,
            self.clock,
            configuration.limits,
            configuration.authserv_id,
            self._passwords,
            configuration.web_address,
        )
        parts.handler.use(inbound)
        self.home.has_relay = relay is not None
        parts.sweeper.use(inbound.work)
        time = self.home.database.time
        parts.sender.use(Relaying(self.home, relay, address, time) if relay else None)
        endpoints = [bound_endpoint(self._listeners[place], place[0]) for place in places]
        self.ready(configuration, endpoints)
