"""PostgreSQL: the database of a home on a server, which several hosts share.

Every transaction sees one moment: it is REPEATABLE READ. Who writes holds a lock of the whole home,
so that nobody else writes, on whatever host; those who only make moves share that lock. The lock
comes first, so the moment that is seen comes after all that others had committed. If two who share
the lock change the same row, the server undoes one of them, and it is done again alone
(`database.py`).

A host may stop at any moment of a transaction, and its kernel may still answer. The server waits
for its next statement only so long, and then undoes the transaction.

This needs the extra `postgresql`.
"""

import re
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import cast

import psycopg
from psycopg import errors
from psycopg.abc import QueryNoTemplate
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8Dumper

from pbm_oust.store import database, faults
from pbm_oust.store.faults import DatabaseFault

# Faults

_FAILING = (
    *(psycopg.OperationalError, psycopg.InterfaceError, errors.InsufficientPrivilege),
    # A host has said nothing for too long while it wrote.
    errors.IdleInTransactionSessionTimeout,
    # What was prepared on a connection is gone; it works again on a new one.
    errors.InvalidSqlStatementName,
)


def fault_of(error: psycopg.Error, where: str, *, shares: bool = False) -> DatabaseFault | None:
    """Return the fault for an error of PostgreSQL; None for a mistake in the program.

    `shares`: whether others may have written the same at the same moment.
    """
    reason = " ".join(str(error).split()) or type(error).__name__
    match error:
        case errors.UniqueViolation() if shares:
            return faults.DatabaseConflict(f"{where} was changed by others at the same moment")
        case errors.SerializationFailure() | errors.DeadlockDetected():
            return faults.DatabaseConflict(f"{where} was changed by others at the same moment")
        case errors.LockNotAvailable():
            return faults.DatabaseLocked(f"{where} is locked by another server for too long")
        case errors.DiskFull():
            return faults.DatabaseFull(f"{where}: its disk is full")
        case errors.ReadOnlySqlTransaction():
            return faults.DatabaseReadOnly(f"{where} is read-only; it may be a standby")
        case _ if isinstance(error, _FAILING):
            return faults.DatabaseFailing(f"{where} cannot be used: {reason}")
    return None


# Connections

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


_VERSION_AND_TIME = (
    "SELECT coalesce(max(version), 0),"
    " CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) FROM pbm_oust_version"
)
"""The statement that gives the version of the tables, and the seconds since the epoch, by the clock
of the server."""
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


class PostgresqlConnection(database.Connection):
    """A connection to the database that messages call `where`.

    Every method may raise DatabaseFault.
    """

    changed = 0

    def __init__(
        self, raw: Raw, where: str, identity: database.Identity, clock: SharedClock
    ) -> None:
        """`clock` is put right by what the server tells."""
        self.raw = raw
        self.identity = identity
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
        is_broken = self.fault and not isinstance(self.fault, faults.DatabaseConflict)
        if is_broken or self.raw.closed:
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

    def execute(
        self, statement: str, values: tuple[database.Value, ...] = ()
    ) -> list[database.Row]:
        """Carry out a statement in the SQL that all engines know, and return its rows."""
        wanted = cast("QueryNoTemplate", statement_for(statement))
        with self._noticing():
            cursor = self.raw.execute(wanted, values or None)
            self.changed = max(cursor.rowcount, 0)
            return cursor.fetchall() if cursor.description else []

    def execute_all(self, statement: str, rows: Sequence[tuple[database.Value, ...]]) -> None:
        """Carry out a statement for each of some rows of values, in one round trip."""
        with self._noticing(), self.raw.cursor() as cursor:
            cursor.executemany(cast("QueryNoTemplate", statement_for(statement)), rows)

    def begin(self, *, writes: bool, shares: bool = False) -> None:
        """Begin a transaction that reads one moment, or one that writes when nobody else does.

        Whoever shares may write at the same time as others who do. The tables must have our
        version; the server tells that, and the time.
        """
        self._shares, self._reads, self.fault = shares, not writes, None
        begin = _BEGIN_TO_WRITE.format(_SHARED if shares else _ALONE) if writes else _BEGIN_TO_READ
        asked = self._clock.own()
        with self._noticing():
            # Sent as one text, which is never prepared: nothing may come between these.
            cursor = self.raw.execute(f"{begin}; {_VERSION_AND_TIME}".encode(), prepare=False)
            while cursor.nextset():
                pass
            ((version, told),) = cursor.fetchall()
        self._clock.put_right(asked, told)
        if version > database.LATEST:
            raise faults.wrong_version(self._where, version, database.LATEST, database.EARLIER)

    def commit(self) -> None:
        """Make durable what was written."""
        if self._status is TransactionStatus.INERROR:  # the server would undo it, without a word
            raise faults.DatabaseFailing(
                f"{self._where}: a statement has failed, so nothing is written"
            )
        try:
            self.execute("COMMIT")
        except faults.DatabaseLost as fault:  # nobody knows whether it was undone
            raise faults.DatabaseFailing(*fault.args) from fault

    def roll_back(self) -> None:
        """Undo what was written, and end the transaction, if one is open."""
        if self.is_in_transaction:
            # With a COMMIT, what is prepared stays.
            is_harmless = self._reads and self._status is TransactionStatus.INTRANS
            self.execute("COMMIT" if is_harmless else "ROLLBACK")

    def moment(self) -> database.Value:
        """Return what is another value after each commit."""
        return str(self.execute("SELECT pg_current_snapshot()::text")[0][0])

    def close(self) -> None:
        """Close the connection, in whatever state it is."""
        self.raw.close()

    @contextmanager
    def _noticing(self) -> Iterator[None]:
        """Turn errors of the body into faults, and note them. Mistakes in the program pass."""
        try:
            yield
        except psycopg.Error as error:
            fault = fault_of(error, self._where, shares=self._shares)
            if fault is None:
                raise
            if self.raw.closed and isinstance(fault, faults.DatabaseFailing):
                fault = faults.DatabaseLost(*fault.args)
            self.fault = self.fault or fault
            raise fault from error


# Tasks that one host has

_ASKED = 3
"""How often a host says something meanwhile."""
_TAKE = "SELECT value FROM json_each(?) WHERE pg_try_advisory_lock(hashtextextended(value, 0))"
_GIVE_BACK = "SELECT pg_advisory_unlock(hashtextextended(value, 0)) FROM json_each(?)"


class Holder(database.Hold):
    """Takes tasks for a host of those that share a database: advisory locks of one connection.

    The server takes them back when the connection is lost, or the host says nothing for so many
    `seconds`. Making one, as its methods, may raise DatabaseFault.
    """

    def __init__(self, database: "PostgresqlDatabase", seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._connection = database.connect()
        self._heard = 0.0
        """When the server was asked last, by a clock that goes on while the host sleeps."""
        try:
            self._do(f"SET idle_session_timeout = '{int(seconds * 1000)}ms'")
        except BaseException:
            self._connection.close()
            raise
        self._is_over = threading.Event()
        self._asking = threading.Thread(target=self._ask, name="locks", daemon=True)
        self._asking.start()

    @property
    def is_sure(self) -> bool:
        """Whether the server cannot have taken back a task."""
        with self._lock:
            return self._connection.is_sound and _clock() < self._heard + self._seconds

    def take(self, tasks: Iterable[str]) -> frozenset[str]:
        """Take those of some tasks that nobody has, and return them."""
        return frozenset(task for (task,) in self._do(_TAKE, database.words_list(tasks)))

    def give_back(self, tasks: Iterable[str]) -> None:
        """Let others have tasks again."""
        self._do(_GIVE_BACK, database.words_list(tasks))

    def __exit__(self, *_: object) -> None:
        """Let others have all tasks again."""
        self._is_over.set()
        with suppress(DatabaseFault):
            self._do("SELECT pg_advisory_unlock_all()")  # at once, and not some time later
        self._connection.close()
        self._asking.join()

    def _ask(self) -> None:
        while not self._is_over.wait(self._seconds / _ASKED) and self.is_sure:
            with suppress(DatabaseFault):
                self._do("SELECT 1")

    def _do(self, statement: str, *values: str) -> list[database.Row]:
        with self._lock:
            asked = _clock()
            rows = self._connection.execute(statement, values)
            self._heard = asked
        return rows


def _clock() -> float:
    """Return seconds that also pass while the host sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


_PARAMETERS: dict[str, str | int] = {
    "application_name": "pbm_oust",
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 2,
    "tcp_user_timeout": 15_000,
}
"""Who we are, and how long to wait for a server that says nothing, unless the URL says other."""
_MIGRATING = 0x6F757375
"""The number of the advisory lock of those who look after the tables."""


class PostgresqlDatabase(database.Database):
    """The database that a URL names. Its methods may raise DatabaseFault, an OSError."""

    is_made = True
    """The tables are made when somebody connects."""
    is_shared = True
    most_readers = 16
    kept_seconds = 20.0
    """After how many seconds the server takes the locks of a host that says nothing.

    That is before it gives up the connection of one that is cut off.
    """

    def __init__(self, url: str, home: Path = Path("HOME")) -> None:
        """Nothing is connected yet. Raises OSError for a URL that cannot be used."""
        found = _read_url(url)
        name = found.get("dbname") or found.get("user") or ""
        where = f"the database {name} at {found.get('host') or 'localhost'}"
        super().__init__(where)
        self.url = make_conninfo("", **{**_PARAMETERS, **found})
        self.clock = SharedClock()
        self._home = home
        self._identity: database.Identity | None = None
        self._key: bytes | None = None

    def connect(self, *, reads_only: bool = False) -> PostgresqlConnection:
        """Open a connection; the first one makes missing tables."""
        raw: Raw | None = None
        try:
            raw = psycopg.connect(self.url, autocommit=True, cursor_factory=psycopg.RawCursor)
            raw.adapters.register_dumper(int, Int8Dumper)  # whatever the size of a number
            patience = f"SET lock_timeout = '{int(self.patience * 1000)}ms'"
            raw.execute(f"{_SETTINGS}; {patience}".encode())
            self._identity = self._identity or self._prepare(raw)
        except BaseException as error:
            if raw:
                raw.close()
            fault = fault_of(error, self.where) if isinstance(error, psycopg.Error) else None
            if fault is None:
                raise
            raise fault from error
        return PostgresqlConnection(raw, self.where, self._identity, self.clock)

    def _prepare(self, raw: Raw) -> database.Identity:
        """Make missing tables, while nobody else does, and return what identifies them.

        That changes if they are made anew, or are those of another database. Raises DatabaseTooOld
        if others have to make them.
        """
        version = _version_of(raw)
        there = f"{self.where} cannot be used yet:"
        if 0 < version < database.LATEST:
            raise faults.DatabaseTooOld(
                f"{there} its tables are of version {version}, this program needs version "
                f"{database.LATEST}. Copy the home to files with the program that made them, "
                "upgrade those, and copy them into an empty database: see Upgrade in docs/upkeep.md"
            )
        try:
            if not version:
                with raw.transaction():
                    raw.execute(f"{LET_END}; SELECT pg_advisory_xact_lock({_MIGRATING})".encode())
                    if not _version_of(raw):
                        raw.execute(database.tables("postgresql").encode())
                        raw.execute("INSERT INTO pbm_oust_version VALUES ($1)", (database.LATEST,))
        except errors.InsufficientPrivilege:
            raise faults.DatabaseTooOld(
                f"{there} it has no tables yet, this program needs version {database.LATEST}, and "
                "whom it connects as may not make them. "
                "Name the database with a user who may as URL:  "
                + faults.command_line(self._home, "home", "upgrade", "--owner", "URL")
            ) from None
        row = raw.execute(
            "SELECT oid::bigint, 'accounts'::regclass::oid::bigint FROM pg_database"
            " WHERE datname = current_database()"
        ).fetchone()
        return (int(row[0]), int(row[1])) if row else (0, 0)

    @property
    def has_key(self) -> bool:
        """Whether there is a key."""
        return bool(self._find_key())

    def read_key(self) -> bytes:
        """Return the key, 32 bytes. Raises OSError if there is none."""
        self._key = self._key or self._find_key()
        if not self._key:
            raise OSError(f"{self.where} has no key yet")
        return self._key

    def put_key(self, key: bytes) -> None:
        """Take a key of 32 bytes, unless there is one."""
        put = "INSERT INTO home_key VALUES (1, ?) ON CONFLICT DO NOTHING"
        if not self.has_key:
            self.write(lambda transaction: transaction.run(put, key))

    def _find_key(self) -> bytes | None:
        with self.read_latest() as snapshot:
            row = snapshot.row("SELECT key FROM home_key WHERE id = 1")
        return bytes(row[0]) if row else None

    def time(self) -> float:
        """Return the seconds since the epoch, by the clock of the server.

        As long as that has never been reached, it is the clock of this host.
        """
        if not self.clock.is_set:
            with suppress(DatabaseFault), self.read_latest():
                pass  # whoever begins to read is told the time
        return self.clock.time()

    def holding(self) -> Holder:
        """Return what takes tasks for this host.

        A host that is dead, or has stopped, loses them within a minute.
        """
        return Holder(self, self.kept_seconds)


def _version_of(raw: Raw) -> int:
    """Return the version of the tables; 0 if there are none."""
    found = raw.execute("SELECT to_regclass('pbm_oust_version')").fetchone()
    if found == (None,):
        return 0
    row = raw.execute(_VERSION_AND_TIME.encode()).fetchone()
    return int(row[0]) if row else 0


# URLs

_WRONG = (
    "what stands behind postgresql:// cannot be read. It is written USER@HOST/DATABASE, with "
    "special characters percent-encoded (@ is %40, / is %2F), and with no parameters but those of "
    "libpq. A password belongs in ~/.pgpass"
)
"""The sentence for all that is wrong: what the library says may quote a password."""


_PORTS = re.compile("[0-9,]*")


def _read_url(url: str) -> dict[str, str | int]:
    """Return the parameters in a URL. Raises OSError unless it can be read, and names are names.

    Where a password has characters that are not encoded, a part of it is taken for the name of a
    host, a port or the name of the database, and these are shown.
    """
    with suppress(psycopg.ProgrammingError, UnicodeDecodeError):
        found = {key: str(value) for key, value in conninfo_to_dict(url).items()}
        name = found.get("dbname", "")
        shown = name + found.get("host", "") + found.get("hostaddr", "")
        if "@" not in shown and not {*"/:"} & {*name} and _PORTS.fullmatch(found.get("port", "")):
            return {**found}
    raise OSError(_WRONG)
