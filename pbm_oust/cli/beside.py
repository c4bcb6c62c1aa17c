"""The process that serves pages beside the one that takes mail, and the one that keeps it."""

import os
import select
import signal
import subprocess  # nosec B404
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from logging import getLogger
from pathlib import Path

from pbm_oust.store.configuration import Configuration

log = getLogger("pbm_oust")

AGAIN_SECONDS = 5.0
"""How long after its end it is started again."""
UNUSABLE = 2
"""The exit status if the configuration or the port is of no use, which starting again mends not."""
STOP_SECONDS = 15.0
"""How long both may take to stop, before the keeper is killed."""


@contextmanager
def pages_beside(home: Path, configuration: Configuration) -> Iterator[None]:
    """Serve pages in another process while the body runs; it also ends if this process dies.

    A third process keeps it, so that neither threads nor other children of this one get in its way.
    """
    ending, stays_open = os.pipe()
    keeper = os.fork()
    if not keeper:
        try:
            os.close(stays_open)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _keep(home, configuration, ending)
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


def _keep(home: Path, configuration: Configuration, ending: int) -> None:
    """Serve pages, again and again, until the other end of a pipe is closed."""
    program = [sys.executable, "-c", "from pbm_oust.cli import run; run()"]
    words = [*program, "--home", str(home), "web", "--keeper", str(ending)]
    words += ["--listen", str(configuration.web), "--address", configuration.address]
    words += ["--relay", f"smtp://{configuration.relay}"] if configuration.relay else []
    while True:
        served = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
            words, pass_fds=[ending], stdin=subprocess.DEVNULL, check=False
        )
        if served.returncode == UNUSABLE:
            log.error("there are no pages: see the line above")
            return
        if select.select([ending], [], [], 0)[0]:
            return
        log.error("the pages have stopped with status %d, and start again", served.returncode)
        if select.select([ending], [], [], AGAIN_SECONDS)[0]:
            return


def _await(process: int) -> None:
    """Wait until a child has ended; kill it if that takes too long."""
    deadline = time.monotonic() + STOP_SECONDS
    with suppress(ChildProcessError):  # somebody else has heard of its end
        while os.waitpid(process, os.WNOHANG) == (0, 0):
            if time.monotonic() > deadline:
                os.kill(process, signal.SIGKILL)
            time.sleep(0.05)
