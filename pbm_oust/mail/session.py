"""Sessions: conversations in SMTP and LMTP, with limits on all that a client can send."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP

from pbm_oust.mail.command_lines import LONGEST_COMMAND, BadLine, parse_command_line
from pbm_oust.mail.content import LONGEST_LINE, Content, Excess
from pbm_oust.mail.gate import Gate
from pbm_oust.mail.patience import Patience, TooSlow
from pbm_oust.mail.reading.limits import LARGEST_MAIL
from pbm_oust.mail.replies import (
    S354_BEGIN,
    S421_IDLE,
    S421_NONSENSE,
    S421_REPEATED,
    S421_SESSION,
    S421_SLOW,
    S500_UNKNOWN,
    S501_DATA,
    S503_RECIPIENT,
)

log = logging.getLogger("pbm_oust")

SIZE_LIMIT = LARGEST_MAIL
MOST_COMMANDS = 200
"""How often one command may come in a session."""
MOST_NONSENSE = 5
"""How many lines that are no commands end a session."""


class SmtpSession(SMTP):
    """An SMTP session with limits on connections and on bytes.

    aiosmtpd keeps reading a line that never ends; a client that sends more than twice the size of
    the largest message without a new MAIL is cut off.
    """

    line_length_limit = LONGEST_LINE

    gate: Gate
    patience: Patience
    transport: Any
    envelope: Any
    received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self._began = self.loop.time()
        self._nonsense = 0
        self._obeyed = Counter[str]()
        refusal = self.gate.admit(transport)
        self._admitted = refusal is None
        if self._admitted:
            super().connection_made(transport)
            return
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(f"{refusal}\r\n".encode())
        transport.close()

    @property
    def source(self) -> str:
        """The host or network that the client is of; empty if that is ours."""
        return self.gate.stranger(self.transport)

    def connection_lost(self, error: Exception | None) -> None:
        """End a session."""
        if self._admitted:
            self.gate.leave(self.transport)
            super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Take bytes from the client."""
        self.received += len(data)
        if not self._admitted:
            return
        if self.received > 2 * SIZE_LIMIT:
            log.warning("cut off a client that sent %d bytes", self.received)
            self.transport.abort()
            return
        super().data_received(data)

    async def _handle_client(self) -> None:
        """Hold the conversation, in place of aiosmtpd, which takes any bytes as commands."""
        try:
            await self.push(f"220 {self.hostname} {self.__ident__}")
            while not self.transport.is_closing():
                async with self._waiting(S421_IDLE):
                    line = await self._read_command()
                await self._obey(line)
        except TooSlow as error:
            await self._end(str(error))
        except (ConnectionError, EOFError):
            log.debug("a client has gone away")
        finally:
            self._writer.close()

    async def _obey(self, line: bytes) -> None:
        """Carry out a command line and answer it."""
        try:
            command, argument = parse_command_line(line)
            if command not in self._smtp_methods:
                raise BadLine(S500_UNKNOWN)
        except BadLine as error:
            self._nonsense += 1
            if self._nonsense < MOST_NONSENSE:
                await self.push(str(error))
            else:
                await self._end(S421_NONSENSE)
            return
        self._obeyed[command] += 1
        if self._obeyed[command] > MOST_COMMANDS:
            await self._end(S421_REPEATED)
            return
        try:
            await self._smtp_methods[command](argument)
        except (ConnectionError, TooSlow):
            raise
        except Exception as error:  # noqa: BLE001 - the outermost edge: it is logged
            await self.push(await self.handle_exception(error))

    async def _read_command(self) -> bytes:
        """Return the next line with its end, or too many bytes if it is too long."""
        line = b""
        while not line.endswith(b"\n"):
            try:
                line = line[:LONGEST_COMMAND] + await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                line = await self._reader.read(error.consumed)
        return line

    @asynccontextmanager
    async def _waiting(self, reply: str) -> AsyncIterator[asyncio.Timeout]:
        """Wait for a client for a line's time, within that of the session. Raises TooSlow."""
        ends = self._began + self.patience.session
        try:
            async with asyncio.timeout_at(min(self._idle_until(), ends)) as limit:
                yield limit
        except TimeoutError:
            raise TooSlow(reply if self.loop.time() < ends else S421_SESSION) from None

    def _idle_until(self) -> float:
        return self.loop.time() + self.patience.idle

    async def push(self, status: AnyStr) -> None:
        """Send a reply; a client that does not read it is cut off."""
        try:
            async with asyncio.timeout(self.patience.idle):
                await super().push(status)
        except TimeoutError:
            self.transport.abort()
            raise ConnectionAbortedError from None

    def _timeout_cb(self) -> None:
        self.transport.abort()

    async def _end(self, status: str) -> None:
        """Say why the session ends, and end it."""
        with suppress(ConnectionError):
            await self.push(status)
        self._writer.close()

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return an address and what follows it; aiosmtpd has no answer to some broken ones."""
        try:
            return super()._getaddr(arg)
        except (AttributeError, IndexError, TypeError, ValueError, RecursionError):
            return None, None

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
            else:
                self.envelope.original_content = content.bytes()
                del content
                status = await self._call_handler_hook("DATA")
            self.envelope = self._create_envelope()
            await self.push(status)

    async def _read_content(self) -> Content:
        """Return the message that ends with a dot alone between two CR LF, and nothing after it."""
        content = Content()
        is_whole = True
        slowest, ends = self._idle_until(), self._began + self.patience.session
        async with self._waiting(S421_SLOW) as limit:
            while (line := await self._read_line(content)) != b".\r\n" or not is_whole:
                is_end = line.endswith(b"\r\n")
                if is_whole and is_end and not content.excess:
                    content.add_line(line)
                is_whole = is_end
                at_rate = slowest + self.received / self.patience.bytes_a_second
                until = min(self._idle_until(), at_rate, ends)
                # A timer for each line would hold more memory than the lines.
                if (
                    until > (limit.when() or 0) + self.patience.idle / 10
                    or until == ends != limit.when()
                ):
                    limit.reschedule(until)
        return content

    async def _read_line(self, content: Content) -> bytes:
        """Return the next line of a message, or a piece of one that is too long."""
        try:
            return await self._reader.readuntil(b"\r\n")
        except asyncio.LimitOverrunError as error:
            content.refuse(Excess.LONG_LINE)
            return await self._reader.read(error.consumed)

    def eof_received(self) -> bool | None:
        """Take the end of what the client sends."""
        return super().eof_received() if self._admitted else False


class LmtpSession(SmtpSession, LMTP):
    """An LMTP session with the same limits."""
