"""The relay of a host on trial: it takes all letters, and keeps each in a file.

    python -m tests.chaos.postbox FOLDER

FOLDER holds the folders `tmp` and `new` of a Maildir. Prints the port on loopback at which it
listens. It ends with its input.
"""

import asyncio
import os
import sys
from itertools import count
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session


class Postbox:
    """The hook of aiosmtpd that keeps letters in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        """Keep a letter."""
        content = envelope.original_content
        assert content
        name = f"{os.getpid()}.{next(self._numbers)}"
        draft = self._folder / "tmp" / name
        draft.write_bytes(content.replace(b"\r\n", b"\n"))
        draft.rename(self._folder / "new" / name)
        return "250 OK"


async def main(folder: Path) -> None:
    """Take letters until the input ends."""
    loop = asyncio.get_running_loop()
    postbox = Postbox(folder)
    server = await loop.create_server(lambda: SMTP(postbox, hostname="relay"), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
