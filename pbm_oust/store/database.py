"""The database of a home, whichever engine keeps it: one writer, and readers of a moment.

    with database.read() as snapshot:
        account = find(snapshot, "alice")
    database.write(lambda transaction: note(transaction, "alice"))

Tasks wait in one queue. Whoever has the turn takes them out and does them in one transaction with
one commit, each but the first in a savepoint of its own. What follows from the commit is done next;
then they have their results. An event loop begins so, and lets a thread finish. A thread that has a
transaction or a snapshot uses that, and opens no other. An engine opens connections, and says how
they begin and end.
"""

import json
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pbm_oust.store import faults

T = TypeVar("T")
Value = None | int | float | str | bytes
Row = tuple[Any, ...]
Identity = tuple[int, int]
"""What tells a database from another one that took its place, such as a file's device and inode."""

LATEST = 17
"""The version of the tables that the program works with."""
EARLIER = (10, 13, 14, 15, 16)
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
        for row in rows:
            self.execute(statement, row)

    def begin(self, *, writes: bool, shares: bool = False, lasts: bool = True) -> None:
        """Begin a transaction that reads one moment, or one that writes when nobody else does.

        The tables must have our version. Whoever shares may write at the same time as others who
        do, and what need not last is quicker; see `Database.write`.
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
    """A view of the database at one moment. Its methods may raise DatabaseFault."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.identity = connection.identity
        """What identifies the file of the database; None if there is none."""
        self.seen = dict[Hashable, Any]()
        """Values read at this moment that are asked for again, by what they are about."""

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
    """A change of the database that nobody else writes to, with what it has written so far."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.follows = dict[Hashable, Any]()
        """Values for `Database.after`, by what they are about: a changed board by its name."""
        self.held = ExitStack()
        """What is left when the transaction is over, committed or not."""

    @contextmanager
    def part(self) -> Iterator[None]:
        """Undo what the body has written, if it fails."""
        before = dict(self.follows)
        self.rows("SAVEPOINT part")
        try:
            yield
            self.rows("RELEASE part")
        except BaseException:
            if self._connection.is_in_transaction:
                try:
                    self._connection.execute("ROLLBACK TO part")
                    self._connection.execute("RELEASE part")
                except faults.DatabaseFault:
                    self._connection.roll_back()
                    raise
                self.follows = before
            raise

    def run(self, statement: str, *values: Value) -> int:
        """Carry out a statement and return the number of rows it has changed."""
        self.rows(statement, *values)
        return self._connection.changed

    def run_all(self, statement: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values."""
        if self._connection.fault and not self._connection.is_in_transaction:
            raise self._connection.fault
        if rows:
            self._connection.execute_all(statement, rows)


class Task(Future[T]):
    """Work that is to be done in a transaction, as a future of what it returns.

    It has its result once that is durable and what follows from it is done, or once it has failed.
    Until somebody begins with it, it can be cancelled.
    """

    def __init__(
        self, work: Callable[[Transaction], T], *, shares: bool = False, lasts: bool = True
    ) -> None:
        super().__init__()
        self._work = work
        self.shares = shares
        """Whether other hosts may do such work meanwhile."""
        self.lasts = lasts
        """Whether it is durable when it has its result."""
        self.is_second_try = False
        """Whether it was undone before, through no fault of it or of ours."""
        self.transaction: Transaction | None = None
        """Where it was done last."""
        self.error: Exception | None = None
        """Why it has failed, if it has."""

    def is_wanted(self) -> bool:
        """Return whether nobody has cancelled it; nobody can from now on."""
        return not self.cancelled() and (self.running() or self.set_running_or_notify_cancel())

    def run(self, connection: Connection, *, is_first: bool) -> None:
        """Do the work; if it fails, what it has written is undone, or has to be if it is the first.

        Raises DatabaseFault for a fault of the whole transaction, including the work before this.
        """
        self.error, self.transaction = None, Transaction(connection)
        try:
            with nullcontext() if is_first else self.transaction.part():
                self._returned = self._work(self.transaction)
        except Exception as error:  # noqa: BLE001 - it is raised again where the work came from
            self.error = error
        fault, is_open = connection.fault, connection.is_in_transaction
        if fault and (isinstance(fault, faults.DatabaseConflict) or not is_open):
            raise fault

    def release(self) -> None:
        """Leave what its transaction holds, which is over."""
        if self.transaction:
            self.transaction.held.close()

    def end(self) -> None:
        """Give the result to those who wait for it, unless it was cancelled."""
        if not self.is_wanted():
            return
        if self.error:
            self.set_exception(self.error)
        else:
            self.set_result(self._returned)


class Leases(AbstractContextManager["Leases"]):
    """The tasks that no other host does, until the body ends. Its methods may raise DatabaseFault.

    Here all are had for the asking: there is no other host, and what is done twice is noticed.
    """

    @property
    def is_sure(self) -> bool:
        """Whether no lease can have run out, so that another host has the task."""
        return True

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Keep other hosts from some tasks, and return those that none of them does."""
        return frozenset(tasks)

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let other hosts do tasks again."""

    def __exit__(self, *_: object) -> None:
        """Let other hosts do all tasks again."""


After = Callable[[Sequence[Transaction]], None]
"""Does what follows from committed transactions, while others write already."""


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

    def __init__(self, where: str, after: After = lambda _: None) -> None:
        self.where = where
        self.after = after
        self.opened: Callable[[Connection], None] = lambda _connection: None
        """Is given each connection that is opened, and may raise DatabaseFault."""
        self._room = threading.Semaphore(self.most_readers)
        self._free: list[Connection | None] = [None] * self.most_readers
        """Connections that read and are not lent, and None for each that may still be opened."""
        self._writer: Connection | None = None
        """The connection that writes; only who has the turn may use it."""
        self._turn = threading.Lock()
        self._waiting: deque[Task[Any]] = deque()
        """The tasks that wait; only who has the turn may take one out."""
        self._done = list[Task[Any]]()
        """The tasks that were done in the open transaction; for who has the turn."""
        self._begun: Sequence[Task[Any]] = ()
        """The tasks whose `finish` has the turn, because `begin` has taken it for them."""
        self._lock = threading.Lock()
        self._within = set[int]()
        """The threads that have a snapshot or a transaction."""
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
    def put_key(self, key: bytes, transaction: Transaction | None = None) -> None:
        """Take a key of 32 bytes, unless there is one, and see to it that it lasts.

        It is written with a transaction, if one is given and the database keeps the key.
        """

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of all who share the database."""
        return time.time()

    def leases(self) -> Leases:
        """Return the leases of this host: none yet."""
        return Leases()

    def make_last(self) -> None:  # noqa: B027 - an engine may let everything last
        """Make durable what was written and need not last."""

    def empty_log(self) -> None:  # noqa: B027 - an engine without a log has nothing to do
        """Let no file keep what was removed, as far as this engine can see to that."""

    # Reading

    @contextmanager
    def read(self) -> Iterator[Snapshot]:
        """Give what the database holds at one moment. Raises RuntimeError as `write` does."""
        with self._alone(), self.lend() as connection:
            connection.begin(writes=False)
            yield Snapshot(connection)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let the thread open no other snapshot or transaction in the body.

        Raises RuntimeError if it has one: it uses that.
        """
        thread = threading.get_ident()
        if thread in self._within:
            raise RuntimeError("this thread has a snapshot or a transaction, which it must use")
        self._within.add(thread)
        try:
            yield
        finally:
            self._within.remove(thread)

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
        """The number of connections in use that read."""
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
        connection = self.connect(reads_only=reads_only)
        try:
            self.opened(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    # Writing

    def write(
        self, work: Callable[[Transaction], T], *, shares: bool = False, lasts: bool = True
    ) -> T:
        """Do some work within a transaction; on return, it is durable.

        The work shares its transaction with that of other threads, any of these may run it, and it
        may be run again. All that it reads of the database is the transaction. It must be quick,
        because nobody else in the home writes meanwhile. If it raises an Exception, this raises it
        too, and what the work has written is undone. Raises RuntimeError within another work, or
        while this thread has a snapshot.

        Work that shares may be done while other hosts do such work: a move. It reads only what it
        changes, and what no such work changes. If two of them change the same, one is undone and
        done again.

        Work that need not last may be undone by a power cut until something that lasts is written,
        or `make_last` is called; whoever only dies leaves it as it is.
        """
        tasks = [Task(work, shares=shares, lasts=lasts)]
        self.enqueue(tasks)
        self.finish(tasks)
        return tasks.pop().result()  # the frames of an error must not hold it in a circle

    def enqueue(self, tasks: Iterable[Task[Any]]) -> None:
        """Let tasks wait, to be done in their order. `finish` has to be called for them."""
        with self._alone():
            self._waiting.extend(tasks)

    def begin(self, tasks: Sequence[Task[Any]]) -> bool:
        """Do enqueued tasks in this thread, without waiting; return whether that has begun.

        It has not if somebody else writes at this moment or waits, or if nobody has written before.
        Otherwise nobody writes until some thread has called `finish`.
        """
        if not self._turn.acquire(blocking=False):
            return False
        try:
            with self._failing():
                connection = self._writer
                is_next = self._waiting and self._waiting[0] is tasks[0]
                if connection and connection.is_sound and is_next and connection.begin_at_once():
                    self._begun = tasks
                    self._run(connection, len(tasks))
        finally:
            if self._begun is not tasks:
                self._turn.release()
        return self._begun is tasks

    def finish(self, tasks: Sequence[Task[Any]]) -> None:
        """Wait until enqueued tasks have their results, each thread for its own.

        In its turn, it leads all that wait. If it is interrupted, what is not begun is cancelled.
        """
        try:
            with ExitStack() as turn:
                if self._begun is tasks:
                    turn.push(self._turn)
                    self._begun = ()
                    self._commit()
                else:
                    turn.enter_context(self._turn)
                while tasks[-1] in self._waiting:  # they are done in their order
                    self._lead()
            self._follow(tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
                task.release()
            raise

    def _lead(self) -> None:
        """Do the tasks that wait in one transaction."""
        with self._failing():
            try:
                known, self._writer = self._writer, None
                self._writer = connection = self._sound(known, reads_only=False)
                shares, lasts = self._waiting[0].shares, self._waiting[0].lasts
                # What comes later may follow from what others have committed after our moment.
                most = len(self._waiting) if shares else MOST_TOGETHER
                connection.begin(writes=True, shares=shares, lasts=lasts)
            except OSError:
                while self._waiting:
                    self._done.append(self._waiting.popleft())
                raise
            self._run(connection, most, shares=shares, lasts=lasts)
        self._commit()

    def _run(
        self, connection: Connection, most: int, *, shares: bool = False, lasts: bool = True
    ) -> None:
        """Do tasks in the open transaction, unless the first one fails: that ends it."""
        most = min(most, MOST_TOGETHER)
        while self._waiting and len(self._done) < most:
            if self._waiting[0].shares < shares or self._waiting[0].lasts > lasts:
                break
            task = self._waiting.popleft()
            if task.is_wanted():
                self._done.append(task)
                with self._alone():
                    task.run(connection, is_first=len(self._done) == 1)
                if task.error and len(self._done) == 1:
                    break

    def _commit(self) -> None:
        """Make durable what was written in the open transaction, unless all tasks have failed."""
        with self._failing():
            if self._writer and all(task.error for task in self._done):
                self._writer.roll_back()
            elif self._writer:
                self._writer.commit()
        self._done = []

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """If the body fails, undo what the open transaction has written, and let its tasks fail.

        Work that met others who wrote the same, or lost its connection, waits to be done once
        again, while nobody else writes.
        """
        try:
            yield
        except BaseException as error:
            fault: BaseException = error
            if isinstance(error, OSError):
                fault = faults.disk_fault(error, self.where)
            elif not isinstance(error, Exception):
                fault = faults.DatabaseFailing(f"{self.where}: writing was broken off")
            is_undone = isinstance(fault, faults.DatabaseConflict | faults.DatabaseLost)
            if self._writer:
                with suppress(faults.DatabaseFault):
                    self._writer.roll_back()
            failed, self._done = self._done, []
            for task in reversed(failed):
                task.release()
                if is_undone and not task.is_second_try:
                    task.is_second_try, task.shares = True, False
                    self._waiting.appendleft(task)
                else:
                    task.error = type(fault)(*fault.args)
                    task.error.__cause__ = fault
            if not isinstance(error, Exception):
                raise

    def _follow(self, tasks: Sequence[Task[Any]]) -> None:
        """Do what follows from the commit of tasks, and give them their results.

        Whoever leads others leaves that to them: it may have what they need, such as the Maildir.
        """
        try:
            for task in tasks:
                task.release()
            done = [task.transaction for task in tasks if task.transaction and not task.error]
            if any(transaction.follows for transaction in done):
                self.after(done)
        except Exception as error:  # noqa: BLE001 - it is raised where the works came from
            for task in tasks:
                task.error = task.error or error
        finally:
            for task in tasks:
                task.end()

    @contextmanager
    def leased(self, tasks: Iterable[str]) -> Iterator[frozenset[str]]:
        """Give those of some tasks that no other host does; it is kept from these in the body."""
        with self.leases() as leases:
            yield leases.take(tasks)

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
def tables() -> str:
    """Return the statements that make all tables, in the words of SQLite."""
    return (Path(__file__).parent / "tables.sql").read_text()


def _done(tasks: Iterable[Task[Any]]) -> list[Transaction]:
    """Return the transactions of work that has not failed."""
    return [task.transaction for task in tasks if task.transaction and not task.error]
