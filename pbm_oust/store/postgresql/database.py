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

KEPT_SECONDS = 30.0
"""After how many seconds the server takes the locks of a host that says nothing."""
_ASKED = 3
"""How often a host says something meanwhile."""
_TAKE = "SELECT value FROM json_each(?) WHERE pg_try_advisory_lock(hashtextextended(value, 0))"
_GIVE_BACK = "SELECT pg_advisory_unlock(hashtextextended(value, 0)) FROM json_each(?)"


class Holder(AbstractContextManager["Holder"]):
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


T = TypeVar("T")


class PostgresqlDatabase(DatabaseOf[PostgresqlConnection]):
    """The database that a URL names. Its methods may raise DatabaseFault, an OSError."""

    is_made = True
    """The tables are made when somebody connects."""

    def __init__(self, server: Server, kept_seconds: float = KEPT_SECONDS) -> None:
        """`kept_seconds`: after how long the tasks of a host that has stopped are others'."""
        self.server = server
        self._pool = ServerPool(server)
        self._kept_seconds = kept_seconds
        super().__init__(Path(server.where))

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
        return Holder(self.server, self._kept_seconds)

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
        self._add(key)
        put = "UPDATE home_key SET key = ? WHERE id = 1 AND key = ?"
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
