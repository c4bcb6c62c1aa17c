"""The configuration: `pbm_oust.toml` in the home; everything has a default. Pure."""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from functools import partial
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any

from msgspec import Struct, field

from pbm_oust.accounts.address import ascii_host, parse_own_address
from pbm_oust.store.limits import Limits, nearest_of, parse_limits


class BadConfiguration(ValueError):
    """An unusable configuration; the message names the key and the right form."""


class Endpoint(Struct, frozen=True):
    """A place to listen or connect: a host and port, or the path of a Unix socket."""

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
"""The line of a configuration with the URL of a database server."""

Network = IPv4Network | IPv6Network
"""An address, or a range of addresses with a common prefix."""


class House(Enum):
    """The house player's games: none, unrated or rated."""

    OFF = "off"
    UNRATED = "unrated"
    """The house plays, and its games do not count for ratings."""
    RATED = "rated"


class Upgrade(Enum):
    """When tables of an earlier version are brought up to date."""

    AT_START = "at start"
    """By `serve`, after a backup beside the home."""
    BY_HAND = "by hand"
    """By `home upgrade` alone."""


class LogForm(Enum):
    """The form of the entries of the log."""

    TEXT = "text"
    JSON = "json"


USUAL_ADDRESS = "pbmserv@localhost"
"""The default address of a server, which no mail from elsewhere reaches."""

LONGEST_TITLE = 60
"""The most characters of the pages' title."""


class Configuration(Struct, frozen=True):
    """The operator's settings. The command line's options take precedence."""

    address: str = USUAL_ADDRESS
    """The address for commands, and the sender of our letters."""
    smtp: Endpoint | None = Endpoint("127.0.0.1", 8025)
    """The endpoint for SMTP; None turns it off."""
    smtps: Endpoint | None = None
    """The endpoint for SMTP that begins with TLS."""
    lmtp: Endpoint | None = None
    relay: Endpoint | None = None
    """The relay for letters; without one they stay in the outbox."""
    mail_servers: tuple[Network, ...] = ()
    """Our own mail servers: with reserved connections, and allowed to name clients."""
    authserv_id: str = ""
    """The name of our mail servers in Authentication-Results; empty if none counts."""
    proxies: tuple[Network, ...] = ()
    """Proxies that begin each connection with the PROXY protocol."""
    certificate: str = ""
    """The file with the certificate chain of this host; with one there is TLS."""
    certificate_key: str = ""
    """The file with the private key; empty if it is in the same file."""
    web: Endpoint | None = None
    """The endpoint of the pages; None for no pages."""
    web_address: str = ""
    """The public address of the pages; empty if only the pages themselves need it."""
    title: str = "pbm_oust"
    """The title of the pages."""
    web_proxies: tuple[Network, ...] = ()
    """Web servers in front of the pages, trusted for the client's address and scheme."""
    metrics: Endpoint | None = None
    """The endpoint of metrics for the operator; None for no metrics."""
    house: House = House.UNRATED
    """Whether the house plays, and whether its games are rated."""
    house_boards: int = 5
    """The most boards of one player against the house at once."""
    house_cells: int = 170
    """The most cells of a board for the house."""
    house_analyses: bool = True
    """Whether the house analyses finished games, if there are pages to show that."""
    invitations: bool = True
    """Whether players may invite people who have no account here, by their addresses."""
    cups_by_players: bool = True
    """Whether players may announce tournaments, one at a time."""
    store: str = ""
    """The database server of the home, for several hosts; empty for a home in files."""
    backups: str = ""
    """The folder of backups, each in a folder of its own: `doctor` checks their age."""
    upgrade: Upgrade = Upgrade.AT_START
    """When tables of an earlier version are brought up to date."""
    log: LogForm = LogForm.TEXT
    """Whether entries of the log are lines of text, or objects for programs that collect them."""
    readers: bool = False
    """Whether other users of the machine may read the histories."""
    limits: Limits = field(default_factory=Limits)

    @property
    def analyses(self) -> bool:
        """Whether finished games are analysed."""
        return self.house_analyses and bool(self.web or self.web_address)


def parse_endpoint(text: str) -> Endpoint:
    """Return the endpoint in a text: `HOST:PORT` or `unix:PATH`. Raises ValueError."""
    if text.startswith("unix:") and len(text) > len("unix:"):
        return Endpoint(path=text.removeprefix("unix:"))
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not (colon and host and port.isascii() and port.isdigit() and int(port) < 2**16):
        raise ValueError(f"{text!r} is not written HOST:PORT or unix:PATH")
    return Endpoint(host, int(port))


def parse_place(text: str) -> Endpoint:
    """Return the endpoint in a text: `HOST:PORT`. Raises ValueError."""
    endpoint = parse_endpoint(text)
    if endpoint.path:
        raise ValueError(f"{text!r} is not written HOST:PORT")
    return endpoint


def parse_relay(text: str) -> Endpoint:
    """Return the endpoint in a URL: `smtp://HOST:PORT`. Raises ValueError."""
    with suppress(ValueError):
        if text.startswith("smtp://"):
            return parse_place(text.removeprefix("smtp://").removesuffix("/"))
    raise ValueError(f"{text!r} is not written smtp://HOST:PORT")


def parse_networks(text: str) -> tuple[Network, ...]:
    """Return the networks in a text, such as `127.0.0.1` or `2001:db8::/64`.

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
    """Return the title of the pages. Raises ValueError."""
    if not (0 < len(text) <= LONGEST_TITLE and text.isprintable() and text.strip() == text):
        raise ValueError(f"a title is 1 to {LONGEST_TITLE} characters in one line")
    return text


def parse_store(text: str) -> str:
    """Return the URL of a PostgreSQL database. Raises ValueError."""
    if text.startswith("postgres://"):
        raise ValueError("write postgresql:// in place of postgres://")
    if text and not _STORE.fullmatch(text):
        raise ValueError("it is not written postgresql://USER@HOST/DATABASE")
    return text


def one_of(choices: type[Enum], text: str) -> Enum:
    """Return one of some choices by its word. Raises ValueError."""
    try:
        return choices(text)
    except ValueError:
        known = ", ".join(each.value for each in choices)
        raise ValueError(f"{text!r} is none of {known}") from None


def parse_path(text: str) -> str:
    """Return an absolute path. Raises ValueError."""
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
"""The parsers of endpoints by key; an empty text is None."""
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
    "house": partial(one_of, House),
    "log": partial(one_of, LogForm),
    "store": parse_store,
    "upgrade": partial(one_of, Upgrade),
}
"""The parsers of all other texts by key."""
_WANTED: dict[type, str] = {
    bool: "true or false is wanted, as in {} = true",
    int: "a number is wanted, as in {} = 5",
    str: 'a text in quotes is wanted, as in {} = "..."',
}


def parse_configuration(text: str) -> Configuration:
    """Return the configuration in a TOML text. Raises BadConfiguration."""
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
    """Return the parsed value of a key. Raises BadConfiguration."""
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
    """Return the URL of the database server in a configuration, or an empty text.

    It is empty for a home in files, also if the text is not TOML and has no word `store`. Raises
    ValueError for a `store` that is no such URL.
    """
    try:
        return str(_value("store", tomllib.loads(text).get("store", "")))
    except tomllib.TOMLDecodeError as error:
        if _STORE_WORD.search(text):
            raise ValueError(f"this is not TOML: {error}") from None
        return ""


def without_server(text: str) -> str:
    """Return a configuration without the line of the database server. Raises ValueError."""
    found = _STORE_LINE.sub("", text, count=1)
    if server_in(found):
        raise ValueError(
            'store cannot be taken out; write it as store = "..." in a line of its own'
        )
    return found
