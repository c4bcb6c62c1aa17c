"""The outbox as a Maildir, for homes without a relay: any mail program can open it.

    HOME/outbox/new/1795966560.L000017.pbm_oust

A letter that is to be a file is written to `tmp` first; then the database has its name, and then it
moves to `new`. So who finds a file in `tmp` knows what to do with it, whatever came in between: it
moves to `new` if the database has its name, and goes if not. A letter is in the database until a
mail program takes its file out of `new`, and until then it can be taken back.

Whoever holds the Maildir may write to the database, and never the other way round.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.database import Database
from pbm_oust.store.disk import Disk, locked_folder
from pbm_oust.store.letters import remove_letter
from pbm_oust.store.times import seconds_of, time_of

_OURS = re.compile(r"[0-9]+\.L[0-9]+\.pbm_oust")


def recall_letter(transaction: Transaction, letter: int) -> None:
    """Let a letter wait for the relay whose file the Maildir takes back."""
    transaction.run(
        "UPDATE letters SET state = 'waiting', file = NULL WHERE id = ? AND state = 'file'", letter
    )


class Maildir:
    """The Maildir at `path`, with the letters of a database. Its methods may raise OSError."""

    def __init__(self, path: Path, database: Database, disk: Disk | None = None) -> None:
        self.path = path
        self._database = database
        self._disk = disk or Disk()

    def prepare(self) -> None:
        """Make the folders that are missing."""
        self._disk.make_folder(self.path, mode=0o700)
        for state in ("tmp", "new", "cur"):
            self._disk.make_folder(self.path / state, mode=0o700)
        self._disk.sync_folder(self.path)

    def write_out(self) -> int:
        """Write the letters that are to be files, whoever has added them; return how many.

        This also finishes what processes that died have left.
        """
        with self._held():
            self._settle()
            with self._database.read_latest() as snapshot:
                unwritten = _unwritten_letters(snapshot)
            names = {letter: _name_of(letter, posted) for letter, posted, _ in unwritten}
            for letter, _, content in unwritten:
                self._disk.write(self._tmp / names[letter], content, mode=0o600)
            if names:
                self._disk.sync_folder(self._tmp)
                self._database.write(lambda transaction: _mark(transaction, names))
                self._publish(names.values())
        return len(names)

    @contextmanager
    def withheld(self, files: Iterable[str]) -> Iterator[bool]:
        """Keep letters from being opened; gives whether no mail program has taken any of them.

        The body may then remove them from the database, or let them wait for the relay, and their
        files go; those that the database has still are back in their place afterwards.
        """
        with self._held():
            self._settle()
            try:
                yield self._withdraw(files)
            finally:
                self._settle()

    def forget_taken(self) -> int:
        """Remove the letters from the database that a mail program has taken; return how many."""
        with self._held():
            self._settle()
            with self._database.read_latest() as snapshot:
                known = _letters_in_files(snapshot)
            there = {path.name for path in self._new.iterdir()}
            taken = [letter for file, letter in known.items() if file not in there]
            if taken:
                self._database.write(lambda transaction: _remove(transaction, taken))
        return len(taken)

    @property
    def _tmp(self) -> Path:
        return self.path / "tmp"

    @property
    def _new(self) -> Path:
        return self.path / "new"

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the files: nobody else moves any meanwhile."""
        with locked_folder(self._tmp):
            yield

    def _settle(self) -> None:
        """Publish the files in `tmp` that the database knows, and remove the others of ours."""
        left = [path.name for path in self._tmp.iterdir() if _OURS.fullmatch(path.name)]
        if not left:
            return
        with self._database.read_latest() as snapshot:
            known = [name for name in left if _letter_in_file(snapshot, name) is not None]
        self._publish(known)
        for name in set(left) - set(known):
            self._disk.step_remove(self._tmp / name)

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


def _name_of(letter: int, posted: datetime) -> str:
    """Return the name of a letter's file: sorted by name, letters are in their order."""
    return f"{seconds_of(posted)}.L{letter:06}.pbm_oust"


def _mark(transaction: Transaction, names: dict[int, str]) -> None:
    """Write down the names of the files in which letters are."""
    for letter, name in names.items():
        transaction.run("UPDATE letters SET file = ? WHERE id = ? AND state = 'file'", name, letter)


def _unwritten_letters(snapshot: Snapshot) -> list[tuple[int, datetime, bytes]]:
    """Return id, time and content of the letters that are still to be written as files."""
    rows = snapshot.rows(
        "SELECT id, posted, content FROM letters WHERE state = 'file' AND file IS NULL ORDER BY id"
    )
    return [(letter, time_of(posted), content) for letter, posted, content in rows]


def _letter_in_file(snapshot: Snapshot, file: str) -> int | None:
    """Return the id of the letter that is in a file of the Maildir, or None."""
    row = snapshot.row("SELECT id FROM letters WHERE file = ?", file)
    return int(row[0]) if row else None


def _letters_in_files(snapshot: Snapshot) -> dict[str, int]:
    """Return the ids of all letters that are in files, by the names of these."""
    rows = snapshot.rows("SELECT file, id FROM letters WHERE file IS NOT NULL")
    return {file: letter for file, letter in rows}  # noqa: C416 - a row is a tuple of Any


def _remove(transaction: Transaction, letters: Iterable[int]) -> None:
    for letter in letters:
        remove_letter(transaction, letter)
