"""Mails over many connections at once, as quickly as a server takes them or at a rate.

    python -m tests.speed.load PORT CONNECTIONS MAILS_EACH FILE [MAILS_A_SECOND]

FILE holds, as JSON, the mails of each board in order: each is sent once the one before was taken.
What is put off is sent again after a while, as a mail server does it. Prints, as JSON too, the
seconds of it all and of each mail from its end to the reply, and how many were put off.
"""

import asyncio
import json
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

GREETING = "EHLO load.example\r\n"
MOST_TRIES = 20
"""How often a mail is sent at most that is put off each time."""
PAUSE = 1.0
"""How many seconds pass before it is sent again."""


class PutOff(Exception):
    """A reply says that something is to be tried again; or the server has hung up."""


@dataclass(frozen=True, slots=True)
class Message:
    """A mail with its envelope."""

    sender: str
    recipient: str
    content: str
    """With dots doubled and the dot at the end."""


@dataclass(slots=True)
class Load:
    """What is still to be sent, and how long each mail took."""

    port: int
    each: int
    """How many mails go over one connection."""
    boards: deque[deque[Message]]
    """The boards whose next mail may be sent."""
    waits: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    put_off: int = 0
    pause: float = PAUSE
    rate: float = 0
    """How many mails a second begin; 0 for as many as can."""
    _next: float = 0
    """When the next one may begin."""

    async def work(self) -> None:
        """Open one connection after the other until all is sent."""
        tries = 0
        while self.boards:
            try:
                await self._session()
                tries = 0
            except (PutOff, OSError, EOFError) as why:
                self.put_off, tries = self.put_off + 1, tries + 1
                if tries == MOST_TRIES:
                    self.refused.append(f"{tries} times: {why}")
                    return
                await asyncio.sleep(self.pause)

    async def _session(self) -> None:
        """Send as many mails as go over one connection. Raises PutOff, OSError and EOFError."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            await self._reply(reader)
            await self._ask(reader, writer, GREETING)
            for _ in range(self.each):
                if not self.boards:
                    break
                board = self.boards.popleft()
                try:
                    await self._turn()
                    await self._send(reader, writer, board[0])
                    board.popleft()
                finally:
                    if board:
                        self.boards.append(board)
            await self._ask(reader, writer, "QUIT\r\n")
        finally:
            writer.close()

    async def _turn(self) -> None:
        """Wait until one more mail may begin."""
        if self.rate:
            now = time.perf_counter()
            self._next = max(self._next, now) + 1 / self.rate
            await asyncio.sleep(self._next - now)

    async def _send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, message: Message
    ) -> None:
        await self._ask(reader, writer, f"MAIL FROM:<{message.sender}>\r\n")
        await self._ask(reader, writer, f"RCPT TO:<{message.recipient}>\r\n")
        await self._ask(reader, writer, "DATA\r\n")
        writer.write(message.content.encode())
        begun = time.perf_counter()
        reply = await self._reply(reader)
        self.waits.append(time.perf_counter() - begun)
        if not reply.startswith(b"250"):
            self.refused.append(reply.decode())

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, line: str
    ) -> None:
        writer.write(line.encode())
        reply = await self._reply(reader)
        if reply[:1] not in b"23":
            self.refused.append(f"{line.strip()}: {reply.decode()}")

    async def _reply(self, reader: asyncio.StreamReader) -> bytes:
        """Return the last line of a reply. Raises PutOff if it says to try again."""
        line = await reader.readuntil(b"\r\n")
        while line[3:4] == b"-":
            line = await reader.readuntil(b"\r\n")
        if line.startswith(b"4"):
            raise PutOff(line.decode().strip())
        return line


async def send(load: Load, connections: int) -> float:
    """Send everything over so many connections; return the seconds that it took."""
    begun = time.perf_counter()
    await asyncio.gather(*(load.work() for _ in range(connections)))
    return time.perf_counter() - begun


if __name__ == "__main__":
    _port, _connections, _each = map(int, sys.argv[1:4])
    _rate = float(sys.argv[5]) if sys.argv[5:] else 0.0
    _found = json.loads(Path(sys.argv[4]).read_text())
    _boards = deque(deque(Message(*mail) for mail in board) for board in _found)
    _load = Load(_port, _each, _boards, rate=_rate)
    _seconds = asyncio.run(send(_load, _connections))
    print(
        json.dumps(
            {
                "seconds": _seconds,
                "waits": _load.waits,
                "refused": _load.refused,
                "put_off": _load.put_off,
            }
        )
    )
