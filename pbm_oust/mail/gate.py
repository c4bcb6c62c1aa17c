"""The gate: how many connections there may be, in all and from one source."""

import asyncio
from collections import Counter
from ipaddress import IPv4Address, IPv6Network, ip_address

from pbm_oust.mail.replies import S421_BUSY, S421_BUSY_SOURCE
from pbm_oust.store.configuration import Network

MOST_CONNECTIONS = 100
MOST_CONNECTIONS_OF_ONE = 20
KEPT_FOR_MAIL_SERVERS = 20
"""How many connections strangers leave to our own mail servers."""

Source = IPv4Address | IPv6Network | None
"""Where connections are counted together: a host, a /64 of IPv6, or nowhere for Unix sockets."""


class Gate:
    """Counts connections, in all and by source; our own mail servers count only in all.

    Whoever can open a Unix socket counts as one of them: the account that owns it decides.
    """

    def __init__(self, mail_servers: tuple[Network, ...] = ()) -> None:
        self._mail_servers = mail_servers
        self._open: Counter[Source] = Counter()

    def use(self, mail_servers: tuple[Network, ...]) -> None:
        """Take these for our own mail servers from now on."""
        self._mail_servers = mail_servers

    def admit(self, transport: asyncio.BaseTransport) -> str | None:
        """Count one more connection, or return the reply that turns it away."""
        source = source_of(transport)
        if self._open.total() >= MOST_CONNECTIONS:
            return S421_BUSY
        if not self._is_ours(source):
            if self._open[source] >= MOST_CONNECTIONS_OF_ONE:
                return S421_BUSY_SOURCE
            if self._strangers() >= MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS:
                return S421_BUSY
        self._open[source] += 1
        return None

    def leave(self, transport: asyncio.BaseTransport) -> None:
        """Count a connection that was admitted as gone."""
        source = source_of(transport)
        self._open[source] -= 1
        if not self._open[source]:
            del self._open[source]

    def stranger(self, transport: asyncio.BaseTransport) -> str:
        """Return the host or network that a connection comes from; empty if that is ours."""
        source = source_of(transport)
        return "" if self._is_ours(source) else str(source)

    def _strangers(self) -> int:
        return sum(count for source, count in self._open.items() if not self._is_ours(source))

    def _is_ours(self, source: Source) -> bool:
        if source is None:
            return True
        first = source if isinstance(source, IPv4Address) else source.network_address
        return any(
            first in network or (isinstance(source, IPv6Network) and network.overlaps(source))
            for network in self._mail_servers
        )


def source_of(transport: asyncio.BaseTransport) -> Source:
    """Return where a connection comes from; an IPv4 address within IPv6 counts as itself."""
    name = transport.get_extra_info("peername")
    if not isinstance(name, tuple):
        return None
    address = ip_address(name[0].partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Network((address, 64), strict=False)
