"""Serving pages at a port with uvicorn, until told to stop."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext

import uvicorn
from starlette.applications import Starlette

from pbm_oust.store.configuration import Endpoint, Network
from pbm_oust.web.connections import Connections

log = logging.getLogger("pbm_oust")

LARGEST_HEAD = 16 * 1024
"""The most bytes of the line and the headers of a request."""
_BACKLOG = 512
IDLE_SECONDS = 15
"""After so long a connection without a request is closed."""
STOP_SECONDS = 5
"""How long requests that have begun may take when the server stops."""


class CannotServe(Exception):
    """The port of the pages cannot be had; the message says why."""


def listening_socket(endpoint: Endpoint) -> socket.socket:
    """Return a socket that listens at HOST:PORT. Raises CannotServe."""
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
        raise CannotServe(f"cannot listen at {endpoint}: {error.strerror}") from None


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    # uvicorn declares a generator, and uses it as a context manager only.
    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Leave the signals alone."""
        return nullcontext()


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
    server = _Server(
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
