"""The server that keeps a home: connecting to it, and lending its connections."""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg_pool import ConnectionPool, PoolTimeout

from pbm_oust.store.database import Identity, Snapshot
from pbm_oust.store.faults import DatabaseBusy, DatabaseFault
from pbm_oust.store.postgresql.connection import (
    LET_END,
    PostgresqlConnection,
    Raw,
    SharedClock,
    faults,
    name_of,
    set_up,
    too_old,
)
from pbm_oust.store.schema import LATEST, OLDEST, VERSION, tables

T = TypeVar("T")

PATIENCE = 10.0
"""Seconds to wait until other hosts have written, and for a connection of the pool."""
MOST_CONNECTIONS = 16
"""How many connections of one process may read at once."""
_PARAMETERS: dict[str, str | int] = {
    "application_name": "pbm_oust",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}
"""Who we are, and how long to wait for a server that says nothing, unless the URL says other."""
_SOON_SECONDS = 0.5
"""How long to wait for a connection of the pool before asking whether the server is there."""
_RECONNECT_SECONDS = 1.0
"""How long the pool tries to connect by itself; who wants a connection then lets it try again."""
_MIGRATING = 0x6F757375
"""The number of the advisory lock of those who look after the tables."""


class Server:
    """Where a database is, and how to connect to it. Its methods may raise DatabaseFault."""

    def __init__(self, url: str, patience: float = PATIENCE, *, home: Path = Path("HOME")) -> None:
        self.url = make_conninfo("", **{**_PARAMETERS, **conninfo_to_dict(url)})
        self.where = name_of(url)
        self._home = home
        self.patience = patience
        self.clock = SharedClock()
        self._identity: Identity | None = None

    def connect(self) -> PostgresqlConnection:
        """Return a new connection, to tables of our version."""
        with faults(self.where):
            raw = psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.RawCursor)
        try:
            with faults(self.where):
                set_up(raw, self.patience)
            return self.wrapped(raw)
        except BaseException:
            raw.close()
            raise

    def upgrade(self, before: int, work: Callable[[PostgresqlConnection], T]) -> T | None:
        """Have tables of the version `before` brought up to date, as `Database.upgrade` does."""
        with faults(self.where):
            raw = psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.RawCursor)
        try:
            with faults(self.where):
                set_up(raw, self.patience)
                version = _version_of(raw)
            if version != before:
                self.wrapped(raw)
                return None
            connection = PostgresqlConnection(raw, self.where, (0, 0), self.clock)
            connection.begin_to_write()
            done = work(connection)
            connection.execute("DROP TABLE IF EXISTS old_pbm_oust_version")
            connection.execute("INSERT INTO pbm_oust_version VALUES (?, ?)", (LATEST, OLDEST))
            connection.commit()
            return done
        finally:
            raw.close()

    def wrapped(self, raw: Raw) -> PostgresqlConnection:
        """Return a connection as the store uses it; the first one makes missing tables."""
        if self._identity is None:
            with faults(self.where):
                _migrate(raw, self.where, self._home)
                self._identity = _identity_of(raw)
        return PostgresqlConnection(raw, self.where, self._identity, self.clock)


class ServerPool:
    """Connections to a server that are lent to those who read."""

    def __init__(self, server: Server, most: int = MOST_CONNECTIONS) -> None:
        self._server = server
        self._most = most
        self._pool: ConnectionPool[Raw] | None = None
        self._lock = threading.Lock()

    @property
    def lent(self) -> int:
        """How many connections are in use."""
        found = self._pool.get_stats() if self._pool else {}
        return found.get("pool_size", 0) - found.get("pool_available", 0)

    def take(self) -> PostgresqlConnection:
        """Return a connection that works. Raises DatabaseFault."""
        pool, latest = self._opened(), time.monotonic() + self._server.patience
        while True:
            try:
                raw = pool.getconn(min(_SOON_SECONDS, self._server.patience))
            except PoolTimeout:
                self._server.connect().close()  # which says what is wrong with the server
                if time.monotonic() < latest:
                    continue
                reason = f"all {self._most} connections of this process are in use"
                raise DatabaseBusy(f"{self._server.where}: {reason}") from None
            try:
                connection = self._server.wrapped(raw)
                if connection.is_sound:
                    return connection
            except BaseException:
                pool.putconn(raw)
                raise
            raw.close()
            pool.putconn(raw)

    def put_back(self, connection: PostgresqlConnection) -> None:
        """Take a connection that is no longer used, in whatever state it is."""
        with suppress(DatabaseFault):
            connection.roll_back()
        if connection.is_broken:
            connection.close()
        if self._pool:
            self._pool.putconn(connection.raw)

    def close(self) -> None:
        """Close all connections; they are opened again when needed."""
        if self._pool:
            self._pool.close()
            self._pool = None

    def _opened(self) -> ConnectionPool[Raw]:
        with self._lock:
            if self._pool is None:
                self._server.connect().close()
                # Faults say what is wrong; what the pool says besides repeats it again and again.
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
                self._pool = ConnectionPool(
                    self._server.url,
                    kwargs={"autocommit": True, "cursor_factory": psycopg.RawCursor},
                    configure=self._configure,
                    min_size=0,
                    max_size=self._most,
                    reconnect_timeout=_RECONNECT_SECONDS,
                    num_workers=1,
                    open=True,
                )
            return self._pool

    def _configure(self, raw: Raw) -> None:
        set_up(raw, self._server.patience)


def _migrate(raw: Raw, where: str, home: Path) -> None:
    """Make missing tables, while nobody else does.

    Raises DatabaseTooOld if others have to do that.
    """
    version = _version_of(raw)
    if version >= LATEST:
        return
    if version:
        raise too_old(where, version, LATEST, home)
    try:
        with raw.transaction():
            raw.execute(f"{LET_END}; SELECT pg_advisory_xact_lock({_MIGRATING})".encode())
            if not _version_of(raw):
                raw.execute(tables("postgresql").encode())
                versions = f"VALUES ({LATEST}, {OLDEST})"
                raw.execute(f"INSERT INTO pbm_oust_version {versions}".encode())
    except InsufficientPrivilege:
        raise too_old(where, version, LATEST, home) from None


def _version_of(raw: Raw) -> int:
    """Return the version of the tables; 0 if there are none."""
    found = raw.execute("SELECT to_regclass('pbm_oust_version')").fetchone()
    if found == (None,):
        return 0
    row = raw.execute(VERSION.encode()).fetchone()
    return int(row[0]) if row else 0


def _identity_of(raw: Raw) -> Identity:
    """Return what changes if the tables are made anew, or are those of another database."""
    row = raw.execute(
        "SELECT oid::bigint, 'accounts'::regclass::oid::bigint FROM pg_database"
        " WHERE datname = current_database()"
    ).fetchone()
    return (int(row[0]), int(row[1])) if row else (0, 0)


_WRONG = (
    "what stands behind postgresql:// cannot be read. It is written USER@HOST/DATABASE, with "
    "special characters percent-encoded (@ is %40, / is %2F), and with no parameters but those of "
    "libpq. A password belongs in ~/.pgpass"
)
"""The sentence for all that is wrong: what the library says may quote a password."""


def check_url(url: str) -> None:
    """Raise ValueError unless a URL can be read, and its names are names.

    Where a password has characters that are not encoded, a part of it is taken for the name of a
    host or of the database, and names are shown.
    """
    try:
        found = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise ValueError(_WRONG) from None
    hosts, addresses, ports = (_listed(found.get(key)) for key in ("host", "hostaddr", "port"))
    are_names = (
        all(map(_is_host, [*hosts, *addresses])),
        all(port == "" or port.isdecimal() for port in ports),
        not set("@/:") & set(str(found.get("dbname") or "")),
    )
    if not all(are_names):
        raise ValueError(_WRONG)


def _listed(value: object) -> list[str]:
    """Return what a parameter has for each of several hosts."""
    return str(value or "").split(",")


def _is_host(text: str) -> bool:
    """Return whether this may be a name, an address, or the folder of a socket."""
    if "@" in text:
        return False
    if text.startswith("/"):
        return True
    try:
        ip_address(text)
    except ValueError:
        return not set("/:") & set(text)
    return True


_SETTINGS = (
    "SELECT current_setting('server_version'),"
    " CAST(current_setting('server_version_num') AS BIGINT),"
    " pg_encoding_to_char(encoding), current_setting('synchronous_commit'),"
    " current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',"
    " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
    " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    " FROM pg_database WHERE datname = current_database()"
)
_FORBIDDEN = (
    "SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"
    " AND CASE relkind WHEN 'r' THEN relname <> 'pbm_oust_version'"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))"
    " WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') ELSE false END ORDER BY relname"
)


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server, and what we may do there."""

    forbidden: tuple[str, ...]
    """The tables and sequences that we may not use as we have to."""
    version: str
    number: int
    """The version as a number: 150014 for 15.14."""
    encoding: str
    synchronous_commit: str
    """What our transactions wait for."""
    survives: bool
    """Whether what is committed survives a loss of power, as far as the server says."""
    is_standby: bool
    is_read_only: bool
    """Whether transactions are read-only unless they say otherwise."""
    is_superuser: bool
    """Whether we connect as somebody who may do everything."""


def read_facts(snapshot: Snapshot) -> ServerFacts:
    """Return what matters about the server."""
    (facts,) = snapshot.rows(_SETTINGS)
    forbidden = tuple(name for (name,) in snapshot.rows(_FORBIDDEN))
    return ServerFacts(forbidden, *facts)
