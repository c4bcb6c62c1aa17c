"""The outbox as mail programs and operators see it: files of a Maildir, and letters by their names.

A letter has the name of its file, whether it is in one or not. Without a relay it is published
after the commit of its command: written into `tmp`, noted in the database, and moved to `new`. What
a process leaves undone that dies meanwhile, the next one does.

Most letters are kept as data, and written when they are sent, published or shown. One that cannot
be written stays, and is tried again every hour.
"""

import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from pbm_oust.store import letters as stored
from pbm_oust.store.database import Database, Row, Snapshot, Transaction, seconds
from pbm_oust.store.disk import Disk, NoSuchFile, bytes_of, linked, locked_folder

log = logging.getLogger("pbm_oust")

FOLDERS = ("tmp", "new", "cur")
"""What a Maildir consists of."""
PATIENCE = 1.0
"""How many seconds a command waits for others who move files of letters."""
_LOOK = 0.01
"""How many seconds pass until it looks again."""
_OURS = re.compile(r"[0-9]+\.L[0-9]+\.pbm_oust")
MOST_TOGETHER = 100
"""The most letters that are noted as published in one transaction."""
ASIDE = timedelta(hours=1)
"""How long a letter waits that cannot be written."""
_ASIDE = {stored.LetterState.HELD: 1, stored.LetterState.FAILED: 2}
"""The letters that come behind those that wait, and in which order."""


class CannotWrite(Exception):
    """A letter cannot be written from what the outbox keeps of it, as things are."""


Written = tuple[stored.Letter, bytes]
"""A letter and its content, which it is or is to be written from."""
Writer = Callable[[stored.Letter, bytes], Written]
"""Writes a letter from what the outbox keeps of it. Raises CannotWrite and OSError."""


class Outbox:
    """The letters of a database, with the Maildir at `path`. Its methods may raise OSError."""

    def __init__(self, path: Path, database: Database, disk: Disk | None = None) -> None:
        self.path = path
        self._tmp, self._new = path / "tmp", path / "new"
        self._folders = [path, *(path / name for name in FOLDERS)]
        self._withholding = threading.Lock()
        self._database = database
        self._disk = disk or Disk()
        self.writer: Writer | None = None
        """What writes letters here; without it, those that are kept as data stay so."""

    def prepare(self) -> None:
        """Make missing folders."""
        for folder in self._folders:
            self._disk.make_folder(folder, mode=0o700)
        self._disk.sync_folder(self.path)

    # Letters by their names

    def listed(self, *states: stored.LetterState) -> list[stored.Letter]:
        """Return the letters in these states, or all, as they are at one moment, oldest first.

        Those that a mail program has taken are left out. Those that wait come first, then those
        that are held back, and those that have failed.
        """
        with self._database.read() as snapshot:
            found = stored.all_letters(snapshot, *states)
        there = (each for each in found if not each.file or self.has_new(each.file))
        return sorted(there, key=lambda each: (_ASIDE.get(each.state, 0), each.id))

    def letters(self, *states: stored.LetterState) -> list[str]:
        """Return the names of the letters in these states, or of those that wait, oldest first."""
        wanted = states or (stored.LetterState.WAITING, stored.LetterState.FILE)
        return [name_of(letter) for letter in self.listed(*wanted)]

    def read(self, name: str) -> bytes:
        """Return a letter. Raises NoSuchFile, and CannotWrite."""
        with self._database.read() as snapshot:
            found = stored.read_letter(snapshot, _id_of(name))
        if found is None:
            raise NoSuchFile(name)
        return self.written(*found)[1]

    def titled(self, letter: stored.Letter) -> stored.Letter:
        """Return a letter with the Message-ID and the Subject that it has or will have, if any."""
        if letter.is_written:
            return letter
        with self._database.read() as snapshot:
            found = stored.read_letter(snapshot, letter.id)
        with suppress(CannotWrite):
            return self.written(*found)[0] if found else letter
        return letter

    def written(self, letter: stored.Letter, content: bytes) -> Written:
        """Return a letter and its content as written, whichever way the outbox keeps it.

        Raises CannotWrite.
        """
        if letter.is_written:
            return letter, content
        if self.writer is None:
            raise CannotWrite("nothing here writes letters")
        return self.writer(letter, content)

    def put_aside(self, letter: stored.Letter, fault: CannotWrite) -> None:
        """Let a letter that cannot be written wait by itself for a while."""
        log.error("letter %s cannot be written, and waits an hour: %s", name_of(letter), fault)
        self._database.write(
            lambda transaction: stored.put_aside(
                transaction, letter.id, self._now() + ASIDE, str(fault)
            )
        )

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._database.time(), UTC)

    def remove(self, name: str) -> None:
        """Remove a letter. Raises NoSuchFile if there is none, or somebody has taken it."""
        found = {name_of(letter): letter for letter in self.listed()}
        letter = found.get(name)
        files = [letter.file] if letter and letter.file else []
        with self.withheld(files) as is_withheld:
            if letter is None or not is_withheld:
                raise NoSuchFile(name)
            self._database.write(
                lambda transaction: stored.remove_letters(transaction, [letter.id])
            )

    def retry(self, name: str, now: datetime) -> None:
        """Let a letter that failed wait for the relay again. Raises NoSuchFile."""
        states = stored.LetterState.FAILED, stored.LetterState.WAITING
        number = _id_of(name)
        if not self._database.write(lambda each: stored.let_leave(each, *states, now, number)):
            raise NoSuchFile(name)

    # Letters as files

    def write_out(self) -> int:
        """Write all letters that are to be files, whoever has added them; return their number.

        This also finishes what dead processes have left.
        """
        count, is_over = 0, False
        with self._held():
            self._settle()
            while not is_over:
                with self._database.read() as snapshot:
                    found = stored.unpublished(snapshot, self._now(), MOST_TOGETHER)
                count += self._write_files(found)
                is_over = len(found) < MOST_TOGETHER or self.writer is None
        return count

    def _write_files(self, found: Iterable[Written]) -> int:
        """Write and publish the files of letters; return their number."""
        ready = list[Written]()
        for letter, content in found:
            if not letter.is_written and self.writer is None:
                continue
            try:
                written = self.written(letter, content)
            except CannotWrite as fault:
                self.put_aside(letter, fault)
                continue
            self._write(self._tmp / name_of(letter), written[1])
            ready.append(written)
        if ready:
            self._disk.sync_folder(self._tmp)
            marked = self._database.write(partial(_mark, ready=ready))
            self._publish(marked)
            for name in {name_of(letter) for letter, _ in ready} - {*marked}:
                self._disk.step_remove(self._tmp / name)
        return len(ready)

    @contextmanager
    def withheld(
        self, files: Collection[str], transaction: Transaction | None = None
    ) -> Iterator[bool]:
        """Keep letters from being opened; gives whether no mail program has taken any of them.

        Nor may another command withhold any. The body may then remove them from the database, or
        let them wait for the relay. Afterwards their files are removed, or put back if the database
        still has them. What fails is left for another time.

        `transaction` is the one that withholds them, if that is open; it is over afterwards.
        """
        if not files:
            yield True
            return
        # A command that shares our transaction may withhold letters until that is over, and whoever
        # writes letters out may wait for our transaction.
        if not self._withholding.acquire(timeout=PATIENCE):
            yield False
            return
        try:
            with self._held(PATIENCE) as is_held:
                if not is_held:
                    yield False
                    return
                self._settle(transaction)
                is_withdrawn = self._withdraw(files, transaction)
                try:
                    yield is_withdrawn
                finally:
                    with left_for_later():
                        self._settle()
        finally:
            self._withholding.release()

    def has_new(self, file: str) -> bool:
        """Return whether no mail program has taken the file of a letter."""
        return (self._new / file).exists()

    def forget_taken(self) -> int:
        """Remove from the database the letters that mail programs took; return their number."""
        with self._held():
            self._settle()
            with self._database.read() as snapshot:
                known = snapshot.rows("SELECT file, id FROM letters WHERE file IS NOT NULL")
            there = {path.name for path in self._new.iterdir()}
            taken = [letter for file, letter in known if file not in there]
            if taken:
                self._database.write(partial(stored.remove_letters, letters=taken))
        return len(taken)

    @contextmanager
    def _held(self, patience: float = math.inf) -> Iterator[bool]:
        """Lock the files within some seconds, so that nobody else moves any; give whether they are.

        Raises OSError if a folder is a link.
        """
        for folder in self._folders:
            if folder.is_symlink():
                raise linked(folder)
        latest = time.monotonic() + patience
        while True:
            with locked_folder(self._tmp, waits=patience == math.inf) as is_held:
                if is_held or time.monotonic() > latest:
                    yield is_held
                    return
            time.sleep(_LOOK)

    def _settle(self, known: Snapshot | None = None) -> None:
        """Publish the files in `tmp` that the database has, and remove those of no letter.

        So is one of a letter that was never committed, though a later one has its number. The file
        of a letter that is still to be written may already be there; it stays.
        """
        left = [path.name for path in self._tmp.iterdir() if _OURS.fullmatch(path.name)]
        if not left:
            return
        with nullcontext(known) if known else self._database.read() as snapshot:
            holders = {name: _holder_of(snapshot, name) for name in left}
        self._publish([name for name in left if holders[name] == (name,)])
        for name in left:
            if holders[name] not in ((name,), (None,)):
                self._disk.step_remove(self._tmp / name)

    def _write(self, path: Path, content: bytes) -> None:
        """Write a file, unless it exists: it may be named by a commit that failed.

        That commit may turn out to be done, if the process dies before the next one.
        """
        if os.path.lexists(path) and bytes_of(path) == content:
            self._disk.sync_file(path)
        else:
            self._disk.write(path, content, mode=0o600)

    def _publish(self, names: Collection[str]) -> None:
        for name in names:
            self._disk.step_rename(self._tmp / name, self._new / name)
        if names:
            self._disk.sync_folder(self._new)

    def _withdraw(self, files: Iterable[str], known: Snapshot | None) -> bool:
        """Move files from `new` to `tmp`; return whether all were there."""
        try:
            for file in files:
                self._disk.step_rename(self._new / file, self._tmp / file)
            self._disk.sync_folder(self._tmp)
        except FileNotFoundError:
            self._settle(known)
            return False
        except OSError:
            with left_for_later():
                self._settle(known)
            raise
        return True


@contextmanager
def left_for_later() -> Iterator[None]:
    """Leave a Maildir that fails for another time."""
    try:
        yield
    except OSError as error:
        log.warning("letters wait for the Maildir: %s", error)


def file_name(letter: int, posted: datetime) -> str:
    """Return the name of a letter and its file: sorted by name, letters are in their order."""
    return f"{seconds(posted)}.L{letter:06}.pbm_oust"


def _mark(transaction: Transaction, ready: Iterable[Written]) -> list[str]:
    """Record the names of the files of letters; return the names for letters that exist."""
    mark = "UPDATE letters SET file = ? WHERE id = ? AND state = 'file' AND file IS NULL"
    marked = list[str]()
    for letter, content in ready:
        if transaction.run(mark, name_of(letter), letter.id):
            stored.keep_written(transaction, letter.id, letter.head, content)
            marked.append(name_of(letter))
    return marked


def _holder_of(snapshot: Snapshot, file: str) -> Row | None:
    """Return the name that the letter of a file in `tmp` has, if it is to have a file."""
    return snapshot.row("SELECT file FROM letters WHERE id = ? AND state = 'file'", _id_of(file))


def name_of(letter: stored.Letter) -> str:
    """Return the name of a letter."""
    return file_name(letter.id, letter.posted)


def _id_of(name: str) -> int:
    """Return the id of the letter with a name. Raises NoSuchFile if no letter can have it."""
    number = name.partition(".L")[2].partition(".")[0]
    if not number.isdecimal():
        raise NoSuchFile(name)
    return int(number)
