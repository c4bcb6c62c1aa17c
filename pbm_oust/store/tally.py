"""A tally: what was refused without an answer, counted in memory and written now and then.

So refusing costs no writing. What a process that dies has not written is not counted.
"""

import threading
from collections import Counter
from datetime import datetime

from pbm_oust.store.connections import Transaction
from pbm_oust.store.limits import Counted
from pbm_oust.store.rate_limits import Charge, count

MOST_SUBJECTS = 10_000
"""For how many subjects it counts before it is written."""


class Tally:
    """Counts for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = Counter[tuple[Counted, str]]()

    def add(self, counted: Counted, subject: str) -> None:
        """Count something once; what is too much for the memory is not counted."""
        with self._lock:
            if len(self._counts) < MOST_SUBJECTS:
                self._counts[counted, subject] += 1

    def number(self, counted: Counted, subject: str) -> int:
        """Return what is counted for a subject, and not written."""
        with self._lock:
            return self._counts[counted, subject]

    def take(self) -> Counter[tuple[Counted, str]]:
        """Return what is counted, and count from nothing."""
        with self._lock:
            taken, self._counts = self._counts, Counter()
        return taken


def write_tally(
    transaction: Transaction, taken: Counter[tuple[Counted, str]], now: datetime
) -> None:
    """Record what a tally has counted."""
    for (counted, subject), number in taken.items():
        count(transaction, Charge(counted, subject, number), now)
