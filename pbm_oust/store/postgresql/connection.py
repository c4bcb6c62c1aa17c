"""A connection to PostgreSQL, which answers as one to the embedded database does.

Every transaction sees one moment: it is REPEATABLE READ. Who writes holds a lock of the whole home,
so that nobody else writes, on whatever host; those who only make moves share that lock. The lock
comes first, so the moment that is seen comes after all that others had committed. If two who share
the lock change the same row, the server undoes one of them, and it is done again alone
(`database.py`).

A host may stop at any moment of a transaction, and its kernel may still answer. If the server knows
that it waits for the host, it ends the transaction itself. In the middle of a pipeline it does not;
so who has waited for a lock in vain ends the connections of hosts that have said nothing for long.
"""

import re
import select
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

import psycopg
from psycopg import errors
from psycopg.abc import QueryNoTemplate
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import UniqueViolation
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8Dumper

from pbm_oust.store.database import Identity, Row, Value
from pbm_oust.store.faults import (
    DatabaseConflict,
    DatabaseFailing,
    DatabaseFault,
    DatabaseFreed,
    DatabaseFull,
    DatabaseLocked,
    DatabaseReadOnly,
    DatabaseTooNew,
    DatabaseTooOld,
    command_line,
)
from pbm_oust.store.schema import LATEST, OLDEST_AND_TIME

_CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected)
_FAILING = (
    *(psycopg.OperationalError, psycopg.InterfaceError, errors.InsufficientPrivilege),
    # What was prepared on a connection is gone; it works again on a new one.
    errors.InvalidSqlStatementName,
)


def name_of(url: str) -> str:
    """Return how a database is named in messages: without its password."""
    found = conninfo_to_dict(url)
    host, name = found.get("host") or "localhost", found.get("dbname") or found.get("user") or ""
    return f"the database {name} at {host}"


def fault_of(error: psycopg.Error, where: str) -> DatabaseFault | None:
    """Return the fault for an error of PostgreSQL; None for a mistake in the program."""
    match error:
        case _ if isinstance(error, _CONFLICTS):
            return conflict(where)
        case errors.LockNotAvailable():
            return DatabaseLocked(f"{where} is locked by another server for too long")
        case errors.QueryCanceled():
            return DatabaseFailing(f"{where} has cancelled a statement: {_reason(error)}")
        case errors.IdleInTransactionSessionTimeout():
            return DatabaseFailing(
                f"{where} has given up a connection over which this host said nothing for too "
                "long while it wrote"
            )
        case errors.DiskFull():
            return DatabaseFull(f"{where}: its disk is full")
        case errors.ReadOnlySqlTransaction():
            return DatabaseReadOnly(f"{where} is read-only; it may be a standby")
        case _ if isinstance(error, _FAILING):
            return DatabaseFailing(f"{where} cannot be used: {_reason(error)}")
    return None


def conflict(where: str) -> DatabaseConflict:
    """Return the fault for rows that others changed at the same moment."""
    return DatabaseConflict(f"{where} was changed by others at the same moment")


def too_new(where: str, oldest: int, known: int) -> DatabaseTooNew:
    """Return the fault for tables that only later versions of the program can work with."""
    return DatabaseTooNew(
        f"{where} was taken over by a newer pbm_oust: its tables need version {oldest}, and this "
        f"program knows version {known}. Install the newer program"
    )


def too_new_to_copy(where: str, version: int, known: int) -> DatabaseTooNew:
    """Return the fault for tables of which this program does not know all that is in them."""
    return DatabaseTooNew(
        f"{where} was taken over by a newer pbm_oust: its tables are of version {version}, and "
        f"this program can copy those of version {known}. Copy with the newer program"
    )


def too_old(where: str, version: int, known: int, home: Path) -> DatabaseTooOld:
    """Return the fault for tables that have to be changed by somebody who may do that."""
    there = f"its tables are of version {version}" if version else "it has no tables yet"
    return DatabaseTooOld(
        f"{where} cannot be used yet: {there}, this program needs version {known}, and whom it "
        "connects as may not change that. Name the database with a user who may as URL:  "
        + command_line(home, "home", "upgrade", "--owner", "URL")
    )


@contextmanager
def faults(where: str) -> Iterator[None]:
    """Turn errors of PostgreSQL into faults of the database."""
    try:
        yield
    except psycopg.Error as error:
        raise fault_of(error, where) or error from error


def _reason(error: psycopg.Error) -> str:
    """Return what the server or the library says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


_PLACE = re.compile(r"\?(\d*)")
_HINTS = (re.compile(r" INDEXED BY \w+"), re.compile(r"(?<= )\+(?=[a-z])"))
"""How SQLite is told which index to use; PostgreSQL decides that by itself."""
_CROSS = re.compile(r"CROSS JOIN (?=\w+ \w+ USING)")
"""Another such hint: SQLite keeps the order of tables."""


@lru_cache(maxsize=1000)
def statement_for(statement: str) -> str:
    """Return a statement of the program as PostgreSQL reads it: places are `$1`, `$2` and so on."""
    for hint in _HINTS:
        statement = hint.sub("", statement)
    statement = _CROSS.sub("JOIN ", statement)
    statement = statement.replace("json_each(", "json_array_elements_text(")
    return _with_places(statement)


def _with_places(statement: str) -> str:
    number = 0

    def place(match: re.Match[str]) -> str:
        nonlocal number
        number = int(match[1]) if match[1] else number + 1
        return f"${number}"

    return _PLACE.sub(place, statement)


class SharedClock:
    """The clock of the server, told by the host's own clock and by how much it is ahead of that.

    Whenever the server tells the time, this is put right as far as it was wrong for certain: the
    answer was given at some moment between the question and its arrival.
    """

    def __init__(self, own: Callable[[], float] = time.time) -> None:
        """`own` gives seconds since the epoch, by the clock of this host."""
        self.own = own
        self.is_set = False
        """Whether the server has ever told the time."""
        self._ahead = 0.0

    def time(self) -> float:
        """Return the seconds since the epoch."""
        return self.own() + self._ahead

    def put_right(self, asked: float, told: float) -> None:
        """Take what the server told after it was asked at some time by the host's own clock."""
        self._ahead = min(max(self._ahead, told - self.own()), told - asked)
        self.is_set = True


Raw = psycopg.Connection[TupleRow]

_LOCK = "LOCK TABLE home_key IN {} MODE"
"""The lock of those who write. Unlike any query, it does not settle which moment is seen."""
_ALONE, _SHARED = "SHARE ROW EXCLUSIVE", "ROW EXCLUSIVE"
"""Nobody else may have the lock; others may share it."""
_SILENT_SECONDS = 8
"""How long a host may be silent that has the lock of writers, until it has lost it.

That is less than others wait for it, and who has it waits for nobody else.
"""
_HOLDING_SECONDS = 20
"""How long one may be silent that has locked some rows, and may wait for the lock of writers."""
_BEGIN_TO_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_BEGIN_TO_WRITE = "BEGIN ISOLATION LEVEL REPEATABLE READ"
_BEGIN_TO_HOLD = "BEGIN ISOLATION LEVEL READ COMMITTED"
"""Who has waited for a lock sees what was committed meanwhile, whatever the server's default is."""
_LET_END = f"SET LOCAL idle_in_transaction_session_timeout = '{_SILENT_SECONDS}s'"
_GUARD = "set_config('idle_in_transaction_session_timeout', '{}s', true)"
GUARDED = _GUARD.format(_HOLDING_SECONDS)
"""What lets the server end a transaction whose host says nothing."""
_END_SILENT = (
    "SELECT count(pg_terminate_backend(a.pid)) FROM pg_stat_activity a"  # noqa: S608 - the words are ours # nosec B608
    " WHERE datname = current_database() AND usename = current_user"
    " AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()"
    " AND state = 'active' AND wait_event_type = 'Client'"
    f" AND state_change < clock_timestamp() - interval '{_SILENT_SECONDS}s'"
    " AND (backend_xid IS NOT NULL OR EXISTS (SELECT FROM pg_locks l"
    " WHERE l.pid = a.pid AND relation = CAST('home_key' AS regclass) AND granted))"
)
"""The statement that ends connections of this program that hold locks and say nothing.

They are those of transactions that have a lock of ours, or have written something. Each is in the
middle of a pipeline, or does not take what it has asked for.
"""
_SETTINGS = (
    "SET synchronous_commit = on; SET client_min_messages = warning;"
    " SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = '25s'"
)
"""How connections behave; the server gives one up whose host says nothing for 25 seconds."""
_COMMIT, _UNDO = "COMMIT", "ROLLBACK"
_MOST_ERRORS = 3
"""How often a pipeline tells of an error, at most, until it takes statements again."""


def set_up(connection: Raw, patience: float) -> None:
    """Settle how a new connection behaves; it waits so many seconds for the locks of others.

    Numbers have 64 bits for it, whatever their size.
    """
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.execute(f"{_SETTINGS}; SET lock_timeout = '{int(patience * 1000)}ms'")


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """What a statement does that was sent to the server."""

    cursor: psycopg.Cursor[TupleRow]

    @property
    def rows(self) -> list[Row]:
        """The rows that it gives; the statement must have been carried out."""
        return self.cursor.fetchall() if self.cursor.description else []

    @property
    def changed(self) -> int:
        """The number of rows that it is known to have changed."""
        return max(self.cursor.rowcount, 0)

    @property
    def is_none(self) -> bool:
        """Whether it is known to give no row."""
        return self.cursor.pgresult is not None and not self.cursor.rowcount


class PostgresqlConnection:
    """A connection to the database that messages call `where`.

    Within a transaction, statements are sent one after another, and only who needs an answer waits
    for it: that is a round trip. Every method may raise DatabaseFault, also for what was sent
    before.
    """

    def __init__(self, raw: Raw, where: str, identity: Identity, clock: SharedClock) -> None:
        """`clock` is put right by what the server tells."""
        self.raw = raw
        self.identity = identity
        self.is_broken = False
        """Whether a fault has shown, after which the connection should be closed."""
        self.changed = 0
        """The number of rows that the latest statement has changed."""
        self._where = where
        self._clock = clock
        self._begun = 0.0
        """When the latest transaction was begun, by the host's own clock."""
        self._within = ExitStack()
        self._pipeline: psycopg.Pipeline | None = None
        """What takes the statements of a transaction; None outside of one."""
        self._undoing = _UNDO
        """What ends the transaction without its changes."""
        self._shares = False
        """Whether others may write at the same time."""
        self._has_sent = False
        """Whether something was sent since the latest round trip."""
        self._version: ServerAnswer | None = None
        """The version of the tables, until it has been looked at."""

    @property
    def is_sound(self) -> bool:
        """Whether it can be used again: the server has said nothing unasked, as it does at its end.

        This asks nobody.
        """
        if self.is_broken or self.raw.closed:
            return False
        looking = select.poll()  # select() refuses the numbers of many files
        looking.register(self.raw.fileno(), select.POLLIN)
        return not looking.poll(0)

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction is open, even if it has failed."""
        return self._pipeline is not None and not self.raw.closed

    def execute(self, statement: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """Carry out a statement in the SQL that all engines know, and return its rows."""
        answer = self.send(statement, values)
        self.wait()
        self.changed = answer.changed
        return answer.rows

    def send(self, statement: str, values: tuple[Value, ...] = ()) -> ServerAnswer:
        """Have a statement carried out within a transaction, without waiting for its answer."""
        # In a pipeline, psycopg takes a statement as prepared that it has sent some times before,
        # even if an error in front of it has kept the server from preparing it. It forgets all that
        # after a ROLLBACK, which it only notes if it has not counted that statement, either: what
        # is to be prepared at once is not counted.
        return self._send(statement, values, prepare=statement.startswith(_UNDO) or None)

    def _send(
        self, statement: str, values: tuple[Value, ...] = (), *, prepare: bool | None
    ) -> ServerAnswer:
        wanted = cast("QueryNoTemplate", statement_for(statement))
        with self._noticing():
            self._has_sent = True
            cursor = self.raw.cursor()
            return ServerAnswer(cursor.execute(wanted, values or None, prepare=prepare))

    def wait(self) -> None:
        """Wait until all that was sent has been carried out. Its faults show here, or before."""
        if self._pipeline and self._has_sent:
            with self._noticing():
                self._has_sent = False
                self._pipeline.sync()
            self._check_version()

    def begin_to_read(self) -> None:
        """Begin a transaction that reads one moment; the tables must have our version."""
        self._begin(_BEGIN_TO_READ, OLDEST_AND_TIME)
        self._undoing = _COMMIT  # there are no changes, and what is prepared stays

    def begin_to_write(self, *, shares: bool = False) -> None:
        """Begin a transaction when nobody else writes; the tables must have our version.

        Whoever shares may write at the same time as others who do.
        """
        self._shares = shares
        lock = _LOCK.format(_SHARED if shares else _ALONE)
        self._begin(_BEGIN_TO_WRITE, _LET_END, lock, OLDEST_AND_TIME)

    def begin_to_hold(self) -> None:
        """Begin a transaction that locks some rows, while others write."""
        self._begin(_BEGIN_TO_HOLD, f"SELECT {GUARDED}", OLDEST_AND_TIME)

    def begin_at_once(self) -> bool:
        """Return False: another thread has to wait for the server."""
        return False

    def commit(self) -> None:
        """Make durable what was written."""
        self._end(_COMMIT)

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""
        if not self._pipeline:
            return
        self._end(self._undoing)
        if self._undoing == _UNDO:
            # What was prepared is forgotten by DEALLOCATE before the next statement: not behind a
            # BEGIN, where it would settle which moment is seen.
            with self._noticing():
                self.raw.execute("SELECT 1", prepare=False)

    def tend(self) -> None:
        """Do nothing: the server has processes of its own for upkeep."""

    def moment(self) -> Value:
        """Return what is another value after each commit."""
        return str(self.execute("SELECT pg_current_snapshot()::text")[0][0])

    def close(self) -> None:
        """Close the connection, in whatever state it is."""
        self.raw.close()

    def _begin(self, *statements: str) -> None:
        """Begin a transaction; the last statement gives the version of the tables and the time."""
        self._begun, self._undoing = self._clock.own(), _UNDO
        with self._noticing():
            self._pipeline = self._within.enter_context(self.raw.pipeline())
        # If these were prepared, psycopg might send DEALLOCATE behind one of them to make room, and
        # that settles which moment is seen, before the lock is ours.
        *_, self._version = [self._send(each, prepare=False) for each in statements]

    def _end(self, statement: str) -> None:
        """End a transaction, in one round trip."""
        with self._noticing():
            try:
                if not self.raw.closed:
                    self.send(statement)
            finally:
                self._leave()

    def _leave(self) -> None:
        """Wait for what was sent, and wait for each statement again."""
        self._pipeline, self._version = None, None
        self._within.close()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Turn errors of the body into faults, and note them. Mistakes in the program pass."""
        try:
            yield
        except psycopg.Error as error:
            self._undoing = _UNDO
            self._go_on()
            fault = fault_of(error, self._where)
            if self._shares and isinstance(error, UniqueViolation):
                fault = conflict(self._where)
            if fault is None:
                raise
            self.is_broken = not isinstance(fault, DatabaseConflict)
            if isinstance(fault, DatabaseLocked) and self._end_silent():
                fault = DatabaseFreed(f"{self._where}: who had locked it said nothing, and is out")
            raise fault from error

    def _end_silent(self) -> bool:
        """End the transaction, and those of hosts that say nothing; return whether there are any.

        What such a host tries later fails, as its connection is gone.
        """
        with suppress(psycopg.Error):
            self._leave()
            self.raw.rollback()
            return self.raw.execute(_END_SILENT).fetchone() != (0,)
        return False

    def _go_on(self) -> None:
        """Let the server carry out statements again, after an error.

        A transaction that has not begun by then is none.
        """
        for _ in range(_MOST_ERRORS):
            with suppress(psycopg.Error):
                if self._pipeline and not self.raw.closed:
                    self._has_sent = False
                    self._pipeline.sync()
                break
        self._check_version()
        if self._version:
            with suppress(psycopg.Error):
                self._leave()
                self.raw.rollback()

    def _check_version(self) -> None:
        """Look at the version of the tables and the time, once in a transaction.

        Raises DatabaseTooNew.
        """
        if self._version and self._version.cursor.pgresult:
            ((oldest, told),) = self._version.rows
            self._version = None
            self._clock.put_right(self._begun, told)
            if oldest > LATEST:
                raise too_new(self._where, oldest, LATEST)
