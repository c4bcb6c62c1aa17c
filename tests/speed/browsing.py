"""Browsers that ask for pages over some connections, as fast as they are answered."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

CONNECTIONS = 8


@dataclass(frozen=True)
class Visit:
    """What some requests took."""

    requests: int
    seconds: float
    waits: Sequence[float]
    """The seconds of each request, sorted."""
    size: float
    """The mean number of bytes of what was answered, without headers."""

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    def within(self, share: float) -> float:
        """Return in how many seconds this share of the requests was answered."""
        return self.waits[min(len(self.waits) - 1, int(share * len(self.waits)))]


def visit(port: int, paths: Sequence[str], requests: int, pause: float = 0) -> Visit:
    """Ask for so many pages in turn, from several connections at once.

    Each pauses for so many seconds after each answer; they begin one after another.
    """
    return asyncio.run(_visit(port, paths, requests, pause))


async def _visit(port: int, paths: Sequence[str], requests: int, pause: float) -> Visit:
    wanted = islice(cycle(paths), requests)
    waits: list[float] = []
    sizes: list[int] = []
    begun = time.perf_counter()

    async def browse(late: float) -> None:
        await asyncio.sleep(late)
        await _browse(port, wanted, waits, sizes, pause)

    await asyncio.gather(*(browse(pause * nth / CONNECTIONS) for nth in range(CONNECTIONS)))
    seconds = time.perf_counter() - begun
    return Visit(len(waits), seconds, sorted(waits), sum(sizes) / len(sizes))


async def _browse(
    port: int, wanted: Iterator[str], waits: list[float], sizes: list[int], pause: float
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for path in wanted:
            begun = time.perf_counter()
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise ValueError(f"{path}: {head.decode('latin-1')}")
            size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            await reader.readexactly(size)
            waits.append(time.perf_counter() - begun)
            sizes.append(size)
            await asyncio.sleep(pause)
    finally:
        writer.close()
