"""Serving pages at a port with uvicorn, until told to stop."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from math import inf
from socket import SO_LINGER, SOL_SOCKET
from struct import pack
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from pbm_oust.mail.clients import Source, lies_in, source_of, who_gives_way
from pbm_oust.mail.listener import CannotListen
from pbm_oust.store.configuration import Endpoint, Network

MOST_CONNECTIONS = 500
MOST_CONNECTIONS_OF_ONE = 32
"""How many may come from one host, or one /64 of IPv6, that is no proxy of ours."""
_BUSY = b"""\
HTTP/1.1 503 Service Unavailable\r
Connection: close\r
Content-Length: 0\r
Retry-After: 60\r
\r
"""
_AT_ONCE = pack("ii", 1, 0)


class Awaited(Enum):
    """The steps of a client that we wait for."""

    HEAD = "to send the line and the headers of a request"
    BODY = "to send the rest of it"
    TAKING = "to take what it was answered"


Patience = Mapping[Awaited, float]
"""For how many seconds we wait."""

USUAL_PATIENCE: Patience = {Awaited.HEAD: 10, Awaited.BODY: 20, Awaited.TAKING: 30}
LOOK_SECONDS = 1.0
"""How long between two looks at all connections."""


class Connections:
    """The connections to the pages. It belongs to one event loop."""

    def __init__(
        self,
        proxies: tuple[Network, ...] = (),
        patience: Patience = USUAL_PATIENCE,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        """`proxies` are not counted by where they are."""
        self.proxies = proxies
        self._patience = patience
        self._look_seconds = look_seconds
        self._open: dict[_Connection, Source] = {}

    def protocol(self, **given: Any) -> H11Protocol:
        """Return the protocol of one more connection, with the arguments that uvicorn gives."""
        return _Connection(self, **given)

    def admit(self, connection: "_Connection") -> bool:
        """Return whether there is room for a connection, which is counted then."""
        source = source_of(connection.transport)
        is_proxy = lies_in(source, self.proxies)
        alike = 0 if is_proxy else sum(each == source for each in self._open.values())
        if alike >= MOST_CONNECTIONS_OF_ONE:
            return False
        if len(self._open) >= MOST_CONNECTIONS and not self._made_room(alike):
            return False
        self._open[connection] = source
        return True

    def _made_room(self, alike: int) -> bool:
        """Cut off who keeps us waiting longest, of the host that has most connections.

        Return False if no host has more than somebody with so many and one.
        """
        counted = {
            each: source for each, source in self._open.items() if not lies_in(source, self.proxies)
        }
        first = who_gives_way(counted, lambda each: each.since if each.waits_for else inf, alike)
        if first:
            self.leave(first)
            first.cut_off()
        return first is not None

    def leave(self, connection: "_Connection") -> None:
        """Count a connection as gone, if it was let in."""
        self._open.pop(connection, None)

    async def look_on(self) -> None:
        """Cut off whoever keeps us waiting too long, for ever."""
        while True:
            await asyncio.sleep(self._look_seconds)
            for connection in list(self._open):
                connection.look(self._patience)


class _Connection(H11Protocol):
    """A connection that is counted, and cut off if it keeps us waiting."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self._connections = connections
        self._waiting: tuple[object, Awaited | None] = (None, None)
        self.since = self.loop.time()
        """Since when it is as it was at the latest look."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # never another one
        """Begin to serve, if there is room."""
        super().connection_made(transport)
        if not self._connections.admit(self):
            transport.write(_BUSY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop to serve."""
        self._connections.leave(self)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP and close, whatever has been answered so far.

        A request that breaks in its middle is over for the page that reads it.
        """
        if self.cycle:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _should_upgrade(self) -> bool:
        """Refuse every upgrade from HTTP/1.1, without a word to the operator."""
        return False

    def look(self, patience: Patience) -> None:
        """Cut the connection off if it has kept us waiting too long for one thing."""
        waiting, now = (self.cycle, self._awaited()), self.loop.time()
        if waiting != self._waiting:
            self._waiting, self.since = waiting, now
        awaited = waiting[1]
        if awaited and now - self.since >= patience[awaited]:
            self.cut_off()

    @property
    def waits_for(self) -> bool:
        """Whether the client is to do something: to ask, to say more, or to take an answer."""
        return bool(self._awaited()) or self.conn.their_state is h11.IDLE

    def cut_off(self) -> None:
        """Close the connection at once; what the kernel still holds for the client is dropped."""
        self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _AT_ONCE)
        self.transport.abort()

    def _awaited(self) -> Awaited | None:
        """Return the step that we wait for; none while we answer, or if uvicorn sees to it."""
        if self.transport.get_write_buffer_size():
            return Awaited.TAKING
        if self.conn.their_state is h11.SEND_BODY:
            return Awaited.BODY
        is_first, has_begun = self.cycle is None, bool(self.conn.trailing_data[0])
        if self.conn.their_state is h11.IDLE and (is_first or has_begun):
            return Awaited.HEAD
        return None


log = logging.getLogger("pbm_oust")

LARGEST_HEAD = 16 * 1024
"""The most bytes of the line and the headers of a request."""
_BACKLOG = 512
IDLE_SECONDS = 15
"""After so long a connection without a request is closed."""
STOP_SECONDS = 5
"""How long requests that have begun may take when the server stops."""


def listening_socket(endpoint: Endpoint) -> socket.socket:
    """Return a socket that listens at HOST:PORT. Raises CannotListen."""
    try:
        place = endpoint.host, endpoint.port
        family, kind, protocol, _, address = socket.getaddrinfo(*place, proto=socket.IPPROTO_TCP)[0]
        # Named as TCP, so that asyncio lets small responses leave at once (TCP_NODELAY).
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
        return listening
    except OSError as error:
        raise CannotListen(f"cannot listen at {endpoint}: {error.strerror}") from None


class _PageServer(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals alone."""
        yield


async def serve(
    app: Starlette,
    listening: socket.socket,
    announce: Callable[[], None],
    *,
    connections: Connections | None = None,
    keeper: int | None = None,
    end: Callable[[], None] = lambda: None,
) -> None:
    """Serve pages at a socket until SIGTERM or SIGINT, or until `keeper`, a pipe, is closed.

    Then `end` ends the responses that would go on for ever.
    """
    connections = connections or Connections()
    server = _PageServer(
        uvicorn.Config(
            app,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=bool(connections.proxies),
            forwarded_allow_ips=list(_as_seen(connections.proxies)),
            ws="none",
            http=connections.protocol,  # type: ignore[arg-type] # whatever makes one will do
            h11_max_incomplete_event_size=LARGEST_HEAD,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    )

    def stop() -> None:
        server.should_exit = True
        end()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if keeper is not None:
        loop.add_reader(keeper, stop)
    loop.call_soon(announce)
    looking = loop.create_task(connections.look_on())
    await server.serve([listening])
    looking.cancel()
    log.info("the pages have stopped")


def _as_seen(networks: Iterable[Network]) -> Iterator[str]:
    """Yield networks as a socket may see them: those of IPv4 within IPv6, too."""
    for network in networks:
        yield str(network)
        if network.version == 4:
            yield f"::ffff:{network.network_address}/{network.prefixlen + 96}"
