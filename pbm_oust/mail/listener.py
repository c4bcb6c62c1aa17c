"""Listeners: endpoints that take mail in SMTP or LMTP."""

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
"""The mode of a Unix socket: for its owner and its group."""


class CannotListen(OSError):
    """An endpoint at which the server cannot listen; the message names it and says why."""


async def listen(
    endpoint: Endpoint, session: Session, *, is_shared: bool = False
) -> asyncio.Server:
    """Return a listener at an endpoint, with sessions like the given one. Raises CannotListen.

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
    """Take mail at a socket of the home, if it can be opened."""
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
    """Return the real endpoint of a listener, with the port it got if 0 was asked for."""
    if endpoint.path:
        return endpoint
    host, port = server.sockets[0].getsockname()[:2]
    return Endpoint(host, port)
