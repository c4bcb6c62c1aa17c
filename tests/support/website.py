"""Pages served by a real process at a port of this machine, and a browser without a screen."""

import http.client
import multiprocessing
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from pbm_oust.cli import run
from tests.support.server import PROGRAM
from tests.support.waiting import PATIENCE

_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["tests.support.website", "tests.support.warmed"])
"""Pages are served by forks of a process that has imported the program, which takes long."""


@dataclass(frozen=True)
class Got:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The content as text."""
        return self.content.decode()


@dataclass(frozen=True)
class Site:
    """What answers HTTP at a port."""

    port: int

    def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        """Ask for a path; `accept_language` stands for the header Accept-Language."""
        return self._asked(method, path, None, headers)

    def sent(self, path: str) -> int:
        """Return how many bytes of a page, or of what it loads, are sent to a browser."""
        got = self.get(path, accept_encoding="gzip, deflate, br")
        assert got.status == 200
        return len(got.content)

    def post(self, path: str, form: str, **headers: str) -> Got:
        """Send a form, as browsers write them."""
        usual = {"content_type": "application/x-www-form-urlencoded"}
        return self._asked("POST", path, form, usual | headers)

    def _asked(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Got:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, headers=named)
            response = connection.getresponse()
            lines = {name.lower(): response.headers.get_all(name) for name in response.headers}
            joined = {name: "\n".join(values or ()) for name, values in lines.items()}
            return Got(response.status, joined, response.read())
        finally:
            connection.close()


@dataclass(frozen=True)
class Website(Site):
    """Pages at a port."""

    process: ForkServerProcess
    written: Path
    """The file that its log goes to."""

    @property
    def log(self) -> str:
        """What its log says so far."""
        return self.written.read_text()

    def stop(self) -> int | None:
        """Tell the pages to stop, and return the exit status of their process."""
        self.process.terminate()
        self.process.join(PATIENCE)
        return self.process.exitcode


@contextmanager
def website(home: Path, *options: str, **environment: str) -> Iterator[Website]:
    """Serve the pages of a home while the body runs, with more in the environment."""
    words = ["--home", str(home), "web", "--listen", "127.0.0.1:0", *options]
    announcing, announced = os.pipe()
    with NamedTemporaryFile("w") as log, os.fdopen(announcing) as announcements:
        given = words, environment, DupFd(announced), DupFd(log.fileno())
        process = _PROCESSES.Process(target=_serve, args=given)
        process.start()
        os.close(announced)
        first = announcements.readline()
        found = re.search(r"at http://127\.0\.0\.1:(\d+)", first)
        try:
            assert found, first + Path(log.name).read_text()
            yield Website(int(found[1]), process, Path(log.name))
        finally:
            process.terminate()
            process.join(PATIENCE)
            assert process.exitcode is not None, "the pages do not stop"


def _serve(words: list[str], environment: Mapping[str, str], announcements: Any, log: Any) -> None:
    """Be the program with these words on its command line."""
    os.environ.update(environment)
    os.dup2(announcements.detach(), sys.stdout.fileno())
    os.dup2(log.detach(), sys.stderr.fileno())
    sys.argv = [PROGRAM, *words]
    run()


def is_there(port: int) -> bool:
    """Return whether there is a front page at a port."""
    try:
        return bool(front_page(port))
    except OSError:
        return False


def front_page(port: int) -> str:
    """Return the front page at a port. Raises OSError if nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", "/")
        response = connection.getresponse()
        return response.read().decode() if response.status == 200 else ""
    finally:
        connection.close()
