"""A connection to PostgreSQL, which answers as one to the embedded database does.

Every transaction sees one moment: it is REPEATABLE READ. Who writes holds a lock of the whole home,
so that nobody else writes, on whatever host; those who only make moves share that lock. The lock
comes first, so the moment that is seen comes after all that others had committed. If two who share
the lock change the same row, the server undoes one of them, and it is done again alone
(`database.py`).

A host may stop at any moment of a transaction, and its kernel may still answer. The server waits
for its next statement only so long, and then undoes the transaction.
"""

import re
import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import cast

import psycopg
from psycopg import errors
from psycopg.abc import QueryNoTemplate
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import UniqueViolation
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8Dumper

from pbm_oust.store.database import LATEST, Identity, Row, Value
from pbm_oust.store.faults import (
    DatabaseConflict,
    DatabaseFailing,
    DatabaseFault,
    DatabaseFull,
    DatabaseLocked,
    DatabaseLost,
    DatabaseReadOnly,
    DatabaseTooNew,
    DatabaseTooOld,
    command_line,
)

VERSION = "SELECT coalesce(max(version), 0) FROM pbm_oust_version"
"""The statement that gives the version of the tables in PostgreSQL."""
OLDEST_AND_TIME = (
    "SELECT coalesce(max(oldest), 0),"
    " CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) FROM pbm_oust_version"
)
"""The statement that gives the lowest version whose programs can work with the tables, and the
seconds since the epoch, by the clock of the server."""
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


@lru_cache(maxsize=1000)
def statement_for(statement: str) -> str:
    """Return a statement of the program as PostgreSQL reads it: places are `$1`, `$2` and so on."""
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

_SILENT_SECONDS = 8
"""How long a host may be silent in a transaction that writes, until the server undoes it.

That is less than others wait for the lock, and who has it waits for nobody else.
"""
_BEGIN_TO_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
LET_END = f"SET LOCAL idle_in_transaction_session_timeout = '{_SILENT_SECONDS}s'"
_BEGIN_TO_WRITE = (
    f"BEGIN ISOLATION LEVEL REPEATABLE READ; {LET_END}; LOCK TABLE home_key IN {{}} MODE"
)
"""The lock of those who write. Unlike any query, it does not settle which moment is seen."""
_ALONE, _SHARED = "SHARE ROW EXCLUSIVE", "ROW EXCLUSIVE"
"""Nobody else may have the lock; others may share it."""
_SETTINGS = (
    "SET synchronous_commit = on; SET client_min_messages = warning;"
    " SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;"
    " SET tcp_user_timeout = '25s'"
)
"""How connections behave; the server gives one up whose host says nothing for 25 seconds."""


def set_up(connection: Raw, patience: float) -> None:
    """Settle how a new connection behaves; it waits so many seconds for the locks of others.

    Numbers have 64 bits for it, whatever their size.
    """
    connection.adapters.register_dumper(int, Int8Dumper)
    connection.execute(f"{_SETTINGS}; SET lock_timeout = '{int(patience * 1000)}ms'")


class PostgresqlConnection:
    """A connection to the database that messages call `where`.

    Every method may raise DatabaseFault.
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
        self._shares = False
        """Whether others may write at the same time."""
        self._reads = True
        """Whether the transaction only reads."""

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
        return not self.raw.closed and self._status is not TransactionStatus.IDLE

    @property
    def _status(self) -> TransactionStatus:
        return self.raw.info.transaction_status

    def execute(self, statement: str, values: tuple[Value, ...] = ()) -> list[Row]:
        """Carry out a statement in the SQL that all engines know, and return its rows."""
        wanted = cast("QueryNoTemplate", statement_for(statement))
        with self._noticing():
            cursor = self.raw.execute(wanted, values or None)
            self.changed = max(cursor.rowcount, 0)
            return cursor.fetchall() if cursor.description else []

    def execute_all(self, statement: str, rows: Sequence[tuple[Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values, in one round trip."""
        with self._noticing(), self.raw.cursor() as cursor:
            cursor.executemany(cast("QueryNoTemplate", statement_for(statement)), rows)

    def begin_to_read(self) -> None:
        """Begin a transaction that reads one moment; the tables must have our version."""
        self._shares, self._reads = False, True
        self._begin(_BEGIN_TO_READ)

    def begin_to_write(self, *, shares: bool = False) -> None:
        """Begin a transaction when nobody else writes; the tables must have our version.

        Whoever shares may write at the same time as others who do.
        """
        self._shares, self._reads = shares, False
        self._begin(_BEGIN_TO_WRITE.format(_SHARED if shares else _ALONE))

    def begin_at_once(self) -> bool:
        """Return False: another thread has to wait for the server."""
        return False

    def commit(self) -> None:
        """Make durable what was written."""
        if self._status is TransactionStatus.INERROR:  # the server would undo it, without a word
            raise DatabaseFailing(f"{self._where}: a statement has failed, so nothing is written")
        try:
            self.execute("COMMIT")
        except DatabaseLost as fault:  # nobody knows whether it was undone
            raise DatabaseFailing(*fault.args) from fault

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""
        if self.is_in_transaction:
            # With a COMMIT, what is prepared stays.
            is_harmless = self._reads and self._status is TransactionStatus.INTRANS
            self.execute("COMMIT" if is_harmless else "ROLLBACK")

    def moment(self) -> Value:
        """Return what is another value after each commit."""
        return str(self.execute("SELECT pg_current_snapshot()::text")[0][0])

    def close(self) -> None:
        """Close the connection, in whatever state it is."""
        self.raw.close()

    def _begin(self, statements: str) -> None:
        """Begin a transaction, and look at the version of the tables and the time.

        Raises DatabaseTooNew.
        """
        asked = self._clock.own()
        with self._noticing():
            # Sent as one text, which is never prepared: nothing may come between these.
            cursor = self.raw.execute(f"{statements}; {OLDEST_AND_TIME}".encode(), prepare=False)
            while cursor.nextset():
                pass
            ((oldest, told),) = cursor.fetchall()
        self._clock.put_right(asked, told)
        if oldest > LATEST:
            raise DatabaseTooNew(
                f"{self._where} was taken over by a newer pbm_oust: its tables need version "
                f"{oldest}, and this program knows version {LATEST}. Install the newer program"
            )

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Turn errors of the body into faults, and note them. Mistakes in the program pass."""
        try:
            yield
        except psycopg.Error as error:
            fault = fault_of(error, self._where)
            if self._shares and isinstance(error, UniqueViolation):
                fault = conflict(self._where)
            if fault is None:
                raise
            if self.raw.closed and isinstance(fault, DatabaseFailing):
                fault = DatabaseLost(*fault.args)
            self.is_broken |= not isinstance(fault, DatabaseConflict)
            raise fault from error
