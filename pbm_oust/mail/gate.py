"""The gate: how many connections there may be, in all and from one source."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from math import inf

from pbm_oust.mail.replies import S421_BUSY, S421_BUSY_SOURCE
from pbm_oust.store.configuration import Network

MOST_CONNECTIONS = 100
MOST_CONNECTIONS_OF_ONE = 20
KEPT_FOR_MAIL_SERVERS = 20
"""How many connections strangers leave to our own mail servers."""

Address = IPv4Address | IPv6Address

Source = IPv4Address | IPv6Network | None
"""Where connections are counted together: a host, a /64 of IPv6, or nowhere for Unix sockets."""


class TurnedAway(Exception):
    """There are too many connections; the message is the reply."""


@dataclass(eq=False, slots=True)
class Visitor:
    """A connection that was let in."""

    client: Source
    """Who connects: to us, or to a proxy of ours."""
    source: Source
    """Where it is counted: the client, or whom one of our mail servers has named as its own."""
    give_way: Callable[[], None] | None = None
    """Ends it, so that there is room for another; None while it is not to be ended so."""
    waits_since: float = inf
    """Since when its client has let us wait; never while we are at work."""


class Gate:
    """Counts connections, in all and by source; our own mail servers count only in all.

    Whoever can open a Unix socket counts as one of them: the account that owns it decides.
    """

    def __init__(
        self, mail_servers: tuple[Network, ...] = (), proxies: tuple[Network, ...] = ()
    ) -> None:
        self._visitors: set[Visitor] = set()
        self.use(mail_servers, proxies)

    def use(self, mail_servers: tuple[Network, ...], proxies: tuple[Network, ...]) -> None:
        """Take these for our own mail servers and proxies from now on."""
        self._mail_servers = mail_servers
        self._proxies = proxies

    def admit(self, source: Source) -> Visitor:
        """Let one more connection in. Raises TurnedAway."""
        visitor = Visitor(source, source)
        self._look_at(visitor)
        self._visitors.add(visitor)
        return visitor

    def leave(self, visitor: Visitor) -> None:
        """Count a connection that was let in as gone."""
        self._visitors.discard(visitor)

    def take_client(self, visitor: Visitor, client: Source) -> None:
        """Count a connection as one of the client that a proxy has named. Raises TurnedAway."""
        visitor.client = visitor.source = client
        self._look_at(visitor)

    def take_source(self, visitor: Visitor, source: Source) -> None:
        """Count a connection of a mail server by the source that it names. Raises TurnedAway."""
        visitor.source = source
        self._look_at(visitor)

    def speaks_proxy(self, visitor: Visitor) -> bool:
        """Return whether a connection begins by naming the client of a proxy."""
        return lies_in(visitor.client, self._proxies)

    def may_name_others(self, visitor: Visitor) -> bool:
        """Return whether a connection is one of our mail servers."""
        return self._is_ours(visitor.client)

    def stranger(self, source: Source) -> str:
        """Return a source as a text; empty if it is one of our mail servers and proxies."""
        is_known = self._is_ours(source) or lies_in(source, self._proxies)
        return "" if is_known else str(source)

    def _look_at(self, visitor: Visitor) -> None:
        """Raise TurnedAway if there are too many others."""
        others = self._visitors - {visitor}
        if len(others) >= MOST_CONNECTIONS:
            raise TurnedAway(S421_BUSY)
        alike = sum(each.source == visitor.source for each in others)
        if alike >= MOST_CONNECTIONS_OF_ONE and self.stranger(visitor.source):
            raise TurnedAway(S421_BUSY_SOURCE)
        strangers = sum(not self._is_ours(each.client) for each in others)
        if strangers >= MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS and not self._is_ours(
            visitor.client
        ):
            self._make_room(alike)

    def _make_room(self, alike: int) -> None:
        """End the connection that has let us wait longest, of the host that has most of them.

        Raises TurnedAway if no stranger has more connections than somebody with so many and one.
        """
        held = Counter(each.source for each in self._visitors if not self._is_ours(each.client))
        most = max(held.values(), default=0)
        idle = [
            each
            for each in self._visitors
            if each.give_way and each.waits_since < inf and held[each.source] == most
        ]
        if most <= alike + 1 or not idle:
            raise TurnedAway(S421_BUSY)
        first = min(idle, key=lambda each: each.waits_since)
        self.leave(first)
        if first.give_way:
            first.give_way()

    def _is_ours(self, source: Source) -> bool:
        return source is None or lies_in(source, self._mail_servers)


def lies_in(source: Source, networks: tuple[Network, ...]) -> bool:
    """Return whether a source is, or has a part in, one of these networks."""
    if source is None:
        return False
    first = source if isinstance(source, IPv4Address) else source.network_address
    return any(
        first in network or (isinstance(source, IPv6Network) and network.overlaps(source))
        for network in networks
    )


def source_of(transport: asyncio.BaseTransport) -> Source:
    """Return where a connection comes from."""
    name = transport.get_extra_info("peername")
    return source_at(ip_address(name[0].partition("%")[0])) if isinstance(name, tuple) else None


def source_at(address: Address) -> Source:
    """Return the source that an address belongs to; one of IPv4 within IPv6 counts as itself."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Network((address, 64), strict=False)
