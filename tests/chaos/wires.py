"""Proxies that lead to sockets of databases, on wires that can be cut."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

Place = tuple[str, int]
"""A host and a port."""
_EVERYBODY = 0o666


class Wires:
    """Wires, numbered from 0 on, with proxies in a thread of their own.

    What is cut says nothing: connections stay open, and nothing comes through, not even their end.
    """

    def __init__(self, count: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._is_open = [asyncio.Event() for _ in range(count)]
        """Whether each wire leads anywhere."""
        self._servers = list[asyncio.Server]()
        self._writers = list[asyncio.StreamWriter]()
        for wire in range(count):
            self.mend(wire)

    def lead(self, wire: int, there: Path) -> Place:
        """Let a wire lead to a socket; return where it begins, which is on loopback."""
        server = self._serving(asyncio.start_server(self._passing(wire, there), "127.0.0.1", 0))
        place: Place = server.sockets[0].getsockname()
        return place

    def lead_from(self, wire: int, here: Path, there: Path) -> None:
        """Let a wire lead from a new socket, which all may use, to another one."""
        self._serving(asyncio.start_unix_server(self._passing(wire, there), str(here)))
        here.chmod(_EVERYBODY)

    def cut(self, wire: int) -> None:
        """Let nothing come through."""
        self._loop.call_soon_threadsafe(self._is_open[wire].clear)

    def mend(self, wire: int) -> None:
        """Let all come through again."""
        self._loop.call_soon_threadsafe(self._is_open[wire].set)

    def close(self) -> None:
        """End the thread, and with it the proxies."""

        async def end() -> None:
            for server in self._servers:
                server.close()
            for writer in self._writers:
                writer.transport.abort()
            for is_open in self._is_open:
                is_open.set()
            serving = asyncio.all_tasks() - {asyncio.current_task()}
            await asyncio.gather(*serving, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _serving(self, start: Coroutine[Any, Any, asyncio.Server]) -> asyncio.Server:
        """Return a server that has started."""
        server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        self._servers.append(server)
        return server

    def _passing(
        self, wire: int, there: Path
    ) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
        """Return what serves a connection: what comes is passed on to a socket, and back."""
        is_open = self._is_open[wire]

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._writers.append(writer)
            with suppress(OSError):
                await is_open.wait()
                other, back = await asyncio.open_unix_connection(str(there))
                self._writers.append(back)
                await asyncio.gather(_pass(reader, back, is_open), _pass(other, writer, is_open))
            writer.close()

        return serve


async def _pass(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_open: asyncio.Event
) -> None:
    """Pass on what comes, while the wire leads somewhere."""
    try:
        while data := await reader.read(2**16):
            await is_open.wait()
            writer.write(data)
            await writer.drain()
        await is_open.wait()
    finally:
        writer.close()
