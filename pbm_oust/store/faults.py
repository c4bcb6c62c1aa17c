"""Faults of the database: a type for each, with a sentence for the operator.

All of them are `OSError`: the sender of a mail keeps it, and a later try may succeed.
"""

import errno
import os
import sys
from collections.abc import Collection
from pathlib import Path

import apsw


def command_line(home: Path | None, *words: str) -> str:
    """Return a `pbm-oust` command to paste into a shell, perhaps with a home."""
    import shlex
    from shutil import which

    name, started = "pbm-oust", Path(sys.argv[0]).absolute()
    is_elsewhere = started.name == name and which(name) != str(started)
    on_home = ["--home", str(home.absolute())] if home else []
    return shlex.join([str(started) if is_elsewhere else name, *on_home, *words])


class DatabaseFault(OSError):
    """The database cannot be used; the message names the file and says why."""

    word = "unreachable"
    """The name for programs, the same in all versions."""
    told = "The home cannot be used."
    """The sentence for everybody, without details."""


class DatabaseLocked(DatabaseFault):
    """The database was held by another process for too long."""

    word, told = "locked", "Somebody else has locked the database for too long."


class DatabaseBusy(DatabaseFault):
    """The process has all its connections in use."""

    word, told = "busy", "All connections to the database are in use."


class DatabaseConflict(DatabaseFault):
    """The transaction met another one at the same rows, and was undone."""


class DatabaseFull(DatabaseFault):
    """The disk has no room left."""

    word, told = "full", "The database has no room left."


class DatabaseReadOnly(DatabaseFault):
    """The file or its disk cannot be written."""

    word, told = "read_only", "The database is read-only."


class DatabaseFailing(DatabaseFault):
    """The file cannot be opened, or the disk fails."""


class DatabaseLost(DatabaseFailing):
    """The server has ended the connection within a transaction, and undone it."""


class DatabaseForbidden(DatabaseFailing):
    """The process lacks permission for the file, or for one that SQLite keeps beside it."""


class DatabaseDamaged(DatabaseFault):
    """The file is damaged."""

    word, told = "damaged", "The database is damaged."


class ValueDamaged(DatabaseDamaged):
    """A value in a row is invalid; the message describes it."""


class AccountDamaged(ValueDamaged):
    """The rows of an account are invalid; the message names the account."""


class DatabaseTooNew(DatabaseFault):
    """The tables were made by a later version of the program."""

    word, told = "later_version", "The database was written by a later version of the program."


class DatabaseTooOld(DatabaseFault):
    """The tables are of an earlier version, and we may not upgrade them."""

    word, told = "earlier_version", "The tables have to be upgraded by their owner."


class DatabaseGoneBack(DatabaseFault):
    """The database is an older one than before: boards are missing or have lost records."""

    word, told = "gone_back", "The database has gone back to an earlier moment."


_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM)


def fault_of(error: apsw.Error, path: Path, number: int = 0) -> DatabaseFault | None:
    """Return the fault for an error of SQLite; None for a mistake in the program.

    `number` is the `errno` of the system call that failed, or 0.
    """
    match error:
        case apsw.BusyError() | apsw.LockedError() | apsw.ProtocolError():
            reason = f"{path} is locked by another program; to see which: fuser {path}"
            return DatabaseLocked(reason)
        case apsw.FullError():
            return _fault_by(errno.ENOSPC, path, "used", "")
        case apsw.ReadOnlyError():
            return _fault_by(errno.EROFS, path, "used", "")
        case apsw.IOError() if getattr(error, "extendedresult", 0) != apsw.SQLITE_IOERR_CORRUPTFS:
            return _fault_by(number, path, "used", str(error))
        case apsw.CantOpenError() | apsw.PermissionsError():
            number = errno.EROFS if _is_on_read_only_disk(path) else number
            return _fault_by(number, path, "opened", str(error))
        case apsw.CorruptError() | apsw.NotADBError() | apsw.IOError():
            return damaged(path, str(error))
    return None


def damaged(path: Path, reason: str) -> DatabaseDamaged:
    """Return the fault for a damaged file."""
    return DatabaseDamaged(
        f"{path} is damaged ({reason}). Stop the server, then restore a backup, or remove "
        f"{path.name}, {path.name}-wal and {path.name}-shm to begin again without accounts and "
        "letters: the games are made anew from their files, which can be shown and verified now"
    )


def wrong_version(
    where: Path | str, version: int, known: int, earlier: Collection[int]
) -> DatabaseFault:
    """Return the fault for tables of an unknown version.

    Those in `earlier` can be upgraded.
    """
    writer = "a newer" if version > known else "an earlier"
    said = f"{where} was written by {writer} pbm_oust: its tables are of version {version}, and"
    if version > known:
        return DatabaseTooNew(
            f"{said} this program knows version {known}. "
            "Install the newer program, or restore an older backup"
        )
    home = Path(where).parent
    if version not in earlier:
        import shlex

        words = ["--home", str(home.absolute()), "players"]
        file = str(home.absolute().with_name("players.jsonl"))
        export = shlex.join(["pbm-oust", *words, "export", file])
        take = command_line(home, "players", "import", file)
        return DatabaseTooOld(
            f"{said} no release had those. Players and games can be taken along. Stop the server. "
            f"With the program that wrote it, do:  {export}  Move {Path(where).name} and the files "
            "that begin so elsewhere, and start this server, which makes the games from their "
            f"files. Then do:  {take}  Letters that waited are lost"
        )
    return DatabaseTooOld(
        f"{said} this program knows version {known}. The server brings it up to date when it "
        'starts, unless its configuration has upgrade = "by hand". For that, stop the server, make '
        f"a backup of the folder, and do:  {command_line(home, 'home', 'upgrade')}"
    )


def disk_fault(error: OSError, path: Path | str) -> DatabaseFault:
    """Return the fault for an error outside SQLite; a fault stays as it is."""
    if isinstance(error, DatabaseFault):
        return error
    return _fault_by(error.errno or 0, path, "opened", str(error))


def _is_on_read_only_disk(path: Path) -> bool:
    """Return whether a disk is read-only; SQLite does not say so if its log is missing."""
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _fault_by(number: int, path: Path | str, verb: str, reason: str) -> DatabaseFault:
    """Return the fault for an `errno`."""
    if number in _FULL:
        return DatabaseFull(f"{path}: the disk is full")
    if number == errno.EROFS:
        return DatabaseReadOnly(f"{path} cannot be written: it, or its disk, is read-only")
    why = f"{path} cannot be {verb}: {os.strerror(number) if number else reason}"
    if number in _FORBIDDEN:
        return DatabaseForbidden(f"{why}. Use it as the user whom the home belongs to")
    return DatabaseFailing(why)
