"""`pbm-oust serve`."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

import click

from pbm_oust.cli.beside import house_beside, pages_beside
from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import ADDRESS, ENDPOINT, RELAY, Operator, pass_operator
from pbm_oust.cli.terminal import say
from pbm_oust.mail.handler import Counts
from pbm_oust.mail.listener import CannotListen
from pbm_oust.mail.server import Server
from pbm_oust.store.configuration import BadConfiguration, Configuration, Endpoint
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home

log = logging.getLogger("pbm_oust")

AGAIN_SECONDS = 2.0
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
        pages = pages_beside(operator.path, chosen) if chosen.web else nullcontext()
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
            time.sleep(AGAIN_SECONDS)
        else:
            return


@asynccontextmanager
async def _meanwhile(
    configure: Callable[[], Configuration], metrics: Endpoint | None, counts: Counts, home: Home
) -> AsyncIterator[None]:
    """Let the house play, and serve metrics if there is a place for them, while the body runs."""
    with _metrics_served(home, counts, metrics) if metrics else nullcontext():
        async with house_beside(configure, home):
            yield


@contextmanager
def _metrics_served(home: Home, counts: Counts, endpoint: Endpoint) -> Iterator[None]:
    if not find_spec("prometheus_client"):
        raise BadConfiguration("metrics need one more library: pip install 'pbm_oust[metrics]'")
    from pbm_oust.mail.metrics import Metrics, served

    with served(Metrics(home, counts, home.now), endpoint) as port:
        log.info("metrics at http://%s/metrics", Endpoint(endpoint.host, port))
        yield
