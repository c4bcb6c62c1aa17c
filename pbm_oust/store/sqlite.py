"""A connection to the file of the embedded database, by SQLite."""

import errno
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import apsw

from pbm_oust.frozen import frozen
from pbm_oust.store.connections import Identity, Row, Value
from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import (
    DatabaseFault,
    DatabaseLocked,
    damaged,
    disk_faults,
    fault_of,
    too_new,
    too_old,
)
from pbm_oust.store.patience import Patience
from pbm_oust.store.schema import LATEST, tables

log = logging.getLogger("pbm_oust")

RESET_SIZE = 16 * 1024 * 1024
"""The size in bytes to which the log is cut when it starts again."""
LARGEST_LOG = 1000
"""The number of pages after which the log is moved into the file."""
LARGEST_TENDED = 5 * LARGEST_LOG
"""The number of pages after which it is, even if somebody else has to do it."""
_RESTART = 0.1
"""How many seconds to wait for those who read the log."""
_FORMAT_VERSIONS = slice(18, 20)
"""Where a database file says how it is written and read: 2 is for a write-ahead log.

See section 1.3.3 of SQLite's description of the file format.
"""


@dataclass
class Log:
    """How long the log of a database is, and how long it may be.

    It knows no connection, so that nothing keeps one that is dropped.
    """

    pages: int = 0
    """The number of pages after the latest commit."""
    largest: int = LARGEST_LOG
    """The number of pages after which those who write shorten it."""

    def note(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        """Note what SQLite tells after a commit."""
        self.pages = pages
        return apsw.SQLITE_OK


@frozen
class Done:
    """What a statement has given and changed."""

    rows: list[Row]
    changed: int

    @property
    def is_none(self) -> bool:
        """Whether it has given no row."""
        return not self.rows


class SqliteConnection:
    """A connection to the file at `path`; if it is missing, to empty tables.

    Every method may raise DatabaseFault.
    """

    def __init__(
        self, path: Path, disk: Disk, patience: float, log: Log, *, reads_only: bool
    ) -> None:
        """`patience` is the number of seconds to wait until other processes have written."""
        self.path = path
        self.identity = identity_of(path)
        self.is_broken = False
        """Whether a fault has shown, after which the connection should be closed."""
        self.may_write = True
        """Whether all files could be opened for writing, which SQLite else finds out too late."""
        self._log = log
        self._patience = Patience(patience)
        try:
            self._apsw = self._opened() if self.identity else _connection_to_nothing()
        except apsw.Error as error:
            raise fault_of(error, path, _errno_of(path)) or error from error
        try:
            if self.identity:
                self._set_up(disk)
                self.may_write = self._may_write()
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
        self._apsw.set_busy_handler(self._patience.wait)
        self._apsw.set_wal_hook(self._log.note)
        # No plan depends on the values: else some statements are prepared for each of them anew.
        self._apsw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self.execute("PRAGMA synchronous = FULL")
        self.execute("PRAGMA foreign_keys = ON")
        self.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        self.execute(f"PRAGMA journal_size_limit = {RESET_SIZE}")
        # A process may have died between writing a transaction and syncing it. Whoever opens the
        # database next sees that transaction, and must not build on it before it is durable.
        with suppress(FileNotFoundError):
            disk.sync_file(self.path.with_name(f"{self.path.name}-wal"))

    def _may_write(self) -> bool:
        try:
            with self._waiting(0):
                self._apsw.execute("BEGIN IMMEDIATE; ROLLBACK").fetchall()
        except apsw.ReadOnlyError:
            return False
        except apsw.BusyError:
            pass  # somebody else writes, so that it is not tried further
        return True

    @property
    def is_sound(self) -> bool:
        """Whether the connection works, and still has the right file open."""
        with disk_faults(self.path):
            return not self.is_broken and self.identity == identity_of(self.path)

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite ends it by itself after some faults."""
        return self._apsw.in_transaction

    @property
    def changed(self) -> int:
        """The number of rows that the latest statement has changed."""
        return self._apsw.changes()

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

    def send(self, statement: str, values: tuple[Value, ...] = ()) -> "Done":
        """Carry out a statement, at once."""
        return Done(self.execute(statement, values), self.changed)

    def wait(self) -> None:
        """Do nothing: all that was sent has been carried out."""

    def begin_to_read(self) -> None:
        """Begin a transaction that reads one moment; the tables must have our version."""
        self._begin("BEGIN")

    def begin_to_write(self, *, shares: bool = False) -> None:
        """Begin a transaction when nobody else writes; the tables must have our version."""
        self._begin("BEGIN IMMEDIATE")

    def begin_at_once(self) -> bool:
        """Begin as `begin_to_write` does, unless somebody else writes; return whether it has."""
        try:
            with self._waiting(0):
                self.begin_to_write()
        except DatabaseLocked:
            self.is_broken = False
            return False
        return True

    def commit(self) -> None:
        """Make durable what was written."""
        self.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""
        if self.is_in_transaction:
            self.execute("ROLLBACK")

    def tend(self) -> None:
        """Move a long log into the file; what was committed is durable even without that."""
        if self._log.pages < self._log.largest:
            return
        try:
            self.shorten_log()
            if self._log.pages >= LARGEST_TENDED:
                self.restart_log()
        except DatabaseFault as fault:
            log.warning("the log of the database stays long: %s", fault)

    def moment(self) -> Value:
        """Return the number of what others have committed; it is no number of ours."""
        return int(self.execute("PRAGMA data_version")[0][0])

    def _begin(self, statement: str) -> None:
        ((version,),) = self.execute(f"{statement}; PRAGMA user_version")
        if version == LATEST:
            return
        if version > LATEST:
            raise too_new(self.path, version, LATEST)
        if version:
            raise too_old(self.path, version, LATEST)
        raise damaged(self.path, "it has none of our tables")

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
    def _waiting(self, seconds: float) -> Iterator[None]:
        """Wait at most so many seconds for others in the body."""
        usual, self._patience.seconds = self._patience.seconds, seconds
        try:
            yield
        finally:
            self._patience.seconds = usual

    def empty_log(self) -> None:
        """Move the whole log into the file and empty it, unless somebody else uses it now."""
        with self._waiting(0):
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


def identity_of(path: Path) -> Identity | None:
    """Return what identifies the file at a path; None if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _connection_to_nothing() -> apsw.Connection:
    connection = apsw.Connection(":memory:")
    make_tables(connection)
    return connection


def make_tables(connection: apsw.Connection) -> None:
    """Make all tables in an empty database."""
    connection.execute(tables("sqlite"))
    connection.pragma("user_version", LATEST)


def empty_database() -> bytes:
    """Return a whole database file with all tables, all empty."""
    connection = _connection_to_nothing()
    try:
        content = bytearray(connection.serialize("main"))
    finally:
        connection.close()
    content[_FORMAT_VERSIONS] = b"\2\2"
    return bytes(content)


def _errno_of(path: Path) -> int:
    """Return why a file cannot be opened, as far as that can be seen without opening it.

    A process that closes a file loses the locks that SQLite has on it.
    """
    return 0 if os.access(path, os.R_OK | os.W_OK) else errno.EACCES
