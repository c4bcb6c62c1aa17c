"""The configuration: `pbm_oust.toml` in the home; everything has a default. Pure."""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from msgspec import Struct, field

from pbm_oust.accounts.address import ascii_host, parse_own_address
from pbm_oust.store.limits import Limits, nearest_of, parse_limits


class BadConfiguration(ValueError):
    """A configuration cannot be used; the message names the key and what would be right."""


class Endpoint(Struct, frozen=True):
    """Where to listen or connect: a host and port, or the path of a Unix socket."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return f"unix:{self.path}" if self.path else f"{self.host}:{self.port}"


_NAME = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*|")

_WEB_ADDRESS = re.compile(r"(https?://)([^\s/:@]+)((?::[0-9]{1,5})?)/?")

_STORE = re.compile(r"postgresql://\S+")
_STORE_WORD = re.compile(r"\bstore\b")
_STORE_LINE = re.compile(r"^[ \t]*store[ \t]*=.*\n?", re.MULTILINE)
"""The line of a configuration that names a server."""

Network = IPv4Network | IPv6Network
"""One address, or all that begin alike."""


class House(Enum):
    """How the house plays."""

    OFF = "off"
    UNRATED = "unrated"
    """It plays, and its boards do not count for ratings."""
    RATED = "rated"


USUAL_ADDRESS = "pbmserv@localhost"
"""The address of a server whose operator has not set one: no mail comes there from elsewhere."""

LONGEST_TITLE = 60
"""The most characters of what the pages are called."""


class Configuration(Struct, frozen=True):
    """What an operator can set. The command line's options take precedence."""

    address: str = USUAL_ADDRESS
    """The address that takes commands and that our letters come from."""
    smtp: Endpoint | None = Endpoint("127.0.0.1", 8025)
    """Where to listen for SMTP; nothing turns it off."""
    smtps: Endpoint | None = None
    """Where to listen for SMTP that begins with TLS."""
    lmtp: Endpoint | None = None
    relay: Endpoint | None = None
    """Where letters are handed over; without one they stay in the outbox."""
    mail_servers: tuple[Network, ...] = ()
    """Whose connections are not limited by source, for whom room is kept, and who name clients."""
    authserv_id: str = ""
    """The name that our own mail servers give in Authentication-Results; empty if none counts."""
    proxies: tuple[Network, ...] = ()
    """Who begin each connection by naming its client, as the PROXY protocol has it."""
    certificate: str = ""
    """The file with the certificate of this host and those above it; with one there is TLS."""
    certificate_key: str = ""
    """The file with its key; without one, the key is in the same file."""
    web: Endpoint | None = None
    """Where to serve pages; nowhere unless it is set."""
    web_address: str = ""
    """Where the pages are found from outside; empty if nobody but they need to know."""
    title: str = "pbm_oust"
    """What the pages are called."""
    web_proxies: tuple[Network, ...] = ()
    """Web servers of ours before the pages, who are believed whom and how they serve."""
    metrics: Endpoint | None = None
    """Where to serve metrics for the operator; nowhere unless it is set."""
    house: House = House.UNRATED
    """Whether the house plays, and whether that counts for ratings."""
    house_boards: int = 5
    """The most boards that one player may have against the house at once."""
    house_cells: int = 170
    """The most cells of a board that the house plays on."""
    house_analyses: bool = True
    """Whether the house analyses games that are over, if there are pages to show that."""
    store: str = ""
    """The database server that keeps the home, for several hosts; without one it is in files."""
    backups: str = ""
    """The folder with the backups, each in a folder of its own: `doctor` looks how old they are."""
    readers: bool = False
    """Whether other users of the machine may read the histories."""
    limits: Limits = field(default_factory=Limits)

    @property
    def analyses(self) -> bool:
        """Whether games that are over are analysed."""
        return self.house_analyses and bool(self.web or self.web_address)


def parse_endpoint(text: str) -> Endpoint:
    """Return the endpoint that `HOST:PORT` or `unix:PATH` names. Raises ValueError."""
    if text.startswith("unix:") and len(text) > len("unix:"):
        return Endpoint(path=text.removeprefix("unix:"))
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 2**16):
        raise ValueError(f"{text!r} is not written HOST:PORT or unix:PATH")
    return Endpoint(host, int(port))


def parse_place(text: str) -> Endpoint:
    """Return the endpoint that `HOST:PORT` names. Raises ValueError."""
    endpoint = parse_endpoint(text)
    if endpoint.path:
        raise ValueError(f"{text!r} is not written HOST:PORT")
    return endpoint


def parse_relay(text: str) -> Endpoint:
    """Return the endpoint that `smtp://HOST:PORT` names. Raises ValueError."""
    with suppress(ValueError):
        if text.startswith("smtp://"):
            return parse_place(text.removeprefix("smtp://").removesuffix("/"))
    raise ValueError(f"{text!r} is not written smtp://HOST:PORT")


def parse_networks(text: str) -> tuple[Network, ...]:
    """Return the networks that addresses such as `127.0.0.1` or `2001:db8::/64` name.

    Raises ValueError.
    """
    try:
        return tuple(ip_network(word) for word in text.split())
    except ValueError as error:
        raise ValueError(f"{error}; addresses are written 192.0.2.1 or 192.0.2.0/24") from None


def parse_authserv_id(text: str) -> str:
    """Return the name in a header Authentication-Results. Raises ValueError."""
    if not _NAME.fullmatch(text):
        raise ValueError(f"{text!r} is not written mx.example.org")
    return text


def parse_web_address(text: str) -> str:
    """Return the address of pages in ASCII, without a path. Raises ValueError."""
    found = _WEB_ADDRESS.fullmatch(text)
    host = ascii_host(found[2]) if found else ""
    if text and not host:
        raise ValueError(f"{text!r} is not written https://games.example.org")
    return f"{found[1]}{host}{found[3]}" if found else ""


def parse_title(text: str) -> str:
    """Return what pages are called. Raises ValueError."""
    if not (0 < len(text) <= LONGEST_TITLE and text.isprintable() and text.strip() == text):
        raise ValueError(f"a title is 1 to {LONGEST_TITLE} characters in one line")
    return text


def parse_store(text: str) -> str:
    """Return the URL of a database on a server of PostgreSQL. Raises ValueError."""
    if text.startswith("postgres://"):
        raise ValueError("write postgresql:// in place of postgres://")
    if text and not _STORE.fullmatch(text):
        raise ValueError("it is not written postgresql://USER@HOST/DATABASE")
    return text


def parse_house(text: str) -> House:
    """Return how the house plays. Raises ValueError."""
    try:
        return House(text)
    except ValueError:
        known = ", ".join(each.value for each in House)
        raise ValueError(f"{text!r} is none of {known}") from None


def parse_path(text: str) -> str:
    """Return a path that does not depend on where the program was started. Raises ValueError."""
    if text and not text.startswith("/"):
        raise ValueError(f"{text!r} is not written from / on")
    return text


_ENDPOINTS: dict[str, Callable[[str], Endpoint]] = {
    "smtp": parse_endpoint,
    "smtps": parse_endpoint,
    "lmtp": parse_endpoint,
    "relay": parse_relay,
    "web": parse_endpoint,
    "metrics": parse_place,
}
"""What reads the text of a key that an empty one turns off."""
_TEXTS: dict[str, Callable[[str], object]] = {
    "address": parse_own_address,
    "mail_servers": parse_networks,
    "authserv_id": parse_authserv_id,
    "proxies": parse_networks,
    "certificate": parse_path,
    "certificate_key": parse_path,
    "backups": parse_path,
    "web_address": parse_web_address,
    "title": parse_title,
    "web_proxies": parse_networks,
    "house": parse_house,
    "store": parse_store,
}
"""What reads the text of another key."""
_WANTED: dict[type, str] = {
    bool: "true or false is wanted, as in {} = true",
    int: "a number is wanted, as in {} = 5",
    str: 'a text in quotes is wanted, as in {} = "..."',
}


def parse_configuration(text: str) -> Configuration:
    """Return the configuration that a TOML text gives. Raises BadConfiguration."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfiguration(f"this is not TOML: {error}") from None
    found: dict[str, Any] = {}
    for key, value in table.items():
        known = Configuration.__struct_fields__
        if key not in known:
            raise BadConfiguration(f"{key}: there is no such key{nearest_of(key, known)}")
        found[key] = _value(key, value)
    configuration = Configuration(**found)
    if configuration.smtps and not configuration.certificate:
        raise BadConfiguration("smtps: there is no certificate; set certificate, too")
    if configuration.store and not configuration.relay:
        raise BadConfiguration("store: letters of several hosts need a relay; set relay, too")
    return configuration


def _value(key: str, value: Any) -> object:
    """Return what the value of a key means. Raises BadConfiguration."""
    usual = getattr(Configuration(), key)
    kind: type[Any] = type(usual) if isinstance(usual, int) else str
    try:
        if key == "limits":
            return parse_limits(value)
        if type(value) is not kind or (kind is int and value < 0):
            raise ValueError(_WANTED[kind].format(key))
        if key in _ENDPOINTS:
            return _ENDPOINTS[key](value) if value else None
        return _TEXTS[key](value) if key in _TEXTS else value
    except ValueError as error:
        raise BadConfiguration(f"{key}: {error}") from None


def server_in(text: str) -> str:
    """Return the URL of the server that keeps a home with this configuration.

    It is empty for the files of the home, also if the text is not TOML and has no word `store`.
    Raises ValueError for a `store` that is no such URL.
    """
    try:
        return str(_value("store", tomllib.loads(text).get("store", "")))
    except tomllib.TOMLDecodeError as error:
        if _STORE_WORD.search(text):
            raise ValueError(f"this is not TOML: {error}") from None
        return ""


def without_server(text: str) -> str:
    """Return a configuration without the line that names a server. Raises ValueError."""
    found = _STORE_LINE.sub("", text, count=1)
    if server_in(found):
        raise ValueError(
            'store cannot be taken out; write it as store = "..." in a line of its own'
        )
    return found
