"""Sessions: conversations in SMTP and LMTP, with limits on all that a client can send."""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from typing import Any, AnyStr, Self

from aiosmtpd.lmtp import LMTP
from aiosmtpd.proxy_protocol import get_proxy
from aiosmtpd.smtp import SMTP

from pbm_oust.mail import LARGEST_MAIL
from pbm_oust.mail.clients import (
    CLIENT,
    FORWARDED,
    S220_TLS,
    S221_BYE,
    S250_NAMED,
    S354_BEGIN,
    S421_BUSY,
    S421_IDLE,
    S421_NONSENSE,
    S421_REPEATED,
    S421_SESSION,
    S421_SLOW,
    S454_TLS,
    S500_UNKNOWN,
    S501_DATA,
    S501_NAMING,
    S501_QUIT,
    S501_TLS,
    S503_NAMING,
    S503_RECIPIENT,
    S503_TLS,
    S550_NAMING,
    BadNaming,
    ConnectionLimits,
    Named,
    Patience,
    TooSlow,
    TurnedAway,
    Visitor,
    named_by_proxy,
    parse_naming,
    source_of,
)
from pbm_oust.mail.tls import Tls
from pbm_oust.mail.wire import LONGEST_COMMAND, LONGEST_LINE, BadLine, Content, parse_command_line

BLOCK = 64 * 1024


class Incoming:
    """Reads a stream. What was read beyond a line or a message is kept for the next reader."""

    def __init__(self, stream: asyncio.StreamReader, before: Callable[[], Awaitable[None]]) -> None:
        """`before` is awaited before more of the stream is."""
        self._stream = stream
        self._before = before
        self._unread = b""

    async def block(self) -> bytes:
        """Return some bytes that come next. Raises EOFError if none will."""
        block, self._unread = self._unread, b""
        if not block:
            await self._before()
            block = await self._stream.read(BLOCK)
        if not block:
            raise EOFError("the client has gone away")
        return block

    async def line(self, longest: int) -> bytes:
        """Return the next line with its end; of one that is too long, more bytes than `longest`.

        Raises EOFError.
        """
        line = b""
        while True:
            piece, end, self._unread = (await self.block()).partition(b"\n")
            line = line[:longest] + piece + end
            if end:
                return line

    def keep(self, unread: bytes) -> None:
        """Keep bytes that were read and not used: they come next."""
        self._unread = unread

    async def drop(self) -> None:
        """Drop what has come and was not read; this does not wait for more."""
        self._unread = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                while await self._stream.read(BLOCK):
                    pass


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

    limits: ConnectionLimits
    patience: Patience
    tls: Tls
    transport: Any
    session: Any
    envelope: Any
    _closed: asyncio.Future[None]
    visitor: Visitor | None = None
    """As what it is counted, while it is open."""
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
            self.visitor = self.limits.admit(source_of(transport))
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
            self.limits.leave(self.visitor)
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
        if self.visitor and self.limits.speaks_proxy(self.visitor):
            named = named_by_proxy(await get_proxy(self._reader))
            if named.source:
                self.limits.take_client(self.visitor, named.source)

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


log = logging.getLogger("pbm_oust")

MOST_COMMANDS = 200
"""How often one command may come without a mail."""
MOST_NONSENSE = 5
"""How many lines that are no commands end a session."""

_NOT_OFFERED = {"AUTH"}
_USUAL_PATH = re.compile(
    r"<((?=[^@]{1,64}@)[\w+=-]+(?:\.[\w+=-]+)*@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)>(| .*)", re.ASCII
)
"""An address of letters, digits and few signs, which most are; aiosmtpd reads all others."""


class SmtpSession(Connection):
    """An SMTP session."""

    is_of_owner = False
    """Whether whoever owns the home is the client, who is trusted to name senders."""
    is_of_deliver = False
    """Whether `deliver` is the client, which brings mails of strangers as they are."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self._nonsense = 0
        self._speaks_for_client = False
        self._obeyed = Counter[str]()
        super().connection_made(transport)

    @property
    def extensions(self) -> list[str]:
        """What EHLO announces besides what aiosmtpd offers."""
        offered = ["STARTTLS"] if self.tls.context and not self.is_secure else []
        if self._may_name_others:
            offered += [f"XCLIENT {CLIENT}", f"XFORWARD {FORWARDED}"]
        return offered

    @property
    def source(self) -> str:
        """The host or network that a message comes from; empty if that is ours."""
        usual = self.visitor.source if self.visitor else None
        return self.limits.stranger(getattr(self.envelope, "source", usual))

    @property
    def is_of_mail_server(self) -> bool:
        """Whether one of our own mail servers writes; with XCLIENT its client does."""
        return self._may_name_others and not (self._speaks_for_client or self.is_of_deliver)

    @property
    def _may_name_others(self) -> bool:
        return bool(self.visitor and self.limits.may_name_others(self.visitor))

    async def _handle_client(self) -> None:
        """Hold the conversation, in place of aiosmtpd, which takes any bytes as commands."""
        try:
            if self.is_secure_at_once:
                await self.secure()
            else:
                await self.read_proxy()
            await self._greet()
            while not self.transport.is_closing():
                self.expect(S421_IDLE)
                line = await self.incoming.line(LONGEST_COMMAND)
                self.expect_nothing()
                await self._obey(line)
        except (TooSlow, TurnedAway) as error:
            await self.end(str(error))
        except (BadNaming, OSError, EOFError):
            log.debug("a client has gone away, or is no proxy")
        finally:
            self._writer.close()

    async def _greet(self) -> None:
        await self.push(f"220 {self.hostname} {self.__ident__}")

    async def _obey(self, line: bytes) -> None:
        """Carry out a command line and answer it."""
        try:
            command, argument = parse_command_line(line)
            method = getattr(self, f"smtp_{command}", None)
            if method is None or command in _NOT_OFFERED:
                raise BadLine(S500_UNKNOWN)
        except BadLine as error:
            self._nonsense += 1
            if self._nonsense < MOST_NONSENSE:
                await self.push(str(error))
            else:
                await self.end(S421_NONSENSE)
            return
        self._obeyed[command] += 1
        if self._obeyed[command] > MOST_COMMANDS:
            await self.end(S421_REPEATED)
            return
        try:
            await method(argument)
        except (OSError, TooSlow, TurnedAway):
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge: it is logged
            await self.push(await self.handle_exception(error))

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return an address and what follows it; aiosmtpd has no answer to some broken ones."""
        if usual := _USUAL_PATH.fullmatch(arg):
            return usual[1], usual[2]
        try:
            return super()._getaddr(arg)
        except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
            return None, None

    async def smtp_QUIT(self, arg: str | None) -> None:
        """End the session as the client asks."""
        if arg:
            await self.push(S501_QUIT)
        else:
            await self.end(S221_BYE)

    async def smtp_STARTTLS(self, arg: str | None) -> None:
        """Go on with TLS, as if nothing had been said before."""
        if arg:
            await self.push(S501_TLS)
        elif self.is_secure:
            await self.push(S503_TLS)
        elif not self.tls.context:
            await self.push(S454_TLS)
        else:
            await self.secure(S220_TLS)

    async def smtp_XCLIENT(self, arg: str | None) -> None:
        """Begin anew with the client whom a mail server of ours names. Raises TurnedAway."""
        named = await self._read_naming(arg, CLIENT)
        if self.visitor and named:
            self._speaks_for_client = True
            if named.says_where:
                self.limits.take_source(self.visitor, named.source or self.visitor.client)
            self.begin_anew()
            await self._greet()

    async def smtp_XFORWARD(self, arg: str | None) -> None:
        """Take the source of the next message from a mail server of ours."""
        named = await self._read_naming(arg, FORWARDED)
        if self.visitor and named:
            if named.says_where:
                self.envelope.source = named.source or self.visitor.source
            await self.push(S250_NAMED)

    async def _read_naming(self, arg: str | None, names: str) -> Named | None:
        """Return what a mail server of ours says of its client, or tell why nothing is taken."""
        if not self._may_name_others:
            await self.push(S550_NAMING)
        elif self.envelope.mail_from is not None:
            await self.push(S503_NAMING)
        else:
            try:
                return parse_naming(arg, names)
            except BadNaming:
                await self.push(S501_NAMING)
        return None

    async def smtp_MAIL(self, arg: str | None) -> None:
        """Take a sender, and count the bytes of a message from here."""
        is_nested = self.envelope.mail_from is not None
        await super().smtp_MAIL(arg)
        if self.envelope.mail_from is not None and not is_nested:
            self.received = 0

    async def smtp_DATA(self, arg: str | None) -> None:
        """Take a message, and answer it when its end has come."""
        if await self.check_helo_needed():
            return
        if not self.envelope.rcpt_tos:
            await self.push(S503_RECIPIENT)
        elif arg:
            await self.push(S501_DATA)
        else:
            await self.push(S354_BEGIN)
            content = await self._read_content()
            if content.excess:
                status = content.excess.value
                log.warning("a message is refused as it arrives: %s", status)
            else:
                self.envelope.original_content = content.bytes()
                del content
                status = await self._call_handler_hook("DATA")
                self._obeyed.clear()
            self.envelope = self._create_envelope()
            await self.push(status)

    async def _read_content(self) -> Content:
        """Return the message that comes next."""
        content = Content(LARGEST_MAIL if self.is_of_deliver else LONGEST_LINE)
        self.expect(S421_SLOW)
        slowest = self.awaited_until
        while not content.is_over:
            self.incoming.keep(content.take(await self.incoming.block()))
            at_rate = slowest + self.received / self.patience.bytes_a_second
            self.awaited_until = min(self.idle_until(), at_rate)
        self.expect_nothing()
        return content


class SmtpsSession(SmtpSession):
    """An SMTP session that begins with TLS."""

    is_secure_at_once = True


class LmtpSession(SmtpSession, LMTP):
    """An LMTP session with the same limits."""


class OwnerSession(LmtpSession):
    """A session with whoever owns the home, at its own socket."""

    is_of_owner = True


class DeliverSession(LmtpSession):
    """A session with `deliver`, at its own socket. It may not know sender and recipient."""

    is_of_deliver = True
