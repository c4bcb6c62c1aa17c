"""`pbm-oust web`: serving pages."""

import asyncio
from dataclasses import replace
from importlib.util import find_spec

import click

from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import ADDRESS, ENDPOINT, RELAY, Operator, Refused, pass_operator
from pbm_oust.cli.terminal import say
from pbm_oust.store.configuration import Configuration, Endpoint
from pbm_oust.store.home import Home

USUAL = Endpoint("127.0.0.1", 8080)


@click.command()
@click.option("--listen", type=ENDPOINT, help="Serve at HOST:PORT.")
@click.option("--address", type=ADDRESS, help="The address that takes commands.")
@click.option("--relay", type=RELAY, hidden=True, help="Where the server hands letters over.")
@click.option("--keeper", type=int, hidden=True, help="A pipe that is closed when to stop.")
@pass_operator
def web(
    operator: Operator,
    listen: Endpoint | None,
    address: str | None,
    relay: Endpoint | None,
    keeper: int | None,
) -> None:
    """Serve pages with the boards, until told to stop.

    Without --listen, at the place that web = "HOST:PORT" names in pbm_oust.toml, or at
    127.0.0.1:8080. Nothing is changed by looking at pages.
    """
    if not find_spec("uvicorn"):
        raise Refused("the pages need more libraries: pip install 'pbm_oust[web]'")
    configured = operator.configuration
    chosen = replace(
        configured,
        web=listen or configured.web,
        address=address or configured.address,
        relay=relay or configured.relay,
    )
    _serve(operator, chosen, keeper)


def _serve(operator: Operator, configuration: Configuration, keeper: int | None) -> None:
    from pbm_oust.mail.server import give_memory_back, tallied
    from pbm_oust.store.rebuilding import look_less_for_circles
    from pbm_oust.web.app import make_app
    from pbm_oust.web.ground import Ground
    from pbm_oust.web.middleware import AccessLog
    from pbm_oust.web.serving import CannotServe, Connections, listening_socket, serve

    give_memory_back()
    endpoint = configuration.web or USUAL
    if endpoint.path:
        raise click.UsageError("pages are served at HOST:PORT only")
    operator.prepared_home()
    operator.close()
    start_log()
    home = Home(operator.path, has_relay=configuration.relay is not None)
    ground = Ground(
        home, configuration.address, home.now, configuration.web_address, configuration.limits
    )
    try:
        listening = listening_socket(endpoint)
    except CannotServe as error:
        say(f"Error: {error}", err=True)
        raise SystemExit(2) from None
    log = AccessLog()
    app = make_app(ground, log)
    look_less_for_circles()
    place = Endpoint(endpoint.host, listening.getsockname()[1])
    announced = f"Pages at http://{place}/; home {operator.path}."

    async def serving() -> None:
        async with tallied(home, home.now):
            await serve(
                app,
                listening,
                lambda: say(announced),
                connections=Connections(configuration.web_proxies),
                keeper=keeper,
                end=ground.live.end,
            )

    try:
        asyncio.run(serving())
    finally:
        log.write()
        home.close()
