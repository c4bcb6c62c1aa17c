"""The home directory: where everything is, and locks.

    HOME/oust/17.txt         histories, appended to
    HOME/players/alice.txt   accounts, replaced whole
    HOME/outbox/             mail not yet handed to the relay, a Maildir
    HOME/failed/             mail that the relay refuses for good, a Maildir
    HOME/pbm_oust.toml       configuration, written by the operator only

A write that returns is on the disk (`disk.py`). Locks are taken on the files and folders
themselves, so that nothing is left behind by a process that dies, and any number of processes may
share a home.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from pbm_oust.disk import Disk, Undecided, locked_file, locked_folder

_sequence = count()

_HISTORY = re.compile(r"[1-9][0-9]*\.txt")


class NoSuchFile(LookupError):
    """A board, an account or a letter that the home does not have."""


class Home:
    """A home directory at `path`. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        self.path = path
        self._disk = disk or Disk()
        self.players = path / "players"
        self.outbox = path / "outbox"
        self.failed = path / "failed"
        self.configuration = path / "pbm_oust.toml"

    def prepare(self, kinds: Sequence[str]) -> None:
        """Make the folders that are missing, for these kinds of game."""
        for kind in kinds:
            (self.path / kind).mkdir(parents=True, exist_ok=True)
        self.players.mkdir(mode=0o700, exist_ok=True)
        for box in (self.outbox, self.failed):
            box.mkdir(mode=0o700, exist_ok=True)
            for state in ("tmp", "new", "cur"):
                (box / state).mkdir(mode=0o700, exist_ok=True)
            self._disk.sync_folder(box)
        self._disk.sync_folder(self.path)

    # Histories

    def boards(self, kind: str) -> list[int]:
        """Return the numbers of all boards of a kind, in order."""
        names = (path.name for path in (self.path / kind).glob("*.txt"))
        return sorted(int(name.removesuffix(".txt")) for name in names if _HISTORY.fullmatch(name))

    def history_path(self, kind: str, board: int) -> Path:
        """Return where the history of a board is kept."""
        return self.path / kind / f"{board}.txt"

    def read_history(self, kind: str, board: int) -> bytes:
        """Return the history of a board as it is. Raises NoSuchFile."""
        return _read(self.history_path(kind, board))

    @contextmanager
    def locked_history(self, kind: str, board: int) -> Iterator["HistoryFile"]:
        """Hold a board: nobody else appends to its history meanwhile. Raises NoSuchFile."""
        path = self.history_path(kind, board)
        if not path.exists():
            raise NoSuchFile(f"{kind} {board}")
        with locked_file(path) as handle:
            yield HistoryFile(handle, self._disk)

    @contextmanager
    def next_board(self, kind: str) -> Iterator[int]:
        """Hold the numbering of a kind; gives the number that a new board will have."""
        with locked_folder(self.path / kind):
            yield max(self.boards(kind), default=0) + 1

    def create_history(self, kind: str, board: int, text: str) -> None:
        """Write the first lines of a board whose number `next_board` gave."""
        self._disk.create(self.history_path(kind, board), text.encode(), mode=0o644)

    # Accounts

    def userids(self) -> list[str]:
        """Return the userids of all accounts, in order."""
        return sorted(path.stem for path in self.players.glob("*.txt"))

    def has_player(self, userid: str) -> bool:
        """Return whether there is an account of this userid."""
        return (self.players / f"{userid}.txt").is_file()

    def read_player(self, userid: str) -> str:
        """Return the text of an account. Raises NoSuchFile."""
        return _read(self.players / f"{userid}.txt").decode("utf-8", "replace")

    @contextmanager
    def locked_players(self) -> Iterator[None]:
        """Hold all accounts: nobody else changes one meanwhile."""
        with locked_folder(self.players):
            yield

    def write_player(self, userid: str, text: str) -> None:
        """Write an account whole, new or in place of the one before."""
        self._disk.replace(self.players / f"{userid}.txt", text.encode(), mode=0o600)

    # The outbox

    @contextmanager
    def posting(self, letters: Sequence[bytes], cause: str) -> Iterator[None]:
        """Put letters into the outbox if the body of this `with` succeeds, and none if it fails.

        They are on the disk before the body runs and only get their place afterwards, so that what
        the body writes and the letters about it stand or fall together. `cause` is the id of the
        message that is being answered; letters that a crash left without their place, or a disk
        that failed so that nobody knows what is on it, are found by it again (`finish_posting`), or
        dropped when the command is carried out after all.
        """
        seconds, microseconds = divmod(time.time_ns() // 1000, 10**6)
        moment = f"{seconds}.M{microseconds:06}"
        names = [f"{moment}Q{next(_sequence):06}P{os.getpid()}_{cause}.pbm_oust" for _ in letters]
        self._drop_staged(cause)
        try:
            for name, letter in zip(names, letters, strict=True):
                self._disk.write(self._box("tmp") / name, letter, mode=0o600)
            if names:
                self._disk.sync_folder(self._box("tmp"))
            yield
        except Undecided:
            raise
        except BaseException:
            with suppress(OSError):
                self._drop_staged(cause)
            raise
        self._publish(names)

    def finish_posting(self, cause: str) -> None:
        """Give letters their place that a crash left without it after its command was done."""
        self._publish(sorted(path.name for path in self._staged(cause)))

    @contextmanager
    def locked_outbox(self) -> Iterator[None]:
        """Hold the outbox for sending: no other process sends the same letters meanwhile."""
        with locked_folder(self.outbox):
            yield

    def letters(self) -> list[str]:
        """Return the names of the letters in the outbox, oldest first."""
        return sorted(path.name for box in ("new", "cur") for path in self._box(box).glob("[0-9]*"))

    def read_letter(self, name: str) -> bytes:
        """Return a letter. Raises NoSuchFile."""
        return _read(self._letter(name))

    def remove_letter(self, name: str) -> None:
        """Take a letter out: somebody else has taken charge of it. Raises NoSuchFile."""
        self._disk.remove(self._letter(name))

    def set_aside_letter(self, name: str) -> None:
        """Put a letter that nobody takes into the folder of failed ones."""
        path = self._letter(name)
        self._disk.move(path, self.failed / "new" / name)
        for changed in (self.failed / "new", path.parent):
            self._disk.sync_folder(changed)

    def failed_letters(self) -> list[str]:
        """Return the names of the letters that were set aside, oldest first."""
        return sorted(path.name for path in self.failed.glob("*/[0-9]*"))

    def _box(self, name: str) -> Path:
        return self.outbox / name

    def _drop_staged(self, cause: str) -> None:
        for path in list(self._staged(cause)):
            with suppress(FileNotFoundError):
                self._disk.step_remove(path)

    def _staged(self, cause: str) -> Iterator[Path]:
        return self._box("tmp").glob(f"*_{cause}.*")

    def _letter(self, name: str) -> Path:
        boxes = (self.outbox, self.failed)
        for path in (box / state / name for box in boxes for state in ("new", "cur")):
            if path.exists():
                return path
        raise NoSuchFile(name)

    def _publish(self, names: Sequence[str]) -> None:
        for name in names:
            self._disk.move(self._box("tmp") / name, self._box("new") / name)
        if names:
            self._disk.sync_folder(self._box("new"))


class HistoryFile:
    """A history whose lock is held. `data` is its content when the lock was taken."""

    def __init__(self, handle: int, disk: Disk) -> None:
        self._handle = handle
        self._disk = disk
        self.data = os.pread(handle, os.fstat(handle).st_size, 0)

    def append(self, text: str, after: int) -> None:
        """Write `text` behind the first `after` bytes, dropping what a crash left behind them."""
        self._disk.append(self._handle, text.encode(), at=after)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NoSuchFile(path.name) from None
