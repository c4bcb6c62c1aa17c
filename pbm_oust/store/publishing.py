"""The histories as files that people read: `HOME/oust/17.txt`, published from the database.

Whoever has committed a transaction appends its lines to the files before anybody is answered. That
is not synced: the database has the lines, and a file that is behind, torn, or missing after a crash
is mended from it by the next start, sweep or move. A file that somebody else has changed is never
overwritten: it stays beside the new one, as `17.txt.edited-20261126T091500Z`.

    HOME/.published      up to which version of the boards all files are on the disk
"""

import errno
import json
import logging
import os
import re
import stat
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path

from pbm_oust.board.history import with_other_userid
from pbm_oust.rules import KINDS
from pbm_oust.store.boards import MICROSECONDS, BoardChange, Boards, Latest
from pbm_oust.store.database import Database, Snapshot
from pbm_oust.store.disk import (
    FOLDER_OF_HISTORIES,
    HISTORY,
    Disk,
    bytes_of,
    linked,
    locked_file,
    locked_folder,
    read_file,
)
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import BoardName, all_names

log = logging.getLogger("pbm_oust")

MARK = ".published"
SYNC_SECONDS = 30.0
"""How often a server syncs what was published since."""
MOST_LOOKED_AT = 2_000
"""How many files a sweep compares with the database."""
_MOST_KNOWN = 10_000
"""Of how many files it is remembered how we left them."""
_MOST_FAILURES = 10
"""After so many files that cannot be written the others are left for another time."""
_MOST_ATTEMPTS = 10
"""How often others may replace a file while we write to it."""
_NAME = re.compile(r"([1-9][0-9]{0,8})\.txt")
_EDITED = ".edited-"

_RENAMED_SECONDS = 24 * 3600
"""How long other hosts may take to publish userids that were replaced."""

_Left = tuple[int, int, int, int]
"""How a file was left: its inode, size, and times of change in nanoseconds."""


class FileState(Enum):
    """How the file of a board compares with the database."""

    RIGHT = "right"
    BEHIND = "behind"
    """Something is still to be published, or to be mended after a power cut."""
    MISSING = "missing"
    CHANGED = "changed"
    """It says something else, or there is no such board."""


Progress = Callable[[int, int], None]
"""Is told how many boards are done, and of how many."""


def untold(_done: int, _of: int) -> None:
    """Tell nobody."""


def whole_lines(data: bytes) -> bytes:
    """Return what counts of a file: its whole lines, without NULs that a power cut has left."""
    data = data.rstrip(b"\0")
    return data[: data.rfind(b"\n") + 1]


def compared(snapshot: Snapshot, name: BoardName, found: bytes, wanted: bytes | None) -> FileState:
    """Return how the content of a file compares with the history in the database, if any."""
    if found == wanted:
        return FileState.RIGHT
    if wanted is None:
        return FileState.CHANGED
    is_ours = _good(found, wanted) is not None or _is_renamed(snapshot, name, found, wanted)
    return FileState.BEHIND if is_ours else FileState.CHANGED


class Publisher:
    """Publishes the histories of a database in the folders below `folder`.

    Any number of threads and processes may do so. `overlap` is how many seconds a transaction may
    take until it is committed, on an engine where one may be overtaken by those with a higher
    version.
    """

    def __init__(
        self,
        folder: Path,
        database: Database,
        boards: Boards,
        disk: Disk | None = None,
        overlap: float = 0.0,
    ) -> None:
        self.folder = folder
        self._database = database
        self._boards = boards
        self._disk = disk or Disk()
        self._overlap = overlap
        self._mark = folder / MARK
        self._known = Latest[BoardName, _Left](_MOST_KNOWN)
        self._troubles = set[str]()
        self._syncing = threading.Lock()

    def path(self, name: BoardName) -> Path:
        """Return the path of a board's file."""
        return name.file_in(self.folder)

    def prepare(self) -> None:
        """Make missing folders. Raises OSError."""
        for kind in KINDS:
            self._disk.make_folder(self.folder / kind, FOLDER_OF_HISTORIES)

    def remove_drafts(self) -> None:
        """Remove the files that dead processes were writing, which takes a look at all names."""
        for kind in KINDS:
            with locked_folder(self.folder / kind):
                self._disk.remove_drafts(self.folder / kind)

    # Reading

    def numbers(self, kind: str) -> list[int]:
        """Return the numbers of all boards of a kind that have a file, in order. Raises OSError."""
        try:
            matches = map(_NAME.fullmatch, os.listdir(self._checked(kind)))
        except FileNotFoundError:
            return []
        return sorted(int(match[1]) for match in matches if match)

    def names(self) -> list[BoardName]:
        """Return the boards that have a file, in order. Raises OSError."""
        return [BoardName(kind, number) for kind in KINDS for number in self.numbers(kind)]

    def read(self, name: BoardName) -> bytes:
        """Return the whole lines of a board's file. Raises NoSuchFile and OSError."""
        self._checked(name.kind)
        return whole_lines(read_file(self.path(name)))

    def compare(self, snapshot: Snapshot, name: BoardName) -> FileState:
        """Return how the file of a board compares with the database. Raises OSError."""
        try:
            found = bytes_of(self.path(name))
        except FileNotFoundError:
            return FileState.MISSING
        return compared(snapshot, name, found, self._boards.history_if_any(snapshot, name))

    def edited(self, name: BoardName) -> list[Path]:
        """Return the files of a board that others have changed and that were set aside."""
        return _edited(self.path(name))

    def put_back(self, name: BoardName, aside: Path) -> None:
        """Let a file that was set aside be the file of its board again. Raises OSError."""
        self._disk.step_rename(aside, self.path(name))

    # Publishing what was committed

    def publish(self, changes: Mapping[BoardName, BoardChange]) -> None:
        """Write what transactions have changed into the files. What cannot be written waits."""
        for name, change in changes.items():
            try:
                if not self._append(name, change):
                    self.mend(name)
            except OSError as error:
                self._complain(name, error)

    def _append(self, name: BoardName, change: BoardChange) -> bool:
        """Append lines to the file of a board; return whether it was as we left it."""
        path, length = self.path(name), change.length
        if length == 0:
            try:
                self._make(path, change.board.data)
            except FileExistsError:
                return False
            self._known.put(name, _left(os.lstat(path)))
            return True
        known = self._known.get(name)
        if known is None or known[1] != length:
            return False
        self._checked(name.kind)
        try:
            if _left(os.lstat(path)) != known:
                return False
            with locked_file(path) as handle:
                if _left(os.fstat(handle)) != known:
                    return False
                self._disk.append(handle, change.board.data[length:], at=length, syncs=False)
                self._known.put(name, _left(os.fstat(handle)))
        except FileNotFoundError:
            return False
        return True

    def _make(self, path: Path, data: bytes) -> None:
        """Write a new file, which appears whole. Raises FileExistsError."""
        folder = self._checked(path.parent.name)
        self._disk.make_folder(folder, FOLDER_OF_HISTORIES)
        with locked_folder(folder, shares=True):
            self._disk.create(path, data, HISTORY, syncs=False)

    # Mending

    def mend(self, name: BoardName, *, syncs: bool = False) -> bool:
        """Let the file of a board be what the database says; return whether it was not. OSError."""
        self._checked(name.kind)
        path = self.path(name)
        for _ in range(_MOST_ATTEMPTS):
            with suppress(FileNotFoundError, FileExistsError):
                return self._mended(name, path, syncs=syncs)
        raise OSError(errno.EAGAIN, "the file is replaced again and again", str(path))

    def _mended(self, name: BoardName, path: Path, *, syncs: bool) -> bool:
        """Do what `mend` does, unless others make, remove or replace the file meanwhile."""
        if not os.path.lexists(path):
            with self._database.read_latest() as snapshot:
                wanted = self._boards.history_if_any(snapshot, name)
            if wanted is None:
                return False
            self._make(path, wanted)
            if syncs:
                self._disk.sync_file(path)
            return True
        if not stat.S_ISREG(os.lstat(path).st_mode):
            self._set_aside(path)
            return self._mended(name, path, syncs=syncs)
        with locked_file(path) as handle:
            # What is wanted is read under the lock, so that nothing old is written over newer.
            with self._database.read_latest() as snapshot:
                wanted = self._boards.history_if_any(snapshot, name)
                if wanted is None:
                    return False  # no board of ours
                found = _content(handle)
                good = _good(found, wanted)
                is_ours = good is not None or _is_renamed(snapshot, name, found, wanted)
            if good is None:
                if not is_ours:
                    self._set_aside(path)
                with locked_folder(path.parent, shares=True):
                    mode = stat.S_IMODE(os.fstat(handle).st_mode)
                    self._disk.replace(path, wanted, mode)
                return True
            if found != wanted:
                self._disk.append(handle, wanted[good:], at=good, syncs=syncs)
            elif syncs:
                self._disk.step_sync(handle)
            self._known.put(name, _left(os.fstat(handle)))
        return found != wanted

    def _set_aside(self, path: Path) -> None:
        """Give a file that others have changed a name of its own, and say so. Raises OSError."""
        if any(os.path.samestat(os.lstat(path), os.lstat(each)) for each in _edited(path)):
            return  # who set it aside was killed before the file was written anew
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for number in range(1, 1000):
            counted = f"-{number}" if number > 1 else ""
            aside = path.with_name(f"{path.name}{_EDITED}{moment}{counted}")
            if not os.path.lexists(aside):
                break
        if stat.S_ISREG(os.lstat(path).st_mode):
            self._disk.step_link(path, aside)
        else:
            self._disk.step_rename(path, aside)
        log.warning("%s was changed by others and is now %s", path, aside.name)

    # Keeping up

    def catch_up(
        self,
        goes_on: Callable[[], bool] = lambda: True,
        progress: Progress = untold,
    ) -> int:
        """Mend and sync the files of all boards that have changed since this was done last.

        Returns how many were not as they should be. What cannot be written goes on waiting. Raises
        DatabaseFault.
        """
        with self._syncing:
            return self._catch_up(goes_on, progress)

    def _catch_up(self, goes_on: Callable[[], bool], progress: Progress) -> int:
        noted, mark = self._noted()
        begun = self._database.time()
        with self._database.read_latest() as snapshot:
            if noted != list(snapshot.identity or ()):
                noted, mark = list(snapshot.identity or ()), 0
            rows = snapshot.rows(
                "SELECT kind, board, version FROM boards WHERE version >= ? ORDER BY version", mark
            )
            renamed = snapshot.rows("SELECT id, at FROM renamed")
        mended, failures, folders = 0, list[int](), set[str]()
        for done, (kind, number, version) in enumerate(rows, 1):
            progress(done, len(rows))
            if not goes_on() or len(failures) == _MOST_FAILURES:
                failures.append(version)
                break
            name = BoardName(kind, number)
            try:
                mended += self.mend(name, syncs=True)
            except DatabaseFault:
                raise
            except OSError as error:
                self._complain(name, error)
                failures.append(version)
            folders.add(kind)
        for kind in folders:
            with suppress(OSError):
                self._disk.sync_folder(self.folder / kind)
        highest = failures[0] if failures else rows[-1][2] if rows else mark
        if self._overlap:  # a version is the time in microseconds, or higher
            highest = min(highest, int((begun - self._overlap) * MICROSECONDS))
        self._note(noted, max(mark, highest))
        if failures:
            return mended
        self._troubles.clear()
        oldest = self._database.time() - (_RENAMED_SECONDS if self._overlap else 0)
        if over := [(number,) for number, at in renamed if at <= oldest]:
            forget = "DELETE FROM renamed WHERE id = ?"
            self._database.write(lambda transaction: transaction.run_all(forget, over))
        return mended

    def look_at(self, names: Iterable[BoardName]) -> Iterator[BoardName]:
        """Compare files with the database, and mend them; yield the boards that were not right."""
        for name in names:
            try:
                if self.mend(name):
                    yield name
            except OSError as error:
                self._complain(name, error)

    def mark_all(self, snapshot: Snapshot) -> None:
        """Note that the files of all boards are as they should be, at the moment of a snapshot."""
        version = snapshot.number("SELECT max(version) FROM boards")
        self._note(list(snapshot.identity or ()), version)

    def _noted(self) -> tuple[list[int], int]:
        """Return of which database, and up to which version, all files are on the disk."""
        try:
            note = json.loads(bytes_of(self._mark))
            return list(note["database"]), int(note["version"])
        except (OSError, ValueError, KeyError, TypeError):
            return [], 0

    def _note(self, identity: list[int], version: int) -> None:
        if (identity, version) == self._noted():
            return
        note = json.dumps({"database": identity, "version": version})
        try:
            self._disk.replace(self._mark, f"{note}\n".encode(), 0o600)
        except OSError as error:
            log.warning("%s is not written: %s", self._mark, error)

    def _complain(self, name: BoardName, error: OSError) -> None:
        """Say that a file waits, once until all are published."""
        if str(error) not in self._troubles:
            self._troubles.add(str(error))
            log.warning("the file of %s is not published: %s", name, error)

    def _checked(self, kind: str) -> Path:
        """Return the folder of a kind. Raises OSError if it is a link."""
        folder = self.folder / kind
        if folder.is_symlink():
            raise linked(folder)
        return folder


class Walk:
    """Compares all files with the database in turn, some at a time, again and again."""

    def __init__(self, publisher: Publisher, database: Database) -> None:
        self._publisher = publisher
        self._database = database
        self._ahead = deque[BoardName]()

    def stretch(self) -> Iterator[BoardName]:
        """Look at some files, at most to the last board; yield the boards that were not right.

        So a sweep costs the same however many boards there are. Raises DatabaseFault.
        """
        if not self._ahead:
            with self._database.read() as snapshot:
                self._ahead.extend(all_names(snapshot))
        most = min(MOST_LOOKED_AT, len(self._ahead))
        yield from self._publisher.look_at(self._ahead.popleft() for _ in range(most))

    def whole(self) -> Iterator[BoardName]:
        """Go through all boards once; yield as `stretch` does."""
        yield from self.stretch()
        while not self.is_round:
            yield from self.stretch()

    @property
    def is_round(self) -> bool:
        """Whether the next stretch begins anew with the first board."""
        return not self._ahead


@contextmanager
def keeping_up(publisher: Publisher) -> Iterator[None]:
    """Sync what is published from time to time, in a thread of its own, while the body runs.

    At the end, all is published and synced that can be.
    """
    stopping = threading.Event()

    def run() -> None:
        while not stopping.wait(SYNC_SECONDS):
            try:
                publisher.catch_up(lambda: not stopping.is_set())
            except OSError as error:
                log.warning("files of histories are not synced: %s", error)
            except Exception:
                log.exception("files of histories are not synced: a fault in the program")

    thread = threading.Thread(target=run, name="publisher", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()
        with suppress(OSError):
            publisher.catch_up()


def _edited(path: Path) -> list[Path]:
    """Return the files that were set aside in the place of which there is another one."""
    return sorted(path.parent.glob(f"{path.name}{_EDITED}*"))


def _good(found: bytes, wanted: bytes) -> int | None:
    """Return how many bytes of a file count that is whole, behind or torn; None for another one.

    What a power cut tears holds NULs where the bytes have not come to the disk.
    """
    if wanted.startswith(found):
        return len(found)
    pairs = enumerate(zip(found, wanted, strict=False))
    same = next((place for place, (byte, right) in pairs if byte != right), len(wanted))
    good = found.rfind(b"\n", 0, same) + 1
    rest, missing = found[good:], wanted[good:]
    is_torn = len(rest) <= len(missing) and all(
        byte in (0, right) for byte, right in zip(rest, missing, strict=False)
    )
    return good if is_torn else None


def _is_renamed(snapshot: Snapshot, name: BoardName, found: bytes, wanted: bytes) -> bool:
    """Return whether a file is only behind the userids that were replaced in the database."""
    rows = snapshot.rows(
        "SELECT old, new FROM renamed WHERE kind = ? AND board = ? ORDER BY id", *name
    )
    whole = whole_lines(found)
    for first in range(len(rows)):
        renamed = whole
        for old, new in rows[first:]:
            renamed = with_other_userid(renamed, old, new)
        if renamed and wanted.startswith(renamed):
            return True
    return False


def _left(status: os.stat_result) -> _Left:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _content(handle: int) -> bytes:
    """Return the content of an open file."""
    parts, length = list[bytes](), 0
    while part := os.pread(handle, max(os.fstat(handle).st_size - length, 0) + 1, length):
        parts.append(part)
        length += len(part)
    return b"".join(parts)
