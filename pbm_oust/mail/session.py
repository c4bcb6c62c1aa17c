"""Sessions: conversations in SMTP and LMTP, with limits on all that a client can send."""

import asyncio
import copy
import logging
import re
from collections import Counter
from collections.abc import Callable
from enum import Enum
from math import inf
from typing import Any, AnyStr, Self

from aiosmtpd import smtp
from aiosmtpd.proxy_protocol import get_proxy

from pbm_oust.mail import LARGEST_MAIL, clients
from pbm_oust.mail.reading import short_id
from pbm_oust.mail.reading.limits import LARGEST_HEADERS
from pbm_oust.mail.tls import Tls

log = logging.getLogger("pbm_oust")

LONGEST_COMMAND = 1024
"""The most bytes of a command: 512 by RFC 5321, and more by extensions (section 4.5.3.1.4)."""
MOST_COMMANDS = 200
"""The most commands of one kind without a mail."""
MOST_NONSENSE = 5
"""The number of invalid lines that end a session."""
MOST_UNHEARD = 16 * 1024
"""The most bytes of replies that wait for a client that does not read."""

_LINE = re.compile(rb"[^\r\n\0]*\r\n")
_WITH_ADDRESS = ("MAIL", "RCPT")
_END = b"\r\n.\r\n"
_USUAL_PATH = re.compile(
    r"<((?=[^@]{1,64}@)[\w+=-]+(?:\.[\w+=-]+)*@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)>(| .*)", re.ASCII
)
"""The usual form of an address, with few signs; aiosmtpd reads all others."""


class Protocol(Enum):
    """The protocol of a listener, and the sort of its clients."""

    SMTP = "SMTP"
    SMTPS = "SMTP within TLS from the first byte on"
    LMTP = "LMTP"
    OWNER = "LMTP with whoever owns the home, who is trusted to name senders"
    DELIVER = "LMTP with `deliver`, which brings mails of strangers as they are"

    @property
    def is_local(self) -> bool:
        """Whether it is LMTP, with a greeting of its own and one recipient a message."""
        return self not in (Protocol.SMTP, Protocol.SMTPS)


_COMMANDS = (
    *("MAIL", "RCPT", "DATA", "RSET", "NOOP", "QUIT", "VRFY", "EXPN", "HELP"),
    *("STARTTLS", "XCLIENT", "XFORWARD"),
)


class BadLine(ValueError):
    """A line that is no command; the message is the reply."""


def parse_command_line(line: bytes) -> tuple[str, str | None]:
    """Return a command in capitals and its argument. Raises BadLine.

    A line ends with CR LF. It is ASCII, but for addresses, which may be UTF-8 (RFC 6531).
    """
    if len(line) > LONGEST_COMMAND:
        raise BadLine(clients.S500_LONG)
    if not _LINE.fullmatch(line):
        raise BadLine(clients.S500_BARE)
    word, _, rest = line[:-2].partition(b" ")
    if not word.isalpha():
        raise BadLine(clients.S500_SYNTAX)
    command = word.upper().decode()
    if not rest.isascii() and (
        command not in _WITH_ADDRESS or not rest.rpartition(b">")[2].isascii()
    ):
        raise BadLine(clients.S500_ASCII)
    try:
        return command, rest.decode().strip() or None
    except UnicodeDecodeError:
        raise BadLine(clients.S500_ASCII) from None


class Session(smtp.SMTP):
    """A session with a client.

    aiosmtpd reads what commands say and calls the hooks of the handler. The bytes are read here: it
    would take lines that end with LF alone, keep reading one that never ends, and end slow sessions
    without a word. A client that sends more than twice the size of the largest message without a
    new MAIL is cut off.
    """

    transport: Any
    session: Any
    envelope: Any
    visitor: clients.Visitor
    """The connection in the limits, while it is open."""
    received = 0
    """The number of bytes since the last MAIL."""
    speaks_for_client = False
    """Whether a mail server of ours has named its client with XCLIENT."""

    _conversation: asyncio.Task[None] | None = None
    """The task of the session; None if the client was turned away."""
    _waiting: asyncio.Future[bool] | None = None
    """The future for more bytes: True if they have come, or never will."""
    _proxy: asyncio.StreamReader | None = None
    """The header of a proxy in front of the session."""
    _is_over_tls = False
    """Whether TLS is or is being spoken."""
    _has_all = False
    """Whether the client has closed its side."""
    _nonsense = 0

    def __init__(
        self,
        handler: Any,
        protocol: Protocol,
        limits: clients.ConnectionLimits,
        patience: clients.Patience,
        tls: Tls,
    ) -> None:
        super().__init__(
            handler,
            data_size_limit=LARGEST_MAIL,
            enable_SMTPUTF8=True,
            hostname=handler.address.rpartition("@")[2],
            ident="pbm_oust",
            loop=asyncio.get_running_loop(),
        )
        self.protocol = protocol
        self._commands = {*_COMMANDS, *(["LHLO"] if protocol.is_local else ["HELO", "EHLO"])}
        self._greeting = f"220 {self.hostname} {self.__ident__}"
        self.limits = limits
        self.patience = patience
        self.tls = tls

    def another(self) -> Self:
        """Return a new session with the same settings.

        aiosmtpd looks through all its methods whenever it makes one, which takes as long as all
        commands of a mail. The state of a connection is set when it is made.
        """
        return copy.copy(self)

    # The connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self.transport = transport
        self._unread = bytearray()
        self._obeyed = Counter[str]()
        self._ends = self.loop.time() + self.patience.session
        try:
            self.visitor = self.limits.admit(clients.source_of(transport))
        except clients.SessionOver as refusal:
            if self.protocol is not Protocol.SMTPS:
                self.transport.write(f"{refusal}\r\n".encode())
            self.transport.close()
            return
        self.visitor.give_way = self.give_way
        if self.protocol is Protocol.SMTPS:
            self.transport.pause_reading()  # until TLS reads it
        elif self.limits.speaks_proxy(self.visitor):
            self._proxy = asyncio.StreamReader(loop=self.loop)
        self._begin_anew()
        self._conversation = self.loop.create_task(self._converse())

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client."""
        self.received += len(data)
        if self.received > 2 * LARGEST_MAIL:
            log.info("cut off a client that sent %d bytes", self.received)
            self.transport.abort()
        elif self._proxy:
            self._proxy.feed_data(data)
        else:
            self._unread += data
            self._wake()

    def eof_received(self) -> bool:
        """Handle the end of input; without TLS, the client still gets its replies."""
        self._has_all = True
        if self._proxy:
            self._proxy.feed_eof()
        self._wake()
        return not self._is_over_tls

    def connection_lost(self, error: Exception | None) -> None:
        """End a session, and drop its input."""
        if self._conversation:
            self.limits.leave(self.visitor)
            self.visitor.give_way = None
            self._unread.clear()
            self.eof_received()

    def give_way(self) -> None:
        """End the session at once to make room for another."""
        if self.session.ssl or self.protocol is not Protocol.SMTPS:
            self.transport.write(f"{clients.S421_BUSY}\r\n".encode())
        self._close()

    def _close(self) -> None:
        """Close the connection without waiting for the client to read replies."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    async def _secure(self) -> None:
        """Start TLS, and forget everything said before. Raises OSError.

        Input behind the command is dropped: others may have put it there (RFC 3207, section 6).
        """
        self._unread.clear()
        if self.tls.context is None:
            raise ConnectionAbortedError("there is no certificate any more")
        self._is_over_tls = True
        now = self.visitor.waits_since = self.loop.time()
        try:
            self.transport = await self.loop.start_tls(
                self.transport,
                self,
                self.tls.context,
                server_side=True,
                ssl_handshake_timeout=min(self.patience.idle, max(self._ends - now, 0.001)),
            )
        except OSError as error:
            self.connection_lost(error)  # asyncio does not always say so itself
            raise
        self.visitor.waits_since = inf
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Forget everything said in the session."""
        self.session = smtp.Session(self.loop)
        self.session.peer = self.transport.get_extra_info("peername")
        self.session.ssl = self.transport.get_extra_info("ssl_object")
        self.envelope = smtp.Envelope()

    # The conversation

    async def _converse(self) -> None:
        """Run the session."""
        try:
            if self.protocol is Protocol.SMTPS:
                await self._secure()
            elif self._proxy:
                await self._read_proxy(self._proxy)
            await self.push(self._greeting)
            while not self.transport.is_closing():
                await self._obey(await self._read_line())
        except clients.SessionOver as error:
            await self.push(str(error))
        except (clients.BadNaming, OSError, EOFError):
            log.debug("a client has gone away, or is no proxy")
        finally:
            self._close()

    async def push(self, status: AnyStr) -> None:
        """Send a reply; a client that does not read is cut off in time."""
        if not self.transport.is_closing():
            said = status.encode() if isinstance(status, str) else status
            self.transport.write(said + b"\r\n")
            if self.transport.get_write_buffer_size() > MOST_UNHEARD:
                self.transport.abort()

    async def _read_proxy(self, stream: asyncio.StreamReader) -> None:
        """Read the client from a proxy. Raises SessionOver, BadNaming, EOFError, OSError."""
        async with asyncio.timeout(self.patience.idle):
            named = clients.named_by_proxy(await get_proxy(stream))
        self._proxy = None
        stream.feed_eof()
        self._unread += await stream.read()
        if named.source:
            self.limits.take_client(self.visitor, named.source)

    async def _read_line(self) -> bytes:
        """Return the next line with its end; a line that is too long is cut, but stays too long.

        Raises SessionOver and EOFError.
        """
        until = self.loop.time() + self.patience.idle
        while (end := self._unread.find(b"\n") + 1) == 0:
            del self._unread[LONGEST_COMMAND:]
            await self._wait_for_more(until, clients.S421_IDLE)
        line = bytes(self._unread[:end])
        del self._unread[:end]
        return line

    async def _read_content(self) -> tuple[bytes, bool]:
        """Return the next message and True, or the beginning of one that is too large and False.

        It ends with a dot alone between two CR LF, and nowhere else (RFC 5321, section 4.1.1.4). It
        comes at a least rate. Raises SessionOver and EOFError.
        """
        slowest = self.loop.time() + self.patience.idle
        unread, looked_at, beginning = self._unread, 0, b""
        unread[:0] = b"\r\n"  # the end of the line before
        while (end := unread.find(_END, looked_at)) < 0:
            if len(unread) > LARGEST_MAIL + len(_END):
                beginning = beginning or bytes(unread[2 : LARGEST_HEADERS + 2])
            if beginning:
                del unread[: 1 - len(_END)]
            looked_at = max(len(unread) - len(_END) + 1, 0)
            at_rate = slowest + self.received / self.patience.bytes_a_second
            until = min(self.loop.time() + self.patience.idle, at_rate)
            await self._wait_for_more(until, clients.S421_SLOW)
        if end > LARGEST_MAIL:
            beginning = beginning or bytes(unread[2 : LARGEST_HEADERS + 2])
        # Lines with a dot in front lose it (section 4.5.2).
        content = beginning or bytes(unread[: end + 2].replace(b"\r\n.", b"\r\n")[2:])
        del unread[: end + len(_END)]
        return content, not beginning

    async def _wait_for_more(self, until: float, reply: str) -> None:
        """Wait for more bytes.

        Raises SessionOver with `reply` if none has come by `until`, and EOFError if the client has
        closed.
        """
        if self._has_all:
            raise EOFError("the client has gone away")
        if self._ends < until:
            until, reply = self._ends, clients.S421_SESSION
        now = self.loop.time()
        if now >= until:
            raise clients.SessionOver(reply)
        self.visitor.waits_since = now
        self._waiting = self.loop.create_future()
        timer = self.loop.call_at(until, self._wake, False)
        has_more = await self._waiting
        timer.cancel()
        self.visitor.waits_since = inf
        if not has_more:
            raise clients.SessionOver(reply)

    def _wake(self, has_more: bool = True) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(has_more)

    async def _obey(self, line: bytes) -> None:
        """Carry out a command line and answer it. Raises SessionOver and OSError."""
        try:
            command, argument = parse_command_line(line)
            if command not in self._commands:
                raise BadLine(clients.S500_UNKNOWN)
        except BadLine as error:
            self._nonsense += 1
            if self._nonsense == MOST_NONSENSE:
                raise clients.SessionOver(clients.S421_NONSENSE) from None
            await self.push(str(error))
            return
        self._obeyed[command] += 1
        if self._obeyed[command] > MOST_COMMANDS:
            raise clients.SessionOver(clients.S421_REPEATED)
        method: Callable[[str | None], Any] = getattr(self, f"smtp_{command}")
        try:
            await method(argument)
        except (clients.SessionOver, OSError, EOFError):
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge: it is logged
            await self.push(await self.handle_exception(error))

    # Commands

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return an address and its parameters; aiosmtpd fails over some broken ones."""
        if usual := _USUAL_PATH.fullmatch(arg):
            return usual[1], usual[2]
        try:
            return super()._getaddr(arg)
        except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
            return None, None

    async def smtp_LHLO(self, arg: str) -> None:
        """Take the greeting of LMTP, as EHLO."""
        await self.smtp_EHLO(arg)

    async def smtp_DATA(self, arg: str | None) -> None:
        """Take a message, and answer it at its end."""
        if await self.check_helo_needed():
            return
        if not self.envelope.rcpt_tos:
            await self.push(clients.S503_RECIPIENT)
        elif arg:
            await self.push(clients.S501_DATA)
        else:
            await self.push(clients.S354_BEGIN)
            content, is_whole = await self._read_content()
            if not is_whole:
                status = f"{clients.S552_LARGE} id={short_id(content)}"
                log.info("a message is refused as it arrives: %s", status)
            else:
                self.envelope.original_content = content
                del content
                status = await self.event_handler.handle_DATA(self, self.session, self.envelope)
                self._obeyed.clear()
            self.envelope = smtp.Envelope()
            await self.push(status)

    async def smtp_QUIT(self, arg: str | None) -> None:
        """End the session as the client asks. Raises SessionOver."""
        if not arg:
            raise clients.SessionOver(clients.S221_BYE)
        await self.push(clients.S501_QUIT)

    async def smtp_STARTTLS(self, arg: str | None) -> None:
        """Start TLS, and begin the session again."""
        if arg:
            await self.push(clients.S501_TLS)
        elif self.session.ssl:
            await self.push(clients.S503_TLS)
        elif not self.tls.context:
            await self.push(clients.S454_TLS)
        else:
            await self.push(clients.S220_TLS)
            await self._secure()

    async def smtp_XCLIENT(self, arg: str | None) -> None:
        """Begin again with the client named by a mail server of ours. Raises SessionOver."""
        if named := await self._read_naming(arg, clients.CLIENT):
            self.speaks_for_client = True
            if named.says_where:
                self.limits.take_source(self.visitor, named.source or self.visitor.client)
            self._begin_anew()
            await self.push(self._greeting)

    async def smtp_XFORWARD(self, arg: str | None) -> None:
        """Take the source of the next message from a mail server of ours."""
        if named := await self._read_naming(arg, clients.FORWARDED):
            if named.says_where:
                self.envelope.source = named.source or self.visitor.source
            await self.push(clients.S250_NAMED)

    async def _read_naming(self, arg: str | None, names: str) -> clients.Named | None:
        """Return the client named by a mail server of ours, or answer with a refusal."""
        if not self.visitor.is_ours:
            await self.push(clients.S550_NAMING)
        elif self.envelope.mail_from is not None:
            await self.push(clients.S503_NAMING)
        else:
            try:
                return clients.parse_naming(arg, names)
            except clients.BadNaming:
                await self.push(clients.S501_NAMING)
        return None
