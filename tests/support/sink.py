"""A real SMTP or LMTP server for tests that keeps what it is given."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.store.configuration import Endpoint
from tests.support.ports import free_port
from tests.support.waiting import PATIENCE


class Sink:
    """Keeps what it is given; refuses `unknown..` for good and `slow..` for the time being.

    A letter to `spam..` is refused after it has been read. At `hang..` the relay stops answering,
    and at `drop..` it goes away.
    """

    def __init__(self) -> None:
        self.taken: list[Envelope] = []
        self.put_off = 0
        self.sessions: list[Session] = []
        self.refuses_senders = False
        self.refusal = "550 5.7.1 not from you"
        self.knows_everybody = False
        self.farewell = "221 Bye"
        self.hanging = threading.Event()
        self.arrived = threading.Condition()

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if session not in self.sessions:
            self.sessions.append(session)
        if self.refuses_senders:
            return self.refusal
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address.startswith("unknown") and not self.knows_everybody:
            return "550 5.1.1 no such mailbox"
        if address.startswith("slow"):
            self.put_off += 1
            return "450 4.2.1 come again"
        if address.startswith("drop"):
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        if address.startswith(("hang", "drop")):
            self.hanging.set()
            await asyncio.Event().wait()
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        if envelope.rcpt_tos[0].startswith("spam"):
            return "554 5.7.1 not wanted"
        with self.arrived:
            self.taken.append(envelope)
            self.arrived.notify_all()
        return "250 OK"

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self.farewell

    def wait_for(self, number: int) -> list[Envelope]:
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.taken) >= number, timeout=PATIENCE)
            return list(self.taken)


class SinkThatWaits(Sink):
    """A sink that answers once it is `released`."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.hanging.set()
        while not self.released.is_set():
            await asyncio.sleep(0.01)
        return await super().handle_RCPT(server, session, envelope, address, options)


class _Listening(Controller):
    protocol: type[SMTP] = SMTP

    def factory(self) -> SMTP:
        return self.protocol(self.handler, enable_SMTPUTF8=True)


@contextmanager
def listening_sink(
    protocol: type[SMTP] = SMTP, handler: Sink | None = None
) -> Iterator[tuple[Sink, Endpoint]]:
    """Run a sink on a free port for the body of the `with`."""
    handler = handler or Sink()
    port = free_port()
    controller = _Listening(handler, hostname="127.0.0.1", port=port, ready_timeout=PATIENCE)
    controller.protocol = protocol
    controller.start()
    try:
        yield handler, Endpoint("127.0.0.1", port)
    finally:
        controller.stop()
