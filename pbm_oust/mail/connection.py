"""Connections: what comes from a client and goes to it, with limits on number, bytes and time."""

import asyncio
import logging
from contextlib import suppress
from math import inf
from typing import Any, AnyStr, Self

from aiosmtpd.proxy_protocol import get_proxy
from aiosmtpd.smtp import SMTP

from pbm_oust.mail.content import LONGEST_LINE
from pbm_oust.mail.delivery import LARGEST_MAIL
from pbm_oust.mail.gate import Gate, TurnedAway, Visitor, source_of
from pbm_oust.mail.incoming import Incoming
from pbm_oust.mail.naming import named_by_proxy
from pbm_oust.mail.patience import Patience, TooSlow
from pbm_oust.mail.replies import S421_BUSY, S421_IDLE, S421_SESSION
from pbm_oust.mail.tls import Tls

log = logging.getLogger("pbm_oust")

SIZE_LIMIT = LARGEST_MAIL
LOOKS = 10
"""How often within the time for a line we look whether it has come."""


class Connection(SMTP):
    """A connection, beneath a session.

    aiosmtpd keeps reading a line that never ends; a client that sends more than twice the size of
    the largest message without a new MAIL is cut off.
    """

    line_length_limit = LONGEST_LINE

    is_secure_at_once = False
    """Whether it begins with the handshake of TLS."""

    gate: Gate
    patience: Patience
    tls: Tls
    transport: Any
    session: Any
    envelope: Any
    _closed: asyncio.Future[None]
    visitor: Visitor | None = None
    """What the gate knows of it, while it is open."""
    received = 0
    is_deaf = False
    """Whether what the client sends is dropped as it comes."""
    said = b""
    """What has been said and has not left yet: it leaves before more is awaited."""

    def another(self) -> Self:
        """Return another connection, not begun yet, that is served like this one.

        aiosmtpd looks through all its methods whenever it makes one.
        """
        made = object.__new__(type(self))
        vars(made).update(vars(self))
        stream = asyncio.StreamReader(self.line_length_limit, self.loop)
        asyncio.StreamReaderProtocol.__init__(made, stream, made._cb_client_connected, self.loop)
        return made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self.began = self.loop.time()
        try:
            self.visitor = self.gate.admit(source_of(transport))
        except TurnedAway as refusal:
            if isinstance(transport, asyncio.WriteTransport) and not self.is_secure_at_once:
                transport.write(f"{refusal}\r\n".encode())
            transport.close()
            return
        if self.is_secure_at_once and isinstance(transport, asyncio.Transport):
            transport.pause_reading()  # until TLS reads it
        super().connection_made(transport)
        self.visitor.give_way = self.give_way
        self.incoming = Incoming(self._reader, self.flush)
        self.expect(S421_IDLE)
        self._watch()

    def connection_lost(self, error: Exception | None) -> None:
        """End a session, once."""
        if self.visitor:
            self.gate.leave(self.visitor)
            self.visitor = None
            self._looking.cancel()
            conversation = self._handler_coroutine
            super().connection_lost(error)
            if conversation:
                conversation.add_done_callback(self._let_go)

    def _let_go(self, _: asyncio.Task[None]) -> None:
        """Forget all, once the conversation has ended.

        It holds this connection by what has ended it, and this connection holds it. Else what the
        client has sent would stay until Python looks for circles, which is seldom.
        """
        if self._closed.done() and not self._closed.cancelled():
            self._closed.exception()  # nobody else asks for it
        vars(self).clear()

    async def read_proxy(self) -> None:
        """Let a proxy say who connects to it. Raises TurnedAway, TooSlow, BadNaming and OSError."""
        if self.visitor and self.gate.speaks_proxy(self.visitor):
            named = named_by_proxy(await get_proxy(self._reader))
            if named.source:
                self.gate.take_client(self.visitor, named.source)

    @property
    def is_secure(self) -> bool:
        """Whether TLS protects the connection."""
        return self.session.ssl is not None

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client."""
        self.received += len(data)
        if not self.visitor:
            return
        if self.received > 2 * SIZE_LIMIT:
            log.warning("cut off a client that sent %d bytes", self.received)
            self.transport.abort()
            return
        if not self.is_deaf:
            super().data_received(data)

    def eof_received(self) -> bool | None:
        """Take the end of what the client sends."""
        return super().eof_received() if self.visitor else False

    def _timeout_cb(self) -> None:
        self.transport.abort()

    async def push(self, status: AnyStr) -> None:
        """Say something; it leaves together with what follows it."""
        self.said += (status.encode() if isinstance(status, str) else status) + b"\r\n"

    async def flush(self) -> None:
        """Send what has been said; a client that does not read it is cut off."""
        if not self.said:
            return
        said, self.said = self.said, b""
        self._writer.write(said)
        if self.transport.get_write_buffer_size():
            try:
                async with asyncio.timeout(self.patience.idle):
                    await self._writer.drain()
            except TimeoutError:
                self.transport.abort()
                raise ConnectionAbortedError from None

    async def end(self, status: str) -> None:
        """Say why the session ends, and end it."""
        with suppress(ConnectionError, TooSlow):
            await self.push(status)
            await self.flush()
        self._writer.close()

    async def secure(self, reply: str = "") -> None:
        """Protect the connection by TLS, and forget all that was said without. Raises OSError.

        `reply` is the last thing said without TLS. What the client has sent behind the command is
        dropped: others may have put it there (RFC 3207, section 6).
        """
        self.is_deaf = True  # a stream that is emptied lets its transport read again
        await self.incoming.drop()
        if reply:
            await self.push(reply)
        await self.flush()
        self.transport.pause_reading()
        self.is_deaf = False
        context = self.tls.context
        if context is None:
            raise ConnectionAbortedError("there is no certificate any more")
        limit = min(self.patience.idle, max(self.ends - self.loop.time(), 0.001))
        try:
            await self._writer.start_tls(context, ssl_handshake_timeout=limit)
        except OSError as error:
            self.connection_lost(error)  # asyncio does not always say so itself
            raise
        self.transport = self._writer.transport
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget all that was said in the session."""
        self.session = self._create_session()
        self.session.peer = self.transport.get_extra_info("peername")
        self.session.ssl = self.transport.get_extra_info("ssl_object")
        self.envelope = self._create_envelope()

    def expect(self, reply: str) -> None:
        """Await something from the client from now on; `reply` is what one hears who is idle."""
        self._reply_to_idle = reply
        self.awaited_until = self.idle_until()
        if self.visitor:
            self.visitor.waits_since = self.loop.time()

    def expect_nothing(self) -> None:
        """Await nothing while we are at work."""
        self.awaited_until = inf
        if self.visitor:
            self.visitor.waits_since = inf

    def give_way(self) -> None:
        """End the session at once, so that somebody else finds room."""
        if self.is_secure or not self.is_secure_at_once:
            self._writer.write(self.said + f"{S421_BUSY}\r\n".encode())
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _watch(self) -> None:
        """Look now and then whether the client is too slow."""
        now = self.loop.time()
        if self.awaited_until < inf and now >= min(self.awaited_until, self.ends):
            reply = self._reply_to_idle if now < self.ends else S421_SESSION
            self._reader.set_exception(TooSlow(reply))
            return
        next_look = min(now + self.patience.idle / LOOKS, self.awaited_until)
        if now < self.ends:
            next_look = min(next_look, self.ends)
        self._looking = self.loop.call_at(next_look, self._watch)

    @property
    def ends(self) -> float:
        """When the session is over."""
        return self.began + self.patience.session

    def idle_until(self) -> float:
        """Return until when something has to come."""
        return self.loop.time() + self.patience.idle
