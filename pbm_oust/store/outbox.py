"""The outbox: letters that wait for the relay, are unread in the Maildir, or have failed.

A letter is known by its name, which is also the name of its file if it has one. Names sort in the
order in which the letters were written.
"""

import logging
import os
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import Enum
from pathlib import Path

from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.disk import Disk, NoSuchFile, bytes_of, linked, locked_folder
from pbm_oust.store.letters import (
    Letter,
    State,
    all_letters,
    content_of,
    remove_letter,
    retry_letter,
)

log = logging.getLogger("pbm_oust")

FOLDERS = ("tmp", "new", "cur")
"""What a Maildir consists of."""
PATIENCE = 1.0
"""How many seconds a command waits for another one that withholds letters."""
_OURS = re.compile(r"[0-9]+\.L([0-9]+)\.pbm_oust")


Unwritten = tuple[int, datetime, bytes]
"""A letter that is still to be written as a file: its id, when it was posted, and its content."""


class _Place(Enum):
    """Where a file belongs."""

    NEW = "new"
    TMP = "tmp"
    NOWHERE = "nowhere"


def recall_letter(transaction: Transaction, letter: Letter) -> None:
    """Let a letter wait for the relay, after the Maildir has taken back its file, if it had one.

    Nothing is done if the letter has got a file since, or is gone.
    """
    transaction.run(
        "UPDATE letters SET state = 'waiting', file = NULL"
        " WHERE id = ? AND state = 'file' AND coalesce(file, '') = ?",
        letter.id,
        letter.file,
    )


class Maildir:
    """The Maildir at `path`, with the letters of a database. Its methods may raise OSError."""

    def __init__(self, path: Path, database: Database, disk: Disk | None = None) -> None:
        self.path = path
        self._tmp, self._new = path / "tmp", path / "new"
        self._withholding = threading.Lock()
        self._database = database
        self._disk = disk or Disk()

    def prepare(self) -> None:
        """Make missing folders."""
        self._disk.make_folder(self.path, mode=0o700)
        for state in FOLDERS:
            self._disk.make_folder(self.path / state, mode=0o700)
        self._disk.sync_folder(self.path)

    def write_out(self, letters: Sequence[Unwritten] | None = None) -> int:
        """Write letters that are to be files; return their number.

        If none are named, they are all, whoever has added them. This also finishes what dead
        processes have left.
        """
        with self._held():
            self._settle()
            if letters is None:
                with self._database.read_latest() as snapshot:
                    letters = _unwritten_letters(snapshot)
            names = {letter: file_name(letter, posted) for letter, posted, _ in letters}
            for letter, _, content in letters:
                self._write(self._tmp / names[letter], content)
            if names:
                self._disk.sync_folder(self._tmp)
                marked = self._database.write(lambda transaction: _mark(transaction, names))
                self._publish(marked)
                for name in {*names.values()} - {*marked}:
                    self._disk.step_remove(self._tmp / name)
        return len(names)

    @contextmanager
    def withheld(self, files: Collection[str]) -> Iterator[bool]:
        """Keep letters from being opened; gives whether no mail program has taken any of them.

        Nor may another command withhold any. The body may then remove them from the database, or
        let them wait for the relay. Afterwards their files are removed, or put back if the database
        still has them. What fails is left for another time.
        """
        if not files:
            yield True
            return
        # A command that shares our transaction may withhold letters until that is over.
        if not self._withholding.acquire(timeout=PATIENCE):
            yield False
            return
        try:
            with self._held():
                self._settle()
                try:
                    yield self._withdraw(files)
                finally:
                    try:
                        self._settle()
                    except OSError as error:
                        log.warning("letters wait for the Maildir: %s", error)
        finally:
            self._withholding.release()

    def has_new(self, file: str) -> bool:
        """Return whether no mail program has taken the file of a letter."""
        return (self._new / file).exists()

    def forget_taken(self) -> int:
        """Remove from the database the letters that mail programs took; return their number."""
        with self._held():
            self._settle()
            with self._database.read_latest() as snapshot:
                known = _letters_in_files(snapshot)
            there = {path.name for path in self._new.iterdir()}
            taken = [letter for file, letter in known.items() if file not in there]
            if taken:
                self._database.write(lambda transaction: _remove(transaction, taken))
        return len(taken)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Lock the files, so that nobody else moves any. Raises OSError if a folder is a link."""
        for folder in (self.path, *(self.path / state for state in FOLDERS)):
            if folder.is_symlink():
                raise linked(folder)
        with locked_folder(self._tmp):
            yield

    def _settle(self) -> None:
        """Publish the files in `tmp` that the database has, and remove those without a letter.

        The file of a letter that is still to be written may already be there; it stays.
        """
        left = [path.name for path in self._tmp.iterdir() if _OURS.fullmatch(path.name)]
        if not left:
            return
        with self._database.read_latest() as snapshot:
            places = {name: _place_of(snapshot, name) for name in left}
        self._publish([name for name in left if places[name] is _Place.NEW])
        for name in left:
            if places[name] is _Place.NOWHERE:
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
            self._disk.move(self._tmp / name, self._new / name)
        if names:
            self._disk.sync_folder(self._new)

    def _withdraw(self, files: Iterable[str]) -> bool:
        """Move files from `new` to `tmp`; return whether all were there."""
        try:
            for file in files:
                self._disk.move(self._new / file, self._tmp / file)
        except FileNotFoundError:
            self._settle()
            return False
        self._disk.sync_folder(self._tmp)
        return True


def file_name(letter: int, posted: datetime) -> str:
    """Return the name of a letter and its file: sorted by name, letters are in their order."""
    return f"{seconds(posted)}.L{letter:06}.pbm_oust"


def _mark(transaction: Transaction, names: dict[int, str]) -> list[str]:
    """Record the names of the files of letters; return the names for letters that exist."""
    mark = "UPDATE letters SET file = ? WHERE id = ? AND state = 'file' AND file IS NULL"
    return [name for letter, name in names.items() if transaction.run(mark, name, letter)]


def _unwritten_letters(snapshot: Snapshot) -> list[Unwritten]:
    """Return the letters that are still to be written as files."""
    rows = snapshot.rows(
        "SELECT id, posted, content FROM letters WHERE state = 'file' AND file IS NULL ORDER BY id"
    )
    return [(letter, moment_of(posted), content) for letter, posted, content in rows]


def _place_of(snapshot: Snapshot, name: str) -> _Place:
    """Return where a file in `tmp` belongs."""
    match = _OURS.fullmatch(name)
    search = "SELECT file FROM letters WHERE id = ? AND state = 'file'"
    row = snapshot.row(search, int(match[1])) if match else None
    if row is None:
        return _Place.NOWHERE
    return _Place.NEW if row[0] == name else _Place.TMP


def _letters_in_files(snapshot: Snapshot) -> dict[str, int]:
    """Return the ids of all letters in files, by the names of the files."""
    rows = snapshot.rows("SELECT file, id FROM letters WHERE file IS NOT NULL")
    return {file: letter for file, letter in rows}  # noqa: C416 - a row is a tuple of Any


def _remove(transaction: Transaction, letters: Iterable[int]) -> None:
    for letter in letters:
        remove_letter(transaction, letter)


def name_of(letter: Letter) -> str:
    """Return the name of a letter."""
    return file_name(letter.id, letter.posted)


class Outbox:
    """The outbox of a home. Its methods may raise OSError."""

    def __init__(self, database: Database, maildir: Maildir) -> None:
        self.path = maildir.path
        self._database = database
        self._maildir = maildir

    def listed(self) -> list[Letter]:
        """Return all letters as they are at one moment: those that wait, are held back, failed."""
        with self._database.read() as snapshot:
            waiting = self._waiting(snapshot)
            return [
                *waiting,
                *all_letters(snapshot, State.HELD),
                *all_letters(snapshot, State.FAILED),
            ]

    def waiting(self) -> list[Letter]:
        """Return the letters that nobody has taken yet, oldest first."""
        with self._database.read() as snapshot:
            return self._waiting(snapshot)

    def _waiting(self, snapshot: Snapshot) -> list[Letter]:
        found = all_letters(snapshot, State.WAITING) + all_letters(snapshot, State.FILE)
        there = (each for each in found if not each.file or self._maildir.has_new(each.file))
        return sorted(there, key=lambda each: each.id)

    def held(self) -> list[Letter]:
        """Return the letters that are held back since a backup was restored, oldest first."""
        with self._database.read() as snapshot:
            return all_letters(snapshot, State.HELD)

    def failed(self) -> list[Letter]:
        """Return the letters that have failed, oldest first."""
        with self._database.read() as snapshot:
            return all_letters(snapshot, State.FAILED)

    def letters(self) -> list[str]:
        """Return the names of the letters that nobody has taken yet, oldest first."""
        return [name_of(letter) for letter in self.waiting()]

    def failed_letters(self) -> list[str]:
        """Return the names of the letters that failed, oldest first."""
        return [name_of(letter) for letter in self.failed()]

    def read(self, name: str) -> bytes:
        """Return a letter. Raises NoSuchFile."""
        with self._database.read() as snapshot:
            content = content_of(snapshot, _id_of(name))
        if content is None:
            raise NoSuchFile(name)
        return content

    def remove(self, name: str) -> None:
        """Remove a letter. Raises NoSuchFile if there is none, or somebody has taken it."""
        found = {name_of(letter): letter for letter in self.listed()}
        letter = found.get(name)
        files = [letter.file] if letter and letter.file else []
        with self._maildir.withheld(files) as is_withheld:
            if letter is None or not is_withheld:
                raise NoSuchFile(name)
            self._database.write(lambda transaction: remove_letter(transaction, letter.id))

    def retry(self, name: str, now: datetime) -> None:
        """Let a letter that failed wait for the relay again. Raises NoSuchFile."""
        number = _id_of(name)
        if not self._database.write(lambda transaction: retry_letter(transaction, number, now)):
            raise NoSuchFile(name)


def _id_of(name: str) -> int:
    """Return the id of the letter with a name. Raises NoSuchFile if no letter can have it."""
    number = name.partition(".L")[2].partition(".")[0]
    if not number.isdecimal():
        raise NoSuchFile(name)
    return int(number)
