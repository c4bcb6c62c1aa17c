"""The histories of a home on a server, as files in a folder that follows them."""

import logging
import signal
import threading
from pathlib import Path

from pbm_oust.cli.log import start_log
from pbm_oust.cli.operator import Refused
from pbm_oust.cli.terminal import say
from pbm_oust.store.disk import locked_folder
from pbm_oust.store.home import Home

log = logging.getLogger("pbm_oust")

LOOK_SECONDS = 1.0
"""How often it is looked for what has changed."""
AGAIN_SECONDS = 5.0
"""How long after a fault the next try comes."""


def follow(home: Home, folder: Path, *, once: bool) -> None:
    """Keep the histories of a home as files in a folder, until told to stop or once.

    Raises Refused, also if `once` and told to stop before all is copied, and then OSError, too;
    else it tries again after a fault.
    """
    if not home.is_on_server:
        raise Refused(f"the histories of {home.path} are files already")
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder, waits=False) as is_locked:
        if not is_locked:
            raise Refused(f"{folder} is kept up to date by another process")
        start_log()
        _follow(home, folder, stopping, once=once)


def _follow(home: Home, folder: Path, stopping: threading.Event, *, once: bool) -> None:
    publisher, has_begun, fault = home.publisher_in(folder), False, ""
    while not stopping.is_set():
        try:
            if not has_begun:
                publisher.prepare()
                publisher.remove_drafts()
            copied = publisher.catch_up(lambda: not stopping.is_set())
        except OSError as error:
            if once:
                raise
            if str(error) != fault:
                log.warning("%s is not kept up to date: %s", folder, error)
            fault = str(error)
            stopping.wait(AGAIN_SECONDS)
            continue
        if stopping.is_set():
            break
        if not has_begun or fault:
            say(f"{folder} is up to date; copied: {copied}")
        has_begun, fault = True, ""
        if once:
            return
        stopping.wait(LOOK_SECONDS)
    if once:
        raise Refused(f"{folder} is not up to date: this was told to stop before all was copied")
