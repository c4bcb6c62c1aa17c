"""Whether mail can be taken at present, found out once for all who ask."""

import asyncio
import time

from pbm_oust.store.home import Home
from pbm_oust.store.upkeep import Trouble, find_trouble

FRESH_SECONDS = 2.0
"""For how long an answer is given again."""
PATIENCE = 3.0
"""Seconds to wait for an answer."""


class Health:
    """What was found last; who asks meanwhile waits for the same look. Of one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._look: asyncio.Future[Trouble | None] | None = None
        self._ends = 0.0
        """Until when the latest look is fresh."""

    async def trouble(self) -> Trouble | None:
        """Return why no mail should come at present; None if nothing is wrong."""
        if self._look is None or (self._look.done() and time.monotonic() > self._ends):
            self._look = asyncio.ensure_future(asyncio.to_thread(find_trouble, self._home))
            self._look.add_done_callback(self._end)
        try:
            return await asyncio.wait_for(asyncio.shield(self._look), PATIENCE)
        except TimeoutError:
            return Trouble.SILENT

    def _end(self, _look: asyncio.Future[Trouble | None]) -> None:
        self._ends = time.monotonic() + FRESH_SECONDS
