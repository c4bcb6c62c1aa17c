"""The histories as files that people read: `HOME/oust/17.txt`, published from the database.

Whoever has committed a transaction appends its lines to the files before anybody is answered. That
is not synced: the database has the lines, and a file that is behind, torn, or missing after a crash
is mended from it by the next start, sweep or move. A file that somebody else has changed is never
overwritten: it stays beside the new one, as `17.txt.edited-20261126T091500Z`.

    HOME/.published      up to which version of the boards all files are on the disk
    HOME/.reached        up to which version boards were committed, as far as we know here

A database whose boards end before that has gone back: an older one was put in its place, or has
lost its log.
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
REACHED = ".reached"
SYNC_SECONDS = 30.0
"""The time between two syncs of a server's published files."""
MOST_LOOKED_AT = 2_000
"""The number of files that a sweep compares with the database."""
_MOST_FAILURES = 10
"""The number of unwritable files after which the others are left for another time."""
_MOST_ATTEMPTS = 10
"""The most attempts to write a file that others keep replacing."""
_NAME = re.compile(r"([1-9][0-9]{0,8})\.txt")
_EDITED = ".edited-"

_RENAMED_SECONDS = 24 * 3600
"""The time in which other hosts have to publish a change of userid."""


class FileState(Enum):
    """The state of a board's file, compared with the database."""

    RIGHT = "right"
    BEHIND = "behind"
    """Lines are missing, or damaged by a power cut."""
    MISSING = "missing"
    CHANGED = "changed"
    """The text differs, or the board does not exist."""


Progress = Callable[[int, int], None]
"""A report of progress: the boards done, and all boards."""


def untold(_done: int, _of: int) -> None:
    """Report progress to nobody."""


def whole_lines(data: bytes) -> bytes:
    """Return the whole lines of a file, without NULs that a power cut has left."""
    data = data.rstrip(b"\0")
    return data[: data.rfind(b"\n") + 1]


def compared(snapshot: Snapshot, name: BoardName, found: bytes, wanted: bytes | None) -> FileState:
    """Return the state of a file's content, compared with a history, if any."""
    if found == wanted:
        return FileState.RIGHT
    if wanted is None:
        return FileState.CHANGED
    is_changed = _kept(snapshot, name, found, wanted) is None
    return FileState.CHANGED if is_changed else FileState.BEHIND


class Publisher:
    """The publisher of a database's histories, in the folders below `folder`.

    Any number of threads and processes may use one. `overlap` is the longest time in seconds of a
    transaction, on an engine where one with a higher version may be committed first.
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
        self._reached = folder / REACHED
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
        """Remove drafts of dead processes, which takes a look at all names."""
        for kind in KINDS:
            self._disk.remove_drafts(self.folder / kind)

    # Reading

    def names(self, kinds: Iterable[str] = KINDS) -> list[BoardName]:
        """Return the boards of some games that have a file, in order. Raises OSError."""
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
        """Return the state of a board's file. Raises OSError."""
        try:
            found = disks.bytes_of(self.path(name))
        except FileNotFoundError:
            return FileState.MISSING
        return compared(snapshot, name, found, self._boards.history_if_any(snapshot, name))

    def edited(self, name: BoardName) -> list[Path]:
        """Return the files of a board that others have changed, and that were set aside."""
        path = self.path(name)
        return sorted(path.parent.glob(f"{path.name}{_EDITED}*"))

    def set_aside(self, kind: str) -> dict[int, list[Path]]:
        """Return the files set aside, by board number."""
        found: dict[int, list[Path]] = {}
        for path in sorted((self.folder / kind).glob(f"*.txt{_EDITED}*")):
            number = path.name.partition(".")[0]
            if number.isdecimal():
                found.setdefault(int(number), []).append(path)
        return found

    def put_back(self, name: BoardName, aside: Path) -> None:
        """Make a file set aside the file of its board again. Raises OSError."""
        self._disk.step_rename(aside, self.path(name))

    # Publishing what was committed

    def publish(self, boards: Mapping[BoardName, Board]) -> None:
        """Write changed boards into their files. Unwritable files wait."""
        for name, board in boards.items():
            try:
                if not self._append(name, board.data):
                    self.mend(name)
            except OSError as error:
                self._complain(name, error)

    # How far the database has come

    def reached(self) -> int:
        """Return the highest known version of boards; 0 if none is known."""
        found = [self._marked(None)]
        with suppress(OSError, ValueError):
            found.append(_note_in(disks.bytes_of(self._reached)))
        return max(found)

    def note_reached(self, version: int) -> None:
        """Record a version of boards, unless a higher one is known.

        The record is not synced: after a power cut, it may be lower.
        """
        try:
            with disks.locked_file(self._reached) as handle:
                with suppress(ValueError):
                    if version <= _note_in(_content(handle)):
                        return
                self._disk.step_write(handle, _noted(version), 0)
        except FileNotFoundError:
            self._write_note(self._reached, _noted(version), syncs=False)
        except OSError as error:
            log.warning("%s is not written: %s", self._reached, error)

    def begin_anew(self, snapshot: Snapshot, *, is_published: bool) -> None:
        """Accept a database whatever was known before; its files may all be published."""
        database, version = list(snapshot.identity or ()), _highest(snapshot)
        self.mark_all(database, version if is_published else min(version, self._marked(database)))
        self._write_note(self._reached, _noted(version))

    def _append(self, name: BoardName, wanted: bytes) -> bool:
        """Append the rest of a history to its file; return whether the file began like it."""
        with suppress(OSError), disks.locked_file(self._checked(name)) as handle:
            found = _content(handle)
            if wanted.startswith(found):
                self._disk.append(handle, wanted[len(found) :], at=len(found), syncs=False)
                return True
        return False

    # Mending

    def mend(self, name: BoardName, *, syncs: bool = False) -> bool:
        """Write a board's file as the database has it; return whether it differed. OSError."""
        for _ in range(_MOST_ATTEMPTS):
            with suppress(FileNotFoundError, FileExistsError):
                return self._mended(name, syncs=syncs)
        reason = "the file is replaced again and again"
        raise OSError(errno.EAGAIN, reason, str(self.path(name)))

    def _mended(self, name: BoardName, *, syncs: bool) -> bool:
        """Do as `mend`, unless others make, remove or replace the file meanwhile."""
        path = self._checked(name)
        if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
            self._set_aside(path)
        if not os.path.lexists(path):
            with self._database.read() as snapshot:
                wanted = self._boards.history_if_any(snapshot, name)
            if wanted is not None:
                self._disk.make_folder(path.parent, disks.FOLDER_OF_HISTORIES)
                self._disk.create(path, wanted, disks.HISTORY, syncs=syncs)
            return wanted is not None
        with disks.locked_file(path) as handle:
            # What is wanted is read under the lock, so that nothing old is written over newer.
            with self._database.read() as snapshot:
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
                mode = stat.S_IMODE(os.fstat(handle).st_mode)
                self._disk.create(path, wanted, mode, replaces=True)
                return True
        return self._mended(name, syncs=syncs)

    def _set_aside(self, path: Path) -> None:
        """Rename a file that others have changed, and log it. Raises OSError."""
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
        """Mend and sync the files of all boards changed since the last time.

        Returns the number of files that differed. Unwritable ones go on waiting. Raises
        DatabaseFault.
        """
        with self._syncing:
            begun = self._database.time()
            with self._database.read() as snapshot:
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
            if rows:
                self.note_reached(rows[-1][2])
            if not failures:
                self._troubles.clear()
                self._forget_renamed(renamed)
            return mended

    def _forget_renamed(self, rows: Iterable[Row]) -> None:
        """Forget old userids, once no file of any host can have them."""
        oldest = self._database.time() - (_RENAMED_SECONDS if self._overlap else 0)
        if over := [(number,) for number, at in rows if at <= oldest]:
            forget = "DELETE FROM renamed WHERE id = ?"
            self._database.write(lambda transaction: transaction.run_all(forget, over))

    def check(self, names: Iterable[BoardName]) -> Iterator[BoardName]:
        """Compare files with the database, and mend them; yield the boards that differed."""
        for name in names:
            try:
                if self.mend(name):
                    yield name
            except OSError as error:
                self._complain(name, error)

    def check_next(self) -> Iterator[BoardName]:
        """Compare the next files in a cycle through all boards.

        Yields as `check` does. So a sweep costs the same however many boards there are. Raises
        DatabaseFault.
        """
        if not self.ahead:
            with self._database.read() as snapshot:
                self.ahead.extend(all_names(snapshot))
        most = min(MOST_LOOKED_AT, len(self.ahead))
        yield from self.check(self.ahead.popleft() for _ in range(most))

    def _marked(self, database: list[int] | None) -> int:
        """Return the version up to which all files of a database are on the disk.

        Without a database, that of any.
        """
        with suppress(OSError, ValueError, KeyError, TypeError):
            note = json.loads(disks.bytes_of(self._mark))
            return int(note["version"]) if database in (None, note["database"]) else 0
        return 0

    def mark_all(self, database: list[int], version: int) -> None:
        """Record the version up to which all files of a database are on the disk."""
        if version == self._marked(database):
            return
        note = json.dumps({"database": database, "version": version})
        self._write_note(self._mark, f"{note}\n".encode())

    def _write_note(self, path: Path, data: bytes, *, syncs: bool = True) -> None:
        """Write a note about the files in place of an earlier one, or log the error."""
        try:
            self._disk.create(path, data, 0o600, replaces=True, syncs=syncs)
        except OSError as error:
            log.warning("%s is not written: %s", path, error)

    def _complain(self, name: BoardName, error: OSError) -> None:
        """Log that a file waits, once until all are published."""
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
    """Sync published files from time to time, in a thread of its own, while the body runs.

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
    """Return the bytes of a file that stay when it is mended; None if others have changed it.

    Bytes that a power cut has kept from the disk are NULs. In a file with userids still to be
    replaced, none stay.
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
    """Return whether a file only lacks changes of userids."""
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


def _highest(snapshot: Snapshot) -> int:
    """Return the highest version of all boards."""
    return snapshot.number("SELECT max(version) FROM boards")


def _noted(version: int) -> bytes:
    """Return a version as a note has it, twice: if a write is torn, they differ."""
    return b"%020d %020d\n" % (version, version)


def _note_in(noted: bytes) -> int:
    """Return the version in a note, the lower one if they differ. Raises ValueError."""
    return min(map(int, noted.split()))


def _content(handle: int) -> bytes:
    """Return the content of an open file."""
    return os.pread(handle, os.fstat(handle).st_size, 0)
