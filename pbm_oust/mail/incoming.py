"""What comes from a client: blocks as they arrive, and lines."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

BLOCK = 64 * 1024


class Incoming:
    """Reads a stream. What was read beyond a line or a message is kept for the next reader."""

    def __init__(self, stream: asyncio.StreamReader, before: Callable[[], Awaitable[None]]) -> None:
        """`before` is awaited before more of the stream is."""
        self._stream = stream
        self._before = before
        self._unread = b""

    async def block(self) -> bytes:
        """Return some bytes that come next. Raises EOFError if none will."""
        block, self._unread = self._unread, b""
        if not block:
            await self._before()
            block = await self._stream.read(BLOCK)
        if not block:
            raise EOFError("the client has gone away")
        return block

    async def line(self, longest: int) -> bytes:
        """Return the next line with its end; of one that is too long, more bytes than `longest`.

        Raises EOFError.
        """
        line = b""
        while True:
            piece, end, self._unread = (await self.block()).partition(b"\n")
            line = line[:longest] + piece + end
            if end:
                return line

    def keep(self, unread: bytes) -> None:
        """Keep bytes that were read and not used: they come next."""
        self._unread = unread

    async def drop(self) -> None:
        """Drop what has come and was not read; this does not wait for more."""
        self._unread = b""
        with suppress(TimeoutError):
            async with asyncio.timeout(0):
                while await self._stream.read(BLOCK):
                    pass
