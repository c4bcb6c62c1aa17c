"""One connection to the database, and what may be done with it: read a snapshot, or write."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import apsw

from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import DatabaseFault, DatabaseLocked, damaged, fault_of, too_new
from pbm_oust.store.migrations import LATEST, migrate

T = TypeVar("T")
Value = None | int | float | str | bytes
Row = tuple[Any, ...]
Identity = tuple[int, int]
"""Device and inode of a file."""

RESET_SIZE = 16 * 1024 * 1024
"""The size in bytes to which the log is cut when it starts again."""
_RESTART = 100
"""How many milliseconds to wait for those who read the log."""


@dataclass
class _Log:
    """How long the log is; it knows no connection, so that nothing keeps one that is dropped."""

    pages: int = 0

    def note(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        """Note what SQLite tells after a commit."""
        self.pages = pages
        return apsw.SQLITE_OK


class Connection:
    """A connection to the file at `path`; if it is missing, to empty tables.

    Every method may raise DatabaseFault.
    """

    def __init__(self, path: Path, disk: Disk, patience: float, *, reads_only: bool) -> None:
        """`patience` is the number of seconds to wait until other processes have written."""
        self.path = path
        self.identity = identity_of(path)
        self.is_broken = False
        """Whether a fault has shown, after which the connection should be closed."""
        self._log = _Log()
        self._patience = int(patience * 1000)
        try:
            self._apsw = self._opened() if self.identity else _connection_to_nothing()
        except apsw.Error as error:
            raise fault_of(error, path, _errno_of(path)) or error from error
        try:
            if self.identity:
                self._set_up(disk)
            if reads_only:
                self.execute("PRAGMA query_only = ON")
            elif self.version():
                self.execute("PRAGMA journal_mode = WAL")  # a copy may have lost it
        except apsw.Error as error:
            fault = self._fault(error) or damaged(path, str(error))
            self.close()
            raise fault from error
        except BaseException:
            self.close()
            raise

    def _opened(self) -> apsw.Connection:
        return apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READWRITE)

    def _set_up(self, disk: Disk) -> None:
        self._apsw.set_busy_timeout(self._patience)
        self._apsw.set_wal_hook(self._log.note)
        # No plan depends on the values: else some statements are prepared for each of them anew.
        self._apsw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self.execute("PRAGMA synchronous = FULL")
        self.execute("PRAGMA foreign_keys = ON")
        self.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        self.execute(f"PRAGMA journal_size_limit = {RESET_SIZE}")
        version = self.version()
        # A process may have died between writing a transaction and syncing it. Whoever opens the
        # database next sees that transaction, and must not build on it before it is durable.
        with suppress(FileNotFoundError):
            disk.sync_file(self.path.with_name(f"{self.path.name}-wal"))
        if 0 < version < LATEST:
            self.execute("BEGIN IMMEDIATE")
            migrate(self._apsw)
            self.execute("COMMIT")

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite ends it by itself after some faults."""
        return self._apsw.in_transaction

    @property
    def changed(self) -> int:
        """The number of rows that the latest statement has changed."""
        return self._apsw.changes()

    @property
    def pages_logged(self) -> int:
        """The number of pages in the log after the latest commit of this connection."""
        return self._log.pages

    def execute(self, statement: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """Carry out a statement and return its rows."""
        try:
            return self._apsw.execute(statement, values).fetchall()
        except apsw.Error as error:
            fault = self._fault(error)
            if fault is None:
                raise
            self.is_broken = True
            raise fault from error

    def begin(self, statement: str) -> None:
        """Begin a transaction, and check that the tables have the version that we know."""
        ((version,),) = self.execute(f"{statement}; PRAGMA user_version")
        if version == LATEST:
            return
        if version > LATEST:
            raise too_new(self.path, version, LATEST)
        raise damaged(self.path, "it has none of our tables")

    def begin_at_once(self) -> bool:
        """Begin a transaction that writes, unless somebody else writes; return whether it has."""
        try:
            with self._waiting(0):
                self.begin("BEGIN IMMEDIATE")
        except DatabaseLocked:
            self.is_broken = False
            return False
        return True

    def end(self, statement: str) -> None:
        """End the transaction, if one is open."""
        if self.is_in_transaction:
            self.execute(statement)

    def version(self) -> int:
        """Return the version of the tables."""
        return int(self.execute("PRAGMA user_version")[0][0])

    def shorten_log(self) -> None:
        """Move the log into the file itself, as far as nobody reads older pages."""
        self.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def restart_log(self) -> None:
        """Let the log begin again when somebody writes next, unless others go on reading it.

        Those who write wait meanwhile.
        """
        with self._waiting(_RESTART):
            self.execute("PRAGMA wal_checkpoint(RESTART)")

    @contextmanager
    def _waiting(self, milliseconds: int) -> Iterator[None]:
        """Wait at most so long for others in the body."""
        self._apsw.set_busy_timeout(milliseconds)
        try:
            yield
        finally:
            self._apsw.set_busy_timeout(self._patience)

    def empty_log(self) -> None:
        """Move the whole log into the file and empty it, unless somebody else uses it now."""
        self._apsw.set_busy_timeout(0)
        self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy_to(self, path: Path) -> None:
        """Copy all that the database holds into an empty file, and sync it."""
        try:
            copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
            try:
                with copy.backup("main", self._apsw, "main") as backup:
                    backup.step()
            finally:
                copy.close()
        except apsw.Error as error:
            raise fault_of(error, path) or error from error

    def close(self) -> None:
        """Close the connection, in whatever state it is."""
        with suppress(apsw.Error):
            self._apsw.close(True)

    def _fault(self, error: apsw.Error) -> DatabaseFault | None:
        return fault_of(error, self.path, self._apsw.system_errno)


class Snapshot:
    """What the database holds at one moment. Its methods may raise DatabaseFault."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.fault: DatabaseFault | None = None
        """The first fault of a statement."""

    @property
    def identity(self) -> Identity | None:
        """What identifies the file of the database; None if there is none."""
        return self._connection.identity

    def rows(self, statement: str, *values: Value) -> list[Row]:
        """Return all rows that a statement gives."""
        if self.fault and not self._connection.is_in_transaction:
            raise self.fault
        try:
            return self._connection.execute(statement, values)
        except DatabaseFault as fault:
            self.fault = self.fault or fault
            raise

    def row(self, statement: str, *values: Value) -> Row | None:
        """Return the first row that a statement gives, or None."""
        found = self.rows(statement, *values)
        return found[0] if found else None


class Transaction(Snapshot):
    """What the database holds while nobody else writes, with the changes made so far."""

    def run(self, statement: str, *values: Value) -> int:
        """Carry out a statement and return the number of rows it has changed."""
        self.rows(statement, *values)
        return self._connection.changed


class Task(Generic[T]):
    """Work that waits to be done within a transaction, and its result."""

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self._work = work
        self._result: list[T] = []
        self._error: Exception | None = None
        self.is_over = False
        """Whether its result is durable, or it has failed."""

    def run(self, connection: Connection) -> None:
        """Do the work; if it fails, what it has written is undone. Raises DatabaseFault.

        Such a fault is one of the whole transaction, including the work before this.
        """
        connection.execute("SAVEPOINT task")
        transaction = Transaction(connection)
        try:
            self._result = [self._work(transaction)]
        except Exception as error:  # noqa: BLE001 - it is raised again where the work came from
            self._error = error
        if transaction.fault and not connection.is_in_transaction:
            raise transaction.fault
        if self._error:
            connection.execute("ROLLBACK TO task")
        connection.execute("RELEASE task")

    def fail(self, fault: DatabaseFault) -> None:
        """Mark the work as failed, because its transaction has."""
        self._error = type(fault)(*fault.args)
        self._error.__cause__ = fault

    def result(self) -> T:
        """Return what the work returned, or raise what it raised."""
        error, self._error = self._error, None
        try:
            if error:
                raise error
            return self._result[0]
        finally:
            del error  # else it would keep the frames alive that hold it


def identity_of(path: Path) -> Identity | None:
    """Return what identifies the file at a path; None if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _connection_to_nothing() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    return connection


def _errno_of(path: Path) -> int:
    """Return why a file cannot be opened, as far as that can be seen without opening it.

    A process that closes a file loses the locks that SQLite has on it.
    """
    return 0 if os.access(path, os.R_OK | os.W_OK) else errno.EACCES
