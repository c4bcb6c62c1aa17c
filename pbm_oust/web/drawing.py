"""PNGs drawn one after another, so that however many are asked for, one core is busy with them."""

import asyncio
from collections.abc import Callable

from pbm_oust.web.png import png_beside

WIDTH = 800
"""How many pixels wide a picture of a board is."""
MOST_WAITING = 20
"""How many pictures may be waited for at once."""


class TooManyWait(Exception):
    """As many pictures are waited for as may be at once."""


class Drawing:
    """Draws boards as PNG. It belongs to one event loop."""

    def __init__(self, draw: Callable[[str, int], bytes] = png_beside) -> None:
        self._draw = draw
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def png(self, svg: str) -> bytes:
        """Return a picture as PNG. Raises TooManyWait."""
        if self._waiting >= MOST_WAITING:
            raise TooManyWait
        self._waiting += 1
        try:
            async with self._turn:
                return await asyncio.to_thread(self._draw, svg, WIDTH)
        finally:
            self._waiting -= 1
