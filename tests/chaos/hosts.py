"""A host on trial: a server of the program with a home of its own and a relay beside it."""

import signal
import smtplib
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.chaos.ledger import Broken, greeted
from tests.chaos.trial import PROGRAM, ROOT
from tests.support.limits import UNLIMITED_TABLE
from tests.support.waiting import PATIENCE


class Host:
    """A server, which goes on whatever becomes of the databases.

    `inside` is the command that starts programs on the host.
    """

    def __init__(
        self, folder: Path, inside: tuple[str, ...], letters: Path, log: IO[bytes]
    ) -> None:
        """`letters` is the Maildir into which the relay puts what it takes."""
        self.home = folder
        self._inside = inside
        self._log = log
        self._socket = folder / "lmtp"
        self._server: subprocess.Popen[bytes] | None = None
        self.home.mkdir(mode=0o700)
        self._relay = subprocess.Popen(
            [*inside, sys.executable, "-m", "tests.chaos.postbox", str(letters)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=ROOT,
        )

    def configure(self, address: str, store: str) -> None:
        """Write the configuration."""
        assert self._relay.stdout
        port = int(self._relay.stdout.readline())
        (self.home / "pbm_oust.toml").write_text(
            f'address = "{address}"\nstore = "{store}"\nrelay = "smtp://127.0.0.1:{port}"\n'
            f'smtp = ""\nlmtp = "unix:{self._socket}"\n{UNLIMITED_TABLE}'
        )

    def start(self) -> None:
        """Start the server."""
        self._server = self.begin("serve")

    def begin(self, *words: str, given: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start a command line on the host, with this standard input."""
        return subprocess.Popen(
            [*self._inside, PROGRAM, "--home", str(self.home), *words],
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            cwd=ROOT,
        )

    def connect(self, host: str, seconds: float) -> smtplib.SMTP:
        """Return a connection to the server. Raises OSError."""
        smtp = smtplib.LMTP("", local_hostname="localhost", timeout=seconds)
        return greeted(smtp, smtp.connect(str(self._socket)), host)

    def is_ready(self, host: str) -> bool:
        """Return whether the server takes mail."""
        with suppress(OSError), self.connect(host, seconds=10):
            return True
        return False

    def check_alive(self) -> None:
        """Raise Broken if the server has ended by itself."""
        status = self._server.poll() if self._server else None
        if status is not None:
            raise Broken(f"a server ended with status {status}; see {self._log.name}")

    def kill(self) -> None:
        """Kill the server."""
        if self._server:
            self._server.kill()
            self._server.wait(PATIENCE)

    def stop(self) -> int:
        """Tell the server to stop, and return its exit status."""
        assert self._server
        self._server.send_signal(signal.SIGTERM)
        status = self._server.wait(PATIENCE)
        self._server = None
        return status

    def flush(self) -> None:
        """Let the letters leave that still wait, of all hosts. Raises Broken."""
        status = self.begin("outbox", "flush").wait(PATIENCE)
        if status:
            raise Broken(f"outbox flush ended with status {status}; see {self._log.name}")

    def close(self) -> None:
        """Kill what still runs."""
        self.kill()
        self._relay.communicate()
