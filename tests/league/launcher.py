"""Runs the server by a clock that stands in a file.

    python -m tests.league.launcher HOME CLOCK RELAY_PORT

As `pbm-oust serve`, it prints where it listens and stops at SIGTERM.
"""

import asyncio
import logging
import sys
from pathlib import Path

from pbm_oust.mail.server import Server
from pbm_oust.store.configuration import Configuration, Endpoint
from pbm_oust.store.home import Home
from tests.league.clock import SetClock
from tests.league.post import ADDRESS
from tests.support.limits import UNLIMITED

SWEEP = 0.5
"""Seconds from one sweep to the next; the league's days are short."""


def main() -> None:
    """Serve until told to stop."""
    home, clock, relay = sys.argv[1:]
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    logging.getLogger("mail.log").setLevel(logging.WARNING)
    configuration = Configuration(
        limits=UNLIMITED,
        address=ADDRESS,
        smtp=Endpoint("127.0.0.1", 0),
        relay=Endpoint("127.0.0.1", int(relay)),
    )

    def announce(_configuration: Configuration, listening: list[Endpoint]) -> None:
        print(f"Serving at {listening[0]}", flush=True)

    now = SetClock(Path(clock)).now
    server = Server(Home(Path(home)), lambda: configuration, now, announce, sweep_seconds=SWEEP)
    asyncio.run(server.run())


if __name__ == "__main__":
    main()
