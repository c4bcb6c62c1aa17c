"""Where it is kept which letters came back from an address: `HOME/bounced`, one file each.

A file is named by the hash of its address. Addresses are the same if `players.normal_address` says
so.
"""

import hashlib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.returned import Bounce, Returned, format_returned, parse_returned
from pbm_oust.store.disk import Disk, NoSuchFile, locked_folder, read_file

MOST_KEPT = 10
"""How many letters that came back are kept in mind for an address, the latest ones."""


class BadBounces(ValueError):
    """A file of bounces that cannot be read; the message says which and why."""


class Bounces:
    """The bounces of a home. Methods that write may raise OSError, as those of `Disk` do."""

    def __init__(self, home: Path, disk: Disk) -> None:
        self.path = home / "bounced"
        self._disk = disk

    def of(self, address: str) -> Returned:
        """Return what came back from an address; a file that cannot be read tells nothing."""
        with suppress(NoSuchFile, BadBounces):
            return self._read(self._path_of(address))
        return Returned(address, ())

    def note(self, address: str, bounce: Bounce) -> Returned:
        """Write down that a letter came back, unless that is known, and return all that did."""
        with locked_folder(self.path):
            known = self.of(address)
            if bounce.letter not in (each.letter for each in known.bounces):
                known = replace(known, bounces=(*known.bounces, bounce)[-MOST_KEPT:])
                text = format_returned(known)
                self._disk.replace(self._path_of(address), text.encode(), mode=0o600)
            return known

    def forget(self, address: str) -> None:
        """Forget what came back from an address: its owner has written."""
        with locked_folder(self.path), suppress(FileNotFoundError):
            self._disk.remove(self._path_of(address))

    def all(self) -> list[Returned]:
        """Return every address from which letters came back. Raises BadBounces."""
        return [self._read(path) for path in sorted(self.path.glob("*.txt"))]

    def _path_of(self, address: str) -> Path:
        digest = hashlib.sha256(normal_address(address).encode()).hexdigest()
        return self.path / f"{digest[:16]}.txt"

    def _read(self, path: Path) -> Returned:
        try:
            return parse_returned(read_file(path).decode())
        except ValueError as error:
            raise BadBounces(f"{path}: {error}") from None
