"""Pages served by a real process at a port of this machine, and a browser without a screen."""

import http.client
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

from tests.support.server import PROGRAM, listening_port, stopped
from tests.support.waiting import PATIENCE


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
class Website:
    """Pages at a port."""

    port: int
    process: subprocess.Popen[str]
    written: Path
    """The file that its log goes to."""

    @property
    def log(self) -> str:
        """What its log says so far."""
        return self.written.read_text()

    def get(self, path: str, method: str = "GET", **headers: str) -> Got:
        """Ask for a path; `accept_language` stands for the header Accept-Language."""
        return self._asked(method, path, None, headers)

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
            return Got(
                response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
            )
        finally:
            connection.close()


@contextmanager
def website(home: Path, *options: str) -> Iterator[Website]:
    """Serve the pages of a home while the body runs."""
    words = [PROGRAM, "--home", str(home), "web"]
    with NamedTemporaryFile("w") as log:
        process = subprocess.Popen(
            [*words, "--listen", "127.0.0.1:0", *options],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield Website(listening_port(process), process, Path(log.name))
        finally:
            stopped(process)


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
