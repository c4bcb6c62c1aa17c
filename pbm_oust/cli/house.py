"""`pbm-oust house`."""

import os
import select
import signal
import time
from dataclasses import replace
from logging import getLogger
from typing import Any

import click

from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import ADDRESS, RELAY, Operator, pass_operator
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.robot.search import has_core
from pbm_oust.service.house import Finished, HouseBoards, Worker
from pbm_oust.store.configuration import Endpoint
from pbm_oust.store.home import Home
from pbm_oust.store.limits import HIGHEST, Counted

log = getLogger("pbm_oust")

NICENESS = 19
"""How far behind all other work of the machine thinking is."""

STAY_SECONDS = 300.0
"""How long a server's house stays after the latest thing that happened on its boards."""

LOOK_SECONDS = 1.0
"""How often it looks meanwhile whether there is something to do."""


@click.command()
@click.option("--address", type=ADDRESS, help="The address that takes commands.")
@click.option("--relay", type=RELAY, hidden=True, help="Where the server hands letters over.")
@click.option("--keeper", type=int, hidden=True, help="A pipe that is closed when to stop.")
@click.option("--analyses", is_flag=True, hidden=True, help="Analyse games that are over, too.")
@pass_operator
def house(
    operator: Operator,
    address: str | None,
    relay: Endpoint | None,
    keeper: int | None,
    analyses: bool,
) -> None:
    """Let the house play on the boards that wait for it.

    When none does, it analyses games that are over, if pages can show that; then it ends. A server
    does this by itself. Where mail comes through a pipe and no server runs, cron does it.
    """
    configured = operator.configuration
    has_relay = (relay or configured.relay) is not None
    operator.prepared_home()
    operator.close()
    start_log()
    os.nice(NICENESS)
    log.info("house=begins core=%s", "compiled" if has_core() else "none")
    stopped = False

    def stop(*_: Any) -> None:
        nonlocal stopped
        stopped = True

    def is_over() -> bool:
        return stopped or bool(keeper is not None and select.select([keeper], [], [], 0)[0])

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    home = Home(operator.path, has_relay=has_relay)
    limits = replace(configured.limits, chosen={**configured.limits.chosen, Counted.MOVES: HIGHEST})
    taking = address or configured.address
    work = open_inbound(home, taking, home.now, limits, web_address=configured.web_address).work
    try:
        boards, finished = HouseBoards(home), Finished(home)
        worker, text = Worker(boards, work, is_over), home.read_configuration()

        def do_all() -> None:
            worker.play_all()
            if analyses or configured.analyses:
                worker.analyse_all(finished.waiting(configured.house_cells))

        boards.have_changed()
        finished.have_changed()
        do_all()
        latest = time.monotonic()
        while (
            keeper is not None and worker.knows_boards and time.monotonic() < latest + STAY_SECONDS
        ):
            is_told = bool(select.select([keeper], [], [], LOOK_SECONDS)[0])
            if is_told or stopped or home.read_configuration() != text:
                break
            if has_played := boards.have_changed():
                latest = time.monotonic()
            if has_played or finished.have_changed():
                do_all()
    finally:
        home.close()
