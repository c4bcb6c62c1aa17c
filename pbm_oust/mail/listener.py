"""The listener: conversations in SMTP and LMTP.

A message is acknowledged when everything it leads to is on the disk. If a fault of ours prevents
that the answer is 451, so that the sender's mail server keeps the message and tries again.
"""

import asyncio
import logging
import os
import re
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.accounts.address import is_same_address
from pbm_oust.mail.inbound import Envelope as MailEnvelope
from pbm_oust.mail.inbound import Inbound, KeptBySender, envelope_of
from pbm_oust.mail.reading import UnreadableMail
from pbm_oust.mail.reading.limits import LARGEST_MAIL
from pbm_oust.store.configuration import Endpoint

log = logging.getLogger("pbm_oust")

SIZE_LIMIT = LARGEST_MAIL
LONGEST_LINE = 8 * 1024
LONGEST_ADDRESS = 320
MOST_RECIPIENTS = 5
MOST_COMMANDS = 200
MOST_CONNECTIONS = 100
MOST_CONNECTIONS_OF_ONE = 20
IDLE_SECONDS = 120

_BARE = re.compile(rb"\r(?!\n)|(?<!\r)\n|\0")

S250_DONE = "250 2.0.0 done"
S250_OK = "250 2.1.0 OK"
S250_RECIPIENT = "250 2.1.5 OK"
S421_BUSY = "421 4.7.0 too many connections, try again later"
S451_LATER = "451 4.3.0 not done through a fault here, try again later"
S452_RECIPIENTS = "452 4.5.3 too many recipients"
S550_BARE = "550 5.6.0 the message has line ends other than CR LF, or a NUL"
S550_RECIPIENT = "550 5.1.1 no such recipient here"
S553_ADDRESS = "553 5.1.7 the address is too long"


class Handler:
    """The hooks of aiosmtpd: which senders and recipients are taken, and what DATA leads to."""

    def __init__(self, inbound: Inbound, workers: Executor, after: Callable[[], None]) -> None:
        """`workers` take the mail in; `after` is called when there may be new letters."""
        self._inbound = inbound
        self._workers = workers
        self._after = after
        self.at_work: set[asyncio.Future[str]] = set()
        """The messages that are being handled."""

    @property
    def address(self) -> str:
        """The address that mail is taken for."""
        return self._inbound.address

    def use(self, inbound: Inbound) -> None:
        """Take mail this way from now on."""
        self._inbound = inbound

    async def handle_MAIL(
        self,
        server: "SmtpSession",
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take a sender, and count the message's bytes from here."""
        if len(address) > LONGEST_ADDRESS:
            return S553_ADDRESS
        server.received = 0
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return S250_OK

    async def handle_RCPT(
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,
        address: str,
        options: list[str],
    ) -> str:
        """Take the address of the server, also with a +tag, and no other.

        An LMTP transaction has one recipient, because aiosmtpd answers a message once and not for
        each recipient (RFC 2033, section 4.2). The client tries again with the others.
        """
        if not takes(address, self.address):
            return S550_RECIPIENT
        most = 1 if isinstance(server, LMTP) else MOST_RECIPIENTS
        if len(envelope.rcpt_tos) >= most:
            return S452_RECIPIENTS
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return S250_RECIPIENT

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        """Handle a message to the end, even if the client goes away meanwhile."""
        content = envelope.original_content or b""
        sender = envelope.mail_from or ""
        if _BARE.search(content):
            status = S550_BARE
        else:
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(
                self._workers, self._take, content, envelope_of(sender, envelope.rcpt_tos)
            )
            self.at_work.add(work)
            work.add_done_callback(self._finish)
            status = await asyncio.shield(work)
        return status

    async def handle_exception(self, error: Exception) -> str:
        """Log an error of ours, and tell the client only to try again."""
        log.error("failed in a session", exc_info=error)
        return S451_LATER

    def _finish(self, work: asyncio.Future[str]) -> None:
        self.at_work.discard(work)
        self._after()

    def _take(self, content: bytes, envelope: MailEnvelope) -> str:
        try:
            self._inbound.take(content, envelope)
        except UnreadableMail as error:
            return f"550 5.6.0 not readable: {error}"
        except KeptBySender:
            return S451_LATER
        return S250_DONE


class SmtpSession(SMTP):
    """An SMTP session with limits on connections and on bytes.

    aiosmtpd keeps reading a line that never ends; a client that sends more than twice the size of
    the largest message without a new MAIL is cut off.
    """

    line_length_limit = LONGEST_LINE

    gate: "Gate"
    transport: Any
    received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, or end it at once if there are too many."""
        self._admitted = self.gate.admit(transport)
        if self._admitted:
            super().connection_made(transport)
            return
        if isinstance(transport, asyncio.WriteTransport):
            transport.write(f"{S421_BUSY}\r\n".encode())
        transport.close()

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

    def eof_received(self) -> bool | None:
        """Take the end of what the client sends."""
        return super().eof_received() if self._admitted else False


class LmtpSession(SmtpSession, LMTP):
    """An LMTP session with the same limits."""


class Gate:
    """Counts connections, in all and by address. Loopback counts only in all."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def admit(self, transport: asyncio.BaseTransport) -> bool:
        """Return whether one more connection is allowed, and count it if so."""
        peer = _peer(transport)
        too_many_of_one = peer and self._open[peer] >= MOST_CONNECTIONS_OF_ONE
        if too_many_of_one or self._open.total() >= MOST_CONNECTIONS:
            return False
        self._open[peer] += 1
        return True

    def leave(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection that was admitted as gone."""
        peer = _peer(transport)
        self._open[peer] -= 1
        if not self._open[peer]:
            del self._open[peer]


class CannotListen(OSError):
    """The server cannot listen at an address; the message names it and says why."""


async def listen(
    endpoint: Endpoint, protocol: type[SmtpSession], handler: Handler
) -> asyncio.Server:
    """Return a server that takes mail at an endpoint. Raises CannotListen."""
    loop = asyncio.get_running_loop()
    gate = Gate()

    def factory() -> SmtpSession:
        session = protocol(
            handler,
            data_size_limit=SIZE_LIMIT,
            enable_SMTPUTF8=True,
            hostname=handler.address.rpartition("@")[2],
            ident="pbm_oust",
            timeout=IDLE_SECONDS,
            command_call_limit=MOST_COMMANDS,
            loop=loop,
        )
        session.gate = gate
        return session

    try:
        if endpoint.path:
            return await loop.create_unix_server(factory, endpoint.path)
        return await loop.create_server(factory, endpoint.host, endpoint.port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CannotListen(f"cannot listen at {endpoint}: {reason}") from None


def takes(address: str, own: str) -> bool:
    """Return whether mail to an address is for us: to our address, with or without a +tag."""
    return is_same_address(address, own)


def _peer(transport: asyncio.BaseTransport) -> str:
    """Return the address of a client, or an empty text for loopback and Unix sockets."""
    name = transport.get_extra_info("peername")
    if not isinstance(name, tuple) or name[0] in ("127.0.0.1", "::1"):
        return ""
    return str(name[0])


def bound_endpoint(server: asyncio.Server, endpoint: Endpoint) -> Endpoint:
    """Return where a server really listens, with the port it got if 0 was asked for."""
    if endpoint.path:
        return endpoint
    host, port = server.sockets[0].getsockname()[:2]
    return Endpoint(host, port)
