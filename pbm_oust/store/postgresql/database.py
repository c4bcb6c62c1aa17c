"""The database of a home on a server of PostgreSQL, which several hosts share."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

from pbm_oust.store.database import (
    LEASE_SECONDS,
    Connection,
    DatabaseOf,
    MakeDurable,
    Snapshot,
    Transaction,
    Work,
)
from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.postgresql.connection import PostgresqlConnection
from pbm_oust.store.postgresql.faults import too_new_to_copy
from pbm_oust.store.postgresql.leases import Holder
from pbm_oust.store.postgresql.server import Server, ServerPool
from pbm_oust.store.schema import LATEST, VERSION

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
        from pbm_oust.store.copying import copy_tables
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
