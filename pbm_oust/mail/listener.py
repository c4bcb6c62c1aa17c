"""The listener: where mail is taken, in SMTP or LMTP."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pbm_oust.mail.clients import ConnectionLimits, Patience
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.session import SIZE_LIMIT, DeliverSession, OwnerSession, SmtpSession
from pbm_oust.mail.tls import Tls
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.own_socket import FOR_DELIVER, FOR_OWNER, OwnSocket, listen_at

log = logging.getLogger("pbm_oust")

SOCKET = 0o660
"""Who may use a Unix socket: its owner, and its group, which a folder can give it."""


class CannotListen(OSError):
    """The server cannot listen at an address; the message names it and says why."""


async def listen(
    endpoint: Endpoint,
    protocol: type[SmtpSession],
    handler: Handler,
    limits: ConnectionLimits,
    patience: Patience,
    tls: Tls,
    *,
    is_shared: bool = False,
) -> asyncio.Server:
    """Return a server that takes mail at an endpoint. Raises CannotListen.

    `is_shared`: other processes of ours may listen at the same port.
    """
    loop = asyncio.get_running_loop()
    begin = _sessions(protocol, handler, limits, patience, tls)
    try:
        if endpoint.path:
            return await loop.create_unix_server(begin, sock=listen_at(Path(endpoint.path), SOCKET))
        return await loop.create_server(
            begin, endpoint.host, endpoint.port, reuse_port=is_shared or None
        )
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CannotListen(f"cannot listen at {endpoint}: {reason}") from None


@asynccontextmanager
async def listening_at_home(
    home: Path, handler: Handler, limits: ConnectionLimits, patience: Patience, tls: Tls
) -> AsyncIterator[None]:
    """Take mail at the home's own sockets."""
    of_owner = _sessions(OwnerSession, handler, limits, patience, tls)
    of_deliver = _sessions(DeliverSession, handler, limits, patience, tls)
    async with _own(home, FOR_OWNER, of_owner), _own(home, FOR_DELIVER, of_deliver):
        yield


@asynccontextmanager
async def _own(
    home: Path, name: str, begin: Callable[[], asyncio.BaseProtocol]
) -> AsyncIterator[None]:
    """Listen at a socket of the home. A server that cannot have it does without."""
    try:
        own = OwnSocket(home, name)
    except OSError as error:
        log.warning("serving without %s: %s", home / name, error.strerror)
        yield
        return
    try:
        server = await asyncio.get_running_loop().create_unix_server(begin, sock=own.socket)
        yield
        server.close()
    finally:
        own.close()


def _sessions(
    protocol: type[SmtpSession],
    handler: Handler,
    limits: ConnectionLimits,
    patience: Patience,
    tls: Tls,
) -> Callable[[], SmtpSession]:
    """Return what begins a session with a client."""
    loop = asyncio.get_running_loop()

    model = protocol(
        handler,
        data_size_limit=SIZE_LIMIT,
        enable_SMTPUTF8=True,
        hostname=handler.address.rpartition("@")[2],
        ident="pbm_oust",
        timeout=patience.session + 2 * patience.idle,
        loop=loop,
    )
    model.limits = limits
    model.patience = patience
    model.tls = tls
    return model.another


def bound_endpoint(server: asyncio.Server, endpoint: Endpoint) -> Endpoint:
    """Return where a server really listens, with the port it got if 0 was asked for."""
    if endpoint.path:
        return endpoint
    host, port = server.sockets[0].getsockname()[:2]
    return Endpoint(host, port)
