"""How long a process waits until others let it use the database."""

import time

_LOOK = 0.0004
"""How many seconds pass until it is looked again whether others have written.

SQLite's own pauses grow up to a tenth of a second, and whoever comes meanwhile goes first.
"""


class Patience:
    """Waits a moment, again and again, until it has been long enough.

    It knows no connection, so that nothing keeps one that is dropped.
    """

    __slots__ = ("_until", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        """How many seconds it waits at most."""
        self._until = 0.0

    def wait(self, before: int) -> bool:
        """Wait a moment, after so many moments before; return False if that was long enough."""
        now = time.monotonic()
        if not before:
            self._until = now + self.seconds
        if now >= self._until:
            return False
        time.sleep(_LOOK)
        return True
