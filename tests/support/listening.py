"""A listener on a local port during a test, and ways to talk to it."""

import asyncio
import re
import smtplib
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime

from pbm_oust.mail.clients import ConnectionLimits, Patience
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.inbound import Envelope, Inbound, open_inbound
from pbm_oust.mail.listener import bound_endpoint, listen, listening_at_home
from pbm_oust.mail.own_socket import FOR_DELIVER, FOR_OWNER
from pbm_oust.mail.session import Protocol, Session
from pbm_oust.mail.tls import Tls
from pbm_oust.mail.workers import Workers
from pbm_oust.play.request import Handled
from pbm_oust.store.configuration import Endpoint, parse_networks
from pbm_oust.store.home import Home
from tests.support.mails import FROM, mail
from tests.support.waiting import PATIENCE

ADDRESS = "pbmserv@example.org"
ALICE = "alice@example.org"
NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ANYWHERE = Endpoint("127.0.0.1", 0)
USUAL = Patience()
NO_TLS = Tls()
GRACE = 1.0
"""Seconds that a session has for its end once nobody listens any more."""


class Noting(Inbound, frozen=True, kw_only=True):
    """Takes mail, and notes the envelopes."""

    taken: list[Envelope]

    def take(self, data: bytes, envelope: Envelope) -> Handled:
        """Handle one mail."""
        self.taken.append(envelope)
        return Inbound.take(self, data, envelope)


@contextmanager
def listening(
    home: Home,
    protocol: Protocol = Protocol.SMTP,
    patience: Patience = USUAL,
    mail_servers: str = "",
    tls: Tls = NO_TLS,
    proxies: str = "",
    taken: list[Envelope] | None = None,
    address: str = ADDRESS,
    authserv_id: str = "",
) -> Iterator[int]:
    """Take mail for a home at a free port, and give the port.

    `taken` gets the envelopes of all mails.
    """
    port = Future[int]()

    async def serve(stop: asyncio.Event) -> None:
        with Workers() as workers:
            opened = open_inbound(home, address, lambda: NOW)
            noted = [] if taken is None else taken
            inbound = Noting(opened.work, address, authserv_id, taken=noted)
            handler = Handler(inbound, workers, lambda: None)
            limits = ConnectionLimits(parse_networks(mail_servers), parse_networks(proxies))
            server = await listen(ANYWHERE, Session(handler, protocol, limits, patience, tls))
            port.set_result(bound_endpoint(server, ANYWHERE).port)
            await stop.wait()
            server.close()
            await _sessions_end()

    with in_a_thread(serve):
        yield port.result(PATIENCE)


@contextmanager
def listening_at_home_of(
    home: Home, address: str, limits: ConnectionLimits | None = None, patience: Patience = USUAL
) -> Iterator[None]:
    """Take mail for a home at its own sockets, by the clock."""
    is_ready = Future[bool]()

    async def serve(stop: asyncio.Event) -> None:
        with Workers() as workers:
            inbound = open_inbound(home, address, lambda: datetime.now(UTC))
            handler = Handler(inbound, workers, lambda: None)
            given = (limits or ConnectionLimits(), patience, NO_TLS)
            of_owner = Session(handler, Protocol.OWNER, *given)
            of_deliver = Session(handler, Protocol.DELIVER, *given)
            async with (
                listening_at_home(home.path, FOR_OWNER, of_owner),
                listening_at_home(home.path, FOR_DELIVER, of_deliver),
            ):
                is_ready.set_result(True)
                await stop.wait()
            await _sessions_end()

    with in_a_thread(serve):
        assert is_ready.result(PATIENCE)
        yield


async def _sessions_end() -> None:
    """Wait until sessions have ended whose clients have gone, and end the others."""
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        _, left = await asyncio.wait(others, timeout=GRACE)
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)
    await asyncio.sleep(0.05)  # their connections are closed by then


@contextmanager
def in_a_thread(serve: Callable[[asyncio.Event], Coroutine[None, None, None]]) -> Iterator[None]:
    """Run a server for the body of the `with`; it is told when to stop."""
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(stop),))
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@contextmanager
def client_of(port: int, greeting: str = "EHLO") -> Iterator[smtplib.SMTP]:
    """Return a client that has greeted the listener."""
    client_type = smtplib.LMTP if greeting == "LHLO" else smtplib.SMTP
    with client_type("127.0.0.1", port, "client.example.org", timeout=PATIENCE) as client:
        assert client.ehlo()[0] == 250
        yield client


def answer(reply: tuple[int, bytes]) -> str:
    """Return a reply as on the wire, its lines separated by a bar."""
    code, text = reply
    return f"{code} {text.decode().replace(chr(10), '|')}"


def ask(client: smtplib.SMTP, command: str) -> str:
    """Send a command and return the reply."""
    return answer(client.docmd(command))


def begin(client: smtplib.SMTP, *recipients: str, sender: str = ALICE) -> None:
    """Name sender and recipients, all of which must be accepted."""
    assert ask(client, f"MAIL FROM:<{sender}>").startswith("250")
    for recipient in recipients or (ADDRESS,):
        assert ask(client, f"RCPT TO:<{recipient}>").startswith("250")


def send(client: smtplib.SMTP, data: bytes) -> str:
    """Send DATA and a message as it is, and return the first reply to it, without its id."""
    assert ask(client, "DATA").startswith("354")
    client.send(data + b"\r\n.\r\n")
    return re.sub(" id=[0-9a-f]{8}$", "", answer(client.getreply()))


def deliver(port: int, data: bytes, sender: str = ALICE) -> str:
    """Deliver a message in a session of its own and return the reply to it."""
    with client_of(port) as client:
        begin(client, sender=sender)
        return send(client, data)


def command(subject: str, *headers: str) -> bytes:
    """Return a mail from Alice with a command."""
    return mail(FROM, f"Subject: {subject}", *headers)
