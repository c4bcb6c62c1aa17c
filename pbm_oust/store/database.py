"""The database of a home, `HOME/pbm_oust.db`: everything that the home holds but the games.

    with database.read() as snapshot:
        account = find(snapshot, "alice")
    database.write(lambda transaction: note(transaction, "alice"))

One process writes at a time, and nobody waits for readers. Threads of one process share their
transactions: one of the waiting threads takes the lead, does the work of all, and commits once, so
that all share one sync of the disk. No other thread is needed.

Nothing else in a process may open the file, because closing it would lose SQLite's locks.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pbm_oust.store.connections import Connection, Snapshot, Task, Transaction, identity_of
from pbm_oust.store.disk import Disk, locked_folder
from pbm_oust.store.faults import (
    DatabaseFailing,
    DatabaseFault,
    DatabaseInterrupted,
    DatabaseLocked,
    disk_faults,
)
from pbm_oust.store.migrations import empty_database
from pbm_oust.store.snapshots import Snapshots

log = logging.getLogger("pbm_oust")

T = TypeVar("T")

FILE_NAME = "pbm_oust.db"
UNFINISHED = f".{FILE_NAME}.draft"
"""The name of the file in an unfinished backup, or in a home that is not fully restored."""
COMPANIONS = ("-wal", "-shm")
"""What SQLite appends to the file's name for the files beside it."""
PATIENCE = 10.0
"""Seconds to wait until other processes have written."""
MOST_TOGETHER = 100
"""The most pieces of work that share a transaction."""
LARGEST_LOG = 1000
"""The number of pages after which the log is moved into the file."""
LARGEST_TENDED = 5 * LARGEST_LOG
"""The number of pages after which it is, even if somebody else has to do it."""


class Database:
    """The database in the file at `path`. Its methods may raise DatabaseFault, an OSError.

    The first write makes it; until then it reads as empty. Any number of threads may use it, but
    not a process that was forked after using it.
    """

    def __init__(self, path: Path, disk: Disk | None = None, patience: float = PATIENCE) -> None:
        self.path = path
        self._disk = disk or Disk()
        self._patience = patience
        self._process = os.getpid()
        self._here = threading.local()
        self._snapshots = Snapshots(partial(self._connect, reads_only=True), self._is_sound)
        self._writer: Connection | None = None
        self._tasks: deque[Task[Any]] = deque()
        self._change = threading.Condition()
        """Guards `_is_led`, and wakes waiting threads when their work is over."""
        self._is_led = False
        self._largest_log = LARGEST_LOG

    @property
    def files(self) -> list[Path]:
        """The file, and those that SQLite keeps beside it."""
        return [self.path, *(self.path.with_name(self.path.name + each) for each in COMPANIONS)]

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""
        self._check_thread()
        with self._snapshots.read() as snapshot:
            yield snapshot

    @contextmanager
    def read_latest(self) -> Iterator[Snapshot]:
        """Give what the database holds now, even within another `read`."""
        self._check_thread()
        with self._snapshots.latest() as snapshot:
            yield snapshot

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Let all that this thread reads in the body be of one moment, until it writes.

        Within another body, what follows that is of a later moment.
        """
        self._check_thread()
        with self._snapshots.sharing():
            yield

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do some work within a transaction; on return, it is durable.

        The work shares its transaction with that of other threads, and any of these may run it.
        So it must not wait, must read and write only the transaction, and must be quick, because
        nobody else in the home writes meanwhile. If it raises an Exception, this raises it too,
        and what the work has written is undone.
        """
        (task,) = self.write_all([work])
        result: T = task.result()
        return result

    def write_all(self, works: Iterable[Callable[[Transaction], Any]]) -> list[Task[Any]]:
        """Do pieces of work as `write` does each, and return them once they are over."""
        self._check_thread()
        self._snapshots.renew()
        tasks = list(map(Task, works))
        with self._change:
            self._tasks.extend(tasks)
            try:
                self._change.wait_for(lambda: _are_over(tasks) or not self._is_led)
            except BaseException:
                for task in tasks:
                    with suppress(ValueError):
                        self._tasks.remove(task)
                raise
            if leads := not _are_over(tasks):
                self._is_led = True
        if leads:
            try:
                while not _are_over(tasks):
                    self._lead()
            finally:
                self._end_lead()
        return tasks

    def begin_to_write(
        self, works: Iterable[Callable[[Transaction], Any]]
    ) -> Callable[[], list[Task[Any]]] | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """
        self._check_thread()
        self._snapshots.renew()
        with self._change:
            writer = self._writer
            if self._is_led or self._tasks or writer is None or not self._is_sound(writer):
                return None
            self._is_led = True
        tasks, is_begun = list(map(Task, works)), False
        try:
            with self._faults_of(tasks):
                is_begun = writer.begin_at_once()
                if is_begun:
                    self._run(tasks, writer)
        finally:
            if not is_begun or _are_over(tasks):
                self._end_lead()
        if _are_over(tasks):
            return lambda: tasks
        return partial(self._finish, tasks, writer) if is_begun else None

    def _finish(self, tasks: list[Task[Any]], writer: Connection) -> list[Task[Any]]:
        try:
            with self._faults_of(tasks):
                self._commit(tasks, writer)
        finally:
            self._end_lead()
        return tasks

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
            connection.begin("BEGIN")
            connection.copy_to(path)
            self._disk.sync_file(path)
            yield Snapshot(connection)

    @contextmanager
    def tended(self) -> Iterator[None]:
        """Leave it to the body to shorten the log, so that nobody who writes waits for that.

        A very long log is shortened all the same.
        """
        self._largest_log = LARGEST_TENDED
        try:
            yield
        finally:
            self._largest_log = LARGEST_LOG

    def shorten_log(self) -> None:
        """Move a long log into the file while others write, and let it begin again."""
        writer = self._writer
        if writer and writer.pages_logged >= LARGEST_LOG:
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
        self._close_writer()

    def _lead(self) -> None:
        """Do the work of waiting threads in one transaction, wake them, and shorten the log."""
        taken: list[Task[Any]] = []
        with self._faults_of(taken, or_everybody=True):
            writer = self._open_writer()
            writer.begin("BEGIN IMMEDIATE")
            while self._tasks and len(taken) < MOST_TOGETHER:
                taken.append(self._tasks.popleft())
                self._run(taken[-1:], writer)
            self._commit(taken, writer)

    def _commit(self, tasks: list[Task[Any]], writer: Connection) -> None:
        """Make durable what was written, and let those go whose work it was."""
        writer.execute("COMMIT")
        self._let_go(tasks)
        self._shorten_log(writer)

    def _run(self, tasks: list[Task[Any]], writer: Connection) -> None:
        self._here.leads = True
        try:
            for task in tasks:
                task.run(writer)
        finally:
            self._here.leads = False

    @contextmanager
    def _faults_of(self, tasks: list[Task[Any]], *, or_everybody: bool = False) -> Iterator[None]:
        """Let the work of some threads fail with the body; without any, if asked, that of all."""
        try:
            with disk_faults(self.path):
                yield
        except DatabaseFault as fault:
            self._fail(tasks or (self._everybody() if or_everybody else []), fault)
        except BaseException:
            self._fail(tasks, DatabaseInterrupted(f"{self.path}: writing was broken off"))
            raise

    def _end_lead(self) -> None:
        with self._change:
            self._is_led = False
            self._change.notify_all()

    def _everybody(self) -> list[Task[Any]]:
        return [self._tasks.popleft() for _ in range(len(self._tasks))]

    def _fail(self, tasks: list[Task[Any]], fault: DatabaseFault) -> None:
        """Undo what was written, and mark the work of some threads as failed."""
        if self._writer:
            with suppress(DatabaseFault):
                self._writer.end("ROLLBACK")
        for task in tasks:
            task.fail(fault)
        self._let_go(tasks)

    def _let_go(self, tasks: list[Task[Any]]) -> None:
        with self._change:
            for task in tasks:
                task.is_over = True
            self._change.notify_all()

    def _shorten_log(self, writer: Connection) -> None:
        """Move a long log into the file; what was committed is durable even without that."""
        if writer.pages_logged >= self._largest_log:
            try:
                writer.shorten_log()
                if writer.pages_logged >= LARGEST_TENDED:
                    writer.restart_log()
            except DatabaseFault as fault:
                log.warning("the log of the database stays long: %s", fault)

    def _open_writer(self) -> Connection:
        """Return the connection that writes, a new one if needed."""
        if self._writer and not self._is_sound(self._writer):
            self._close_writer()
        if self._writer is None:
            self._create()
            self._writer = self._connect(reads_only=False)
        return self._writer

    def _close_writer(self) -> None:
        if self._writer:
            self._writer.close()
            self._writer = None

    def _connect(self, *, reads_only: bool) -> Connection:
        with disk_faults(self.path):
            if self.path.is_symlink():
                reason = "is a link, and links in the home are not followed"
                raise DatabaseFailing(f"{self.path} {reason}")
            return Connection(self.path, self._disk, self._patience, reads_only=reads_only)

    def _is_sound(self, connection: Connection) -> bool:
        """Return whether a connection works, and still has the right file open."""
        with disk_faults(self.path):
            return not connection.is_broken and connection.identity == identity_of(self.path)

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
        if getattr(self._here, "leads", False):
            raise RuntimeError("a work uses its transaction and nothing else of the database")


def _are_over(tasks: Iterable[Task[Any]]) -> bool:
    return all(task.is_over for task in tasks)
