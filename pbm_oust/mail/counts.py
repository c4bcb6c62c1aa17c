"""What a server counts of the mails that it handles."""

import time
from bisect import bisect_left
from collections import Counter

from pbm_oust.play.outcome import Handled, Outcome

BOUNDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The seconds up to which mails are counted together."""


class Counts:
    """What was counted since the server started. It belongs to one thread; others may read."""

    def __init__(self) -> None:
        self.outcomes = Counter[Outcome]()
        self.commands = Counter[str]()
        """Mails by the name of their command."""
        self.waits = [0] * (len(BOUNDS) + 1)
        """How many senders have waited for an answer longer than one bound and at most the next."""
        self.seconds = 0.0
        """How long all of them have waited together."""
        self.swept = time.time()
        """When the latest sweep has ended; before that, when counting began."""

    def note(self, handled: Handled, seconds: float) -> None:
        """Count a mail, and how long its sender has waited for the answer."""
        self.outcomes[handled.outcome] += 1
        self.waits[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
        if handled.command:
            self.commands[handled.command] += 1

    def note_sweep(self) -> None:
        """Note that a sweep has ended."""
        self.swept = time.time()
