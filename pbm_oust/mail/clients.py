"""Clients of our listeners: limits of connections, and names given by proxies and mail servers.

https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt
https://www.postfix.org/XCLIENT_README.html
https://www.postfix.org/XFORWARD_README.html
"""

import asyncio
import logging
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from math import inf
from typing import TypeVar

from aiosmtpd.proxy_protocol import V2_CMD, ProxyData
from msgspec import Struct

from pbm_oust.store.configuration import Network

S220_TLS = "220 2.0.0 ready to start TLS"
S221_BYE = "221 Bye"
S250_DONE = "250 2.0.0 done"
S250_NAMED = "250 2.0.0 OK"
S250_OK = "250 2.1.0 OK"
S250_RECIPIENT = "250 2.1.5 OK"
S354_BEGIN = "354 End data with <CR><LF>.<CR><LF>"
S421_BUSY = "421 4.3.2 too many connections, try again later"
S421_BUSY_SOURCE = "421 4.7.0 too many connections from your host, try again later"
S421_IDLE = "421 4.4.2 nothing has come for too long"
S421_NONSENSE = "421 4.7.0 too many lines that are no commands"
S421_REPEATED = "421 4.7.0 too many commands in one session"
S421_SESSION = "421 4.4.2 the session has taken too long"
S421_SLOW = "421 4.4.2 the message comes too slowly"
S451_LATER = "451 4.3.0 not done through a fault here, try again later"
S452_RECIPIENTS = "452 4.5.3 too many recipients"
S454_TLS = "454 4.7.0 there is no TLS here"
S500_ASCII = "500 5.5.2 the line holds bytes that are not ASCII"
S500_BARE = "500 5.5.2 the line does not end with CR LF, or holds CR, LF or NUL"
S500_LONG = "500 5.5.2 the line is too long"
S500_SYNTAX = "500 5.5.2 the line is no command"
S500_UNKNOWN = "500 5.5.1 there is no such command"
S501_DATA = "501 Syntax: DATA"
S501_NAMING = "501 5.5.4 the attributes cannot be read"
S501_QUIT = "501 Syntax: QUIT"
S501_TLS = "501 5.5.4 Syntax: STARTTLS"
S503_NAMING = "503 5.5.1 a mail has begun"
S503_RECIPIENT = "503 Error: need RCPT command"
S503_TLS = "503 5.5.1 TLS has begun already"
S500_LONG_LINE = "500 Line too long (see RFC5321 4.5.3.1.6)"
S550_BARE = "550 5.6.0 the message has line ends other than CR LF, or a NUL"
S550_NAMING = "550 5.7.0 only our own mail servers name clients"
S550_RECIPIENT = "550 5.1.1 no such recipient here"
S552_LARGE = "552 Error: Too much mail data"
S553_ADDRESS = "553 5.1.7 the address is too long"
S553_UTF8 = "553 5.6.7 an address that is not ASCII takes SMTPUTF8"


MOST_CONNECTIONS = 100
MOST_CONNECTIONS_OF_ONE = 20
KEPT_FOR_MAIL_SERVERS = 20
"""The number of connections reserved for our own mail servers."""

Address = IPv4Address | IPv6Address
V = TypeVar("V")

Source = IPv4Address | IPv6Network | None
"""The unit in which connections are counted: a host, a /64 of IPv6, or None for Unix sockets."""


log = logging.getLogger("pbm_oust")


def note_guess(what: str, source: str) -> None:
    """Log the source of a wrong password or link, for `debian/pbm_oust.fail2ban`."""
    if source:
        log.warning("wrong %s from %s", what, source)


class Patience(Struct, frozen=True):
    """Limits in seconds: for one line, and for a whole session. A message comes at a least rate."""

    idle: float = 60
    session: float = 600
    bytes_a_second: float = 100
    wrong_password: float = 2
    """The delay of the answer to a message with a wrong password."""
    answer: float = 60
    """The longest wait of a client for the outcome of its message."""


class SessionOver(Exception):
    """A session ends; the message is the last reply."""


class TurnedAway(SessionOver):
    """There are too many connections; the message is the reply."""


@dataclass(eq=False, slots=True)
class Visitor:
    """An admitted connection."""

    client: Source
    """The peer: the client, or a proxy of ours."""
    source: Source
    """The source it counts for: the client, or the one that our mail server has named."""
    is_ours: bool
    """Whether the client is one of our mail servers, which may name others."""
    give_way: Callable[[], None] | None = None
    """Ends the connection to make room for another; None while it must not be ended."""
    waits_since: float = inf
    """The time since which we wait for the client; infinite while we are at work."""


class ConnectionLimits:
    """Counts of connections, in all and by source; our own mail servers count only in all.

    A client at a Unix socket counts as one of them: the account that owns the socket decides.
    """

    def __init__(
        self, mail_servers: tuple[Network, ...] = (), proxies: tuple[Network, ...] = ()
    ) -> None:
        self._visitors: set[Visitor] = set()
        self.use(mail_servers, proxies)

    def use(self, mail_servers: tuple[Network, ...], proxies: tuple[Network, ...]) -> None:
        """Use these networks as our own mail servers and proxies from now on."""
        self._mail_servers = mail_servers
        self._proxies = proxies

    def admit(self, source: Source) -> Visitor:
        """Let one more connection in. Raises TurnedAway."""
        visitor = Visitor(source, source, self._is_ours(source))
        self._make_room_for(visitor)
        self._visitors.add(visitor)
        return visitor

    def leave(self, visitor: Visitor) -> None:
        """Count an admitted connection as gone."""
        self._visitors.discard(visitor)

    def take_client(self, visitor: Visitor, client: Source) -> None:
        """Count a connection for the client named by a proxy. Raises TurnedAway."""
        visitor.client = visitor.source = client
        visitor.is_ours = self._is_ours(client)
        self._make_room_for(visitor)

    def take_source(self, visitor: Visitor, source: Source) -> None:
        """Count a mail server's connection for the source that it names. Raises TurnedAway."""
        visitor.source = source
        self._make_room_for(visitor)

    def speaks_proxy(self, visitor: Visitor) -> bool:
        """Return whether a connection begins with a proxy's header."""
        return lies_in(visitor.client, self._proxies)

    def stranger(self, source: Source) -> str:
        """Return a source as a text; empty if it is one of our mail servers and proxies."""
        is_known = self._is_ours(source) or lies_in(source, self._proxies)
        return "" if is_known else str(source)

    def _make_room_for(self, visitor: Visitor) -> None:
        """Raise TurnedAway if there are too many other connections, and none gives way."""
        others, alike, strangers = 0, 0, list[Visitor]()
        for each in self._visitors:
            if each is not visitor:
                others += 1
                alike += each.source == visitor.source
                if not each.is_ours:
                    strangers.append(each)
        if others >= MOST_CONNECTIONS:
            raise TurnedAway(S421_BUSY)
        if alike >= MOST_CONNECTIONS_OF_ONE and self.stranger(visitor.source):
            raise TurnedAway(S421_BUSY_SOURCE)
        if not visitor.is_ours and len(strangers) >= MOST_CONNECTIONS - KEPT_FOR_MAIL_SERVERS:
            self._end_one(strangers, alike)

    def _end_one(self, strangers: list[Visitor], alike: int) -> None:
        """End the longest idle connection of the host that has most of them.

        Raises TurnedAway unless that host has more connections than `alike` and one.
        """
        sources = {each: each.source for each in strangers}
        first = who_gives_way(
            sources, lambda each: each.waits_since if each.give_way else inf, alike
        )
        if not (first and first.give_way):
            raise TurnedAway(S421_BUSY)
        self.leave(first)
        first.give_way()

    def _is_ours(self, source: Source) -> bool:
        return source is None or lies_in(source, self._mail_servers)


def who_gives_way(sources: Mapping[V, Source], since: Callable[[V], float], alike: int) -> V | None:
    """Return the longest idle connection of the host that has most of them.

    It makes room for a host with `alike` connections. None if no host has more than `alike` and
    one. `since` returns the time since which a connection is idle: infinite if it is not.
    """
    held = Counter(sources.values())
    most = max(held.values(), default=0)
    idle = [each for each, source in sources.items() if held[source] == most and since(each) < inf]
    return min(idle, key=since, default=None) if most > alike + 1 else None


def lies_in(source: Source, networks: tuple[Network, ...]) -> bool:
    """Return whether a source is, or has a part in, one of these networks."""
    if source is None:
        return False
    first = source if isinstance(source, IPv4Address) else source.network_address
    for network in networks:
        if first in network or (isinstance(source, IPv6Network) and network.overlaps(source)):
            return True
    return False


def source_of(transport: asyncio.BaseTransport) -> Source:
    """Return the source of a connection."""
    name = transport.get_extra_info("peername")
    return source_at(ip_address(name[0].partition("%")[0])) if isinstance(name, tuple) else None


def source_at(address: Address) -> Source:
    """Return the source of an address; IPv4 within IPv6 counts as IPv4."""
    if isinstance(address, IPv4Address):
        return address
    return address.ipv4_mapped or IPv6Network((address, 64), strict=False)


CLIENT = "NAME ADDR PORT PROTO HELO LOGIN DESTADDR DESTPORT"
"""The attributes of XCLIENT."""
FORWARDED = "NAME ADDR PORT PROTO HELO IDENT SOURCE"
"""The attributes of XFORWARD."""

_ATTRIBUTE = re.compile(r"([A-Za-z]{1,16})=([!-~]{1,255})")
_XTEXT = re.compile(r"(?:[!-*,-<>-~]|\+[0-9A-F]{2})+")
"""RFC 3461, section 4."""
_CODED = re.compile(r"\+([0-9A-F]{2})")
_UNKNOWN = {"[UNAVAILABLE]", "[TEMPUNAVAIL]"}


class Named(Struct, frozen=True):
    """The address named for a client; None if it is unknown."""

    source: Source
    says_where: bool = True
    """Whether an address was named at all; a mail server may send several commands."""


class BadNaming(ValueError):
    """Attributes that cannot be read."""


def parse_naming(text: str | None, names: str) -> Named:
    """Return the client named by the attributes of a command.

    Raises BadNaming, also for attributes that are not among `names`.
    """
    found: dict[str, str] = {}
    for word in (text or "").split():
        match = _ATTRIBUTE.fullmatch(word)
        if not match or match[1].upper() not in names.split() or not _XTEXT.fullmatch(match[2]):
            raise BadNaming
        found[match[1].upper()] = _CODED.sub(lambda code: chr(int(code[1], 16)), match[2])
    if not found:
        raise BadNaming
    if "ADDR" not in found:
        return Named(None, says_where=False)
    address = _parse_address(found["ADDR"])
    return Named(source_at(address) if address else None)


def _parse_address(text: str) -> Address | None:
    """Return an address as Postfix writes it. Raises BadNaming."""
    if text.upper() in _UNKNOWN:
        return None
    is_long = text.upper().startswith("IPV6:")
    try:
        address = ip_address(text[5:] if is_long else text)
    except ValueError:
        raise BadNaming from None
    if "%" in text or is_long is (address.version == 4):
        raise BadNaming
    return address


def named_by_proxy(said: ProxyData) -> Named:
    """Return the client named by a proxy; none for the proxy's own connection. Raises BadNaming."""
    if not said.valid:
        raise BadNaming
    if said.version == 2 and said.command == V2_CMD.LOCAL:
        return Named(None)
    address = said.src_addr
    return Named(source_at(address) if isinstance(address, Address) else None)
