"""The process that serves pages beside the one that takes mail: it is kept, and ends with it."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.processes import processes_of
from tests.support.server import PROGRAM
from tests.support.waiting import wait_until
from tests.support.website import front_page, is_there


def pages_of(server: int) -> int:
    """Return the process that serves pages for a server."""
    found, *_ = wait_until(lambda: processes_of(server, "--keeper"), "somebody to serve pages")
    return found


@pytest.mark.slow
def test_the_pages_are_started_again_and_end_with_the_server(tmp_path: Path) -> None:
    port = free_port()
    words = ["--home", str(tmp_path / "home"), "serve", "--smtp", "127.0.0.1:0"]
    words += ["--address", "games@example.org"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [PROGRAM, *words, "--web", f"127.0.0.1:{port}"], stdout=log, stderr=log
        )
        try:
            wait_until(lambda: is_there(port), "the pages to be there")
            assert "Play by mail: games@example.org" in front_page(port)
            os.kill(pages_of(server.pid), signal.SIGKILL)
            wait_until(lambda: is_there(port), "the pages to be there again")
        finally:
            server.kill()
            server.wait()
        wait_until(lambda: not is_there(port), "the pages to end")
