"""What the rooms above ask of the database, whichever engine keeps it, and what engines share.

    with database.read() as snapshot:
        account = find(snapshot, "alice")
    database.write(lambda transaction: note(transaction, "alice"))

An engine is a `Database` with its `Connection`. Each may read a moment while others write; who
writes is alone.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pbm_oust.store.faults import DatabaseFault

if TYPE_CHECKING:
    from pbm_oust.store.boards import Change
    from pbm_oust.store.entries import BoardName
    from pbm_oust.store.writing import MakeDurable, Task

T = TypeVar("T")
Value = None | int | float | str | bytes
Row = tuple[Any, ...]
Identity = tuple[int, int]
"""What tells a database from another one that took its place, such as a file's device and inode."""

LEASE_SECONDS = 30.0
"""How long a task is kept for a host that is dead, or has stopped."""


class Answer(Protocol):
    """What a statement that was sent does, as soon as that is known."""

    @property
    def rows(self) -> list[Row]:
        """The rows that it gives; the statement must have been carried out."""

    @property
    def changed(self) -> int:
        """The number of rows that it is known to have changed."""

    @property
    def is_none(self) -> bool:
        """Whether it is known to give no row."""


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

    def send(self, statement: str, values: tuple[Value, ...] = ()) -> Answer:
        """Have a statement carried out within a transaction, without waiting for its answer."""

    def wait(self) -> None:
        """Wait until all that was sent has been carried out. Its faults show here, or before."""

    def begin_to_read(self) -> None:
        """Begin a transaction that reads one moment; the tables must have our version."""

    def begin_to_write(self, *, shares: bool = False) -> None:
        """Begin a transaction when nobody else writes; the tables must have our version.

        Whoever shares may write at the same time as others who do; see `Sharing`.
        """

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

    def _noting(self, do: Callable[[], T]) -> T:
        """Return what something returns, and note its fault."""
        if self.fault and not self._connection.is_in_transaction:
            raise self.fault
        try:
            return do()
        except DatabaseFault as fault:
            self.fault = self.fault or fault
            raise


class Transaction(Snapshot):
    """What the database holds while nobody else writes, with the changes made so far."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.boards = dict["BoardName", "Change"]()
        """What has changed on boards."""
        self.has_letters = False
        """Whether letters were posted."""
        self.saved = dict[str, int]()
        """The versions of the accounts that were written."""
        self.held = ExitStack()
        """What is left when the transaction is over, committed or not."""
        self._required: list[tuple[Answer, Exception]] = []
        """Answers that must not be empty, each with what is raised if it is."""

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what the body has written, if it fails."""
        saved, boards, has_letters = dict(self.saved), dict(self.boards), self.has_letters
        self.send("SAVEPOINT part")
        try:
            yield
            self.wait()
        except BaseException:
            if self._connection.is_in_transaction:
                self._connection.execute("ROLLBACK TO part")
                self._connection.execute("RELEASE part")
                self.saved, self.boards, self.has_letters = saved, boards, has_letters
            raise
        self.send("RELEASE part")

    def run(self, statement: str, *values: Value) -> int:
        """Carry out a statement and return the number of rows it has changed."""
        self.rows(statement, *values)
        return self._connection.changed

    def send(self, statement: str, *values: Value) -> Answer:
        """Have a statement carried out; nobody waits for its answer until the work ends."""
        return self._noting(partial(self._connection.send, statement, values))

    def require(self, otherwise: Exception, statement: str, *values: Value) -> Answer:
        """Have a statement carried out that must give a row.

        If it does not, `otherwise` is what the work raises, at its end at the latest.
        """
        answer = self.send(statement, *values)
        if answer.is_none:
            raise otherwise
        self._required.append((answer, otherwise))
        return answer

    def wait(self) -> None:
        """Wait until all that was sent has been carried out. Raises what required that."""
        self._noting(self._connection.wait)
        if unmet := self.unmet():
            raise unmet

    def unmet(self) -> Exception | None:
        """Return what is to be raised because something required is known to be missing."""
        return next((error for answer, error in self._required if answer.is_none), None)


Work = Callable[[Transaction], Any]
"""Writes to the database, and returns something."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Work that may be done while other servers of a home do such work: a move.

    It reads only what it changes, and what no such work changes. If two of them change the same,
    one is undone and done again.
    """

    work: Work

    def __call__(self, transaction: Transaction) -> Any:
        """Do the work."""
        return self.work(transaction)


class Hold(Protocol):
    """Takes tasks from other hosts. Its methods may raise DatabaseFault."""

    @property
    def is_sure(self) -> bool:
        """Whether no other host can have taken a task, as if this one were dead."""

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Keep other hosts from some tasks, and return those that none of them does."""

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let other hosts do tasks again."""


class Database(Protocol):
    """The database of a home: everything that it holds but the histories.

    The methods may raise DatabaseFault, an OSError. Any number of threads may use it, but not a
    process that was forked after using it.
    """

    after: Callable[[Sequence[Transaction]], None]
    """Is given what was committed, by whoever has waited for that."""

    @property
    def is_made(self) -> bool:
        """Whether anything has been written; until then it reads as empty."""

    @property
    def lent(self) -> int:
        """How many connections of this process's pool are in use; 0 if it needs no pool."""

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of all who share the database."""

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same."""

    @property
    def transaction(self) -> Transaction | None:
        """The transaction of the work that this thread does, if it does one."""

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
        may be run again. All that it reads of the database is the transaction. It must be quick,
        because nobody else in the home writes meanwhile. If it raises an Exception, this raises it
        too, and what the work has written is undone. Within a transaction, the work is a part of
        it.
        """

    def write_all(self, works: Iterable[Work]) -> "list[Task[Any]]":
        """Do pieces of work as `write` does each, and return them once they are over."""

    def begin_to_write(self, works: Iterable[Work]) -> "MakeDurable | None":
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """

    def holding(self) -> "AbstractContextManager[Hold]":
        """Give what takes tasks in the body for this host; at its end, others may do them again."""

    def leased(self, tasks: Iterable[str]) -> AbstractContextManager[frozenset[str]]:
        """Give those of some tasks that no other host does; it is kept from these in the body."""

    def latest_id(self, snapshot: Snapshot, table: str) -> int:
        """Return the highest id that a table has ever given, or 0."""

    def note_latest_id(self, transaction: Transaction, table: str, latest: int) -> None:
        """Let a table give higher ids from now on."""

    def check_copied(self, snapshot: Snapshot) -> None:
        """Raise DatabaseTooNew if tables may hold more than this program can copy."""

    def damage(self, snapshot: Snapshot) -> Iterator[str]:
        """Yield what is wrong with the tables, a sentence each, as far as the engine can tell."""

    def copied_to(self, path: Path) -> AbstractContextManager[Snapshot]:
        """Copy what the database holds into a file of SQLite, and give it to be read.

        Others may write meanwhile. What the file held before is lost.
        """

    def upgrade(self, before: int, work: Callable[[Connection], T]) -> T | None:
        """Have tables of the version `before` brought up to date, in one transaction.

        Returns what the work returns; None if the tables can be used already. Missing tables are
        made. Raises DatabaseTooOld for other tables.
        """

    def tended(self) -> AbstractContextManager[None]:
        """Leave the upkeep to the body, so that nobody who writes waits for it."""

    def shorten_log(self) -> None:
        """Do the upkeep that is due, while others write."""

    def empty_log(self) -> None:
        """Let no file keep what was removed, as far as this engine can see to that."""

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
