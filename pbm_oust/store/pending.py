"""Where it is kept what waits for a code to come back: `HOME/pending`, one file a code.

A file is named by a hash of its code, which itself stands nowhere. The folder may be emptied at any
time: people then ask again.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.verification import Pending, Purpose, format_pending, parse_pending
from pbm_oust.store.disk import Disk, NoSuchFile, locked_folder, read_file


class PendingProofs:
    """What is pending in a home. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, home: Path, disk: Disk) -> None:
        self.path = home / "pending"
        self._disk = disk

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold what is pending: nobody else adds to it meanwhile."""
        with locked_folder(self.path):
            yield

    def find(self, name: str, now: datetime) -> Pending | None:
        """Return what waits for the code of this name; None where nothing does any more.

        A file that cannot be read is as good as none.
        """
        with suppress(NoSuchFile, ValueError):
            pending = parse_pending(read_file(self._path_of(name)).decode())
            return None if pending.is_expired(now) else pending
        return None

    def keep(self, name: str, pending: Pending) -> None:
        """Write down what waits for the code of this name."""
        self._disk.replace(self._path_of(name), format_pending(pending).encode(), mode=0o600)

    def sync(self, name: str) -> None:
        """Put on the disk what a process that died may have written and not put there."""
        self._disk.sync_file(self._path_of(name))

    def forget(self, name: str) -> None:
        """Forget what waited for the code of this name."""
        with suppress(FileNotFoundError):
            self._disk.remove(self._path_of(name))

    def forget_of(self, account: Account, now: datetime) -> None:
        """Forget what waits for an account, but not the signups of others for its userid."""
        for name in self.names():
            pending = self.find(name, now)
            if pending is None or pending.userid != account.userid:
                continue
            if pending.purpose is not Purpose.SIGNUP or pending.message_key == account.message_key:
                self.forget(name)

    def forget_expired(self, now: datetime) -> None:
        """Forget what is too old, or cannot be read."""
        with self.held():
            for name in self.names():
                if self.find(name, now) is None:
                    self.forget(name)

    def names(self) -> list[str]:
        """Return the names of all codes that something waits for."""
        return sorted(path.stem for path in self.path.glob("[0-9a-f]*.txt"))

    def _path_of(self, name: str) -> Path:
        return self.path / f"{name}.txt"
