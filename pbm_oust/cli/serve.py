"""`pbm-oust serve`: taking mail, with processes beside that for pages and for the house."""

import asyncio
import logging
import os
import select
import signal
import subprocess  # it starts our own program  # nosec B404
import sys
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import (
    asynccontextmanager,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import click

from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import ADDRESS, ENDPOINT, RELAY, Operator, pass_operator
from pbm_oust.cli.terminal import say
from pbm_oust.mail.handler import Counts
from pbm_oust.mail.listener import CannotListen
from pbm_oust.mail.server import Server
from pbm_oust.service.house import Finished, HouseBoards
from pbm_oust.store.configuration import BadConfiguration, Configuration, Endpoint
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home

log = logging.getLogger("pbm_oust")

AGAIN_SECONDS = 5.0
"""How long after the end of a process beside this one it is started again."""
LOOK_SECONDS = 1.0
"""How often boards are looked for that wait for the house."""
UNUSABLE = 2
"""The exit status if the configuration or the port is of no use, which starting again mends not."""
LEAVE_SECONDS = 5.0
"""How long the house may take to end when nobody waits for it any more; then it ends unseen."""
STOP_SECONDS = 15.0
"""How long both may take to stop, before the keeper is killed."""
DATABASE_SECONDS = 2.0
"""How long after a look for a database server that is away the next one comes."""


@click.command()
@click.option("--smtp", type=ENDPOINT, help="Listen for SMTP at HOST:PORT.")
@click.option(
    "--lmtp",
    type=ENDPOINT,
    metavar="HOST:PORT|unix:PATH",
    help="Listen for LMTP at HOST:PORT or unix:PATH.",
)
@click.option("--relay", type=RELAY, help="Hand letters to smtp://HOST:PORT.")
@click.option("--web", type=ENDPOINT, help="Serve pages with the boards at HOST:PORT, too.")
@click.option("--address", type=ADDRESS, help="The address that takes commands.")
@pass_operator
def serve(
    operator: Operator,
    smtp: Endpoint | None,
    lmtp: Endpoint | None,
    relay: Endpoint | None,
    web: Endpoint | None,
    address: str | None,
) -> None:
    """Take mail and answer it, until told to stop.

    Options override pbm_oust.toml in the home, where smtp = "" turns SMTP off. Without a relay,
    letters stay in the outbox, a Maildir in the home. SIGHUP makes the server read the file again.
    """

    def configure() -> Configuration:
        configured = operator.read_configuration()
        chosen = replace(
            configured,
            address=address or configured.address,
            smtp=smtp or configured.smtp,
            lmtp=lmtp or configured.lmtp,
            relay=relay or configured.relay,
            web=web or configured.web,
        )
        if not (chosen.smtp or chosen.smtps or chosen.lmtp):
            raise BadConfiguration("nowhere to listen: give --smtp or --lmtp")
        return chosen

    def announce(configuration: Configuration, listening: Iterable[Endpoint]) -> None:
        places = " and ".join(map(str, listening))
        say(f"Serving {configuration.address} at {places}; home {operator.path}.")
        log.info("listening at %s", places)

    start_log()
    _prepare(operator)
    try:
        chosen = configure()
        pages = _pages_beside(operator.path, chosen) if chosen.web else nullcontext()
        counts, home = Counts(), operator.home
        meanwhile = partial(_meanwhile, configure, chosen.metrics, counts)
        with pages:
            server = Server(home, configure, home.now, announce, meanwhile=meanwhile, counts=counts)
            asyncio.run(server.run())
    except (CannotListen, BadConfiguration) as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(2) from None


def _prepare(operator: Operator) -> None:
    """Make the home ready to be written to. A database server that is away is waited for."""
    told = ""
    while True:
        try:
            operator.prepared_home()
        except DatabaseFault as fault:
            if not operator.home.is_on_server:
                raise
            if str(fault) != told:
                log.error("no mail is taken yet: %s", fault)
            told = str(fault)
            time.sleep(DATABASE_SECONDS)
        else:
            return


@asynccontextmanager
async def _meanwhile(
    configure: Callable[[], Configuration], metrics: Endpoint | None, counts: Counts, home: Home
) -> AsyncIterator[None]:
    """Let the house play, and serve metrics if there is a place for them, while the body runs."""
    with _metrics_served(home, counts, metrics) if metrics else nullcontext():
        async with _house_beside(configure, home):
            yield


@contextmanager
def _metrics_served(home: Home, counts: Counts, endpoint: Endpoint) -> Iterator[None]:
    if not find_spec("prometheus_client"):
        raise BadConfiguration("metrics need one more library: pip install 'pbm_oust[metrics]'")
    from pbm_oust.mail.metrics import Metrics, served

    with served(Metrics(home, counts, home.now), endpoint) as port:
        log.info("metrics at http://%s/metrics", Endpoint(endpoint.host, port))
        yield


@asynccontextmanager
async def _house_beside(configure: Callable[[], Configuration], home: Home) -> AsyncIterator[None]:
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
    boards, finished = HouseBoards(home), Finished(home)
    moment: Hashable = None
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if home.is_on_server:  # mail is taken meanwhile, however long it takes to answer
                has_work = await asyncio.to_thread(_has_work, home, boards, finished, configure)
            elif moment == (moment := home.database.moment()):
                continue
            else:
                has_happened, have_ended = _changes(home, boards, finished)
                plays = has_happened and await _any_waits(boards)
                has_work = plays or (have_ended and _is_any_over(finished, configure()))
            if not has_work:
                continue
            status = await _house(configure(), home.path)
        except (OSError, BadConfiguration) as error:
            log.warning("the house does not play at present: %s", error)
            continue
        if status:
            log.error("the house has stopped with status %d, and goes on", status)
            boards, finished, moment = HouseBoards(home), Finished(home), None
            await asyncio.sleep(AGAIN_SECONDS)


def _changes(home: Home, boards: HouseBoards, finished: Finished) -> tuple[bool, bool]:
    """Return whether something has happened on boards of the house, and whether games have ended.

    That is since it was last looked at.
    """
    with home.database.read():
        return boards.have_changed(), finished.have_changed()


def _has_work(
    home: Home, boards: HouseBoards, finished: Finished, configure: Callable[[], Configuration]
) -> bool:
    """Return whether a board waits for the house, or a game waits to be analysed."""
    has_happened, have_ended = _changes(home, boards, finished)
    plays = has_happened and any(boards.looked_at())
    return plays or (have_ended and _is_any_over(finished, configure()))


async def _any_waits(boards: HouseBoards) -> bool:
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
def _pages_beside(home: Path, configuration: Configuration) -> Iterator[None]:
    """Serve pages in another process while the body runs; it also ends if this process dies.

    A process of its own keeps that one until a pipe is closed: so neither threads nor other
    children of this process get in the way.
    """
    ending, stays_open = os.pipe()
    keeper = os.fork()
    if not keeper:
        try:
            os.close(stays_open)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _keep_pages(home, configuration, ending)
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
        if _is_over(ending, AGAIN_SECONDS):  # Ctrl-C ends both at once
            return
        log.error("the pages have stopped with status %d, and start again", status)


def _words(words: list[str], home: Path, configuration: Configuration, ending: int) -> list[str]:
    """Return the command line of a command of ours that ends when a pipe is closed."""
    program = [sys.executable, "-m", "pbm_oust", "--home", str(home)]
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
