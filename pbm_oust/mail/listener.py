"""The listener: where mail is taken, in SMTP or LMTP."""

import asyncio
import os
from pathlib import Path

from pbm_oust.mail.connection import SIZE_LIMIT
from pbm_oust.mail.gate import Gate
from pbm_oust.mail.handler import Handler
from pbm_oust.mail.patience import Patience
from pbm_oust.mail.session import SmtpSession
from pbm_oust.mail.tls import Tls
from pbm_oust.store.configuration import Endpoint

SOCKET = 0o660
"""Who may use a Unix socket: its owner, and its group, which a folder can give it."""


class CannotListen(OSError):
    """The server cannot listen at an address; the message names it and says why."""


async def listen(
    endpoint: Endpoint,
    protocol: type[SmtpSession],
    handler: Handler,
    gate: Gate,
    patience: Patience,
    tls: Tls,
) -> asyncio.Server:
    """Return a server that takes mail at an endpoint. Raises CannotListen."""
    loop = asyncio.get_running_loop()

    def factory() -> SmtpSession:
        session = protocol(
            handler,
            data_size_limit=SIZE_LIMIT,
            enable_SMTPUTF8=True,
            hostname=handler.address.rpartition("@")[2],
            ident="pbm_oust",
            timeout=patience.session + 2 * patience.idle,
            loop=loop,
        )
        session.gate = gate
        session.patience = patience
        session.tls = tls
        return session

    try:
        if endpoint.path:
            server = await loop.create_unix_server(factory, endpoint.path)
            Path(endpoint.path).chmod(SOCKET)
            return server
        return await loop.create_server(factory, endpoint.host, endpoint.port)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else error
        raise CannotListen(f"cannot listen at {endpoint}: {reason}") from None


def bound_endpoint(server: asyncio.Server, endpoint: Endpoint) -> Endpoint:
    """Return where a server really listens, with the port it got if 0 was asked for."""
    if endpoint.path:
        return endpoint
    host, port = server.sockets[0].getsockname()[:2]
    return Endpoint(host, port)
