"""The processes beside the server: each runs a command of ours, and ends when the server does.

They are told so by a pipe, whose other end the server has: it closes with the server, however that
ends. The sender of letters is also woken through it.
"""

import asyncio
import os
import select
import subprocess  # it starts our own program  # nosec B404
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import click

from pbm_oust.cli.common import ADDRESS, RELAY, Parsed
from pbm_oust.cli.logs import log
from pbm_oust.mail.sender import recover
from pbm_oust.store.configuration import Configuration, LogForm
from pbm_oust.store.home import Home
from pbm_oust.store.tallies import Tallies

PROGRAM = [sys.executable, "-m", "pbm_oust"]
AGAIN_SECONDS = 5.0
"""How long after the end of a process beside this one it is started again."""
FD_SETSIZE = 1024
"""How many file descriptors `select` knows."""
SENDER_STOP_SECONDS = 5.0
"""How long the sender may take to end: it ends with what is on its way."""
MOST_WAKES = 65536
"""How many bytes of a pipe are read at once."""


class _SharedTallies(click.ParamType):  # type: ignore[type-arg]  # generic in newer click only
    """The file descriptor of the page on which the processes of a server count."""

    name = "page"

    def convert(self, value: Any, param: Any, ctx: Any) -> Tallies:
        """Return the page."""
        return Tallies(int(value))


TALLIES = _SharedTallies()


class Keeper:
    """The pipe of a process beside this one. Any number of threads may use it."""

    def __init__(self) -> None:
        self.end, self._kept = os.pipe()
        os.set_blocking(self._kept, False)
        self._is_open = True
        self._lock = threading.Lock()

    def wake(self) -> None:
        """Wake the process; one that has been woken often enough is left alone."""
        with self._lock, suppress(OSError):
            if self._is_open:
                os.write(self._kept, b"\n")

    def close(self) -> None:
        """Tell the process to end."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                os.close(self._kept)


async def run_beside(
    words: list[str],
    configuration: Configuration,
    home: Path,
    seconds: float,
    tallies: Tallies,
    keeper: Keeper | None = None,
) -> int:
    """Run a command of ours in another process, which counts on `tallies`; return its exit status.

    That process ends by itself if this one does, or if nobody waits for it here any more; then it
    has some seconds to end. Ctrl-C at a terminal is left to this process.
    """
    keeper = keeper or Keeper()
    process = None
    words = [*PROGRAM, "--home", str(home), *words]
    words += ["--keeper", str(keeper.end), "--address", configuration.address]
    words += ["--relay", f"smtp://{configuration.relay}"] if configuration.relay else []
    words += ["--log-form", configuration.log.value, "--tallies", str(tallies.handle)]
    passed = keeper.end, tallies.handle
    try:
        process = await asyncio.create_subprocess_exec(
            *words, pass_fds=passed, stdin=subprocess.DEVNULL, process_group=0
        )
        return await process.wait()
    finally:
        keeper.close()
        os.close(keeper.end)
        if process:
            with suppress(TimeoutError):  # asyncio warns of whoever outlives its loop
                async with asyncio.timeout(seconds):
                    await process.wait()


def is_closed(keeper: int | None, seconds: float = 0) -> bool:
    """Return whether the other end of a pipe, if there is one, is closed within some seconds."""
    return keeper is not None and bool(select.select([keeper], [], [], seconds)[0])


def kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a command that may run beside a server, as that one has them."""
    for name, kind, words in (
        ("--keeper", click.IntRange(0, FD_SETSIZE - 1), "A pipe that is closed when to stop."),
        ("--relay", RELAY, "Where the server hands letters over."),
        ("--tallies", TALLIES, "A page of memory on which to count."),
        ("--log-form", Parsed("FORM", LogForm), "The form of its log."),
    ):
        function = click.option(name, type=kind, hidden=True, help=words)(function)
    return address_option(function)


address_option = click.option("--address", type=ADDRESS, help="The address that takes commands.")


class SenderBeside:
    """Has the letters of a home written and sent by another process, whenever one is missing."""

    def __init__(self, home: Home, tallies: Tallies) -> None:
        self._home = home
        self._tallies = tallies
        self._configuration: Configuration | None = None
        self._has_changed = asyncio.Event()
        """Whether the process has to begin anew, with another configuration."""
        self._keeper: Keeper | None = None

    def configure(self, configuration: Configuration) -> None:
        """Send as a configuration says from now on."""
        before, self._configuration = self._configuration, configuration
        if before is None or _asked(before) != _asked(configuration):
            self._has_changed.set()
            if self._keeper:
                self._keeper.close()

    def wake(self) -> None:
        """Let the process look for letters."""
        if keeper := self._keeper:
            keeper.wake()

    async def run(self) -> None:
        """Keep the process running, for ever.

        One that ended after a long time is started again at once.
        """
        while True:
            await self._has_changed.wait()
            while self._configuration:
                self._has_changed.clear()
                begun = time.monotonic()
                await self._send(self._configuration)
                if not self._has_changed.is_set() and time.monotonic() < begun + AGAIN_SECONDS:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(AGAIN_SECONDS):
                            await self._has_changed.wait()

    async def _send(self, configuration: Configuration) -> None:
        """Run the process until it ends."""
        self._keeper = keeper = Keeper()
        words = ["outbox", "send"]
        if configuration.web_address:
            words += ["--web-address", configuration.web_address]
        try:
            status = await run_beside(
                words,
                configuration,
                self._home.path,
                SENDER_STOP_SECONDS,
                self._tallies,
                keeper,
            )
        except OSError as error:
            log.error("letters stay in the outbox, as their sender cannot start: %s", error)
        else:
            if not self._has_changed.is_set():
                log.error("the sender of letters has stopped with status %d: it goes on", status)


def _asked(configuration: Configuration) -> tuple[object, ...]:
    """Return what the process is told of a configuration."""
    return configuration.relay, configuration.address, configuration.web_address


@asynccontextmanager
async def sending_beside(home: Home, tallies: Tallies) -> AsyncIterator[SenderBeside]:
    """Let a process beside this one write and send letters while the body runs, and count them.

    Before that, and afterwards, what dead processes have left is finished if possible.
    """
    home.has_sender = True
    recover(home, may_be_first=True)
    sender = SenderBeside(home, tallies)
    running = asyncio.create_task(sender.run())
    try:
        yield sender
    finally:
        running.cancel()
        await asyncio.wait([running])
        home.has_sender = False
        recover(home)
