"""The clock of a server, by which all hosts go that share it."""

import time
from collections.abc import Callable


class SharedClock:
    """The clock of the server, told by the host's own clock and by how much it is ahead of that.

    Whenever the server tells the time, this is put right as far as it was wrong for certain: the
    answer was given at some moment between the question and its arrival.
    """

    def __init__(self, own: Callable[[], float] = time.time) -> None:
        """`own` gives seconds since the epoch, by the clock of this host."""
        self.own = own
        self.is_set = False
        """Whether the server has ever told the time."""
        self._ahead = 0.0

    def time(self) -> float:
        """Return the seconds since the epoch."""
        return self.own() + self._ahead

    def put_right(self, asked: float, told: float) -> None:
        """Take what the server told after it was asked at some time by the host's own clock."""
        self._ahead = min(max(self._ahead, told - self.own()), told - asked)
        self.is_set = True
