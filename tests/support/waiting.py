"""Waiting for what other processes do, with a deadline."""

import select
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE = 300
"""Seconds after which nothing comes any more, on however busy a machine."""
PAUSE = 0.02


class Hung(AssertionError):
    """A program that is not ours, such as a browser, has said nothing for so long that it hangs."""


def wait_until(look: Callable[[], Found], what: str) -> Found:
    """Look again and again until there is something to see, and return it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < deadline, f"{what}: not within {PATIENCE} seconds"
        time.sleep(PAUSE)
    return found


def has_news(handle: int, seconds: float) -> bool:
    """Wait until a file descriptor, of any number, can be read, or has come to its end."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))
