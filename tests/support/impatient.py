"""Pages that wait only so long for a client. Prints its port.

    python -m tests.support.impatient SECONDS [PROXY]

`/` tells where a request comes from and how; `/large` is more than the buffers of a connection
take; a form that is sent to `/form` is read, one that is sent to `/` is not.
"""

import asyncio
import sys
from ipaddress import ip_network

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pbm_oust.store.configuration import Endpoint
from pbm_oust.web import serving
from pbm_oust.web.serving import Awaited, Connections, listening_socket, serve
from tests.support.waiting import PATIENCE

LARGE = 64 * 1024 * 1024
LOOK_SECONDS = 0.05


async def _seen(request: Request) -> PlainTextResponse:
    assert request.client is not None
    return PlainTextResponse(f"{request.client.host} {request.url.scheme}")


async def _large(_request: Request) -> PlainTextResponse:
    return PlainTextResponse(b"x" * LARGE)


async def _form(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def main() -> None:
    """Serve until told to stop."""
    seconds, *proxies = sys.argv[1:]
    connections = Connections(
        tuple(map(ip_network, proxies)), dict.fromkeys(Awaited, float(seconds)), LOOK_SECONDS
    )
    serving.IDLE_SECONDS = PATIENCE  # a busy machine takes long between two requests
    listening = listening_socket(Endpoint("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = Starlette(
        routes=[
            Route("/", _seen, methods=["GET", "POST"]),
            Route("/large", _large),
            Route("/form", _form, methods=["POST"]),
        ]
    )

    def announce() -> None:
        print(f"at 127.0.0.1:{port}", flush=True)

    asyncio.run(serve(app, listening, announce, connections=connections))


if __name__ == "__main__":
    main()
