"""The home directory: where everything is, and locks.

    HOME/oust/17.txt         histories, appended to; written whole only to replace a userid
    HOME/players/alice.txt   accounts, replaced whole
    HOME/outbox/             mail not yet handed to the relay, a Maildir (`outbox.py`)
    HOME/failed/             mail that nobody takes, a Maildir
    HOME/journal/            which mails have had their ending (`journal.py`)
    HOME/bounced/            addresses from which letters came back (`bounces.py`)
    HOME/pending/            what waits for a mailed code to come back (`pending.py`)
    HOME/limits/             how often something was done of late (`limits.py`)
    HOME/key                 a secret of this home, from which its tokens are made
    HOME/pbm_oust.toml       configuration, written by the operator only

A write that returns is on the disk (`disk.py`). Locks are taken on the files and folders
themselves, so that nothing is left behind by a process that dies, and any number of processes may
share a home.
"""

import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pbm_oust.store.bounced import Bounces
from pbm_oust.store.disk import Disk, NoSuchFile, locked_file, locked_folder, read_file
from pbm_oust.store.journal import Journal
from pbm_oust.store.limits import Limits
from pbm_oust.store.maildir_outbox import Outbox
from pbm_oust.store.pending import PendingProofs

_HISTORY = re.compile(r"[1-9][0-9]*\.txt")
_KEY = re.compile(rb"[0-9a-f]{64}\n")


class Home:
    """A home directory at `path`. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        self.path = path
        self._disk = disk or Disk()
        self.players = path / "players"
        self.configuration = path / "pbm_oust.toml"
        self.key_path = path / "key"
        self.outbox = Outbox(path, self._disk)
        self.journal = Journal(path, self._disk)
        self.bounces = Bounces(path, self._disk)
        self.pending = PendingProofs(path, self._disk)
        self.limits = Limits(path, self._disk)

    def prepare(self, kinds: Sequence[str]) -> None:
        """Make the folders and the key that are missing, for these kinds of game."""
        self.path.mkdir(parents=True, exist_ok=True)
        for kind in kinds:
            self._disk.make_folder(self.path / kind, mode=0o755)
        for private in self._private_folders():
            self._disk.make_folder(private, mode=0o700)
        self.outbox.prepare()
        with locked_folder(self.path):
            if not self.key_path.exists():
                key = f"{secrets.token_hex(32)}\n"
                self._disk.create(self.key_path, key.encode(), mode=0o600)
            self._disk.sync_folder(self.path)

    def remove_drafts(self, kinds: Sequence[str]) -> None:
        """Remove the files that processes which died were about to write."""
        writable = (*(self.path / kind for kind in kinds), *self._private_folders())
        for folder in (*writable, self.path):
            with locked_folder(folder):
                self._disk.remove_drafts(folder)

    def forget_expired(self, now: datetime) -> None:
        """Remove codes that nobody may use any more, and counts that count no more."""
        self.pending.forget_expired(now)
        self.limits.forget_expired(now)

    def _private_folders(self) -> tuple[Path, ...]:
        stores = (self.journal, self.bounces, self.pending, self.limits)
        return (self.players, *(store.path for store in stores))

    def key(self) -> bytes:
        """Return the secret of this home, 32 bytes. Raises OSError where it cannot be read."""
        data = self.key_path.read_bytes()
        if not _KEY.fullmatch(data):
            raise OSError(f"{self.key_path}: a key is 64 hexadecimal digits in one line")
        return bytes.fromhex(data.decode())

    def read_configuration(self) -> str:
        """Return the text of the configuration, empty where there is none. Raises OSError."""
        try:
            return read_file(self.configuration).decode()
        except NoSuchFile:
            return ""
        except UnicodeDecodeError as error:
            raise OSError(f"the text is not UTF-8 from byte {error.start} on") from None

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
        return read_file(self.history_path(kind, board))

    @contextmanager
    def locked_history(self, kind: str, board: int) -> Iterator["HistoryFile"]:
        """Hold a board: nobody else appends to its history meanwhile. Raises NoSuchFile."""
        path = self.history_path(kind, board)
        if not path.exists():
            raise NoSuchFile(f"{kind} {board}")
        with locked_file(path) as handle:
            yield HistoryFile(handle, path, self._disk)

    @contextmanager
    def next_board(self, kind: str) -> Iterator[int]:
        """Hold the numbering of a kind; gives the number that a new board will have."""
        with locked_folder(self.path / kind):
            yield max(self.boards(kind), default=0) + 1

    def create_history(self, kind: str, board: int, text: str) -> None:
        """Write the first lines of a board whose number `next_board` gave."""
        self._disk.create(self.history_path(kind, board), text.encode(), mode=0o644)

    def sync_history(self, kind: str, board: int) -> None:
        """Put a history on the disk: a process that died may have written it and not done so."""
        self._disk.sync_file(self.history_path(kind, board))

    # Accounts

    def userids(self) -> list[str]:
        """Return the userids of all accounts, in order."""
        return sorted(path.stem for path in self.players.glob("*.txt"))

    def has_player(self, userid: str) -> bool:
        """Return whether there is an account of this userid."""
        return (self.players / f"{userid}.txt").is_file()

    def read_player(self, userid: str) -> str:
        """Return the text of an account. Raises NoSuchFile."""
        return read_file(self.players / f"{userid}.txt").decode("utf-8", "replace")

    @contextmanager
    def locked_players(self) -> Iterator[None]:
        """Hold all accounts: nobody else changes one meanwhile."""
        with locked_folder(self.players):
            yield

    def sync_player(self, userid: str) -> None:
        """Put an account on the disk: a process that died may have written it and not done so."""
        self._disk.sync_file(self.players / f"{userid}.txt")

    def is_removed(self, userid: str) -> bool:
        """Return whether there is no account of this userid; if so, that is on the disk."""
        if self.has_player(userid):
            return False
        self._disk.sync_folder(self.players)
        return True

    def write_player(self, userid: str, text: str) -> None:
        """Write an account whole, new or in place of the one before."""
        self._disk.replace(self.players / f"{userid}.txt", text.encode(), mode=0o600)

    def remove_player(self, userid: str) -> None:
        """Remove an account, if there is one."""
        with suppress(FileNotFoundError):
            self._disk.remove(self.players / f"{userid}.txt")


class HistoryFile:
    """A history whose lock is held. `data` is its content when the lock was taken."""

    def __init__(self, handle: int, path: Path, disk: Disk) -> None:
        self.path = path
        self._handle = handle
        self._disk = disk
        self.data = os.pread(handle, os.fstat(handle).st_size, 0)

    def append(self, text: str, after: int) -> None:
        """Write `text` behind the first `after` bytes, dropping what a crash left behind them."""
        self._disk.append(self._handle, text.encode(), at=after)

    def replace(self, data: bytes) -> None:
        """Write the history whole. Its lock then holds nobody up any more, so this comes last.

        The numbering of the kind must be held too, so that nobody clears the draft away.
        """
        mode = stat.S_IMODE(os.fstat(self._handle).st_mode)
        self._disk.replace(self.path, data, mode)
