"""A real SMTP or LMTP server for tests that keeps what it is given."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from aiosmtpd.smtp import SMTP, Envelope, Session

from pbm_oust.store.configuration import Endpoint
from tests.support.listening import in_a_thread
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
        self.letters_begun = list[int]()
        """How many letters each of the sessions has begun."""
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
            self.letters_begun.append(0)
        self.letters_begun[self.sessions.index(session)] += 1
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
        return f"250 2.0.0 Ok: queued as Q{len(self.taken)}"

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


@contextmanager
def listening_sink(
    protocol: type[SMTP] = SMTP, handler: Sink | None = None
) -> Iterator[tuple[Sink, Endpoint]]:
    """Run a sink on a free port for the body of the `with`; then it cuts all connections."""
    handler = handler or Sink()
    port = Future[int]()
    sessions = list[SMTP]()

    def session() -> SMTP:
        begun = protocol(handler, enable_SMTPUTF8=True, loop=asyncio.get_running_loop())
        sessions.append(begun)
        return begun

    async def serve(stop: asyncio.Event) -> None:
        server = await asyncio.get_running_loop().create_server(session, "127.0.0.1", 0)
        port.set_result(server.sockets[0].getsockname()[1])
        await stop.wait()
        server.close()
        for transport in [each.transport for each in sessions]:
            if isinstance(transport, asyncio.Transport):
                transport.abort()
        ending = asyncio.all_tasks() - {asyncio.current_task()}
        for each in ending:
            each.cancel()
        await asyncio.gather(*ending, return_exceptions=True)

    with in_a_thread(serve):
        yield handler, Endpoint("127.0.0.1", port.result(PATIENCE))
