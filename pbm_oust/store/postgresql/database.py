"""The database of a home on a server of PostgreSQL, which several hosts share."""

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from pbm_oust.store.columns import words_list
from pbm_oust.store.database import (
    LEASE_SECONDS,
    Connection,
    DatabaseOf,
    MakeDurable,
    Row,
    Snapshot,
    Transaction,
    Work,
)
from pbm_oust.store.disk import Disk
from pbm_oust.store.engines import NotWhole
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.postgresql.connection import PostgresqlConnection, too_new_to_copy
from pbm_oust.store.postgresql.server import Server, ServerPool
from pbm_oust.store.schema import LATEST, VERSION

_RENEWALS = 3
"""How often it is renewed meanwhile."""

_NOW = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"
_IS_OVER = f"(until <= {_NOW} OR until > {_NOW} + ?)"
"""Whether a lease has ended; one that lasts longer than any is given was made by a wrong clock."""
_NAMED = "SELECT json_array_elements_text(CAST(? AS JSON))"
_NOTE = (
    "INSERT INTO leases (task, holder, until) SELECT task, '', 0"  # noqa: S608 - the words are ours # nosec B608
    f" FROM ({_NAMED} AS task) named ORDER BY task ON CONFLICT DO NOTHING"
)
_TAKE = (
    f"UPDATE leases SET holder = ?, until = {_NOW} + ? WHERE task IN (SELECT task FROM leases"  # noqa: S608 - the words are ours # nosec B608
    f" WHERE task IN ({_NAMED}) AND {_IS_OVER} FOR UPDATE SKIP LOCKED) RETURNING task"
)
_RENEW = f"UPDATE leases SET until = {_NOW} + ? WHERE holder = ? RETURNING task"  # noqa: S608 - the words are ours # nosec B608
_GIVE_BACK = f"DELETE FROM leases WHERE holder = ? AND task IN ({_NAMED})"  # noqa: S608 - the words are ours # nosec B608
_END = f"DELETE FROM leases WHERE holder = ? OR until < {_NOW} - ?"  # noqa: S608 - the words are ours # nosec B608

Lend = Callable[[], AbstractContextManager[PostgresqlConnection]]


class Holder(AbstractContextManager["Holder"]):
    """Takes tasks for a host of those that share a database, and renews its leases of them.

    `lend` lends a connection. The methods may raise DatabaseFault.
    """

    def __init__(self, lend: Lend, seconds: float = LEASE_SECONDS) -> None:
        self._lend = lend
        self._seconds = seconds
        self._name = secrets.token_hex(8)
        self._held = frozenset[str]()
        self._has_lost = False
        """Whether another host has a task that is taken to be ours."""
        self._renewed = 0.0
        """When all leases were taken or renewed, by a clock that goes on while the host sleeps."""
        self._is_over = threading.Event()
        self._renewing: threading.Thread | None = None

    @property
    def is_sure(self) -> bool:
        """Whether the leases cannot have ended."""
        if self._has_lost:
            return False
        return not self._renewing or _clock() < self._renewed + self._seconds

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Take those of some tasks that nobody has, and return them."""
        begun, named = _clock(), words_list(tasks)
        with self._lend() as connection:
            connection.begin_to_hold()
            connection.send(_NOTE, (named,))
            values = self._name, self._seconds, named, self._seconds
            rows = connection.execute(_TAKE, values)
            connection.commit()
        taken = frozenset(task for (task,) in rows)
        self._held |= taken
        if taken and not self._renewing:
            self._renewed = begun
            self._renewing = threading.Thread(target=self._renew, name="leases", daemon=True)
            self._renewing.start()
        return taken

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let others have tasks again."""
        given = frozenset(tasks)
        self._held -= given
        self._do(_GIVE_BACK, self._name, words_list(given))

    def __exit__(self, *_: object) -> None:
        """Let others have all tasks again."""
        if self._renewing:
            self._is_over.set()
            self._renewing.join()
            with suppress(DatabaseFault):
                self._do(_END, self._name, self._seconds)

    def _renew(self) -> None:
        while not self._is_over.wait(self._seconds / _RENEWALS) and self.is_sure:
            begun, held = _clock(), self._held
            with suppress(DatabaseFault):
                renewed = {task for (task,) in self._do(_RENEW, self._seconds, self._name)}
                # What was given back meanwhile is not missed.
                self._has_lost = not held & self._held <= renewed
                self._renewed = begun

    def _do(self, statement: str, *values: str | float) -> list[Row]:
        with self._lend() as connection:
            connection.begin_to_hold()
            rows = connection.execute(statement, values)
            connection.commit()
        return rows


def _clock() -> float:
    """Return seconds that also pass while the host sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


T = TypeVar("T")


class PostgresqlDatabase(DatabaseOf[PostgresqlConnection]):
    """The database that a URL names. Its methods may raise DatabaseFault, an OSError."""

    is_made = True
    """The tables are made when somebody connects."""

    def __init__(self, server: Server, lease_seconds: float = LEASE_SECONDS) -> None:
        self.server = server
        self._pool = ServerPool(server)
        super().__init__(Path(server.where))
        self._lease_seconds = lease_seconds

    @property
    def lent(self) -> int:
        """How many connections of this process's pool are in use."""
        return self._pool.lent

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of the server.

        As long as that has never been reached, it is the clock of this host.
        """
        if not self.server.clock.is_set:
            with suppress(DatabaseFault), self.read_latest() as snapshot:
                snapshot.rows("SELECT 1")
        return self.server.clock.time()

    def begin_to_write(self, works: Iterable[Work]) -> MakeDurable | None:
        """Return None: who takes mail does not wait for a server, so another thread does all."""
        self._about_to_write()
        return None

    def _connect_to_write(self) -> PostgresqlConnection:
        return self.server.connect()

    def _take(self) -> PostgresqlConnection:
        return self._pool.take()

    def _put_back(self, connection: PostgresqlConnection) -> None:
        self._pool.put_back(connection)

    def _close_readers(self) -> None:
        self._pool.close()

    def holding(self) -> AbstractContextManager[Holder]:
        """Give what takes tasks in the body for this host.

        A host that is dead, or has stopped, loses them within a minute.
        """
        self._check_process()
        return Holder(self.lend, self._lease_seconds)

    def latest_id(self, snapshot: Snapshot, table: str) -> int:
        """Return the highest id that a table has ever given, or 0."""
        sequence = f"{table}_id_seq"
        row = snapshot.row(
            "SELECT coalesce(pg_sequence_last_value(CAST(? AS regclass)), 0)", sequence
        )
        return int(row[0]) if row else 0

    def note_latest_id(self, transaction: Transaction, table: str, latest: int) -> None:
        """Let a table give higher ids from now on."""
        if latest:
            transaction.rows("SELECT setval(CAST(? AS regclass), ?)", f"{table}_id_seq", latest)

    def check_copied(self, snapshot: Snapshot) -> None:
        """Raise DatabaseTooNew if tables may hold more than this program can copy.

        Servers go on with tables to which a later version has added something.
        """
        ((version,),) = snapshot.rows(VERSION)
        if version > LATEST:
            raise too_new_to_copy(self.server.where, version, LATEST)

    def damage(self, snapshot: Snapshot) -> Iterator[str]:
        """Yield nothing: the server looks after its tables."""
        yield from ()

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

    def upgrade(self, before: int, work: Callable[[Connection], T]) -> T | None:
        """Have tables of the version `before` brought up to date, in one transaction.

        Returns what the work returns; None if the tables can be used already. Missing tables are
        made. Raises DatabaseTooOld for other tables.
        """
        return self.server.upgrade(before, work)


_COPYING = "SELECT 1 FROM leases WHERE task = 'copying a home'"
_WITHHOLD = "INSERT INTO leases VALUES ('copying a home', '', 'Infinity') ON CONFLICT DO NOTHING"
_GO_ON = "DELETE FROM leases WHERE task = 'copying a home'"
"""A lease that no host has, and that does not end: the home is no whole copy yet."""


class SharedKey:
    """The key in a database. Its methods may raise DatabaseFault, an OSError."""

    def __init__(self, database: PostgresqlDatabase) -> None:
        self._database = database
        self._known: bytes | None = None

    @property
    def is_made(self) -> bool:
        """Whether there is a key."""
        return self._find() is not None

    @property
    def is_withheld(self) -> bool:
        """Whether there is no key because the home is no whole copy of another one yet."""
        with self._database.read_latest() as snapshot:
            return _key_in(snapshot) is None and bool(snapshot.rows(_COPYING))

    def make(self) -> None:
        """Make a key if there is none, and none is withheld. Raises OSError."""
        if not self.is_made:
            self._database.write(self._make)

    def withhold(self) -> None:
        """Let nobody make a key until one is put."""
        self._database.write(lambda transaction: transaction.run(_WITHHOLD))

    def put(self, key: bytes) -> None:
        """Take a key, unless there is one."""
        self._database.write(lambda transaction: _put(transaction, key))

    def read(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if there is none."""
        if self._known is None:
            self._known = self._find()
        if self._known is None:
            raise OSError(f"{self._database.server.where} has no key yet")
        return self._known

    def _make(self, transaction: Transaction) -> None:
        if transaction.rows(_COPYING):
            raise NotWhole(self._database.server.where)
        _put(transaction, secrets.token_bytes(32))

    def _find(self) -> bytes | None:
        with self._database.read_latest() as snapshot:
            return _key_in(snapshot)


def _key_in(snapshot: Snapshot) -> bytes | None:
    row = snapshot.row("SELECT key FROM home_key WHERE id = 1")
    return bytes(row[0]) if row else None


def _put(transaction: Transaction, key: bytes) -> None:
    transaction.run("INSERT INTO home_key VALUES (1, ?) ON CONFLICT DO NOTHING", key)
    transaction.run(_GO_ON)
