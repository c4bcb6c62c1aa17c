"""The process that serves pages beside the one that takes mail, started and kept by it."""

import os
import subprocess  # nosec B404
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from logging import getLogger
from pathlib import Path

from pbm_oust.store.configuration import Endpoint

log = getLogger("pbm_oust")

AGAIN_SECONDS = 5.0
"""How long after its end it is started again."""
UNUSABLE = 2
"""The exit status if the configuration or the port is of no use, which starting again mends not."""
STOP_SECONDS = 15.0
"""How long it may take to stop, before it is killed."""


@contextmanager
def pages_beside(home: Path, listen: Endpoint) -> Iterator[None]:
    """Serve pages in another process while the body runs; it also ends if this process dies."""
    ending, keeper = os.pipe()
    over = threading.Event()
    program = [sys.executable, "-c", "from pbm_oust.cli import run; run()"]
    words = [*program, "--home", str(home), "web", "--keeper", str(ending)]
    words += ["--listen", str(listen)]
    started: list[subprocess.Popen[bytes]] = []

    def keep() -> None:
        while not over.is_set():
            started[:] = [
                subprocess.Popen(  # noqa: S603 - the words are ours # nosec B603
                    words, pass_fds=[ending], stdin=subprocess.DEVNULL
                )
            ]
            status = started[0].wait()
            if status == UNUSABLE:
                log.error("there are no pages: see the line above")
                return
            if not over.is_set():
                log.error("the pages have stopped with status %d, and start again", status)
                over.wait(AGAIN_SECONDS)

    keeping = threading.Thread(target=keep, name="keeper of pages")
    keeping.start()
    try:
        yield
    finally:
        over.set()
        os.close(keeper)
        keeping.join(STOP_SECONDS)
        if keeping.is_alive() and started:
            started[0].kill()
            keeping.join()
        os.close(ending)
