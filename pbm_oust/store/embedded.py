"""The embedded database of a home, by SQLite in `HOME/pbm_oust.db`.

One process writes at a time, and nobody waits for readers. Threads of one process share their
transactions, so that all share one sync of the disk.

Nothing else in a process may open the file, because closing it would lose SQLite's locks.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pbm_oust.store.connections import Connection, Snapshot, Transaction, Work
from pbm_oust.store.disk import Disk, locked_folder
from pbm_oust.store.faults import (
    DatabaseFailing,
    DatabaseForbidden,
    DatabaseLocked,
    DatabaseReadOnly,
    disk_faults,
)
from pbm_oust.store.patience import Patience
from pbm_oust.store.schema import LATEST
from pbm_oust.store.snapshots import Idle
from pbm_oust.store.sqlite import (
    LARGEST_LOG,
    LARGEST_TENDED,
    Log,
    SqliteConnection,
    empty_database,
)
from pbm_oust.store.threads import ThreadsDatabase
from pbm_oust.store.writing import MakeDurable, Task

T = TypeVar("T")

FILE_NAME = "pbm_oust.db"
UNFINISHED = f".{FILE_NAME}.draft"
"""The name of the file in an unfinished backup, or in a home that is not fully restored.

It is there from the very beginning, so that nobody else uses the folder meanwhile.
"""
COMPANIONS = ("-wal", "-shm")
"""What SQLite appends to the file's name for the files beside it."""
PATIENCE = 10.0
"""Seconds to wait until other processes have written."""
FOR_ROOT = 0.5
"""Seconds to wait until root has given away the files that it makes beside the database."""


def files_of(path: Path) -> list[Path]:
    """Return the file of a database, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + each) for each in COMPANIONS)]


class AllTasks:
    """Takes every task, as there is no other host."""

    is_sure = True

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Return all tasks."""
        return frozenset(tasks)

    def give_back(self, tasks: Iterable[str]) -> None:
        """Do nothing."""


class EmbeddedDatabase(ThreadsDatabase[SqliteConnection]):
    """The database in the file at `path`. Its methods may raise DatabaseFault, an OSError.

    The first write makes it; until then it reads as empty. Any number of threads may use it, but
    not a process that was forked after using it.
    """

    def __init__(self, path: Path, disk: Disk | None = None, patience: float = PATIENCE) -> None:
        self.path = path
        self._disk = disk or Disk()
        self._patience = patience
        self._log = Log()
        idle = Idle(partial(self._connect, reads_only=True))
        super().__init__(path, idle, self._connect_to_write)

    @property
    def is_made(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    @property
    def lent(self) -> int:
        """0, as nothing is lent: each reader of this process has a connection of its own."""
        return 0

    @property
    def files(self) -> list[Path]:
        """The file, and those that SQLite keeps beside it."""
        return files_of(self.path)

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of this host."""
        return time.time()

    def begin_to_write(self, works: Iterable[Work]) -> MakeDurable | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """
        self._about_to_write()
        begun = self._writing.begin(works)
        if begun is None:
            return None

        def make_durable() -> list[Task[Any]]:
            tasks = begun()
            self._follow(tasks)
            return tasks

        return make_durable

    def copy_to(self, path: Path) -> None:
        """Copy what the database holds at this moment into a new file.

        Others may write meanwhile. Raises FileExistsError.
        """
        self._disk.create(path, b"", mode=0o600)
        with self.copied_to(path):
            pass

    def holding(self) -> AbstractContextManager["AllTasks"]:
        """Give what takes all tasks: there is one host, and what it does twice it notices."""
        return nullcontext(AllTasks())

    def leased(self, tasks: Iterable[str]) -> AbstractContextManager[frozenset[str]]:
        """Give all tasks."""
        return nullcontext(frozenset(tasks))

    def latest_id(self, snapshot: Snapshot, table: str) -> int:
        """Return the highest id that a table has ever given, or 0."""
        row = snapshot.row("SELECT seq FROM sqlite_sequence WHERE name = ?", table)
        return int(row[0]) if row else 0

    def note_latest_id(self, transaction: Transaction, table: str, latest: int) -> None:
        """Let a table give higher ids from now on."""
        transaction.run("DELETE FROM sqlite_sequence WHERE name = ?", table)
        transaction.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, latest)

    def check_copied(self, snapshot: Snapshot) -> None:
        """Do nothing: who reads or writes has found tables of our version."""

    def damage(self, snapshot: Snapshot) -> Iterator[str]:
        """Yield what is wrong with the tables, a sentence each."""
        for (text,) in snapshot.rows("PRAGMA integrity_check(5)"):
            if text != "ok":
                yield f"it is damaged: {text}"
        rows = snapshot.rows("PRAGMA foreign_key_check")
        for (table, parent), number in sorted(Counter((row[0], row[2]) for row in rows).items()):
            count = f"{number} row{'s' if number > 1 else ''}"
            yield f"{count} of {table} without the row of {parent} that belongs to it"

    @contextmanager
    def copied_to(self, path: Path) -> Iterator[Snapshot]:
        """Copy what the database holds into a file, and give it to be read."""
        self._disk.write(path, b"", mode=0o600)
        with self._snapshots.connection() as connection:
            connection.begin_to_read()
            connection.copy_to(path)
            self._disk.sync_file(path)
            yield Snapshot(connection)

    def upgrade(self, before: int, work: Callable[[Connection], T]) -> T | None:
        """Have tables of the version `before` brought up to date, in one transaction.

        Returns what the work returns; None if the tables can be used already. Missing tables are
        made. Raises DatabaseTooOld for other tables.
        """
        connection = self._connect_to_write()
        try:
            if connection.version() != before:
                connection.begin_to_read()
                return None
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("BEGIN IMMEDIATE")
            done = work(connection)
            connection.execute(f"PRAGMA user_version = {LATEST}")
            connection.commit()
            return done
        finally:
            connection.close()

    @contextmanager
    def tended(self) -> Iterator[None]:
        """Leave it to the body to shorten the log, so that nobody who writes waits for that.

        A very long log is shortened all the same.
        """
        self._log.largest = LARGEST_TENDED
        try:
            yield
        finally:
            self._log.largest = LARGEST_LOG

    def shorten_log(self) -> None:
        """Move a long log into the file while others write, and let it begin again."""
        if self._log.pages >= LARGEST_LOG:
            with self._snapshots.connection() as connection:
                connection.shorten_log()
                connection.restart_log()

    def empty_log(self) -> None:
        """Empty the log, which keeps removed data until it is overwritten.

        The log stays as it is while somebody else uses it.
        """
        if not self.path.exists():
            return
        connection = self._connect(reads_only=False)
        try:
            with suppress(DatabaseLocked):
                connection.empty_log()
        finally:
            connection.close()

    def _connect_to_write(self) -> SqliteConnection:
        self._create()
        return self._connect(reads_only=False)

    def _connect(self, *, reads_only: bool) -> SqliteConnection:
        """Open a connection, once root has given away what it has just made beside the file.

        SQLite opens that for reading alone if root gives it away in between, and says that it is
        read-only if root has not filled it yet. All connections of the process would share it, so
        none may be opened so, unless the file itself is read-only.
        """
        patience, waits = Patience(FOR_ROOT), 0
        while True:
            try:
                connection = self._connect_now(reads_only=reads_only)
                if connection.may_write or not self._may_be_written():
                    return connection
            except (DatabaseForbidden, DatabaseReadOnly) as fault:
                is_meant = isinstance(fault, DatabaseReadOnly) and not self._may_be_written()
                if is_meant or not patience.wait(waits):
                    raise
            else:
                if not patience.wait(waits):
                    return connection
                connection.close()
            waits += 1

    def _may_be_written(self) -> bool:
        return os.access(self.path, os.W_OK, effective_ids=True)

    def _connect_now(self, *, reads_only: bool) -> SqliteConnection:
        with disk_faults(self.path):
            if self.path.is_symlink():
                reason = "is a link, and links in the home are not followed"
                raise DatabaseFailing(f"{self.path} {reason}")
            disk, patience = self._disk, self._patience
            return SqliteConnection(self.path, disk, patience, self._log, reads_only=reads_only)

    def _create(self) -> None:
        """Make the file if it is missing; a log that is left from before does not belong to it."""
        if self.path.exists():
            return
        with locked_folder(self.path.parent):
            if not self.path.exists():
                for companion in COMPANIONS:
                    with suppress(FileNotFoundError):
                        self._disk.remove(self.path.with_name(self.path.name + companion))
                self._disk.create(self.path, empty_database(), mode=0o600)
