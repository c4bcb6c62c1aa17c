"""A folder of files for others to read, such as pages for a web server, and the list of them.

    DIR/.pbm_oust/files.db   the list: parts with their files
    DIR/.pbm_oust/*.draft    files that are being written

A part is what is made from one thing: the files about one board. A file appears whole, and stays
untouched if it says the same already. A part is in the list before its first file is there, so that
whatever was written can be found and removed; nothing else ever is.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from pbm_oust.store.disk import Disk, bytes_of, give_to_owner_of, locked_folder
from pbm_oust.store.faults import fault_of

OWN = ".pbm_oust"
"""The folder of the list, by which a folder of ours is known."""
LIST = "files.db"
_FOLDER, _FILE, _PRIVATE, _LIST = 0o755, 0o644, 0o700, 0o600
_PATIENCE = 60_000
"""Milliseconds to wait while another process writes to the list."""
TABLE = """
CREATE TABLE IF NOT EXISTS parts (
    name TEXT PRIMARY KEY,
    made_from TEXT NOT NULL,  -- empty while its files may not all be there, and on the disk
    files TEXT NOT NULL       -- JSON: paths, and what each was made from
) STRICT
"""


class NotPublished(Exception):
    """A folder cannot be written to, and why; nothing has been written."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A file to be made."""

    path: str
    """Below the folder."""
    make: Callable[[], bytes]
    made_from: str = ""
    """If this is given, the file need not be made again while it stays the same."""


class Published:
    """A folder of files for others. Several processes may write different parts of it.

    Every method may raise OSError.
    """

    def __init__(self, folder: Path, disk: Disk) -> None:
        self.folder = folder
        self._disk = disk
        self._drafts = folder / OWN
        self._list = self._drafts / LIST
        if not self._list.exists():
            disk.create(self._list, b"", _LIST)
        give_to_owner_of(self._drafts, self._list)
        with self._faults():
            self._rows = apsw.Connection(str(self._list))
        self._rows.set_busy_timeout(_PATIENCE)
        self._ask("PRAGMA journal_mode = WAL")
        self._ask("PRAGMA synchronous = NORMAL")
        self._ask("PRAGMA secure_delete = ON")  # what is forgotten is overwritten
        self._ask(TABLE)

    def close(self) -> None:
        """Close the list."""
        self._rows.close()

    def made_from(self, part: str) -> str:
        """Return what a part was made from; empty if it is not there whole."""
        rows = self._ask("SELECT made_from FROM parts WHERE name = ?", part)
        return str(rows[0][0]) if rows else ""

    def parts(self) -> set[str]:
        """Return the names of all parts."""
        return {name for (name,) in self._ask("SELECT name FROM parts")}

    def publish(self, part: str, pieces: Sequence[Piece]) -> int:
        """Write the files of a part, and remove those that it had besides.

        Returns how many files were written.
        """
        before, wanted = self._files(part), {piece.path: piece.made_from for piece in pieces}
        self._note(part, dict.fromkeys(before | wanted, "") | _same(before, wanted))
        written = sum(self._write(piece, before) for piece in pieces)
        self._remove(path for path in before if path not in wanted)
        self._note(part, wanted)
        return written

    def seal(self, made_from: Mapping[str, str]) -> None:
        """Note what parts were made from, whose files are on the disk from then on."""
        os.sync()  # once for all of them, however many files they have
        with self._rows:
            for part, made in made_from.items():
                self._ask("UPDATE parts SET made_from = ? WHERE name = ?", made, part)

    def remove(self, part: str) -> int:
        """Remove the files of a part; return how many it had."""
        files = self._files(part)
        self._remove(iter(files))
        self._ask("DELETE FROM parts WHERE name = ?", part)
        return len(files)

    def _files(self, part: str) -> dict[str, str]:
        rows = self._ask("SELECT files FROM parts WHERE name = ?", part)
        found: dict[str, str] = json.loads(rows[0][0]) if rows else {}
        return found

    def _note(self, part: str, files: Mapping[str, str]) -> None:
        """Note the files of a part, of which some may be missing."""
        self._ask("INSERT OR REPLACE INTO parts VALUES (?, '', ?)", part, json.dumps(files))

    def _write(self, piece: Piece, before: Mapping[str, str]) -> bool:
        """Write a file unless it is there already; return whether it was written."""
        path = self.folder / piece.path
        if piece.made_from and before.get(piece.path) == piece.made_from and path.exists():
            return False
        content = piece.make()
        with suppress(FileNotFoundError):
            if bytes_of(path) == content:
                return False
        for folder in reversed(path.relative_to(self.folder).parents):
            self._disk.make_folder(self.folder / folder, _FOLDER)
        self._disk.put(path, content, _FILE, self._drafts)
        return True

    def _remove(self, paths: Iterator[str]) -> None:
        """Remove files, and the folders that are empty then.

        Whatever the list says, nothing outside of the folder is touched, nor through a link.
        """
        whole = self.folder.resolve()
        for path in paths:
            is_below = (whole / path).parent.resolve().is_relative_to(whole)
            if ".." in Path(path).parts or not is_below:
                continue
            with suppress(FileNotFoundError):
                self._disk.step_remove(self.folder / path)
            with suppress(OSError):  # something else is in the folder
                for folder in [*Path(path).parents][:-1]:
                    (self.folder / folder).rmdir()

    def _ask(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        with self._faults():
            return self._rows.execute(statement, values).fetchall()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn errors of SQLite into faults of the list."""
        try:
            yield
        except apsw.Error as error:
            raise fault_of(error, self._list) or error from error


@contextmanager
def published(folder: Path, disk: Disk) -> Iterator[Published]:
    """Give a folder to publish in: one of ours, an empty one, or one that is not there yet.

    Nobody else may publish there meanwhile. Raises NotPublished and OSError.
    """
    if folder.exists() and not (folder / OWN).is_dir() and any(folder.iterdir()):
        raise NotPublished(f"{folder} holds files that do not come from here; take another folder")
    disk.make_folder(folder, _FOLDER)
    disk.make_folder(folder / OWN, _PRIVATE)
    with locked_folder(folder / OWN, waits=False) as is_free:
        if not is_free:
            raise NotPublished(f"another process writes to {folder}")
        disk.remove_drafts(folder / OWN)
        found = Published(folder, disk)
        try:
            yield found
        finally:
            found.close()


def _same(before: Mapping[str, str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the files that are to stay, and what they were made from."""
    return {path: made for path, made in wanted.items() if before.get(path) == made}
