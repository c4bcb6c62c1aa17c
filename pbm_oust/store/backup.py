"""Backups of a home at one moment, made while it is in use; restoring them, and copying a home.

    DIR/pbm_oust.db          the database, by SQLite's own backup
    DIR/oust/17.txt          histories for people to read, as they were then
    DIR/key                  the secret of the home
    DIR/pbm_oust.toml        the configuration, if there is one

The database is copied first and named last: without it, a backup is not complete.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import cache, partial
from itertools import chain, zip_longest
from pathlib import Path

from msgspec import Struct

from pbm_oust.rules import KINDS
from pbm_oust.store import sqlite
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.configuration import without_server
from pbm_oust.store.database import Database, Row, Snapshot, Transaction, Value, selection
from pbm_oust.store.disk import Disk, bytes_of, locked_folder
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import all_names, count_all
from pbm_oust.store.letters import LetterState, count_letters, hold_letters
from pbm_oust.store.publishing import Progress
from pbm_oust.store.upgrading import upgrade

_LEAVING = (LetterState.WAITING, LetterState.HELD, LetterState.FILE)


class NotCopied(Exception):
    """A backup or restore that is impossible, with the reason; nothing has been written."""


class InUse(NotCopied):
    """A folder that somebody else has begun to use; all files there are unchanged."""


class Copied(Struct, frozen=True):
    """The contents of a copy in numbers."""

    boards: int
    accounts: int
    letters: int
    """Waiting and held letters."""
    rows: int = 0
    """The number of rows compared with the original."""


def back_up(home: Home, folder: Path, progress: Progress) -> Copied:
    """Copy a home into a folder that is empty or missing, while others may use the home.

    Raises NotCopied, DatabaseFault and OSError.
    """
    if folder.resolve().is_relative_to(home.path.resolve()):
        raise NotCopied(f"{folder} lies in the home, with which it would get lost; take another")
    try:
        configuration = without_server(home.read_configuration()) if home.is_on_server else ""
    except ValueError as error:
        raise NotCopied(f"{home.configuration}: {error}") from None
    if not home.is_on_server and not home.database.is_made and home.publisher.names():
        home.prepare()
    with _filled(home.disk, folder, "make the backup in a new one"):
        with _database_copied(home, folder / sqlite.UNFINISHED) as snapshot:
            names = all_names(snapshot)
            for kind in KINDS:
                home.disk.make_folder(folder / kind, 0o700)
            for done, name in enumerate(names, 1):
                content = home.boards.history(snapshot, name)
                home.disk.write(name.file_in(folder), content, 0o600)
                progress(done, len(names))
            for kind in KINDS:
                home.disk.sync_folder(folder / kind)
            copied = _counted(snapshot)
        if home.is_on_server:
            sqlite.SqliteDatabase(folder / sqlite.FILE_NAME, home.disk).put_key(home.key())
            configured = folder / home.configuration.name
            home.disk.write(configured, configuration.encode(), 0o600)
        else:
            _copy_secrets(home, folder)
        _complete(home, folder)
    return copied


def upgrade_at_start(home: Home) -> Path | None:
    """Bring the tables of a home up to date if they are earlier ones, and keep the home before.

    Returns the folder of that backup, from which `restore` makes the home with an earlier program,
    too; None if there was nothing to do. Raises NotCopied, DatabaseFault and OSError.
    """
    database = home.database
    if not isinstance(database, sqlite.SqliteDatabase) or not database.needs_upgrade:
        return None
    path = home.path.resolve()
    folder = dated(path.with_name(f"{path.name}.before"), home.now())
    home.disk.make_folder(folder.parent, 0o700)
    with _filled(home.disk, folder, "start again in a second"):
        database.copy_as_it_is(folder / sqlite.UNFINISHED)
        for kind in KINDS:
            if (path / kind).is_dir():
                shutil.copytree(path / kind, folder / kind)
        _copy_secrets(home, folder)
        _complete(home, folder)
    upgrade(home, database)
    return folder


def _copy_secrets(home: Home, folder: Path) -> None:
    """Copy the key and the configuration of a home into a folder."""
    for path, mode in ((home.key_path, 0o600), (home.configuration, None)):
        _copy_file(home.disk, path, folder / path.name, mode)


def _complete(home: Home, folder: Path) -> None:
    """Give the database of a backup its name, without which a backup is not complete."""
    home.disk.step_rename(folder / sqlite.UNFINISHED, folder / sqlite.FILE_NAME)
    home.disk.sync_folder(folder)


_DATED = "%Y-%m-%dT%H%M%SZ"
"""The format of a backup's folder name, as in `2026-11-20T033000Z`."""


def dated(folder: Path, now: datetime) -> Path:
    """Return the folder for a backup of this moment."""
    return folder / now.strftime(_DATED)


def remove_old(folder: Path, days: int, weeks: int) -> list[Path]:
    """Remove old backups, but keep the newest of so many days and of so many weeks.

    Incomplete ones go, too; other files stay. Returns the removed backups. May raise OSError.
    """
    found = dict[Path, datetime]()
    for path in folder.iterdir():
        with suppress(ValueError):
            found[path] = datetime.strptime(path.name, _DATED)
    complete = [path for path in found if (path / sqlite.FILE_NAME).is_file()]
    kept = newest_kept([found[path] for path in complete], days, weeks)
    removed = [path for path in found if path not in complete or found[path] not in kept]
    for path in removed:
        shutil.rmtree(path)
    return sorted(removed)


def newest_kept(moments: Iterable[datetime], days: int, weeks: int) -> set[datetime]:
    """Return the newest moment of each of the latest days and weeks that have one."""
    by_day, by_week = dict[object, datetime](), dict[object, datetime]()
    for moment in sorted(moments, reverse=True):
        by_day.setdefault(moment.date(), moment)
        by_week.setdefault(moment.isocalendar()[:2], moment)
    return {*list(by_day.values())[:days], *list(by_week.values())[:weeks]}


@contextmanager
def _database_copied(home: Home, path: Path) -> Iterator[Snapshot]:
    """Copy the database of a home over an empty one, and yield a snapshot of the copy."""
    if isinstance(home.database, sqlite.SqliteDatabase):
        with home.database.copied_to(path) as snapshot:
            yield snapshot
        return
    with home.database.read() as snapshot:
        with closing(sqlite.SqliteDatabase(path, home.disk)) as copy:
            copy.write(partial(copy_tables, snapshot, copy))
            copy.empty_log()
        yield snapshot


def restore(folder: Path, path: Path, progress: Progress, disk: Disk | None = None) -> Copied:
    """Make a home from a backup, at a path that is empty or missing.

    Its letters are held back, because some may have left since. A backup of the earlier form is
    upgraded. Raises NotCopied and OSError.
    """
    if not (folder / sqlite.FILE_NAME).is_file():
        raise NotCopied(f"{folder} is no backup: it holds no {sqlite.FILE_NAME}")
    home, backup = Home(path, disk), Home(folder)
    if backup.is_on_server:
        raise NotCopied(f"{backup.configuration} names a server in store; remove that line first")
    if not backup.database.has_key:
        raise NotCopied(
            f"{folder} holds no {backup.key_path.name}, without which nothing that was mailed can "
            "be answered. Put that of the home there; if it is lost, a file with 64 hexadecimal "
            "digits of your own, by which only later letters go"
        )
    try:
        backup.key()
    except OSError as error:
        raise NotCopied(str(error)) from None

    def fill(database: sqlite.SqliteDatabase) -> Copied:
        _copy_file(home.disk, folder / sqlite.FILE_NAME, database.path, 0o600)
        try:
            upgrade(backup, database)
            database.write(hold_letters)
            with database.read() as snapshot:
                copied = _counted(snapshot)
                strange = sqlite.strange_objects(snapshot)
            progress(0, copied.boards)
        except DatabaseFault as fault:
            reason = str(fault).replace(str(database.path), str(folder / sqlite.FILE_NAME))
            raise NotCopied(f"the backup cannot be used: {reason}") from None
        if strange:
            raise NotCopied(
                f"{folder / sqlite.FILE_NAME} has the {', '.join(strange)}, which is none of ours. "
                "Take another backup, or drop that, if you know where it comes from"
            )
        for name, mode in ((home.key_path.name, 0o600), (home.configuration.name, None)):
            _copy_file(home.disk, folder / name, path / name, mode)
        return copied

    advice = "restore into a new one, or move what it holds elsewhere"
    copied = _make_home(home, advice, progress, fill)
    home.close()
    return copied


def _make_home(
    home: Home,
    advice: str,
    progress: Progress,
    fill: Callable[[sqlite.SqliteDatabase], Copied],
    *configured: str,
) -> Copied:
    """Make a home of files in an empty folder; `fill` fills its database.

    Files with the names `configured` may be there, and stay.
    """
    with _filled(home.disk, home.path, advice, *configured):
        with closing(sqlite.SqliteDatabase(home.path / sqlite.UNFINISHED, home.disk)) as database:
            copied = fill(database)
            database.empty_log()
        with locked_folder(home.path):
            if any(map(os.path.lexists, sqlite.files_of(home.database_path))):
                raise InUse(f"somebody else uses {home.path}; move it, and begin with a new one")
            home.disk.step_rename(home.path / sqlite.UNFINISHED, home.database_path)
            home.disk.sync_folder(home.path)
        home.prepare()
        home.publisher.catch_up(progress=progress)
    return copied


@contextmanager
def _filled(disk: Disk, folder: Path, advice: str, *configured: str) -> Iterator[None]:
    """Make a folder, or use an empty one, with an empty, unfinished database in it.

    If the body fails, all is removed but files with the names `configured`, which may be there
    before.
    """

    def others() -> list[Path]:
        return [path for path in folder.iterdir() if path.name not in configured]

    if folder.exists() and not folder.is_dir():
        raise NotCopied(f"{folder} is no folder; {advice}")
    if folder.exists() and others():
        raise NotCopied(f"{folder} is not empty; {advice}")
    disk.make_folder(folder, 0o700)
    try:
        disk.create(folder / sqlite.UNFINISHED, sqlite.empty_database(), 0o600)
    except FileExistsError:
        raise NotCopied(f"somebody else fills {folder}; {advice}") from None
    if len(others()) > 1:
        disk.step_remove(folder / sqlite.UNFINISHED)
        raise NotCopied(f"{folder} is not empty; {advice}")
    try:
        yield
    except InUse:
        raise
    except BaseException:
        with suppress(OSError):
            for path in others():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        raise


def _copy_file(disk: Disk, path: Path, target: Path, mode: int | None) -> None:
    """Copy a file if it exists, with the given mode or its own."""
    with suppress(FileNotFoundError):
        disk.write(target, bytes_of(path), path.stat().st_mode & 0o777 if mode is None else mode)


def _counted(snapshot: Snapshot) -> Copied:
    letters = sum(number for state, number in count_letters(snapshot).items() if state in _LEAVING)
    return Copied(count_all(snapshot), len(all_userids(snapshot)), letters)


_PAGE = 500
"""The number of rows read at a time."""
_LOWEST = -(2**63)
Keys = tuple[tuple[str, Value], ...]
"""The columns that order a table's rows, each with a value below all others."""
_BY_ID: Keys = (("id", _LOWEST),)
"""The keys of a table with ids."""


@cache
def copied_tables() -> dict[str, Keys]:
    """Return the tables to copy, each after those that its rows refer to."""
    with closing(sqlite.connection_to_nothing()) as connection:
        columns = connection.execute(
            "SELECT t.name, c.name, c.type FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
            "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.pk > 0 "
            "ORDER BY t.rowid, c.pk"
        )
        found = dict[str, Keys]()
        for table, column, kind in columns:
            lowest = _LOWEST if kind == "INTEGER" else ""
            found[table] = (*found.get(table, ()), (column, lowest))
    return found


def copy_home(source: Home, target: Home, progress: Progress) -> Copied:
    """Copy a home into another that is empty but for its configuration: all of it, or nothing.

    No server may run on either. Letters are held back there. Raises NotCopied, DatabaseFault and
    OSError.
    """
    if target.database.has_key:
        raise NotCopied(f"{target.path} is in use already: it has a key; copy into a new home")
    source.recover()
    key = source.key()

    def fill(database: Database, transaction: Transaction) -> Copied:
        if all_userids(transaction) or count_all(transaction):
            raise NotCopied(f"{target.path} holds something already; copy into a new home")
        copy_tables(snapshot, database, transaction)
        rows = _compare(snapshot, transaction, target.path)
        boards, accounts = count_all(snapshot), len(all_userids(snapshot))
        progress(0, boards)
        letters = hold_letters(transaction)
        database.put_key(key, transaction)
        return Copied(boards, accounts, letters, rows)

    with source.database.read() as snapshot:
        if target.is_on_server:
            return target.database.write(partial(fill, target.database))
        return _make_home(
            target,
            "copy into a new home",
            progress,
            lambda database: database.write(partial(fill, database)),
            target.configuration.name,
        )


def copy_tables(snapshot: Snapshot, target: Database, transaction: Transaction) -> None:
    """Replace all rows by those of a snapshot."""
    known = copied_tables()
    for table in reversed(known):
        transaction.run(f"DELETE FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    for table, keys in known.items():
        for page in _pages(snapshot, table, keys):
            row = f"({', '.join('?' * len(page[0]))})"
            rows = ", ".join([row] * len(page))
            transaction.run(f"INSERT INTO {table} VALUES {rows}", *chain.from_iterable(page))  # noqa: S608 - the names are ours # nosec B608
        if keys == _BY_ID and target.is_shared:
            latest = selection(table, ["setval(CAST(? AS regclass), max(id))"])
            transaction.rows(latest, f"{table}_id_seq")


def _compare(snapshot: Snapshot, copy: Snapshot, path: Path) -> int:
    """Compare all rows with those of a copy, and return their number. Raises NotCopied."""
    count = 0
    for table, keys in copied_tables().items():
        pages = (_pages(each, table, keys) for each in (snapshot, copy))
        for page, copied in zip_longest(*pages, fillvalue=()):
            if page != copied:
                raise NotCopied(f"{table} are not the same in {path}")
            count += len(page)
    return count


def _pages(snapshot: Snapshot, table: str, keys: Keys) -> Iterator[Sequence[Row]]:
    """Yield the rows of a table in order, a page at a time."""
    names = ", ".join(name for name, _ in keys)
    places = ", ".join("?" * len(keys))
    search = (
        f"{selection(f'{table} t', [names, 't.*'])} WHERE ({names}) > ({places})"
        f" ORDER BY {names} LIMIT {_PAGE}"
    )
    after: tuple[Value, ...] = tuple(lowest for _, lowest in keys)
    while page := snapshot.rows(search, *after):
        yield [row[len(keys) :] for row in page]
        after = page[-1][: len(keys)]
