"""The embedded database of a home, by SQLite in `HOME/pbm_oust.db`.

One process writes at a time, and nobody waits for readers. Threads of one process share their
transactions, so that all share one sync of the disk.

Nothing else in a process may open the file, because closing it would lose SQLite's locks.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pbm_oust.store.connections import MakeDurable, Snapshot, Task, Transaction, Work
from pbm_oust.store.disk import Disk, locked_folder
from pbm_oust.store.faults import DatabaseFailing, DatabaseLocked, disk_faults
from pbm_oust.store.migrations import empty_database
from pbm_oust.store.snapshots import Idle, Moment, Snapshots
from pbm_oust.store.sqlite import (
    LARGEST_LOG,
    LARGEST_TENDED,
    Log,
    SqliteConnection,
)
from pbm_oust.store.writing import Writing

T = TypeVar("T")

FILE_NAME = "pbm_oust.db"
UNFINISHED = f".{FILE_NAME}.draft"
"""The name of the file in an unfinished backup, or in a home that is not fully restored."""
COMPANIONS = ("-wal", "-shm")
"""What SQLite appends to the file's name for the files beside it."""
PATIENCE = 10.0
"""Seconds to wait until other processes have written."""


def files_of(path: Path) -> list[Path]:
    """Return the file of a database, and those that SQLite keeps beside it."""
    return [path, *(path.with_name(path.name + each) for each in COMPANIONS)]


class EmbeddedDatabase:
    """The database in the file at `path`. Its methods may raise DatabaseFault, an OSError.

    The first write makes it; until then it reads as empty. Any number of threads may use it, but
    not a process that was forked after using it.
    """

    def __init__(self, path: Path, disk: Disk | None = None, patience: float = PATIENCE) -> None:
        self.path = path
        self._disk = disk or Disk()
        self._patience = patience
        self._process = os.getpid()
        self._log = Log()
        self._snapshots = Snapshots(Idle(partial(self._connect, reads_only=True)))
        self._writing = Writing(path, self._connect_to_write)

    @property
    def is_made(self) -> bool:
        """Whether the file is there."""
        return self.path.exists()

    @property
    def files(self) -> list[Path]:
        """The file, and those that SQLite keeps beside it."""
        return files_of(self.path)

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""
        self._check_thread()
        return self._snapshots.read()

    def read_latest(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds now, even within another `read`."""
        self._check_thread()
        return self._snapshots.latest()

    def sharing(self) -> AbstractContextManager[None]:
        """Let all that this thread reads in the body be of one moment, until it writes.

        Within another body, what follows that is of a later moment.
        """
        self._check_thread()
        return self._snapshots.sharing()

    def moment(self) -> Moment:
        """Return what is another value after each commit, also of other processes."""
        self._check_thread()
        return self._snapshots.moment()

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do some work within a transaction; on return, it is durable."""
        (task,) = self.write_all([work])
        result: T = task.result()
        return result

    def write_all(self, works: Iterable[Work]) -> list[Task[Any]]:
        """Do pieces of work as `write` does each, and return them once they are over."""
        self._check_thread()
        self._snapshots.renew()
        return self._writing.all(works)

    def begin_to_write(self, works: Iterable[Work]) -> MakeDurable | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """
        self._check_thread()
        self._snapshots.renew()
        return self._writing.begin(works)

    def copy_to(self, path: Path) -> None:
        """Copy what the database holds at this moment into a new file.

        Others may write meanwhile. Raises FileExistsError.
        """
        with self.copied_to(path):
            pass

    @contextmanager
    def copied_to(self, path: Path) -> Iterator[Snapshot]:
        """Copy as `copy_to` does, and give the copied snapshot to read."""
        self._disk.create(path, b"", mode=0o600)
        with self._snapshots.connection() as connection:
            connection.begin_to_read()
            connection.copy_to(path)
            self._disk.sync_file(path)
            yield Snapshot(connection)

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

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
        self._snapshots.close()
        self._writing.close()

    def _connect_to_write(self) -> SqliteConnection:
        self._create()
        return self._connect(reads_only=False)

    def _connect(self, *, reads_only: bool) -> SqliteConnection:
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

    def _check_thread(self) -> None:
        if os.getpid() != self._process:
            raise RuntimeError("this process was forked from one that uses the database")
        if self._writing.is_by_this_thread:
            raise RuntimeError("a work uses its transaction and nothing else of the database")
