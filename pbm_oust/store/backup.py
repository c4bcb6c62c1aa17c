"""Backups: copying what a home holds at one moment, while others use it, and restoring it.

    DIR/pbm_oust.db          the database, by SQLite's own backup
    DIR/oust/17.txt          histories for people to read, as they were then
    DIR/key                  the secret of the home
    DIR/pbm_oust.toml        the configuration, if there is one

The database is copied first and named last: without it, a backup is not complete.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import apsw

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.configuration import server_in, without_server
from pbm_oust.store.database import Database, Row, Snapshot, Transaction, Value, tables
from pbm_oust.store.disk import CLOSED, Disk, NoSuchFile, bytes_of, guard, locked_folder, read_file
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import all_names, count_all
from pbm_oust.store.letters import State, count_letters, hold_letters
from pbm_oust.store.rebuilding import Progress
from pbm_oust.store.sqlite import FILE_NAME, UNFINISHED, KeyFile, SqliteDatabase, files_of

_LEAVING = (State.WAITING, State.HELD, State.FILE)


class NotCopied(Exception):
    """A backup or a restore is not possible, and why; nothing has been written."""


class InUse(NotCopied):
    """Somebody else has begun to use the folder; all has stayed there as it is."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How much a copy holds."""

    boards: int
    accounts: int
    letters: int
    """Letters that wait or are held back."""
    rows: int = 0
    """How many rows were compared with those that were copied."""


def back_up(home: Home, folder: Path, progress: Progress) -> Copied:
    """Copy a home into a folder that is empty or missing, while others may use the home.

    Raises NotCopied, DatabaseFault and OSError.
    """
    if folder.resolve().is_relative_to(home.path.resolve()):
        raise NotCopied(f"{folder} lies in the home, with which it would get lost; take another")
    if home.database.key.is_withheld:
        raise NotCopied(f"{home.path} is no whole copy of another home; back that one up")
    configuration = _configuration_of_files(home)
    if not home.is_on_server and not home.database.is_made and home.publisher.names():
        home.prepare()
    with _filled(home.disk, folder, "make the backup in a new one"):
        copied = _copy(home, folder, progress)
        if home.is_on_server:
            KeyFile(folder / home.key_path.name, home.disk).put(home.key())
            configured = folder / home.configuration.name
            home.disk.write(configured, configuration.encode(), 0o600)
        else:
            for path, mode in ((home.key_path, 0o600), (home.configuration, None)):
                _copy_file(home.disk, path, folder / path.name, mode)
        home.disk.move(folder / UNFINISHED, folder / FILE_NAME)
        home.disk.sync_folder(folder)
    return copied


def restore(folder: Path, path: Path, progress: Progress, disk: Disk | None = None) -> Copied:
    """Make a home from a backup, at a path that is empty or missing.

    Its letters are held back, because some may have left since. One of the form before is brought
    up to date. Raises NotCopied and OSError.
    """
    from pbm_oust.store.upgrading import BEFORE, upgrade

    if not (folder / FILE_NAME).is_file():
        raise NotCopied(f"{folder} is no backup: it holds no {FILE_NAME}")
    home = Home(path, disk)
    _check_no_server(folder / home.configuration.name)
    with _filled(home.disk, path, "restore into a new one, or move what it holds elsewhere"):
        _copy_file(home.disk, folder / FILE_NAME, path / UNFINISHED, 0o600)
        database = SqliteDatabase(path / UNFINISHED, home.disk)
        try:
            database.upgrade(BEFORE, lambda connection: upgrade(Home(folder), connection))
            database.write(hold_letters)
            with database.read() as snapshot:
                copied = _counted(snapshot)
            progress(0, copied.boards)
        except DatabaseFault as fault:
            reason = str(fault).replace(str(path / UNFINISHED), str(folder / FILE_NAME))
            raise NotCopied(f"the backup cannot be used: {reason}") from None
        finally:
            database.close()
        for name, mode in ((home.key_path.name, 0o600), (home.configuration.name, None)):
            _copy_file(home.disk, folder / name, path / name, mode)
        with locked_folder(path):
            if any(map(os.path.lexists, files_of(home.database_path))):
                raise InUse(f"somebody else uses {path}; move it, and restore into a new one")
            home.disk.move(path / UNFINISHED, home.database_path)
        home.prepare()
        home.publisher.catch_up(progress=progress)
    home.close()
    return copied


@contextmanager
def _filled(disk: Disk, folder: Path, advice: str) -> Iterator[None]:
    """Make a folder, or use an empty one; if the body fails, what it wrote there is removed."""
    if folder.exists() and not folder.is_dir():
        raise NotCopied(f"{folder} is no folder; {advice}")
    if folder.exists() and any(folder.iterdir()):
        raise NotCopied(f"{folder} is not empty; {advice}")
    disk.make_folder(folder, 0o700)
    try:
        disk.create(folder / UNFINISHED, b"", 0o600)
    except FileExistsError:
        raise NotCopied(f"somebody else fills {folder}; {advice}") from None
    if len(list(folder.iterdir())) > 1:
        disk.step_remove(folder / UNFINISHED)
        raise NotCopied(f"{folder} is not empty; {advice}")
    try:
        yield
    except InUse:
        raise
    except BaseException:
        with suppress(OSError):
            for path in folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _copy(home: Home, folder: Path, progress: Progress) -> Copied:
    """Copy the database, and publish its histories beside the copy."""
    with home.database.copied_to(folder / UNFINISHED) as snapshot:
        names = all_names(snapshot)
        for kind in KINDS:
            home.disk.make_folder(folder / kind, 0o700)
        for done, name in enumerate(names, 1):
            content = home.boards.history(snapshot, name)
            home.disk.write(name.file_in(folder), content, 0o600)
            progress(done, len(names))
        for kind in KINDS:
            home.disk.sync_folder(folder / kind)
        return _counted(snapshot)


def _copy_file(disk: Disk, path: Path, target: Path, mode: int | None) -> None:
    """Copy a file if it exists, with the given mode or its own."""
    with suppress(FileNotFoundError):
        disk.write(target, bytes_of(path), path.stat().st_mode & 0o777 if mode is None else mode)


def _configuration_of_files(home: Home) -> str:
    """Return the configuration of a home on a server for a copy of files. Raises NotCopied."""
    if not home.is_on_server:
        return ""
    try:
        return without_server(home.read_configuration())
    except ValueError as error:
        raise NotCopied(f"{home.configuration}: {error}") from None


def _check_no_server(configuration: Path) -> None:
    """Raise NotCopied if a backup would be restored into a home that a server keeps."""
    try:
        is_on_server = bool(server_in(read_file(configuration).decode(errors="replace")))
    except NoSuchFile:
        return
    except ValueError:
        is_on_server = True
    if is_on_server:
        raise NotCopied(f"{configuration} names a server in store; remove that line first")


def _counted(snapshot: Snapshot) -> Copied:
    letters = sum(number for state, number in count_letters(snapshot).items() if state in _LEAVING)
    return Copied(count_all(snapshot), len(all_userids(snapshot)), letters)


_PAGE = 500
"""How many rows are read at a time."""
_LOWEST = -(2**63)
Keys = tuple[tuple[str, Value], ...]
"""The columns by which the rows of a table are in order, and what comes before all values."""


@cache
def copied_tables() -> dict[str, Keys]:
    """Return the tables that are copied: each comes after those that its rows refer to."""
    connection = apsw.Connection(":memory:")
    connection.execute(tables("sqlite"))
    made = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY rowid"
    )
    found: dict[str, Keys] = {}
    for name in [str(name) for (name,) in made]:
        columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
        keys = sorted(
            (place, str(column), kind) for _, column, kind, _, _, place in columns if place
        )
        found[name] = tuple(
            (column, _LOWEST if kind == "INTEGER" else "") for _, column, kind in keys
        )
    connection.close()
    return found


def copy_home(source: Home, target: Home, progress: Progress) -> Copied:
    """Copy a home into another one that is empty, or that is no whole copy yet.

    No server may run on either. Raises NotCopied, DatabaseFault and OSError.
    """
    key = target.database.key
    if key.is_made:
        raise NotCopied(f"{target.path} is in use already: it has a key; copy into a new home")
    if source.database.key.is_withheld:
        raise NotCopied(f"{source.path} is no whole copy of another home; copy that one")
    source.recover()
    target.path.mkdir(CLOSED, parents=True, exist_ok=True)
    guard(target.path, KINDS, has_readers=target.configured.readers)
    if not target.is_on_server:
        target.publisher.prepare()
    with source.database.read_latest() as snapshot:
        source.database.check_copied(snapshot)
        _check_begun(target)
        if not target.is_on_server:
            _check_histories(snapshot, target)
        key.withhold()
        boards = count_all(snapshot)
        progress(0, boards)
        target.database.write(
            lambda transaction: copy_tables(source.database, snapshot, target.database, transaction)
        )
        rows = _compare(snapshot, target)
        accounts = len(all_userids(snapshot))
    letters = target.database.write(hold_letters)
    target.maildir.prepare()
    if not target.is_on_server:
        target.publisher.catch_up(progress=progress)
    target.remove_drafts()
    key.put(source.key())
    return Copied(boards, accounts, letters, rows)


def copy_tables(
    source: Database, snapshot: Snapshot, target: Database, transaction: Transaction
) -> None:
    """Put all that a snapshot holds in place of what is there.

    Raises DatabaseTooNew, if either may hold more than we know of.
    """
    source.check_copied(snapshot)
    target.check_copied(transaction)
    known = copied_tables()
    for table in reversed(known):
        transaction.run(f"DELETE FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    for table, keys in known.items():
        _insert_all(transaction, table, _rows(snapshot, table, keys))
    for table in filter(gives_ids, known):
        target.note_latest_id(transaction, table, latest_id(source, snapshot, table))


def latest_id(database: Database, snapshot: Snapshot, table: str) -> int:
    """Return the highest id that a table has given."""
    search = f"SELECT max(id) FROM {table}"  # noqa: S608 - the names are ours # nosec B608
    return max(database.latest_id(snapshot, table), snapshot.number(search))


def gives_ids(table: str) -> bool:
    """Return whether a table gives its rows ids."""
    return copied_tables()[table] == (("id", _LOWEST),)


def _check_begun(target: Home) -> None:
    """Raise NotCopied unless a home is new, or its copying was broken off."""
    with target.database.read_latest() as copy:
        target.database.check_copied(copy)
        is_used = bool(all_userids(copy) or count_all(copy))
    is_used = is_used or (not target.is_on_server and bool(target.publisher.names()))
    if is_used and not target.database.key.is_withheld:
        raise NotCopied(f"{target.path} holds something already; copy into a new home")


def _check_histories(snapshot: Snapshot, target: Home) -> None:
    """Raise NotCopied if a home has files of boards that are not to be copied."""
    boards = set(all_names(snapshot))
    for name in target.publisher.names():
        if name not in boards:
            raise NotCopied(
                f"{target.path} has a history of {name}, which is not one of the home that is "
                "copied; copy into a new home"
            )


def _compare(snapshot: Snapshot, target: Home) -> int:
    """Compare all rows, which are counted. Raises NotCopied."""
    count = 0
    with target.database.read_latest() as copy:
        for table, keys in copied_tables().items():
            there = _rows(copy, table, keys)
            for row in _rows(snapshot, table, keys):
                if next(there, None) != row:
                    raise NotCopied(f"{table} are not the same in {target.path}: {row[0]}")
                count += 1
            if next(there, None) is not None:
                raise NotCopied(f"{table} are not the same in {target.path}")
    return count


def _rows(snapshot: Snapshot, table: str, keys: Keys) -> Iterator[Row]:
    """Yield the rows of a table in order, page by page."""
    names = ", ".join(name for name, _ in keys)
    places = ", ".join("?" * len(keys))
    search = (
        f"SELECT {names}, t.* FROM {table} t WHERE ({names}) > ({places}) "  # noqa: S608 - the names are ours # nosec B608
        f"ORDER BY {names} LIMIT {_PAGE}"
    )
    after: tuple[Value, ...] = tuple(lowest for _, lowest in keys)
    while page := snapshot.rows(search, *after):
        yield from (row[len(keys) :] for row in page)
        after = page[-1][: len(keys)]


def _insert_all(transaction: Transaction, table: str, rows: Iterable[Row]) -> None:
    """Add rows to a table, some at a time."""
    remaining = iter(rows)
    while some := list(islice(remaining, _PAGE)):
        places = ", ".join("?" * len(some[0]))
        transaction.run_all(f"INSERT INTO {table} VALUES ({places})", some)  # noqa: S608 - the names are ours # nosec B608
