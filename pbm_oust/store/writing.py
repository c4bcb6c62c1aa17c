"""How the threads of a process write to the database: in turn, or several together in one commit.

One of the waiting threads takes the lead, does the work of all, and commits once. No other thread
is needed.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from pbm_oust.store.connections import Connection, Sharing, Transaction, Work
from pbm_oust.store.faults import (
    DatabaseConflict,
    DatabaseFault,
    DatabaseFreed,
    DatabaseInterrupted,
    disk_fault,
)

log = logging.getLogger("pbm_oust")

MOST_TOGETHER = 100
"""The most pieces of work that share a transaction."""

T = TypeVar("T")


class Task(Generic[T]):
    """Work that waits to be done within a transaction, and its result."""

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self._work = work
        self.shares = isinstance(work, Sharing)
        """Whether others on a server may do such work meanwhile."""
        self.transaction: Transaction | None = None
        """Where it was done last."""
        self._result: list[T] = []
        self._error: Exception | None = None
        self.is_over = False
        """Whether its result is durable, or it has failed."""

    def run(self, connection: Connection, here: "Here") -> None:
        """Do the work; if it fails, what it has written is undone. Raises DatabaseFault.

        Such a fault is one of the whole transaction, including the work before this.
        """
        connection.send("SAVEPOINT task")
        self.release()
        self._error, transaction = None, Transaction(connection)
        self.transaction = here.transaction = transaction
        try:
            self._result = [self._work(transaction)]
            transaction.wait()
        except Exception as error:  # noqa: BLE001 - it is raised again where the work came from
            self._error = transaction.unmet() or error
        except BaseException:
            self.release()
            raise
        finally:
            here.transaction = None
        fault = transaction.fault
        if fault and (isinstance(fault, DatabaseConflict) or not connection.is_in_transaction):
            raise fault
        if self._error:
            connection.execute("ROLLBACK TO task")
        connection.send("RELEASE task")

    @property
    def is_done(self) -> bool:
        """Whether it has not failed."""
        return self._error is None

    def release(self) -> None:
        """Leave what its transaction holds, which is over."""
        if self.transaction:
            self.transaction.held.close()

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


MakeDurable = Callable[[], list[Task[Any]]]
"""Waits for the disk, and returns what was done."""


class Here(threading.local):
    """What one thread does at present."""

    transaction: Transaction | None = None


class Writing:
    """Does the work of threads within transactions. The methods may raise DatabaseFault.

    `connect` opens a connection to the database at `path`.
    """

    def __init__(self, path: Path, connect: Callable[[], Connection]) -> None:
        self._path = path
        self._connect = connect
        self._here = Here()
        self._connection: Connection | None = None
        self._tasks: deque[Task[Any]] = deque()
        self._change = threading.Condition()
        """Guards `_is_led`, and wakes waiting threads when their work is over."""
        self._is_led = False
        """Whether a thread does the work of others, or its own."""
        self._has_met_others = False
        """Whether others who wrote at the same time have undone what was done last."""

    @property
    def transaction(self) -> Transaction | None:
        """The transaction of the work that this thread does, if it does one."""
        return self._here.transaction

    def all(self, works: Iterable[Work]) -> list[Task[Any]]:
        """Do pieces of work, and return them once they are durable or have failed."""
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

    def begin(self, works: Iterable[Work]) -> MakeDurable | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """
        with self._change:
            connection = self._connection
            if self._is_led or self._tasks or not connection or not connection.is_sound:
                return None
            self._is_led = True
        tasks, is_begun = list(map(Task, works)), False
        try:
            with self._faults_of(tasks):
                is_begun = connection.begin_at_once()
                if is_begun:
                    self._run(tasks, connection)
        finally:
            if not is_begun or _are_over(tasks):
                self._end_lead()
        if _are_over(tasks):
            return lambda: tasks
        return partial(self._finish, tasks, connection) if is_begun else None

    def close(self) -> None:
        """Close the connection, which may not be in use. It is opened again when needed."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _finish(self, tasks: list[Task[Any]], connection: Connection) -> list[Task[Any]]:
        try:
            with self._faults_of(tasks):
                self._commit(tasks, connection)
        finally:
            self._end_lead()
        return tasks

    def _lead(self) -> None:
        """Do the work of waiting threads in one transaction, and wake them."""
        taken: list[Task[Any]] = []
        with self._faults_of(taken, or_everybody=True):
            connection = self._opened()
            shares = self._tasks[0].shares and not self._has_met_others
            connection.begin_to_write(shares=shares)
            while self._tasks and len(taken) < MOST_TOGETHER and self._tasks[0].shares >= shares:
                taken.append(self._tasks.popleft())
                self._run(taken[-1:], connection)
            self._commit(taken, connection)

    def _commit(self, tasks: list[Task[Any]], connection: Connection) -> None:
        """Make durable what was written, and let those go whose work it was."""
        connection.commit()
        self._has_met_others = False
        self._let_go(tasks)
        connection.tend()

    def _run(self, tasks: list[Task[Any]], connection: Connection) -> None:
        for task in tasks:
            task.run(connection, self._here)

    @contextmanager
    def _faults_of(self, tasks: list[Task[Any]], *, or_everybody: bool = False) -> Iterator[None]:
        """Let the work of some threads fail with the body; without any, if asked, that of all."""
        try:
            yield
        except OSError as error:
            fault = disk_fault(error, self._path)
            self._fail(tasks or (self._everybody() if or_everybody else []), fault)
        except BaseException:
            self._fail(tasks, DatabaseInterrupted(f"{self._path}: writing was broken off"))
            raise

    def _end_lead(self) -> None:
        with self._change:
            self._is_led = False
            self._change.notify_all()

    def _everybody(self) -> list[Task[Any]]:
        return [self._tasks.popleft() for _ in range(len(self._tasks))]

    def _fail(self, tasks: list[Task[Any]], fault: DatabaseFault) -> None:
        """Undo what was written, and mark the work of some threads as failed.

        If who was in the way is gone, it is done again; and once if others wrote the same, while
        nobody else writes.
        """
        if self._connection:
            with suppress(DatabaseFault):
                self._connection.roll_back()
        meets_others = isinstance(fault, DatabaseConflict) and not self._has_met_others
        self._has_met_others = meets_others
        if meets_others or isinstance(fault, DatabaseFreed):
            self._tasks.extendleft(reversed(tasks))
            return
        for task in tasks:
            task.fail(fault)
        self._let_go(tasks)

    def _let_go(self, tasks: list[Task[Any]]) -> None:
        with self._change:
            for task in tasks:
                task.is_over = True
            self._change.notify_all()

    def _opened(self) -> Connection:
        """Return the connection that writes, a new one if needed."""
        if self._connection and not self._connection.is_sound:
            self.close()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection


def _are_over(tasks: Iterable[Task[Any]]) -> bool:
    return all(task.is_over for task in tasks)
