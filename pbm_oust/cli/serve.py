"""`pbm-oust serve`, `web` and `house`: taking mail, serving pages, and letting the house play.

Pages, the house and the sender of letters have processes of their own beside the one that takes
mail.
"""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from pbm_oust.board import Game
from pbm_oust.cli.beside import (
    AGAIN_SECONDS,
    MOST_WAKES,
    address_option,
    is_closed,
    kept,
    run_beside,
    sending_beside,
)
from pbm_oust.cli.common import ENDPOINT, RELAY, Operator, Refused, command
from pbm_oust.cli.logs import log, start_log
from pbm_oust.cli.terminal import say
from pbm_oust.mail.handler import Counts
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.mail.listener import CannotListen
from pbm_oust.mail.sender import Sender
from pbm_oust.mail.server import Server, give_memory_back, tallied
from pbm_oust.mail.tls import read_certificate
from pbm_oust.render.entry import LogEntry
from pbm_oust.robot.search import has_core
from pbm_oust.service.house import Finished, HouseBoards, Worker
from pbm_oust.store.configuration import (
    BadConfiguration,
    Configuration,
    Endpoint,
    LogForm,
    Upgrade,
)
from pbm_oust.store.faults import DatabaseFault, DatabaseTooNew, DatabaseTooOld, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.limits import HIGHEST, Counted
from pbm_oust.store.rebuilding import look_less_for_circles
from pbm_oust.store.sqlite import BadKey
from pbm_oust.store.tallies import Tallies

UNUSABLE = 2
"""The exit status if the configuration or the port is of no use, which starting again mends not."""
INSTALL = "pip install 'pbm_oust[{}]'"
DATABASE_SECONDS = 2.0
"""How long after a look for a database server that is away the next one comes."""


@command()
@click.option("--smtp", type=ENDPOINT, help="Listen for SMTP at HOST:PORT.")
@click.option(
    "--lmtp",
    type=ENDPOINT,
    metavar="HOST:PORT|unix:PATH",
    help="Listen for LMTP at HOST:PORT or unix:PATH.",
)
@click.option("--relay", type=RELAY, help="Hand letters to smtp://HOST:PORT.")
@click.option("--web", type=ENDPOINT, help="Serve pages with the boards at HOST:PORT, too.")
@click.option("--check", is_flag=True, help="Only say what is wrong with the configuration.")
@address_option
def serve(operator: Operator, *, check: bool, **chosen: Any) -> None:
    """Take mail and answer it, until told to stop.

    Options override pbm_oust.toml in the home, where smtp = "" turns SMTP off. Without a relay,
    letters stay in the outbox, a Maildir in the home. SIGHUP makes the server read the file again.
    A home of an earlier version is brought up to date, after a backup beside it. Exit status 2 if
    the configuration, a port, the home's key or its version cannot be used: starting again does
    not help.
    """
    named = {name: value for name, value in chosen.items() if value}

    def configure() -> Configuration:
        configured = structs.replace(operator.read_configuration(), **named)
        if not (configured.smtp or configured.smtps or configured.lmtp):
            raise BadConfiguration("nowhere to listen: give --smtp or --lmtp")
        for place, library, extra in (
            (configured.web, "uvicorn", "web"),
            (configured.metrics, "prometheus_client", "metrics"),
        ):
            if place and not find_spec(library):
                raise BadConfiguration(f"{extra} needs more libraries: {INSTALL.format(extra)}")
        return configured

    def announce(configuration: Configuration, listening: Iterable[Endpoint]) -> None:
        places = " and ".join(map(str, listening))
        say(f"Serving {configuration.address} at {places}; home {operator.path.absolute()}.")
        log.info("listening at %s", places)

    try:
        if check:
            read_certificate(configure())
            return
        start_log(operator.read_configuration().log)
        _prepare(operator)
        chosen_now = configure()
        counts, home = Counts(), operator.home
        meanwhile = partial(_meanwhile, chosen_now, configure, counts)
        server = Server(
            home,
            configure,
            home.now,
            announce,
            meanwhile=meanwhile,
            sending=partial(sending_beside, tallies=counts.tallies),
            counts=counts,
        )
        asyncio.run(server.run())
    except _OF_NO_USE as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(UNUSABLE) from None


class NotUpgraded(Exception):
    """A home of an earlier version that stays as it is, because it cannot be kept as it was."""


_OF_NO_USE = CannotListen, BadConfiguration, BadKey, NotUpgraded, DatabaseTooOld, DatabaseTooNew
"""Errors that starting again does not mend."""


def _prepare(operator: Operator) -> None:
    """Make the home ready to be written to. A database server that is away is waited for.

    Without its key no mail could be answered: raises OSError if it cannot be read.
    """
    _bring_up_to_date(operator)
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
            operator.home.key()
            return


def _bring_up_to_date(operator: Operator) -> None:
    """Bring a home of an earlier version up to date, unless its operator wants to do that."""
    if operator.read_configuration().upgrade is Upgrade.BY_HAND or not operator.path.is_dir():
        return
    from pbm_oust.store.backup import NotCopied, upgrade_at_start  # few starts need it

    try:
        kept = upgrade_at_start(operator.home)
    except DatabaseFault:
        raise
    except (NotCopied, OSError) as error:
        raise NotUpgraded(
            f"the home is of an earlier version, and stays as it is, because no backup of it could "
            f"be made beside it: {error}. Mend that, or make a backup elsewhere, and do:  "
            + command_line(operator.path, "home", "upgrade")
        ) from None
    if kept:
        log.info("the home is brought up to date; as it was before, it is in %s", kept)


@asynccontextmanager
async def _meanwhile(
    chosen: Configuration, configure: Callable[[], Configuration], counts: Counts, home: Home
) -> AsyncIterator[None]:
    """Let the house play, and serve pages and metrics where there is a place for them."""
    with _metrics_served(home, counts, chosen.metrics) if chosen.metrics else nullcontext():
        tasks = [asyncio.create_task(_let_house_play(configure, home, counts.tallies))]
        if chosen.web:
            tasks.append(asyncio.create_task(_keep_pages(chosen, home.path, counts.tallies)))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


@contextmanager
def _metrics_served(home: Home, counts: Counts, endpoint: Endpoint) -> Iterator[None]:
    from pbm_oust.mail.metrics import Metrics, served

    with served(Metrics(home, counts, home.now), endpoint) as port:
        log.info("metrics at http://%s/metrics", Endpoint(endpoint.host, port))
        yield


LOOK_SECONDS = 1.0
"""How often boards are looked for that wait for the house."""
LEAVE_SECONDS = 5.0
"""How long the house may take to end when nobody waits for it any more; then it ends unseen."""
STOP_SECONDS = 15.0
"""How long the pages may take to stop."""


async def _keep_pages(configuration: Configuration, home: Path, tallies: Tallies) -> None:
    """Serve pages in another process, again and again."""
    words = ["web", "--listen", str(configuration.web)]
    while True:
        try:
            status = await run_beside(words, configuration, home, STOP_SECONDS, tallies)
        except OSError as error:
            log.error("the pages cannot start: %s", error)
        else:
            if status == UNUSABLE:
                log.error("there are no pages: see the line above")
                return
            log.error("the pages have stopped with status %d, and start again", status)
        await asyncio.sleep(AGAIN_SECONDS)


async def _let_house_play(
    configure: Callable[[], Configuration], home: Home, tallies: Tallies
) -> None:
    """Let the house play whenever boards wait for it, and analyse what is over, for ever."""
    boards, finished = HouseBoards(home), Finished(home)
    moment: Hashable = None
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        try:
            if not home.is_on_server and moment == (moment := home.database.moment()):
                continue
            # Mail is taken meanwhile, however long it takes to look.
            if not await asyncio.to_thread(_has_work, home, boards, finished, configure):
                continue
            configured = configure()
            words = ["house", *(["--analyses"] if configured.analyses else [])]
            status = await run_beside(words, configured, home.path, LEAVE_SECONDS, tallies)
        except (OSError, BadConfiguration) as error:
            log.warning("the house does not play at present: %s", error)
            continue
        if status:
            log.error("the house has stopped with status %d, and goes on", status)
            boards, finished, moment = HouseBoards(home), Finished(home), None
            await asyncio.sleep(AGAIN_SECONDS)


def _has_work(
    home: Home, boards: HouseBoards, finished: Finished, configure: Callable[[], Configuration]
) -> bool:
    """Return whether something new waits for the house: a board, or a game to be analysed."""
    with home.database.read() as snapshot:
        has_happened, have_ended = boards.have_changed(snapshot), finished.have_changed(snapshot)
    if has_happened and any(boards.waiting()):
        return True
    if not have_ended:
        return False
    configured = configure()
    return any(_to_analyse(finished, configured, analyses=configured.analyses))


def _to_analyse(finished: Finished, configured: Configuration, *, analyses: bool) -> Iterable[Game]:
    """Return the games to be analysed: all, or those for which somebody waits; or none."""
    if not configured.house_analyses:
        return ()
    return finished.waiting(configured.house_cells, only_wanted=not analyses)


USUAL = Endpoint("127.0.0.1", 8080)


@command()
@click.option("--listen", type=ENDPOINT, help="Serve at HOST:PORT.")
@kept
def web(
    operator: Operator,
    listen: Endpoint | None,
    address: str | None,
    relay: Endpoint | None,
    keeper: int | None,
    log_form: LogForm | None,
    tallies: Tallies | None,
) -> None:
    """Serve pages with the boards, until told to stop.

    Without --listen, at the place that web = "HOST:PORT" names in pbm_oust.toml, or at
    127.0.0.1:8080. Nothing is changed by looking at pages.
    """
    if not find_spec("uvicorn"):
        raise Refused(f"web needs more libraries: {INSTALL.format('web')}")
    from pbm_oust.web.app import make_app
    from pbm_oust.web.ground import Ground
    from pbm_oust.web.serving import Connections, listening_socket, serve

    give_memory_back()
    configured = operator.configuration
    endpoint = listen or configured.web or USUAL
    if endpoint.path:
        raise click.UsageError("pages are served at HOST:PORT only")
    home = _home_beside(operator, relay, log_form)
    taking = address or configured.address
    said = configured.web_address, configured.limits, configured.title
    ground = Ground(home, taking, home.now, *said)
    try:
        listening = listening_socket(endpoint)
    except CannotListen as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(UNUSABLE) from None
    app = make_app(ground, tallies)
    look_less_for_circles()
    place = Endpoint(endpoint.host, listening.getsockname()[1])
    announced = f"Pages at http://{place}/; home {operator.path.absolute()}."

    async def serving() -> None:
        async with tallied(home, home.now):
            await serve(
                app,
                listening,
                lambda: say(announced),
                connections=Connections(configured.web_proxies),
                keeper=keeper,
                end=ground.live.end,
            )

    asyncio.run(serving())


def _home_beside(operator: Operator, relay: Endpoint | None, log_form: LogForm | None) -> Home:
    """Return the home of a process that may run beside a server, and begin its log."""
    home = operator.prepared_home()
    home.has_relay = (relay or operator.configuration.relay) is not None
    start_log(log_form or operator.configuration.log)
    return home


NICENESS = 19
"""How far behind all other work of the machine thinking is."""
STAY_SECONDS = 300.0
"""How long a server's house stays after the latest thing that happened on its boards."""


@command()
@kept
@click.option("--analyses", is_flag=True, hidden=True, help="Analyse games that are over, too.")
def house(
    operator: Operator,
    address: str | None,
    relay: Endpoint | None,
    keeper: int | None,
    log_form: LogForm | None,
    tallies: Tallies | None,
    analyses: bool,
) -> None:
    """Let the house play on the boards that wait for it.

    When none does, it analyses games that are over, if pages can show that or players wait for it;
    then it ends. A server does this by itself. Where mail comes through a pipe and no server runs,
    cron does it.
    """
    configured = operator.configuration
    home = _home_beside(operator, relay, log_form)
    log.info("%s", LogEntry(house="begins", core="compiled" if has_core() else "none"))
    stopped = False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    limits = structs.replace(
        configured.limits, chosen={**configured.limits.chosen, Counted.MOVES: HIGHEST}
    )
    taking = address or configured.address
    work = open_inbound(home, taking, home.now, limits, web_address=configured.web_address).work
    boards, finished = HouseBoards(home), Finished(home)

    worker = Worker(boards, work, lambda: stopped or is_closed(keeper), tallies)
    os.nice(NICENESS)
    text = home.read_configuration()

    def do_all() -> None:
        worker.play_all()
        are_all = analyses or configured.analyses
        worker.analyse_all(_to_analyse(finished, configured, analyses=are_all))

    home.ask(boards.have_changed)
    home.ask(finished.have_changed)
    do_all()
    latest = time.monotonic()
    while keeper is not None and worker.knows_boards and time.monotonic() < latest + STAY_SECONDS:
        if is_closed(keeper, LOOK_SECONDS) or stopped or home.read_configuration() != text:
            return
        if has_played := home.ask(boards.have_changed):
            latest = time.monotonic()
        if has_played or home.ask(finished.have_changed):
            do_all()


@command()
@kept
@click.option("--web-address", default="", hidden=True, help="Where pages are found.")
def send(
    operator: Operator,
    address: str | None,
    relay: Endpoint | None,
    keeper: int | None,
    log_form: LogForm | None,
    tallies: Tallies | None,
    web_address: str,
) -> None:
    """Write and send letters for a server, until it ends.

    Each byte from its pipe says that there are new ones.
    """
    if keeper is None or address is None:
        raise click.UsageError("the server runs this by itself")
    give_memory_back()
    home = operator.home_as_it_is
    home.has_relay = relay is not None
    start_log(log_form or LogForm.TEXT)
    signal.signal(signal.SIGTERM, _leave)
    open_inbound(home, address, home.now, web_address=web_address)
    sender = Sender(home, tallies)
    sender.configure(Configuration(address=address, relay=relay))
    look_less_for_circles()
    try:
        while os.read(keeper, MOST_WAKES):
            sender.wake()
    finally:
        sender.stop()


def _leave(*_: object) -> None:
    """End this process as if it had nothing more to do."""
    raise SystemExit(0)
