"""Processes beside the one that takes mail: for pages, and for the house."""

import asyncio
import os
import select
import signal
import subprocess  # it starts our own program  # nosec B404
import sys
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import NamedTuple

from pbm_oust.robot.working import Boards, Finished
from pbm_oust.store.configuration import BadConfiguration, Configuration
from pbm_oust.store.home import Home

log = getLogger("pbm_oust")

AGAIN_SECONDS = 5.0
"""How long after its end it is started again."""
LOOK_SECONDS = 1.0
"""How often boards are looked for that wait for the house."""
UNUSABLE = 2
"""The exit status if the configuration or the port is of no use, which starting again mends not."""
LEAVE_SECONDS = 5.0
"""How long the house may take to end when nobody waits for it any more; then it ends unseen."""
STOP_SECONDS = 15.0
"""How long both may take to stop, before the keeper is killed."""


def pages_beside(home: Path, configuration: Configuration) -> AbstractContextManager[None]:
    """Serve pages in another process while the body runs; it also ends if this process dies."""
    return _beside(partial(_keep_pages, home, configuration))


@asynccontextmanager
async def house_beside(configure: Callable[[], Configuration], home: Home) -> AsyncIterator[None]:
    """Let the house play in another process while the body runs, whenever boards wait for it."""
    playing = asyncio.create_task(_let_house_play(configure, home))
    try:
        yield
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing


async def _let_house_play(configure: Callable[[], Configuration], home: Home) -> None:
    """Let the house play whenever boards wait for it, and analyse what is over, for ever."""
    boards, finished = Boards(home), Finished(home)
    moment: Hashable = None
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if home.is_on_server:  # mail is taken meanwhile, however long it takes to answer
                has_work = await asyncio.to_thread(_has_work, home, boards, finished, configure)
            elif moment == (moment := home.database.moment()):
                continue
            else:
                changes = _changes(home, boards, finished)
                plays = changes.on_boards and await _any_waits(boards)
                has_work = plays or (changes.among_finished and _is_any_over(finished, configure()))
            if not has_work:
                continue
            status = await _house(configure(), home.path)
        except (OSError, BadConfiguration) as error:
            log.warning("the house does not play at present: %s", error)
            continue
        if status:
            log.error("the house has stopped with status %d, and goes on", status)
            boards, finished, moment = Boards(home), Finished(home), None
            await asyncio.sleep(AGAIN_SECONDS)


class _Changes(NamedTuple):
    """What has changed since it was last looked at."""

    on_boards: bool
    """Something has happened on boards of the house."""
    among_finished: bool
    """Games have ended."""


def _changes(home: Home, boards: Boards, finished: Finished) -> _Changes:
    with home.database.read():
        return _Changes(boards.have_changed(), finished.have_changed())


def _has_work(
    home: Home, boards: Boards, finished: Finished, configure: Callable[[], Configuration]
) -> bool:
    """Return whether a board waits for the house, or a game waits to be analysed."""
    changes = _changes(home, boards, finished)
    if changes.on_boards and any(boards.looked_at()):
        return True
    return changes.among_finished and _is_any_over(finished, configure())


async def _any_waits(boards: Boards) -> bool:
    """Return whether a board waits for the house; between two looks, mail has its turn."""
    for waits in boards.looked_at():
        if waits:
            return True
        await asyncio.sleep(0)
    return False


def _is_any_over(finished: Finished, configuration: Configuration) -> bool:
    """Return whether a game waits to be analysed."""
    return configuration.analyses and any(finished.waiting(configuration.house_cells))


async def _house(configuration: Configuration, home: Path) -> int:
    """Let the house play until no board waits for it; return the status of its process.

    It stays a few minutes as long as a board goes on that it has played on, and plays what comes up
    meanwhile. It ends by itself if this process does, or if nobody waits for it here any more.
    """
    asked = ["house", *(["--analyses"] if configuration.analyses else [])]
    house = None
    ending, stays_open = os.pipe()
    try:
        words = _words(asked, home, configuration, ending)
        house = await asyncio.create_subprocess_exec(
            *words, pass_fds=[ending], stdin=subprocess.DEVNULL
        )
        return await house.wait()
    finally:
        os.close(ending)
        os.close(stays_open)
        if house:
            with suppress(TimeoutError):  # asyncio warns of whoever outlives its loop
                await asyncio.wait_for(house.wait(), LEAVE_SECONDS)


@contextmanager
def _beside(keep: Callable[[int], None]) -> Iterator[None]:
    """Let a process keep another one while the body runs, until the pipe it is given is closed.

    So neither threads nor other children of this process get in the way of what is kept.
    """
    ending, stays_open = os.pipe()
    keeper = os.fork()
    if not keeper:
        try:
            os.close(stays_open)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            keep(ending)
        except BaseException:
            log.exception("a fault in the program")
        finally:
            os._exit(0)
    os.close(ending)
    try:
        yield
    finally:
        os.close(stays_open)
        _await(keeper)


def _keep_pages(home: Path, configuration: Configuration, ending: int) -> None:
    """Serve pages, again and again, until the other end of a pipe is closed."""
    while True:
        words = ["web", "--listen", str(configuration.web)]
        status = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
            _words(words, home, configuration, ending),
            pass_fds=[ending],
            stdin=subprocess.DEVNULL,
            check=False,
        ).returncode
        if status == UNUSABLE:
            log.error("there are no pages: see the line above")
            return
        if _is_over(ending, 0):
            return
        log.error("the pages have stopped with status %d, and start again", status)
        if _is_over(ending, AGAIN_SECONDS):
            return


def _words(words: list[str], home: Path, configuration: Configuration, ending: int) -> list[str]:
    """Return the command line of a command of ours that ends when a pipe is closed."""
    program = [sys.executable, "-c", "from pbm_oust.cli import run; run()", "--home", str(home)]
    options = ["--keeper", str(ending), "--address", configuration.address]
    options += ["--relay", f"smtp://{configuration.relay}"] if configuration.relay else []
    return [*program, *words, *options]


def _is_over(ending: int, seconds: float) -> bool:
    """Return whether the other end of a pipe is closed within some seconds."""
    return bool(select.select([ending], [], [], seconds)[0])


def _await(process: int) -> None:
    """Wait until a child has ended; kill it if that takes too long."""
    deadline = time.monotonic() + STOP_SECONDS
    with suppress(ChildProcessError):  # somebody else has heard of its end
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(process, signal.SIGKILL)
            time.sleep(0.05)
