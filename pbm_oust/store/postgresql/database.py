"""The database of a home on a server of PostgreSQL: its connections, its tasks and its key."""

import logging
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg_pool import ConnectionPool, PoolTimeout

from pbm_oust.store.database import (
    LATEST,
    OLDEST,
    Connection,
    DatabaseOf,
    Hold,
    Identity,
    NotWhole,
    Row,
    Snapshot,
    Transaction,
    tables,
    words_list,
)
from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import DatabaseBusy, DatabaseFault, DatabaseTooNew
from pbm_oust.store.postgresql.connection import (
    LET_END,
    VERSION,
    PostgresqlConnection,
    Raw,
    SharedClock,
    faults,
    name_of,
    set_up,
    too_old,
)

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

    @contextmanager
    def opened(self) -> Iterator[Raw]:
        """Give a new connection, which is closed if the body fails."""
        with faults(self.where):
            raw = psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.RawCursor)
            try:
                set_up(raw, self.patience)
                yield raw
            except BaseException:
                raw.close()
                raise

    def connect(self) -> PostgresqlConnection:
        """Return a new connection, to tables of our version."""
        with self.opened() as raw:
            return self.wrapped(raw)

    def wrapped(self, raw: Raw) -> PostgresqlConnection:
        """Return a connection as the store uses it; the first one makes missing tables."""
        if self._identity is None:
            with faults(self.where):
                _migrate(raw, self.where, self._home)
                self._identity = _identity_of(raw)
        return PostgresqlConnection(raw, self.where, self._identity, self.clock)


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


# Tasks that one host has

KEPT_SECONDS = 20.0
"""After how many seconds the server takes the locks of a host that says nothing.

That is before it gives up the connection of one that is cut off.
"""
_ASKED = 3
"""How often a host says something meanwhile."""
_TAKE = "SELECT value FROM json_each(?) WHERE pg_try_advisory_lock(hashtextextended(value, 0))"
_GIVE_BACK = "SELECT pg_advisory_unlock(hashtextextended(value, 0)) FROM json_each(?)"


class Holder(Hold, AbstractContextManager[Hold]):
    """Takes tasks for a host of those that share a database: advisory locks of one connection.

    The server takes them back when the connection is lost, or the host says nothing for so many
    `seconds`. The methods may raise DatabaseFault.
    """

    def __init__(self, server: Server, seconds: float = KEPT_SECONDS) -> None:
        self._server = server
        self._seconds = seconds
        self._lock = threading.Lock()
        self._connection: PostgresqlConnection | None = None
        self._heard = 0.0
        """When the server was asked last, by a clock that goes on while the host sleeps."""
        self._is_over = threading.Event()
        self._asking = threading.Thread(target=self._ask, name="locks", daemon=True)

    @property
    def is_sure(self) -> bool:
        """Whether the server cannot have taken back a task."""
        if self._connection is None:
            return True
        with self._lock:
            return self._connection.is_sound and _clock() < self._heard + self._seconds

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Take those of some tasks that nobody has, and return them."""
        if self._connection is None:
            self._connection = self._server.connect()
            self._do(f"SET idle_session_timeout = '{int(self._seconds * 1000)}ms'")
            self._asking.start()
        return frozenset(task for (task,) in self._do(_TAKE, words_list(tasks)))

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let others have tasks again."""
        self._do(_GIVE_BACK, words_list(tasks))

    def __exit__(self, *_: object) -> None:
        """Let others have all tasks again."""
        if self._connection:
            self._is_over.set()
            with suppress(DatabaseFault):
                self._do("SELECT pg_advisory_unlock_all()")  # at once, and not some time later
            self._connection.close()
            if self._asking.is_alive():
                self._asking.join()

    def _ask(self) -> None:
        while not self._is_over.wait(self._seconds / _ASKED) and self.is_sure:
            with suppress(DatabaseFault):
                self._do("SELECT 1")

    def _do(self, statement: str, *values: str) -> list[Row]:
        with self._lock:
            asked = _clock()
            rows = self._connection.execute(statement, values) if self._connection else []
            self._heard = asked
        return rows


def _clock() -> float:
    """Return seconds that also pass while the host sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class PostgresqlDatabase(DatabaseOf[PostgresqlConnection]):
    """The database that a URL names. Its methods may raise DatabaseFault, an OSError."""

    is_made = True
    """The tables are made when somebody connects."""
    is_shared = True

    def __init__(
        self, server: Server, kept_seconds: float = KEPT_SECONDS, most: int = MOST_CONNECTIONS
    ) -> None:
        """`kept_seconds`: after how long the tasks of a host that has stopped are others'.

        `most`: how many connections may read at once.
        """
        super().__init__(Path(server.where))
        self.server = server
        self.key = SharedKey(self)
        self._kept_seconds = kept_seconds
        self._most = most
        self._pool: ConnectionPool[Raw] | None = None
        self._opening = threading.Lock()

    @property
    def lent(self) -> int:
        """How many connections of this process's pool are in use."""
        found = self._pool.get_stats() if self._pool else {}
        return found.get("pool_size", 0) - found.get("pool_available", 0)

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of the server.

        As long as that has never been reached, it is the clock of this host.
        """
        if not self.server.clock.is_set:
            with suppress(DatabaseFault), self.read_latest():
                pass  # whoever begins to read is told the time
        return self.server.clock.time()

    def _connect_to_write(self) -> PostgresqlConnection:
        return self.server.connect()

    def _take(self) -> PostgresqlConnection:
        pool, latest = self._opened_pool(), time.monotonic() + self.server.patience
        while True:
            try:
                raw = pool.getconn(min(_SOON_SECONDS, self.server.patience))
            except PoolTimeout:
                self.server.connect().close()  # which says what is wrong with the server
                if time.monotonic() < latest:
                    continue
                reason = f"all {self._most} connections of this process are in use"
                raise DatabaseBusy(f"{self.server.where}: {reason}") from None
            try:
                connection = self.server.wrapped(raw)
                if connection.is_sound:
                    return connection
            except BaseException:
                pool.putconn(raw)
                raise
            raw.close()
            pool.putconn(raw)

    def _put_back(self, connection: PostgresqlConnection) -> None:
        with suppress(DatabaseFault):
            connection.roll_back()
        if connection.is_broken:
            connection.close()
        if self._pool:
            self._pool.putconn(connection.raw)

    def _close_readers(self) -> None:
        if self._pool:
            self._pool.close()
            self._pool = None

    def _opened_pool(self) -> ConnectionPool[Raw]:
        with self._opening:
            if self._pool is None:
                self.server.connect().close()
                # Faults say what is wrong; what the pool says besides repeats it again and again.
                logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
                self._pool = ConnectionPool(
                    self.server.url,
                    kwargs={"autocommit": True, "cursor_factory": psycopg.RawCursor},
                    configure=lambda raw: set_up(raw, self.server.patience),
                    min_size=0,
                    max_size=self._most,
                    reconnect_timeout=_RECONNECT_SECONDS,
                    num_workers=1,
                    open=True,
                )
            return self._pool

    def holding(self) -> AbstractContextManager[Hold]:
        """Give what takes tasks in the body for this host.

        A host that is dead, or has stopped, loses them within a minute.
        """
        return Holder(self.server, self._kept_seconds)

    def latest_id(self, snapshot: Snapshot, table: str) -> int:
        """Return the highest id that a table has ever given, or 0."""
        sequence = f"{table}_id_seq"
        return snapshot.number("SELECT pg_sequence_last_value(CAST(? AS regclass))", sequence)

    def note_latest_id(self, transaction: Transaction, table: str, latest: int) -> None:
        """Let a table give higher ids from now on."""
        if latest:
            transaction.rows("SELECT setval(CAST(? AS regclass), ?)", f"{table}_id_seq", latest)

    def check_copied(self, snapshot: Snapshot) -> None:
        """Raise DatabaseTooNew if tables may hold more than this program can copy.

        Servers go on with tables to which a later version has added something.
        """
        version = snapshot.number(VERSION)
        if version > LATEST:
            raise DatabaseTooNew(
                f"{self.server.where} was taken over by a newer pbm_oust: its tables are of "
                f"version {version}, and this program can copy those of version {LATEST}. "
                "Copy with the newer program"
            )

    @contextmanager
    def copied_to(self, path: Path) -> Iterator[Snapshot]:
        """Copy what the database holds into a file of SQLite, and give it to be read."""
        from pbm_oust.store.backup import copy_tables
        from pbm_oust.store.sqlite import SqliteDatabase, empty_database

        with self.read_latest() as snapshot:
            Disk().write(path, empty_database(), mode=0o600)
            copy = SqliteDatabase(path)
            try:
                copy.write(partial(copy_tables, self, snapshot, copy))
                copy.empty_log()
            finally:
                copy.close()
            yield snapshot

    def upgrade(self, before: Collection[int], work: Callable[[Connection], T]) -> T | None:
        """Have tables of a version `before` this one brought up to date, in one transaction.

        Returns what the work returns; None if the tables can be used already. Missing tables are
        made. Raises DatabaseTooOld for other tables.
        """
        with self.server.opened() as raw, closing(raw):
            if _version_of(raw) not in before:
                self.server.wrapped(raw)
                return None
            connection = PostgresqlConnection(raw, self.server.where, (0, 0), self.server.clock)
            connection.begin_to_write()
            done = work(connection)
            connection.execute("INSERT INTO pbm_oust_version VALUES (?, ?)", (LATEST, OLDEST))
            connection.commit()
            return done


_WITHHELD = b""
"""What stands in place of the key while the home is no whole copy of another one yet."""


class SharedKey:
    """The key in a database. Its methods may raise DatabaseFault, an OSError."""

    def __init__(self, database: PostgresqlDatabase) -> None:
        self._database = database
        self._known: bytes | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""
        return bool(self._find())

    @property
    def is_withheld(self) -> bool:
        """Whether there is no key because the home is no whole copy of another one yet."""
        return self._find() == _WITHHELD

    def make(self) -> None:
        """Make a key if there is none, and none is withheld. Raises OSError."""
        if not self.is_made:
            self._add(secrets.token_bytes(32))
        if self.is_withheld:
            raise NotWhole(self._database.server.where)

    def withhold(self) -> None:
        """Let nobody make a key until one is put."""
        self._add(_WITHHELD)

    def put(self, key: bytes) -> None:
        """Take a key, unless there is one."""
        put = (
            "INSERT INTO home_key VALUES (1, ?) ON CONFLICT (id)"
            " DO UPDATE SET key = excluded.key WHERE home_key.key = ?"
        )
        self._database.write(lambda transaction: transaction.run(put, key, _WITHHELD))

    def read(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if there is none."""
        if not self._known:
            self._known = self._find()
        if not self._known:
            raise OSError(f"{self._database.server.where} has no key yet")
        return self._known

    def _add(self, key: bytes) -> None:
        add = "INSERT INTO home_key VALUES (1, ?) ON CONFLICT DO NOTHING"
        self._database.write(lambda transaction: transaction.run(add, key))

    def _find(self) -> bytes | None:
        """Return what stands in the place of the key; None if nothing does."""
        with self._database.read_latest() as snapshot:
            row = snapshot.row("SELECT key FROM home_key WHERE id = 1")
        return bytes(row[0]) if row else None


# URLs, and what a server says of itself

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


_SETTINGS_OF_SERVER = (
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
    (facts,) = snapshot.rows(_SETTINGS_OF_SERVER)
    forbidden = tuple(name for (name,) in snapshot.rows(_FORBIDDEN))
    return ServerFacts(forbidden, *facts)
