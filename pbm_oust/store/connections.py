"""What the rooms above ask of the database, whichever engine keeps it, and what engines share.

    with database.read() as snapshot:
        account = find(snapshot, "alice")
    database.write(lambda transaction: note(transaction, "alice"))

An engine is a `Database` with its `Connection`. Each may read a moment while others write; who
writes is alone.
"""

from collections.abc import Callable, Hashable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pbm_oust.store.faults import DatabaseFault

T = TypeVar("T")
Value = None | int | float | str | bytes
Row = tuple[Any, ...]
Identity = tuple[int, int]
"""What tells a database from another one that took its place, such as a file's device and inode."""


class Connection(Protocol):
    """A connection to a database. Every method may raise DatabaseFault."""

    is_broken: bool
    """Whether a fault has shown, after which the connection should be closed."""

    @property
    def is_sound(self) -> bool:
        """Whether it can be used again: it works, and has the right database open."""

    @property
    def identity(self) -> Identity | None:
        """What identifies the database; None if there is none, and the tables are empty."""

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; some faults end it."""

    @property
    def changed(self) -> int:
        """The number of rows that the latest statement has changed."""

    def execute(self, statement: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """Carry out a statement in the SQL that all engines know, and return its rows."""

    def begin_to_read(self) -> None:
        """Begin a transaction that reads one moment; the tables must have our version."""

    def begin_to_write(self) -> None:
        """Begin a transaction when nobody else writes; the tables must have our version."""

    def begin_at_once(self) -> bool:
        """Begin as `begin_to_write` does, unless somebody else writes; return whether it has."""

    def commit(self) -> None:
        """Make durable what was written."""

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""

    def tend(self) -> None:
        """Do what may follow a commit, and what nobody has to wait for."""

    def moment(self) -> Value:
        """Return what is another value after each commit of others."""

    def close(self) -> None:
        """Close the connection, in whatever state it is."""


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


Work = Callable[[Transaction], Any]
MakeDurable = Callable[[], list[Task[Any]]]
"""Waits for the disk, and returns what was done."""


class Database(Protocol):
    """The database of a home: everything that it holds but the histories.

    The methods may raise DatabaseFault, an OSError. Any number of threads may use it, but not a
    process that was forked after using it.
    """

    @property
    def is_made(self) -> bool:
        """Whether anything has been written; until then it reads as empty."""

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""

    def read_latest(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds now, even within another `read`."""

    def sharing(self) -> AbstractContextManager[None]:
        """Let all that this thread reads in the body be of one moment, until it writes.

        Within another body, what follows that is of a later moment.
        """

    def moment(self) -> Hashable:
        """Return what is another value after each commit, whoever has committed."""

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Do some work within a transaction; on return, it is durable.

        The work shares its transaction with that of other threads, any of these may run it, and it
        may be run again. So it must not wait, must read and write only the transaction, and must
        be quick, because nobody else in the home writes meanwhile. If it raises an Exception, this
        raises it too, and what the work has written is undone.
        """

    def write_all(self, works: Iterable[Work]) -> list[Task[Any]]:
        """Do pieces of work as `write` does each, and return them once they are over."""

    def begin_to_write(self, works: Iterable[Work]) -> MakeDurable | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """

    def copied_to(self, path: Path) -> AbstractContextManager[Snapshot]:
        """Copy what the database holds into a new file of SQLite, and give it to be read.

        Others may write meanwhile. Raises FileExistsError.
        """

    def tended(self) -> AbstractContextManager[None]:
        """Leave the upkeep to the body, so that nobody who writes waits for it."""

    def shorten_log(self) -> None:
        """Do the upkeep that is due, while others write."""

    def empty_log(self) -> None:
        """Let no file keep what was removed, as far as this engine can see to that."""

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
