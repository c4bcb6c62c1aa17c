"""What the processes of a server count of the mails that they handle, where one of them reads it.

The numbers lie in memory that forked processes share. Each process writes to a row of its own, so
that nobody waits for anybody, and whoever takes its place goes on with the row.
"""

import mmap
import time
from bisect import bisect_left
from itertools import accumulate

from pbm_oust.frozen import frozen
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.service.table import FORMS

BOUNDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The seconds up to which mails are counted together."""
_OUTCOMES = {outcome: place for place, outcome in enumerate(Outcome)}
_COMMANDS = {name: place for place, name in enumerate(sorted({form.name for form in FORMS}))}
_FIRST_BUCKET = len(_OUTCOMES)
_SECONDS = _FIRST_BUCKET + len(BOUNDS) + 1
_FIRST_COMMAND = _SECONDS + 1
_SWEPT = _FIRST_COMMAND + len(_COMMANDS)
_LENT = _SWEPT + 1
_WIDTH = _LENT + 1
_BYTES = 8


class Row:
    """What one process counts. It belongs to one thread, but for `note_sweep`."""

    def __init__(self, cells: "memoryview[float]") -> None:
        self._cells = cells

    def note(self, handled: Handled, seconds: float) -> None:
        """Count a mail, and how long its sender has waited for the answer."""
        cells = self._cells
        cells[_OUTCOMES[handled.outcome]] += 1
        cells[_FIRST_BUCKET + bisect_left(BOUNDS, seconds)] += 1
        cells[_SECONDS] += seconds
        place = _COMMANDS.get(handled.command)
        if place is not None:
            cells[_FIRST_COMMAND + place] += 1

    def note_sweep(self) -> None:
        """Note that a sweep has ended."""
        self._cells[_SWEPT] = time.time()

    def note_lent(self, connections: int) -> None:
        """Note how many connections to the database are lent at present."""
        self._cells[_LENT] = connections


@frozen
class Totals:
    """What all processes have counted since the server started."""

    outcomes: dict[Outcome, int]
    until: tuple[int, ...]
    """How many mails took at most so long, for each of the bounds, and how many there were."""
    seconds: float
    """How long all mails took together."""
    commands: dict[str, int]
    swept: float
    """When the latest sweep has ended, in seconds since 1970; before that, when counting began."""
    lent: int


class Counts:
    """The rows of so many processes."""

    def __init__(self, processes: int = 1) -> None:
        self._cells = memoryview(mmap.mmap(-1, processes * _WIDTH * _BYTES)).cast("d")
        self._rows = [
            self._cells[start : start + _WIDTH] for start in range(0, len(self._cells), _WIDTH)
        ]
        self._begun = time.time()

    def row(self, process: int) -> Row:
        """Return the row of a process; they are numbered from 0 on."""
        return Row(self._rows[process])

    def totals(self) -> Totals:
        """Return what all processes have counted."""
        sums = [sum(column) for column in zip(*self._rows, strict=True)]
        return Totals(
            {outcome: int(sums[place]) for outcome, place in _OUTCOMES.items()},
            tuple(accumulate(map(int, sums[_FIRST_BUCKET:_SECONDS]))),
            sums[_SECONDS],
            {name: int(sums[_FIRST_COMMAND + place]) for name, place in _COMMANDS.items()},
            max(self._begun, *(row[_SWEPT] for row in self._rows)),
            int(sums[_LENT]),
        )
