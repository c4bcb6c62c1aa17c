"""What each process of ours does that runs for long.

It gives memory back, and records now and then what was refused without an answer.
"""

import asyncio
import ctypes
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import datetime

from pbm_oust.store.home import Home

LARGE = 64 * 1024
"""Bytes from which on a block is large: a mail as it grows, and what scrypt needs."""
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def give_memory_back() -> None:
    """Let the C library give back what is large and share what is small, if it is glibc."""
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_M_MMAP_THRESHOLD, LARGE)
        library.mallopt(_M_ARENA_MAX, 1)


log = logging.getLogger("pbm_oust")

TALLY_SECONDS = 1
"""How often it is recorded."""


@asynccontextmanager
async def tallied(home: Home, clock: Callable[[], datetime]) -> AsyncIterator[None]:
    """Record what is refused while the body runs, and the rest at its end."""
    recording = asyncio.create_task(_record_on(home, clock))
    try:
        yield
    finally:
        recording.cancel()
        _record(home, clock)


async def _record_on(home: Home, clock: Callable[[], datetime]) -> None:
    while True:
        await asyncio.sleep(TALLY_SECONDS)
        await asyncio.to_thread(_record, home, clock)


def _record(home: Home, clock: Callable[[], datetime]) -> None:
    try:
        home.write_tally(clock())
    except OSError as error:
        log.warning("what was refused is not counted: %s", error)
