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
from pbm_oust.store import disk as disks
from pbm_oust.store.boards import MICROSECONDS, Board, Boards
from pbm_oust.store.database import Database, Row, Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import BoardName, all_names

log = logging.getLogger("pbm_oust")

MARK = ".published"
SYNC_SECONDS = 30.0
"""How often a server syncs what was published since."""
MOST_LOOKED_AT = 2_000
"""How many files a sweep compares with the database."""
_MOST_FAILURES = 10
"""After so many files that cannot be written the others are left for another time."""
_MOST_ATTEMPTS = 10
"""How often others may replace a file while we write to it."""
_NAME = re.compile(r"([1-9][0-9]{0,8})\.txt")
_EDITED = ".edited-"

_RENAMED_SECONDS = 24 * 3600
"""How long other hosts may take to publish userids that were replaced."""


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
    is_changed = _kept(snapshot, name, found, wanted) is None
    return FileState.CHANGED if is_changed else FileState.BEHIND


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
        disk: disks.Disk | None = None,
        overlap: float = 0.0,
    ) -> None:
        self.folder = folder
        self._database = database
        self._boards = boards
        self._disk = disk or disks.Disk()
        self._overlap = overlap
        self._mark = folder / MARK
        self.ahead = deque[BoardName]()
        """The boards whose files are still to be looked at, until all have been."""
        self._troubles = set[str]()
        self._syncing = threading.Lock()

    def path(self, name: BoardName) -> Path:
        """Return the path of a board's file."""
        return name.file_in(self.folder)

    def prepare(self) -> None:
        """Make missing folders. Raises OSError."""
        for kind in KINDS:
            self._disk.make_folder(self.folder / kind, disks.FOLDER_OF_HISTORIES)

    def remove_drafts(self) -> None:
        """Remove the files that dead processes were writing, which takes a look at all names."""
        for kind in KINDS:
            with disks.locked_folder(self.folder / kind):
                self._disk.remove_drafts(self.folder / kind)

    # Reading

    def names(self, kinds: Iterable[str] = KINDS) -> list[BoardName]:
        """Return the boards of some kinds that have a file, in order. Raises OSError."""
        found = list[BoardName]()
        for folder in (self.folder / kind for kind in kinds):
            if folder.is_symlink():
                raise disks.linked(folder)
            matches = map(_NAME.fullmatch, os.listdir(folder) if folder.exists() else ())
            numbers = sorted(int(match[1]) for match in matches if match)
            found += [BoardName(folder.name, number) for number in numbers]
        return found

    def read(self, name: BoardName) -> bytes:
        """Return the whole lines of a board's file. Raises NoSuchFile and OSError."""
        try:
            return whole_lines(disks.bytes_of(self._checked(name)))
        except FileNotFoundError:
            raise disks.NoSuchFile(str(name)) from None

    def compare(self, snapshot: Snapshot, name: BoardName) -> FileState:
        """Return how the file of a board compares with the database. Raises OSError."""
        try:
            found = disks.bytes_of(self.path(name))
        except FileNotFoundError:
            return FileState.MISSING
        return compared(snapshot, name, found, self._boards.history_if_any(snapshot, name))

    def edited(self, name: BoardName) -> list[Path]:
        """Return the files of a board that others have changed and that were set aside."""
        path = self.path(name)
        return sorted(path.parent.glob(f"{path.name}{_EDITED}*"))

    def put_back(self, name: BoardName, aside: Path) -> None:
        """Let a file that was set aside be the file of its board again. Raises OSError."""
        self._disk.step_rename(aside, self.path(name))

    # Publishing what was committed

    def publish(self, boards: Mapping[BoardName, Board]) -> None:
        """Write what transactions have changed into the files. What cannot be written waits."""
        for name, board in boards.items():
            try:
                if not self._append(name, board.data):
                    self.mend(name)
            except OSError as error:
                self._complain(name, error)

    def _append(self, name: BoardName, wanted: bytes) -> bool:
        """Add what a file lacks of a history; return whether it is the beginning of that."""
        with suppress(OSError), disks.locked_file(self._checked(name)) as handle:
            found = _content(handle)
            if wanted.startswith(found):
                self._disk.append(handle, wanted[len(found) :], at=len(found), syncs=False)
                return True
        return False

    # Mending

    def mend(self, name: BoardName, *, syncs: bool = False) -> bool:
        """Let the file of a board be what the database says; return whether it was not. OSError."""
        for _ in range(_MOST_ATTEMPTS):
            with suppress(FileNotFoundError, FileExistsError):
                return self._mended(name, syncs=syncs)
        reason = "the file is replaced again and again"
        raise OSError(errno.EAGAIN, reason, str(self.path(name)))

    def _mended(self, name: BoardName, *, syncs: bool) -> bool:
        """Do what `mend` does, unless others make, remove or replace the file meanwhile."""
        path = self._checked(name)
        if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
            self._set_aside(path)
        if not os.path.lexists(path):
            with self._database.read_latest() as snapshot:
                wanted = self._boards.history_if_any(snapshot, name)
            if wanted is not None:
                self._disk.make_folder(path.parent, disks.FOLDER_OF_HISTORIES)
                with disks.locked_folder(path.parent, shares=True):
                    self._disk.create(path, wanted, disks.HISTORY, syncs=syncs)
            return wanted is not None
        with disks.locked_file(path) as handle:
            # What is wanted is read under the lock, so that nothing old is written over newer.
            with self._database.read_latest() as snapshot:
                wanted = self._boards.history_if_any(snapshot, name)
                if wanted is None:
                    return False  # no board of ours
                found = _content(handle)
                kept = _kept(snapshot, name, found, wanted)
            if found == wanted:
                if syncs:
                    self._disk.step_sync(handle)
                return False
            if kept is None:
                self._set_aside(path)
            elif kept or not found:
                self._disk.append(handle, wanted[kept:], at=kept, syncs=syncs)
                return True
            else:
                with disks.locked_folder(path.parent, shares=True):
                    mode = stat.S_IMODE(os.fstat(handle).st_mode)
                    self._disk.create(path, wanted, mode, replaces=True)
                return True
        return self._mended(name, syncs=syncs)

    def _set_aside(self, path: Path) -> None:
        """Give a file that others have changed a name of its own, and say so. Raises OSError."""
        moment = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        numbers = ("", *(f"-{number}" for number in range(2, 1000)))
        names = (path.with_name(f"{path.name}{_EDITED}{moment}{each}") for each in numbers)
        aside = next(each for each in names if not os.path.lexists(each))
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
            begun = self._database.time()
            with self._database.read_latest() as snapshot:
                database = list(snapshot.identity or ())
                mark = self._marked(database)
                rows = snapshot.rows(
                    "SELECT kind, board, version FROM boards WHERE version >= ? ORDER BY version",
                    mark,
                )
                renamed = snapshot.rows("SELECT id, at FROM renamed")
            mended, failures = 0, list[int]()
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
            for kind in {row[0] for row in rows}:
                with suppress(OSError):
                    self._disk.sync_folder(self.folder / kind)
            highest = failures[0] if failures else rows[-1][2] if rows else mark
            if self._overlap:  # a version is the time in microseconds, or higher
                highest = min(highest, int((begun - self._overlap) * MICROSECONDS))
            self.mark_all(database, max(mark, highest))
            if not failures:
                self._troubles.clear()
                self._forget_renamed(renamed)
            return mended

    def _forget_renamed(self, rows: Iterable[Row]) -> None:
        """Forget userids that were replaced, once no file of any host can have them."""
        oldest = self._database.time() - (_RENAMED_SECONDS if self._overlap else 0)
        if over := [(number,) for number, at in rows if at <= oldest]:
            forget = "DELETE FROM renamed WHERE id = ?"
            self._database.write(lambda transaction: transaction.run_all(forget, over))

    def look_at(self, names: Iterable[BoardName]) -> Iterator[BoardName]:
        """Compare files with the database, and mend them; yield the boards that were not right."""
        for name in names:
            try:
                if self.mend(name):
                    yield name
            except OSError as error:
                self._complain(name, error)

    def look_around(self) -> Iterator[BoardName]:
        """Look at some files after those that were looked at last, at most to the last board.

        Yields as `look_at` does. So a sweep costs the same however many boards there are. Raises
        DatabaseFault.
        """
        if not self.ahead:
            with self._database.read() as snapshot:
                self.ahead.extend(all_names(snapshot))
        most = min(MOST_LOOKED_AT, len(self.ahead))
        yield from self.look_at(self.ahead.popleft() for _ in range(most))

    def _marked(self, database: list[int]) -> int:
        """Return up to which version of a database's boards all files are on the disk."""
        with suppress(OSError, ValueError, KeyError, TypeError):
            note = json.loads(disks.bytes_of(self._mark))
            return int(note["version"]) if note["database"] == database else 0
        return 0

    def mark_all(self, database: list[int], version: int) -> None:
        """Note that up to a version of a database's boards all files are on the disk."""
        if version == self._marked(database):
            return
        note = json.dumps({"database": database, "version": version})
        try:
            self._disk.create(self._mark, f"{note}\n".encode(), 0o600, replaces=True)
        except OSError as error:
            log.warning("%s is not written: %s", self._mark, error)

    def _complain(self, name: BoardName, error: OSError) -> None:
        """Say that a file waits, once until all are published."""
        if str(error) not in self._troubles:
            self._troubles.add(str(error))
            log.warning("the file of %s is not published: %s", name, error)

    def _checked(self, name: BoardName) -> Path:
        """Return the path of a board's file. Raises OSError if its folder is a link."""
        path = self.path(name)
        if path.parent.is_symlink():
            raise disks.linked(path.parent)
        return path


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


def _kept(snapshot: Snapshot, name: BoardName, found: bytes, wanted: bytes) -> int | None:
    """Return how many bytes of a file stay when it is mended; None if others have changed it.

    What a power cut tears holds NULs where the bytes have not come to the disk. Of a file in which
    userids are still to be replaced, none stays.
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
    if is_torn:
        return good
    return 0 if _is_renamed(snapshot, name, found, wanted) else None


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


def _content(handle: int) -> bytes:
    """Return the content of an open file."""
    return os.pread(handle, os.fstat(handle).st_size, 0)
