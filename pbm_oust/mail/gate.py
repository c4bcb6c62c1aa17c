"""The gate: how many connections there may be."""

import asyncio
from collections import Counter

MOST_CONNECTIONS = 100
MOST_CONNECTIONS_OF_ONE = 20


class Gate:
    """Counts connections, in all and by address. Loopback counts only in all."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    def admit(self, transport: asyncio.BaseTransport) -> bool:
        """Return whether one more connection is allowed, and count it if so."""
        peer = _peer(transport)
        too_many_of_one = peer and self._open[peer] >= MOST_CONNECTIONS_OF_ONE
        if too_many_of_one or self._open.total() >= MOST_CONNECTIONS:
            return False
        self._open[peer] += 1
        return True

    def leave(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection that was admitted as gone."""
        peer = _peer(transport)
        self._open[peer] -= 1
        if not self._open[peer]:
            del self._open[peer]


def _peer(transport: asyncio.BaseTransport) -> str:
    """Return the address of a client, or an empty text for loopback and Unix sockets."""
    name = transport.get_extra_info("peername")
    if not isinstance(name, tuple) or name[0] in ("127.0.0.1", "::1"):
        return ""
    return str(name[0])
