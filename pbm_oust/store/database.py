"""The database of a home, whichever engine keeps it: one writer, and readers of a moment.

    with database.read() as snapshot:
        account = find(snapshot, "alice")
    database.write(lambda transaction: note(transaction, "alice"))

What threads want to write is done one after the other: whoever has the turn does the work of all
who wait, in one transaction with one commit, each but the first in a savepoint of its own. Within
a work, whatever the thread reads is its transaction. An engine opens connections, and says how
they begin and end.
"""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pbm_oust.store import faults

if TYPE_CHECKING:
    from pbm_oust.store.boards import Board
    from pbm_oust.store.index import BoardName
    from pbm_oust.store.letters import Unwritten

T = TypeVar("T")
Value = None | int | float | str | bytes
Row = tuple[Any, ...]
Identity = tuple[int, int]
"""What tells a database from another one that took its place, such as a file's device and inode."""

LATEST = 14
"""The version of the tables that the program works with."""
EARLIER = (10, 13)
"""The versions that can be brought up to date; those between were never released."""
MOST_TOGETHER = 100
"""The most pieces of work that share a transaction."""


class Connection(Protocol):
    """A connection to a database. Every method may raise DatabaseFault."""

    identity: Identity | None
    """What identifies the database; None if there is none, and the tables are empty."""
    fault: faults.DatabaseFault | None = None
    """The first fault, of the connection or, if others wrote the same, of a transaction."""

    @property
    def is_sound(self) -> bool:
        """Whether it can be used again: it works, and has the right database open."""

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open; some faults end it."""

    @property
    def changed(self) -> int:
        """The number of rows that the latest statement has changed."""

    def execute(self, statement: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """Carry out a statement in the SQL that all engines know, and return its rows."""

    def execute_all(self, statement: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values."""

    def begin(self, *, writes: bool, shares: bool = False) -> None:
        """Begin a transaction that reads one moment, or one that writes when nobody else does.

        The tables must have our version. Whoever shares may write at the same time as others who
        do; see `Database.write`.
        """

    def begin_at_once(self) -> bool:
        """Begin to write, unless somebody else does; return whether that has begun."""
        return False  # unless an engine can tell without waiting

    def commit(self) -> None:
        """Make durable what was written."""

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""

    def moment(self) -> Value:
        """Return what is another value after each commit of others."""

    def close(self) -> None:
        """Close the connection, in whatever state it is."""


class Snapshot:
    """What the database holds at one moment. Its methods may raise DatabaseFault."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.identity = connection.identity
        """What identifies the file of the database; None if there is none."""

    def rows(self, statement: str, *values: Value) -> list[Row]:
        """Return all rows that a statement gives; a fault that ended the transaction stays."""
        if self._connection.fault and not self._connection.is_in_transaction:
            raise self._connection.fault
        return self._connection.execute(statement, values)

    def row(self, statement: str, *values: Value) -> Row | None:
        """Return the first row that a statement gives, or None."""
        found = self.rows(statement, *values)
        return found[0] if found else None

    def number(self, statement: str, *values: Value) -> int:
        """Return the number that a statement gives; 0 if it gives none."""
        found = self.rows(statement, *values)
        return int(found[0][0] or 0) if found else 0


class Transaction(Snapshot):
    """What the database holds while nobody else writes, with the changes made so far."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.boards = dict["BoardName", "Board"]()
        """Boards that have changed, as they are then."""
        self.letters = list["Unwritten"]()
        """Letters that are to be files."""
        self.held = ExitStack()
        """What is left when the transaction is over, committed or not."""

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what the body has written, if it fails."""
        boards, letters = dict(self.boards), len(self.letters)
        self.rows("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self._connection.is_in_transaction:
                self._connection.execute("ROLLBACK TO part")
                self._connection.execute("RELEASE part")
                self.boards = boards
                del self.letters[letters:]
            raise
        self.rows("RELEASE part")

    def run(self, statement: str, *values: Value) -> int:
        """Carry out a statement and return the number of rows it has changed."""
        self.rows(statement, *values)
        return self._connection.changed

    def run_all(self, statement: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values."""
        if self._connection.fault and not self._connection.is_in_transaction:
            raise self._connection.fault
        self._connection.execute_all(statement, rows)


Work = Callable[[Transaction], Any]
"""Writes to the database, and returns something."""


class Task(Generic[T]):
    """Work that waits to be done within a transaction, and its result."""

    def __init__(self, work: Callable[[Transaction], T], *, shares: bool = False) -> None:
        self.work = work
        self.shares = shares
        """Whether other hosts may do such work meanwhile."""
        self.is_second_try = False
        """Whether it was undone before, through no fault of it or of ours."""
        self.transaction: Transaction | None = None
        """Where it was done last."""
        self.is_over = False
        """Whether its result is durable, or it has failed."""
        self.error: Exception | None = None
        """Why it has failed, if it has, until somebody asks for its result."""
        self._result: list[T] = []

    def run(self, connection: Connection, here: "_Here", *, is_first: bool) -> None:
        """Do the work; if it fails, what it has written is undone. Raises DatabaseFault.

        Such a fault is one of the whole transaction, including the work before this. If it is the
        first of the transaction, that ends where it fails.
        """
        if not is_first:
            connection.execute("SAVEPOINT task")
        self.error, self.transaction = None, Transaction(connection)
        before, here.snapshot = here.snapshot, self.transaction
        try:
            self._result = [self.work(self.transaction)]
        except Exception as error:  # noqa: BLE001 - it is raised again where the work came from
            self.error = error
        finally:
            here.snapshot = before
        fault, is_open = connection.fault, connection.is_in_transaction
        if fault and (isinstance(fault, faults.DatabaseConflict) or not is_open):
            raise fault
        if is_first:
            if self.error:
                connection.roll_back()
                self.is_over = True
            return
        if self.error:
            connection.execute("ROLLBACK TO task")
        connection.execute("RELEASE task")

    def release(self) -> None:
        """Leave what its transaction holds, which is over."""
        if self.transaction:
            self.transaction.held.close()

    def fail(self, fault: faults.DatabaseFault) -> None:
        """Mark the work as failed, because its transaction has."""
        self.error = type(fault)(*fault.args)
        self.error.__cause__ = fault
        self.is_over = True

    def result(self) -> T:
        """Return what the work returned, or raise what it raised."""
        try:
            if self.error:
                raise self.error
            return self._result[0]
        finally:
            self.error = None  # else it would keep the frames alive that hold it


MakeDurable = Callable[[], list[Task[Any]]]
"""Waits for the disk, and returns what was done."""


class _Here(threading.local):
    """What one thread does at present."""

    snapshot: Snapshot | None = None
    """The transaction of the work that it does, or what a `read` gives that has not ended."""


class Hold(AbstractContextManager["Hold"]):
    """Takes tasks from other hosts in the body; at its end, these may do all of them again.

    Its methods may raise DatabaseFault.

    This one takes every task: there is no other host, and what is done twice here is noticed.
    """

    @property
    def is_sure(self) -> bool:
        """Whether no other host can have taken a task, as if this one were dead."""
        return True

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Keep other hosts from some tasks, and return those that none of them does."""
        return frozenset(tasks)

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let other hosts do tasks again."""

    def __exit__(self, *_: object) -> None:
        """Let other hosts do all tasks again."""


class Database(ABC):
    """The database of a home, whichever engine keeps it. Faults name `where` it is.

    The methods may raise DatabaseFault, an OSError. Any number of threads may use it. Until
    something is written, one that was not made reads as empty.
    """

    is_shared = False
    """Whether it is on a server, which several hosts may share."""
    patience = 10.0
    """How many seconds to wait until others have written, and for a connection that reads."""
    most_readers = 100
    """How many connections of one process may read at once."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.after: Callable[[Sequence[Transaction]], None] = lambda _transactions: None
        """Is given what was committed, by whoever has waited for that."""
        self.committing: Callable[[Sequence[Transaction]], AbstractContextManager[None]]
        self.committing = lambda _transactions: nullcontext()
        """Gives a body in which transactions are committed that have been done."""
        self._here = _Here()
        self._room = threading.Semaphore(self.most_readers)
        self._free: list[Connection | None] = [None] * self.most_readers
        """Connections that read and are not lent, and None for each that may still be opened."""
        self._writer: Connection | None = None
        """The connection that writes; only who has the turn may use it."""
        self._turn = threading.Lock()
        self._waiting: deque[Task[Any]] = deque()
        """The work of threads that wait for their turn."""
        self._lock = threading.Lock()
        self._watching: Connection | None = None
        """What tells whether anybody has committed: each connection counts for itself."""

    # What an engine does

    @abstractmethod
    def connect(self, *, reads_only: bool = False) -> Connection:
        """Open a connection; one that writes makes the database if it is missing."""

    @property
    @abstractmethod
    def is_made(self) -> bool:
        """Whether anything has been written; until then it reads as empty."""

    @property
    @abstractmethod
    def has_key(self) -> bool:
        """Whether there is a key of the home: a secret from which its tokens are made.

        May raise OSError, as do all methods about the key.
        """

    @abstractmethod
    def read_key(self) -> bytes:
        """Return the key, 32 bytes."""

    @abstractmethod
    def put_key(self, key: bytes) -> None:
        """Take a key of 32 bytes, unless there is one, and see to it that it lasts."""

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of all who share the database."""
        return time.time()

    def holding(self) -> Hold:
        """Return what takes tasks for this host."""
        return Hold()

    def empty_log(self) -> None:  # noqa: B027 - an engine without a log has nothing to do
        """Let no file keep what was removed, as far as this engine can see to that."""

    # Reading

    @property
    def transaction(self) -> Transaction | None:
        """The transaction of the work that this thread does, if it does one."""
        known = self._here.snapshot
        return known if isinstance(known, Transaction) else None

    def read(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds at one moment; nested calls give the same.

        Within a work, that is its transaction.
        """
        known = self._here.snapshot
        return nullcontext(known) if known else self._read()

    def read_latest(self) -> AbstractContextManager[Snapshot]:
        """Give what the database holds now, even within another `read`; but see `transaction`."""
        transaction = self.transaction
        return nullcontext(transaction) if transaction else self._read()

    @contextmanager
    def _read(self) -> Iterator[Snapshot]:
        with self.lend() as connection:
            connection.begin(writes=False)
            before, self._here.snapshot = self._here.snapshot, Snapshot(connection)
            try:
                yield self._here.snapshot
            finally:
                self._here.snapshot = before

    @contextmanager
    def lend(self) -> Iterator[Connection]:
        """Lend a connection that reads. Raises DatabaseBusy if too many are lent for too long."""
        if not self._room.acquire(timeout=self.patience):
            reason = f"all {self.most_readers} connections of this process are in use"
            raise faults.DatabaseBusy(f"{self.where}: {reason}")
        free, connection = self._free.pop(), None
        try:
            connection = self._sound(free, reads_only=True)
            yield connection
        finally:
            if connection:
                with suppress(faults.DatabaseFault):
                    connection.roll_back()
                if connection.fault:
                    connection.close()
            self._free.append(connection)
            self._room.release()

    @property
    def lent(self) -> int:
        """How many connections that read are in use."""
        return self.most_readers - len(self._free)

    def moment(self) -> Hashable:
        """Return what is another value after each commit, whoever has committed."""
        with self._lock:
            known, self._watching = self._watching, None
            self._watching = watching = self._sound(known, reads_only=True)
            return watching, watching.moment()

    def _sound(self, connection: Connection | None, *, reads_only: bool) -> Connection:
        """Return a connection if it can be used again, or else a new one."""
        if connection and connection.is_sound:
            return connection
        if connection:
            connection.close()
        return self.connect(reads_only=reads_only)

    # Writing

    def write(self, work: Callable[[Transaction], T], *, shares: bool = False) -> T:
        """Do some work within a transaction; on return, it is durable.

        The work shares its transaction with that of other threads, any of these may run it, and it
        may be run again. All that it reads of the database is the transaction. It must be quick,
        because nobody else in the home writes meanwhile. If it raises an Exception, this raises it
        too, and what the work has written is undone. Within another work it is a part of that.

        Work that shares may be done while other hosts do such work: a move. It reads only what it
        changes, and what no such work changes. If two of them change the same, one is undone and
        done again.
        """
        if transaction := self.transaction:
            with transaction.part():
                return work(transaction)
        (task,) = self.write_all([work], shares=shares)
        result: T = task.result()
        return result

    def write_all(self, works: Iterable[Work], *, shares: bool = False) -> list[Task[Any]]:
        """Do pieces of work as `write` does each, and return them once they are over."""
        tasks = [Task(work, shares=shares) for work in works]
        self._waiting.extend(tasks)
        try:
            with self._turn:
                while not tasks[-1].is_over:  # they are done in their order
                    self._lead()
        except BaseException:
            for task in tasks:
                task.release()
                with suppress(ValueError):
                    self._waiting.remove(task)
            raise
        return self._followed(tasks)

    def begin_to_write(self, works: Iterable[Work]) -> MakeDurable | None:
        """Do pieces of work in this thread, and return what makes them durable.

        That waits for the disk, so any thread may call it, once. None if somebody else writes at
        this moment, or if nobody has written before; nothing has been done then.
        """
        if not self._turn.acquire(blocking=False):
            return None
        tasks, is_begun, connection = list(map(Task, works)), False, self._writer
        try:
            if connection and connection.is_sound and not self._waiting:
                with self._faults_of(tasks):
                    is_begun = connection.begin_at_once()
                    for task in tasks if is_begun else ():
                        task.run(connection, self._here, is_first=len(tasks) == 1)
        finally:
            if not is_begun or tasks[-1].is_over:
                self._turn.release()
        if tasks[-1].is_over:
            return partial(self._followed, tasks)
        return partial(self._make_durable, tasks) if is_begun else None

    def _make_durable(self, tasks: list[Task[Any]]) -> list[Task[Any]]:
        try:
            with self._faults_of(tasks):
                self._commit(tasks)
        finally:
            self._turn.release()
        return self._followed(tasks)

    def _lead(self) -> None:
        """Do the work of waiting threads in one transaction."""
        taken: list[Task[Any]] = []
        with self._faults_of(taken):
            try:
                known, self._writer = self._writer, None
                self._writer = connection = self._sound(known, reads_only=False)
                shares = self._waiting[0].shares
                # What comes later may follow from what others have committed after our moment.
                most = min(len(self._waiting), MOST_TOGETHER) if shares else MOST_TOGETHER
                connection.begin(writes=True, shares=shares)
            except OSError:
                while self._waiting:
                    taken.append(self._waiting.popleft())
                raise
            while self._waiting and len(taken) < most and self._waiting[0].shares >= shares:
                if not connection.is_in_transaction:
                    break  # the first one has failed; others go on with another transaction
                taken.append(self._waiting.popleft())
                taken[-1].run(connection, self._here, is_first=len(taken) == 1)
            self._commit(taken)

    def _commit(self, tasks: list[Task[Any]]) -> None:
        """Make durable what was written."""
        if self._writer and not tasks[-1].is_over:
            with self.committing(_done(tasks)):
                self._writer.commit()
        for task in tasks:
            task.is_over = True

    def _followed(self, tasks: list[Task[Any]]) -> list[Task[Any]]:
        """Leave what transactions hold, do what follows from those committed, and return tasks."""
        for task in tasks:
            task.release()
        if done := _done(tasks):
            self.after(done)
        return tasks

    @contextmanager
    def _faults_of(self, tasks: list[Task[Any]]) -> Iterator[None]:
        """Let the work of some threads fail with the body, and undo what it has written.

        Work that met others who wrote the same, or lost its connection, is done once again, while
        nobody else writes.
        """
        try:
            yield
        except BaseException as error:
            if isinstance(error, OSError):
                fault = faults.disk_fault(error, self.where)
            else:
                fault = faults.DatabaseFailing(f"{self.where}: writing was broken off")
            is_undone = isinstance(fault, faults.DatabaseConflict | faults.DatabaseLost)
            if self._writer:
                with suppress(faults.DatabaseFault):
                    self._writer.roll_back()
            for task in tasks:
                task.release()
            for task in [each for each in reversed(tasks) if not each.is_over]:
                if is_undone and not task.is_second_try:
                    task.is_second_try, task.shares = True, False
                    self._waiting.appendleft(task)
                else:
                    task.fail(fault)
            if not isinstance(error, OSError):
                raise

    @contextmanager
    def leased(self, tasks: Iterable[str]) -> Iterator[frozenset[str]]:
        """Give those of some tasks that no other host does; it is kept from these in the body."""
        with self.holding() as hold:
            yield hold.take(tasks)

    def close(self) -> None:
        """Close all connections, none of which may be in use. They are opened again when needed."""
        for connection in (*self._free, self._watching, self._writer):
            if connection:
                connection.close()
        self._watching = self._writer = None
        self._free = [None] * len(self._free)


# Values of columns


def seconds(moment: datetime) -> int:
    """Return a moment as seconds since 1970."""
    return int(moment.timestamp())


def moment_of(count: int) -> datetime:
    """Return the moment so many seconds after 1970. Raises ValueDamaged if no year has it."""
    try:
        return datetime.fromtimestamp(count, UTC)
    except (OverflowError, OSError, ValueError):
        raise faults.ValueDamaged(
            f"the database has a time that no year has, {count} seconds after 1970"
        ) from None


ALL_ROWS = 2**63 - 1
"""More rows than a table can have: a limit that is none."""


def words_list(words: Iterable[str]) -> str:
    """Return words as one value, which `json_each` takes apart in a statement."""
    return json.dumps(list(words))


def selection(table: str, columns: Iterable[str]) -> str:
    """Return the beginning of a statement that reads columns of a table, whose names are ours."""
    return f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608 - the names are ours # nosec B608


@cache
def tables(engine: str) -> str:
    """Return the statements that make all tables: for `sqlite` or `postgresql`."""
    return (Path(__file__).parent / "schema" / f"{engine}.sql").read_text()


def _done(tasks: Iterable[Task[Any]]) -> list[Transaction]:
    """Return the transactions of work that has not failed."""
    return [task.transaction for task in tasks if task.transaction and not task.error]
