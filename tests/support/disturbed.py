"""Something done again and again, with a fault of the disk one operation later each time."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import apsw

from pbm_oust.mail.inbound import KeptBySender
from pbm_oust.store.home import Home
from tests.support.rings import is_fast_ring
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble

FAULTS = (Fault.STAYS, Fault.ONCE, Fault.HALF)
"""The faults that a process survives."""
APART = 2
"""From an operation that fails in one way to one that fails in the next way."""
PACE = 13 if is_fast_ring() else APART * len(FAULTS)
"""From one operation that fails in a way to the next."""


class FaultyWrites(FaultyVfs):
    """The disk under SQLite, which can always be read."""

    def open(self, path: str, is_made: bool, do: Callable[[], apsw.VFSFile]) -> apsw.VFSFile:
        return do()

    def read(self, path: str, do: Callable[[], bytes]) -> bytes:
        return do()


def disturbed(
    begun: Path, folder: Path, fault: Fault, do: Callable[[Home], object]
) -> Iterator[tuple[int, Path]]:
    """Do something in copies of a home, until it goes through undisturbed.

    With all tests every other operation fails, each in one of the ways; in the fast ring every
    thirteenth.
    Yields which operation failed, and the path of the copy, when the disk works again.
    """
    for at in count(1 + APART * FAULTS.index(fault), PACE):
        path = Path(shutil.copytree(begun, folder / f"{at}"))
        trouble = Trouble(at, fault)
        with FaultyWrites(trouble).in_use():
            home = Home(path, FaultyDisk(trouble))
            with suppress(OSError, KeptBySender):
                do(home)
            is_over = trouble.steps < at
            trouble.end()
            home.database.close()
        yield at, path
        if is_over:
            return
