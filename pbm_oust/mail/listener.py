"""The listener: where mail is taken, in SMTP or LMTP."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pbm_oust.mail.own_socket import OwnSocket, listen_at
from pbm_oust.mail.session import Session
from pbm_oust.store.configuration import Endpoint

log = logging.getLogger("pbm_oust")

SOCKET = 0o660
"""Who may use a Unix socket: its owner, and its group, which a folder can give it."""


class CannotListen(OSError):
    """The server cannot listen at an address; the message names it and says why."""


async def listen(
    endpoint: Endpoint, session: Session, *, is_shared: bool = False
) -> asyncio.Server:
    """Return a server that takes mail at an endpoint, in sessions like one. Raises CannotListen.

    `is_shared`: other processes of ours may listen at the same port.
    """
    loop = asyncio.get_running_loop()
    try:
        if endpoint.path:
            own = listen_at(Path(endpoint.path), SOCKET)
            return await loop.create_unix_server(session.another, sock=own)
        return await loop.create_server(
            session.another, endpoint.host, endpoint.port, reuse_port=is_shared or None
        )
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CannotListen(f"cannot listen at {endpoint}: {reason}") from None


@asynccontextmanager
async def listening_at_home(home: Path, name: str, session: Session) -> AsyncIterator[None]:
    """Take mail at a socket of the home. A server that cannot have it does without."""
    try:
        own = OwnSocket(home, name)
    except OSError as error:
        log.warning("serving without %s: %s", home / name, error.strerror)
        yield
        return
    try:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(session.another, sock=own.socket)
        yield
        server.close()
    finally:
        own.close()


def bound_endpoint(server: asyncio.Server, endpoint: Endpoint) -> Endpoint:
    """Return where a server really listens, with the port it got if 0 was asked for."""
    if endpoint.path:
        return endpoint
    host, port = server.sockets[0].getsockname()[:2]
    return Endpoint(host, port)
