"""What was refused without an answer is counted in memory, and recorded now and then."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from pbm_oust.store.home import Home

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
