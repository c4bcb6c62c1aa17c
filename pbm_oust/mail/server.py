"""The running server: listeners, their workers, and the sender."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from datetime import datetime

from pbm_oust.mail.counts import Counts, Row
from pbm_oust.mail.crew import ALONE, Member
from pbm_oust.mail.gate import Gate
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.mail.lanes import Lanes
from pbm_oust.mail.listener import CannotListen, bound_endpoint, listen, listening_at_home
from pbm_oust.mail.memory import give_memory_back
from pbm_oust.mail.patience import Patience
from pbm_oust.mail.relay import Relaying
from pbm_oust.mail.sender import Sender
from pbm_oust.mail.session import LmtpSession, SmtpSession, SmtpsSession
from pbm_oust.mail.sweeper import SWEEP_SECONDS, Sweeper
from pbm_oust.mail.tallying import tallied
from pbm_oust.mail.tls import Tls, read_certificate
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

NOTE_SECONDS = 1.0
"""How often it is noted how many connections to the database are in use."""

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
    member: Member = ALONE
    """Which of several processes it is."""
    beside: Callable[[Home], AbstractAsyncContextManager[None]] = lambda _home: nullcontext()
    """What else goes on while the first process serves."""
    row: Row = field(default_factory=lambda: Counts().row(0))
    """Where this process counts its mails."""
    _listeners: dict[_Place, asyncio.Server] = field(default_factory=dict)
    _gate: Gate = field(default_factory=Gate)
    _tls: Tls = field(default_factory=Tls)
    _passwords: Passwords = field(default_factory=lambda: Passwords(at_once=False))
    _sender: Sender | None = None
    _sweeper: Sweeper | None = None

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT. Raises CannotListen and BadConfiguration at the start."""
        give_memory_back()
        loop = asyncio.get_running_loop()
        signals: asyncio.Queue[int] = asyncio.Queue()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, signals.put_nowait, number)
        if self.member.keeper is not None:
            loop.add_reader(self.member.keeper, signals.put_nowait, signal.SIGTERM)
        if self.member.alarm and self.member.is_first:
            loop.add_reader(self.member.alarm[0], self._hear_alarm)
        with self.home.keeping_up(), Lanes() as lanes:
            configuration = self.configure()
            if self.member.is_first:
                self._sender = Sender(self.home)
                wake, ended = self._sender.wake, self.row.note_sweep
                self._sweeper = Sweeper(self.sweep_seconds, wake, ended)
            try:
                await self._serve(configuration, lanes, signals)
            finally:
                if self._sweeper:
                    self._sweeper.stop()
                    self._sweeper.wait()
                if self._sender:
                    self._sender.stop()
        log.info("stopped")

    async def _serve(
        self, configuration: Configuration, lanes: Lanes, signals: asyncio.Queue[int]
    ) -> None:
        """Take mail until a signal says that it is enough, and finish what has been begun."""
        inbound = open_inbound(self.home, configuration.address, self.clock)
        handler = Handler(inbound, lanes, self._wake, self.row.note)
        async with tallied(self.home, self.clock):
            async with self._listening_at_home(handler), self._beside(), self._noting_lent():
                await self._use(configuration, handler)
                look_less_for_circles()
                sys.setswitchinterval(TURN_SECONDS)
                if self.member.ready is not None:
                    os.write(self.member.ready, b"\n")
                await self._hear(signals, handler)
            if self._sweeper:
                self._sweeper.stop()
            for listener in self._listeners.values():
                listener.close()
            if handler.at_work:
                await asyncio.wait(set(handler.at_work), timeout=STOP_SECONDS)

    async def _hear(self, signals: asyncio.Queue[int], handler: Handler) -> None:
        """Read the configuration again at each SIGHUP, until another signal comes."""
        while await signals.get() == signal.SIGHUP:
            try:
                await self._use(self.configure(), handler)
            except (BadConfiguration, OSError) as error:
                log.error("the configuration stays as it was: %s", error)

    def _listening_at_home(self, handler: Handler) -> AbstractAsyncContextManager[None]:
        """Take mail at the home's own sockets, if nobody else of us does."""
        if not self.member.is_first:
            return nullcontext()
        return listening_at_home(self.home.path, handler, self._gate, Patience(), self._tls)

    def _beside(self) -> AbstractAsyncContextManager[None]:
        return self.beside(self.home) if self.member.is_first else nullcontext()

    @asynccontextmanager
    async def _noting_lent(self) -> AsyncIterator[None]:
        """Note now and then how many connections to the database are in use."""

        async def note_on() -> None:
            while True:
                self.row.note_lent(self.home.database.lent)
                await asyncio.sleep(NOTE_SECONDS)

        noting = asyncio.create_task(note_on())
        try:
            yield
        finally:
            noting.cancel()

    def _wake(self) -> None:
        """Let the letters leave soon, whichever process sends them."""
        if self._sender:
            self._sender.wake()
        elif self.member.alarm:
            with suppress(BlockingIOError):  # it has been raised often enough
                os.write(self.member.alarm[1], b"\n")

    def _hear_alarm(self) -> None:
        if self.member.alarm and self._sender:
            os.read(self.member.alarm[0], 4096)
            self._sender.wake()

    async def _use(self, configuration: Configuration, handler: Handler) -> None:
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
            if endpoint and (self.member.is_first or not endpoint.path)
        ]
        added: dict[_Place, asyncio.Server] = {}
        try:
            for place in [each for each in places if each not in self._listeners]:
                added[place] = await listen(
                    *place,
                    handler,
                    self._gate,
                    Patience(),
                    self._tls,
                    is_shared=self.member.is_one_of_many,
                )
        except CannotListen:
            for listener in added.values():
                listener.close()
            raise
        for place in [each for each in self._listeners if each not in places]:
            self._listeners.pop(place).close()
        self._listeners |= added
        self._gate.use(configuration.mail_servers, configuration.proxies)
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
        handler.use(inbound)
        self.home.has_relay = relay is not None
        if self._sweeper:
            self._sweeper.use(inbound.work)
        if self._sender:
            relaying = (
                Relaying(self.home, relay, address, self.home.database.time) if relay else None
            )
            self._sender.use(relaying)
        endpoints = [bound_endpoint(self._listeners[place], place[0]) for place in places]
        self.ready(configuration, endpoints)
