"""Pages that are always the same: the same Starlette and uvicorn as ours. Prints its port.

    python -m tests.speed.constant BYTES

All figures of pages are ratios to how many of these it serves.
"""

import asyncio
import sys

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pbm_oust.store.configuration import Endpoint
from pbm_oust.web.serving import listening_socket, serve


def main() -> None:
    """Serve pages of so many bytes until told to stop."""
    content = b"x" * int(sys.argv[1])

    async def page(_request: Request) -> HTMLResponse:
        return HTMLResponse(content)

    listening = listening_socket(Endpoint("127.0.0.1", 0))
    port = listening.getsockname()[1]
    app = Starlette(routes=[Route("/{path:path}", page)])
    asyncio.run(serve(app, listening, lambda: print(f"at 127.0.0.1:{port}", flush=True)))


if __name__ == "__main__":
    main()
