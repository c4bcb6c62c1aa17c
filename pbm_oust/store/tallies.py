"""Numbers that the processes of a server count together, in a page of memory that outlives each."""

import mmap
import os
import threading
from enum import Enum
from typing import Self

_BYTES = 8
"""The size of a number on the page."""


class Tallied(Enum):
    """The things that are counted; each of these by one process at a time."""

    SENT = "letters that the relay has taken"
    PUT_OFF = "letters that it has put off"
    FAILED = "letters that it has refused for good"
    PAGES_2XX = "requests of pages that were answered"
    PAGES_3XX = "those that were sent elsewhere"
    PAGES_4XX = "those that were refused"
    PAGES_5XX = "those that failed through a fault here"
    TURNS = "turns of the house"
    ANALYSES = "games that it has analysed"

    @classmethod
    def of_status(cls, status: int) -> "Tallied":
        """Return what counts requests of pages with an HTTP status."""
        return {2: cls.PAGES_2XX, 3: cls.PAGES_3XX, 4: cls.PAGES_4XX}.get(
            status // 100, cls.PAGES_5XX
        )


_PLACES = {tally: place for place, tally in enumerate(Tallied)}


class Tallies:
    """The page of a server. Any number of threads may count."""

    def __init__(self, handle: int) -> None:
        """`handle` is the file descriptor of the page, as `make` has it."""
        self.handle = handle
        self._numbers = memoryview(mmap.mmap(handle, _BYTES * len(Tallied))).cast("Q")
        self._lock = threading.Lock()

    @classmethod
    def make(cls) -> Self:
        """Return a new page, on which everything is 0."""
        handle = os.memfd_create("pbm_oust tallies")
        os.truncate(handle, _BYTES * len(Tallied))
        return cls(handle)

    def count(self, tally: Tallied, number: int = 1) -> None:
        """Count something that this process has done."""
        with self._lock:
            self._numbers[_PLACES[tally]] += number

    def __getitem__(self, tally: Tallied) -> int:
        return self._numbers[_PLACES[tally]]
