"""Backups: copying what a home holds at one moment, while others use it, and restoring it.

    DIR/pbm_oust.db          the database, by SQLite's own backup
    DIR/oust/17.txt          histories as they were when the database was copied
    DIR/key                  the secret of the home
    DIR/pbm_oust.toml        the configuration, if there is one

The database is copied first and named last: without it, a backup is not complete. Lines that wait
in it are already in the copied histories. A history that has gone on since is cut.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbm_oust.frozen import frozen
from pbm_oust.regex import regex
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.board_queries import find_entry
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.disk import Disk, NoSuchFile, content_of, locked_folder, read_file
from pbm_oust.store.embedded import FILE_NAME, UNFINISHED, EmbeddedDatabase, files_of
from pbm_oust.store.engines import KeyFile, server_in, without_server
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.guarding import FOLDER_OF_HISTORIES, HISTORY
from pbm_oust.store.histories import Histories
from pbm_oust.store.history_files import HistoryFiles
from pbm_oust.store.home import Home
from pbm_oust.store.index import stamps_in
from pbm_oust.store.joining import join
from pbm_oust.store.letters import State, count_letters
from pbm_oust.store.refreshing import Progress, look_at_histories, reindex
from pbm_oust.store.sending import hold_letters
from pbm_oust.store.settling import settle
from pbm_oust.store.waiting import (
    BoardName,
    boards_with_waiting,
    latest_rewriting,
    waiting_for,
)

_RECORD = regex(rb"^ {0,3}([0-9]+) [xo*] ", re.MULTILINE)
_LEAVING = (State.WAITING, State.HELD, State.FILE)
_MOST_ATTEMPTS = 10
"""How often players may be renamed while a backup is made."""


class NotCopied(Exception):
    """A backup or a restore is not possible, and why; nothing has been written."""


class InUse(NotCopied):
    """Somebody else has begun to use the folder; all has stayed there as it is."""


@frozen
class Copied:
    """How much a backup holds."""

    boards: int
    accounts: int
    letters: int
    """Letters that wait or are held back."""


def back_up(home: Home, folder: Path, progress: Progress) -> Copied:
    """Copy a home into a folder that is empty or missing, while others may use the home.

    Raises NotCopied, DatabaseFault and OSError.
    """
    if folder.resolve().is_relative_to(home.path.resolve()):
        raise NotCopied(f"{folder} lies in the home, with which it would get lost; take another")
    if home.engine.key.is_withheld:
        raise NotCopied(f"{home.path} is no whole copy of another home; back that one up")
    configuration = _configuration_of_files(home)
    with _filled(home.disk, folder, "make the backup in a new one"):
        if home.database.is_made:
            look_at_histories(home.database, home.boards)
        for _ in range(_MOST_ATTEMPTS):
            copied, rewriting = _copy(home, folder, progress)
            if home.ask(latest_rewriting, home.database) == rewriting:
                break
        else:
            raise OSError(f"{home.path}: players get other userids again and again")
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

    Its letters are held back, because some may have left since. Raises NotCopied and OSError.
    """
    if not (folder / FILE_NAME).is_file():
        raise NotCopied(f"{folder} is no backup: it holds no {FILE_NAME}")
    home = Home(path, disk)
    _check_no_server(folder / home.configuration.name)
    with _filled(home.disk, path, "restore into a new one, or move what it holds elsewhere"):
        _copy_file(home.disk, folder / FILE_NAME, path / UNFINISHED, 0o600)
        database = EmbeddedDatabase(path / UNFINISHED, home.disk)
        try:
            database.write(hold_letters)
            _restore_histories(HistoryFiles(folder, home.disk), home)
            settle(database, home.boards)
            reindex(database, home.boards, progress)
            with database.read() as snapshot:
                copied = _counted(snapshot)
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


def _copy(home: Home, folder: Path, progress: Progress) -> tuple[Copied, int]:
    """Copy the database and its histories; return also the id of the latest rewriting."""
    there = {name for kind in KINDS for name in _files(home.boards.histories, kind)}
    with home.database.copied_to(folder / UNFINISHED) as snapshot:
        names = sorted(there | _known(snapshot))
        for kind in KINDS:
            home.disk.make_folder(folder / kind, 0o700)
        done = 0
        for done, name in enumerate(names, 1):
            with suppress(NoSuchFile):
                content = history_at(snapshot, home.boards.histories, name)
                home.disk.write(HistoryFiles(folder).path(name), content, 0o600)
            progress(done, len(names))
        for kind in KINDS:
            home.disk.sync_folder(folder / kind)
        return _counted(snapshot, done), latest_rewriting(snapshot, home.database)


def history_at(snapshot: Snapshot, histories: Histories, name: BoardName) -> bytes:
    """Return a history as it was at the moment of a snapshot. Raises NoSuchFile."""
    waiting, entry = waiting_for(snapshot, name), find_entry(snapshot, name)
    try:
        data = histories.read(name).data
    except NoSuchFile:
        if not waiting.lines:
            raise
        data = b""
    return join(up_to(data, entry.records) if entry else data, waiting).content


def up_to(data: bytes, records: int) -> bytes:
    """Return a history cut to so many records."""
    body = data.find(b"\n\n") + 1
    for match in _RECORD.finditer(data, body):
        if int(match[1]) > records:
            return data[: match.start()]
    return data


def _restore_histories(source: Histories, home: Home) -> None:
    for kind in KINDS:
        home.disk.make_folder(home.path / kind, FOLDER_OF_HISTORIES)
        for name in _files(source, kind):
            home.disk.write(home.history_path(name), source.read(name).data, HISTORY)
        home.disk.sync_folder(home.path / kind)


def _copy_file(disk: Disk, path: Path, target: Path, mode: int | None) -> None:
    """Copy a file if it exists, with the given mode or its own."""
    with suppress(FileNotFoundError):
        disk.write(target, content_of(path), path.stat().st_mode & 0o777 if mode is None else mode)


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


def _files(histories: Histories, kind: str) -> Iterator[BoardName]:
    return (BoardName(kind, number) for number in histories.numbers(kind))


def _known(snapshot: Snapshot) -> set[BoardName]:
    """Return the boards that a database knows."""
    indexed = {name for kind in KINDS for name in stamps_in(snapshot, kind)}
    return indexed | set(boards_with_waiting(snapshot))


def _counted(snapshot: Snapshot, boards: int | None = None) -> Copied:
    letters = sum(number for state, number in count_letters(snapshot).items() if state in _LEAVING)
    number = len(_known(snapshot)) if boards is None else boards
    return Copied(number, len(all_userids(snapshot)), letters)
