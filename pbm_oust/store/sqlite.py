"""SQLite: the database of a home in `HOME/pbm_oust.db`, and connections to it.

One process writes at a time, and nobody waits for readers. Nothing else in a process may open the
file, because closing it would lose SQLite's locks.
"""

import errno
import logging
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import apsw

from pbm_oust.store import database, faults
from pbm_oust.store.disk import Disk, bytes_of, locked_folder

log = logging.getLogger("pbm_oust")

T = TypeVar("T")

FILE_NAME = "pbm_oust.db"
KEY = "key"
_KEY = re.compile(rb"[0-9a-f]{64}\n")
UNFINISHED = f".{FILE_NAME}.draft"
"""The name of the file in an unfinished backup, or in a home that is not fully restored.

It is there from the very beginning, so that nobody else uses the folder meanwhile.
"""
COMPANIONS = ("-wal", "-shm")
"""What SQLite appends to the file's name for the files beside it."""
FOR_ROOT = 0.5
"""Seconds to wait until root has given away the files that it makes beside the database."""
RESET_SIZE = 16 * 1024 * 1024
"""The size in bytes to which the log is cut when it starts again."""
_FORMAT_VERSIONS = slice(18, 20)
"""Where a database file says how it is written and read: 2 is for a write-ahead log.

See section 1.3.3 of SQLite's description of the file format.
"""
_LOOK = 0.0004
"""How many seconds pass until it is looked again whether others have written.

SQLite's own pauses grow up to a tenth of a second, and whoever comes meanwhile goes first.
"""


def busy_wait(seconds: float) -> Callable[[int], bool]:
    """Return what waits a moment, after so many moments before; it is False after so many seconds.

    It knows no connection, so that nothing keeps one that is dropped.
    """
    until = 0.0

    def wait(before: int) -> bool:
        nonlocal until
        now = time.monotonic()
        if not before:
            until = now + seconds
        if now >= until:
            return False
        time.sleep(_LOOK)
        return True

    return wait


def sync_log(path: Path, disk: Disk) -> None:
    """Wait until the disk has the log of the database at `path`, if there is one."""
    try:
        disk.sync_file(path.with_name(f"{path.name}-wal"))
    except FileNotFoundError:
        pass
    except OSError as error:
        raise faults.disk_fault(error, path) from error


class SqliteConnection(database.Connection):
    """A connection to the file at `path`; if it is missing, to empty tables.

    Every method may raise DatabaseFault.
    """

    def __init__(self, path: Path, disk: Disk, patience: float, *, reads_only: bool) -> None:
        """`patience` is the number of seconds to wait until other processes have written."""
        self.path = path
        self.identity = identity_of(path)
        self._wait = busy_wait(patience)
        self._syncs = True
        """Whether a commit waits until the disk has it."""
        try:
            if self.identity is None:
                self._apsw = connection_to_nothing()
            else:
                self._apsw = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        except apsw.Error as error:
            # The file is not opened to see why: closing it would lose the locks that SQLite has.
            number = 0 if os.access(path, os.R_OK | os.W_OK) else errno.EACCES
            raise faults.fault_of(error, path, number) or error from error
        try:
            if self.identity:
                self._set_up(disk)
            if reads_only:
                self.execute("PRAGMA query_only = ON")
            elif self.version():
                self.execute("PRAGMA journal_mode = WAL")  # a copy may have lost it
        except apsw.Error as error:  # a mistake in the program, if the file is what it should be
            self.close()
            raise faults.damaged(path, str(error)) from error
        except BaseException:
            self.close()
            raise

    def _set_up(self, disk: Disk) -> None:
        self._apsw.set_busy_handler(self._wait)
        # No plan depends on the values: else some statements are prepared for each of them anew.
        self._apsw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self.execute("PRAGMA synchronous = FULL")
        self.execute("PRAGMA foreign_keys = ON")
        self.execute("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        self.execute(f"PRAGMA journal_size_limit = {RESET_SIZE}")
        # What undoes a part of a transaction would be in a temporary file: at every move.
        self.execute("PRAGMA temp_store = MEMORY")
        # A process may have died between writing a transaction and syncing it. Whoever opens the
        # database next sees that transaction, and must not build on it before it is durable.
        sync_log(self.path, disk)
        # SQLite finds out too late if it could not open all files for writing.
        if os.access(self.path, os.W_OK, effective_ids=True):
            with self._at_once(), suppress(faults.DatabaseLocked):
                self.execute("BEGIN IMMEDIATE; ROLLBACK")
            self.fault = None

    @property
    def is_sound(self) -> bool:
        """Whether the connection works, and still has the right file open."""
        return not self.fault and self.identity == identity_of(self.path)

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; SQLite ends it by itself after some faults."""
        return self._apsw.in_transaction

    @property
    def changed(self) -> int:
        """The number of rows that the latest statement has changed."""
        return self._apsw.changes()

    def execute(
        self, statement: str, values: tuple[database.Value, ...] = ()
    ) -> list[database.Row]:
        """Carry out a statement and return its rows."""
        try:
            return self._apsw.execute(statement, values).fetchall()
        except apsw.Error as error:
            raise self._noticed(error) from error
        except UnicodeDecodeError as error:
            raise faults.ValueDamaged(f"{self.path}: a text is not UTF-8: {error}") from None

    def execute_all(self, statement: str, rows: Sequence[tuple[database.Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values."""
        try:
            self._apsw.executemany(statement, rows)
        except apsw.Error as error:
            raise self._noticed(error) from error

    def _noticed(self, error: apsw.Error) -> Exception:
        """Return the fault for an error, and note it; the error itself if it is our mistake."""
        fault = faults.fault_of(error, self.path, self._apsw.system_errno)
        self.fault = self.fault or fault
        return fault or error

    def begin(self, *, writes: bool, shares: bool = False, lasts: bool = True) -> None:
        """Begin a transaction that reads one moment, or one that writes when nobody else does.

        The tables must have our version. What need not last is in the log after the commit, and on
        the disk with the next commit that lasts.
        """
        if writes and lasts is not self._syncs:
            self.execute(f"PRAGMA synchronous = {'FULL' if lasts else 'NORMAL'}")
            self._syncs = lasts
        statement = "BEGIN IMMEDIATE" if writes else "BEGIN"
        ((version,),) = self.execute(f"{statement}; PRAGMA user_version")
        if not version:
            raise faults.damaged(self.path, "it has none of our tables")
        if version != database.LATEST:
            raise faults.wrong_version(self.path, version, database.LATEST, database.EARLIER)

    def begin_at_once(self) -> bool:
        """Begin to write, unless somebody else does; return whether that has begun."""
        try:
            with self._at_once():
                self.begin(writes=True)
        except faults.DatabaseLocked:
            self.fault = None
            return False
        return True

    def commit(self) -> None:
        """Make durable what was written."""
        self.execute("COMMIT")

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""
        if self.is_in_transaction:
            self.execute("ROLLBACK")

    def moment(self) -> database.Value:
        """Return the number of what others have committed; it is no number of ours."""
        return int(self.execute("PRAGMA data_version")[0][0])

    def version(self) -> int:
        """Return the version of the tables."""
        return int(self.execute("PRAGMA user_version")[0][0])

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Wait for nobody in the body."""
        self._apsw.set_busy_timeout(0)
        try:
            yield
        finally:
            self._apsw.set_busy_handler(self._wait)

    def empty_log(self) -> None:
        """Move the whole log into the file and empty it, unless somebody else uses it now."""
        with self._at_once():
            self.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def copy_to(self, path: Path) -> None:
        """Copy all that the database holds into an empty file, and sync it."""
        try:
            with (
                closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as copy,
                copy.backup("main", self._apsw, "main") as backup,
            ):
                backup.step()
        except apsw.Error as error:
            raise faults.fault_of(error, path) or error from error

    def close(self) -> None:
        """Close the connection, in whatever state it is."""
        with suppress(apsw.Error):
            self._apsw.close(True)


class BadKey(OSError):
    """A file for the key that holds something else; the message names it."""


class SqliteDatabase(database.Database):
    """The database in the file at `path`. Its methods may raise DatabaseFault, an OSError.

    The first write makes it; until then it reads as empty. The key is in a file beside it.
    """

    def __init__(
        self, path: Path, disk: Disk | None = None, after: database.After = lambda _: None
    ) -> None:
        super().__init__(str(path), after)
        self.path = path
        self._disk = disk or Disk()
        self._key = path.with_name(KEY)

    @property
    def is_made(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    @property
    def has_key(self) -> bool:
        """Whether there is a file for the key."""
        return os.path.lexists(self._key)

    def read_key(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if it cannot be read."""
        data = bytes_of(self._key)
        if not _KEY.fullmatch(data):
            raise BadKey(f"{self._key}: a key is 64 hexadecimal digits in one line")
        return bytes.fromhex(data.decode())

    def put_key(self, key: bytes, transaction: database.Transaction | None = None) -> None:
        """Write a key of 32 bytes, unless there is one. Raises OSError."""
        with locked_folder(self._key.parent):
            if not self.has_key:
                self._disk.create(self._key, f"{key.hex()}\n".encode(), mode=0o600)
            # Whoever has made it may have died before this.
            self._disk.sync_folder(self._key.parent)

    @contextmanager
    def copied_to(self, path: Path) -> Iterator[database.Snapshot]:
        """Copy what the database holds into a file, and give it to be read.

        Others may write meanwhile. What the file held before is lost.
        """
        with closing(self.connect(reads_only=True)) as connection:
            connection.begin(writes=False)
            self._copy(connection, path)
            yield database.Snapshot(connection)

    def copy_as_it_is(self, path: Path) -> None:
        """Copy what the database holds into a file, whatever the version of its tables."""
        with closing(self.connect(reads_only=True)) as connection:
            self._copy(connection, path)

    def _copy(self, connection: SqliteConnection, path: Path) -> None:
        self._disk.write(path, b"", mode=0o600)
        connection.copy_to(path)
        self._disk.sync_file(path)

    @property
    def needs_upgrade(self) -> bool:
        """Whether the tables are those of an earlier version that can be brought up to date."""
        if not self.is_made:
            return False
        with closing(self.connect(reads_only=True)) as connection:
            return connection.version() in database.EARLIER

    def upgrade(self, work: Callable[[database.Transaction, int], T]) -> T | None:
        """Have tables of an earlier version brought up to date, by work that is given the version.

        Returns what the work returns; None if the tables can be used already. A missing database is
        made. Raises DatabaseTooOld for other tables.
        """
        with closing(self.connect()) as connection:
            connection.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
            version = connection.version()
            if version not in database.EARLIER:
                connection.roll_back()
                connection.begin(writes=False)
                return None
            done = work(database.Transaction(connection), version)
            connection.execute(f"PRAGMA user_version = {database.LATEST}")
            connection.commit()
            return done

    def make_last(self) -> None:
        """Make durable what was written and need not last."""
        sync_log(self.path, self._disk)

    def empty_log(self) -> None:
        """Empty the log, which keeps removed data until it is overwritten.

        The log stays as it is while somebody else uses it.
        """
        if self.path.exists():
            with closing(self.connect()) as connection, suppress(faults.DatabaseLocked):
                connection.empty_log()

    def connect(self, *, reads_only: bool = False) -> SqliteConnection:
        """Open a connection, once root has given away what it has just made beside the file.

        One that writes makes the file if it is missing.

        SQLite opens that for reading alone if root gives it away in between, and says that it is
        read-only if root has not filled it yet. All connections of the process would share it, so
        none may be opened so, unless the file itself is read-only.
        """
        if not reads_only:
            self._create()
        until = time.monotonic() + FOR_ROOT
        while True:
            try:
                return SqliteConnection(self.path, self._disk, self.patience, reads_only=reads_only)
            except (faults.DatabaseForbidden, faults.DatabaseReadOnly) as fault:
                can_write = os.access(self.path, os.W_OK, effective_ids=True)
                is_meant = isinstance(fault, faults.DatabaseReadOnly) and not can_write
                if is_meant or time.monotonic() > until:
                    raise
            time.sleep(_LOOK)

    def _create(self) -> None:
        """Make the file if it is missing; a log that is left from before does not belong to it."""
        if self.path.exists():
            return
        with locked_folder(self.path.parent):
            if not self.path.exists():
                for companion in files_of(self.path)[1:]:
                    with suppress(FileNotFoundError):
                        self._disk.remove(companion)
                self._disk.create(self.path, empty_database(), mode=0o600)


def files_of(path: Path) -> list[Path]:
    """Return the file of a database, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + each) for each in COMPANIONS)]


def identity_of(path: Path) -> database.Identity | None:
    """Return what identifies the file at a path; None if there is no file. Raises DatabaseFault."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise faults.disk_fault(error, path) from error
    if stat.S_ISLNK(status.st_mode):
        raise faults.DatabaseFailing(f"{path} is a link, and links in the home are not followed")
    return status.st_dev, status.st_ino


_OBJECTS = (
    "SELECT type, name, tbl_name FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'"
)
"""The statement that gives what a database is made of, but for what SQLite makes itself."""


def strange_objects(snapshot: database.Snapshot) -> list[str]:
    """Return what a database has that is none of ours, such as `trigger t`, in order."""
    with closing(connection_to_nothing()) as ours:
        known = {tuple(row) for row in ours.execute(_OBJECTS)}
    found = (row for row in snapshot.rows(_OBJECTS) if tuple(row) not in known)
    return sorted(f"{kind} {name}" for kind, name, _ in found)


def connection_to_nothing() -> apsw.Connection:
    """Return a connection to all tables in memory, all empty."""
    connection = apsw.Connection(":memory:")
    make_tables(connection)
    return connection


def make_tables(connection: apsw.Connection) -> None:
    """Make all tables in an empty database."""
    connection.execute(database.tables())
    connection.pragma("user_version", database.LATEST)


def empty_database() -> bytes:
    """Return a whole database file with all tables, all empty."""
    with closing(connection_to_nothing()) as connection:
        content = bytearray(connection.serialize("main"))
    content[_FORMAT_VERSIONS] = b"\2\2"
    return bytes(content)
