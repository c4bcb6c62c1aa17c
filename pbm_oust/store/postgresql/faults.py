"""What can be wrong with the server, as the faults of the database that the program knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from pbm_oust.store.faults import (
    DatabaseConflict,
    DatabaseFailing,
    DatabaseFault,
    DatabaseFull,
    DatabaseLocked,
    DatabaseReadOnly,
    DatabaseTooNew,
    DatabaseTooOld,
    command_line,
)

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
