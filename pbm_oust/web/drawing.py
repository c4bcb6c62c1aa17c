"""Costly work done piece by piece: pictures are drawn, and passwords hashed, one after another.

Who asks for much waits for themselves: each host has one piece at most among those that are next.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from pbm_oust.web.png import png_beside

WIDTH = 800
"""How many pixels wide a picture of a board is."""
MOST_WAITING = 100
"""How many pieces may be waited for at once."""
MOST_WAITING_OF_ONE = 8
"""How many of them one host or network may wait for."""

T = TypeVar("T")


class TooManyWait(Exception):
    """As many pieces are waited for as may be at once."""


class OneByOne:
    """Work that keeps one core busy, however many ask for it. It belongs to one event loop."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._turns = defaultdict[str, asyncio.Lock](asyncio.Lock)
        self._waiting = defaultdict[str, int](int)

    @asynccontextmanager
    async def of(self, source: str) -> AsyncIterator[None]:
        """Wait until nobody else from the same host is within. Raises TooManyWait."""
        is_full = sum(self._waiting.values()) >= MOST_WAITING
        if is_full or self._waiting[source] >= MOST_WAITING_OF_ONE:
            raise TooManyWait
        self._waiting[source] += 1
        try:
            async with self._turns[source]:
                yield
        finally:
            self._waiting[source] -= 1
            if not self._waiting[source]:
                del self._waiting[source], self._turns[source]

    async def do(self, work: Callable[[], T]) -> T:
        """Do a piece of work in a thread, once it is its turn."""
        async with self._turn:
            return await asyncio.to_thread(work)


class Drawing(OneByOne):
    """Draws boards as PNG."""

    async def png(self, svg: str, source: str) -> bytes:
        """Return a picture as PNG, for somebody who is there. Raises TooManyWait."""
        async with self.of(source):
            return await self.do(lambda: png_beside(svg, WIDTH))
