"""What was used last, kept in memory within a bound."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Latest(Generic[K, V]):
    """Values by their keys; those that were used longest ago are forgotten.

    All that are kept weigh `most` together, or are one value that weighs more. `weight` weighs a
    value. Any number of threads may use it.
    """

    def __init__(self, most: int, weight: Callable[[V], int] = lambda _: 1) -> None:
        self._most = most
        self._weight = weight
        self._kept: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._weighs = 0
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the value of a key, if it is kept."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[1]

    def put(self, key: K, value: V) -> None:
        """Keep a value in place of the one that its key had."""
        weight = self._weight(value)
        with self._lock:
            self._weighs += weight - self._kept.pop(key, (0, None))[0]
            self._kept[key] = weight, value
            while self._weighs > self._most and len(self._kept) > 1:
                _, (lost, _) = self._kept.popitem(last=False)
                self._weighs -= lost
