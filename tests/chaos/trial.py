"""The server on trial: started, killed, its power cut, and started again on the same home."""

import os
import re
import secrets
import signal
import smtplib
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from random import Random

from tests.chaos.launcher import Build
from tests.chaos.ledger import Broken, Ledger, greeted
from tests.chaos.mains import Mains
from tests.support.limits import UNLIMITED_TABLE
from tests.support.processes import children_of, processes_of
from tests.support.waiting import PATIENCE, has_news

ROOT = Path(__file__).parents[2]
PROGRAM = str(Path(sys.executable).with_name("pbm-oust"))
SHARED_MEMORY = "pbm_oust.db-shm"
"""What processes that use the database share besides; it holds nothing that has to last."""
LONGEST_FUSE = 30
"""Steps of the disk: about as many as two moves take."""
SHARE_OF_SENDERS = 0.3
"""How often a kill without a cut is one of the sender alone."""
STEPS_OF_DELIVER = 20
SECONDS_OF_DELIVER = 0.3
"""What `deliver` takes for a mail, about."""
SECONDS_IN_VAIN = 15.0
"""How long to wait for what a build that is broken on purpose may have lost."""
_SECONDS_OF_A_FUSE = 10
"""How long to wait until somebody dies in the moment that such a build leaves; perhaps no mail that
leads there comes any more."""


class Trial:
    """A home in a folder, and the processes on it. `port` is where the server takes mail.

    `steady` is held by whoever needs the home to stay as it is when the power goes.
    """

    hosts = 1

    def __init__(
        self,
        folder: Path,
        ledger: Ledger,
        build: Build,
        power: bool,
        spared: str = "",
    ) -> None:
        """`power` is whether the power is to be cut, and `spared` as the launcher takes it."""
        self.histories_take = float(PATIENCE) if build is Build.SOUND else SECONDS_IN_VAIN
        self.letters_take = self.histories_take
        self.home = folder / "home"
        self.log = folder / "log"
        self.host = f"chaos-{secrets.token_hex(4)}.example.com"
        self.address = f"pbmserv@{self.host}"
        self.port: int | None = None
        self.steady = threading.RLock()
        self._folder = folder
        self._build = build
        self._spared = spared
        self._ledger = ledger
        self._deliveries = set[subprocess.Popen[bytes]]()
        self.home.mkdir()
        settings = self.home / "pbm_oust.toml"
        named = f'address = "{self.address}"\nsmtp = "127.0.0.1:0"\n'
        settings.write_text(named + UNLIMITED_TABLE)
        shared = self.home / SHARED_MEMORY
        mains = Mains(self.home, folder / "trace", but=settings, fleeting=shared)
        self._mains = mains if power else None
        self._log_file = self.log.open("ab")

    def start(self) -> None:
        """Start the server; `port` is known as soon as it listens."""
        self._server = subprocess.Popen(
            self._command(self._folder / "fuse", "serve"),
            stdout=subprocess.PIPE,
            stderr=self._log_file,
            cwd=ROOT,
        )
        threading.Thread(target=self._hear, args=(self._server,), daemon=True).start()

    def wait_until_ready(self) -> None:
        """Wait until the server listens. Raises Broken."""
        deadline = time.monotonic() + PATIENCE
        while self.port is None:
            self.check_alive()
            if time.monotonic() > deadline:
                raise Broken("the server does not start")
            time.sleep(0.005)

    def check_alive(self) -> None:
        """Raise Broken if the server has ended by itself."""
        if self._server.poll() is not None:
            raise Broken(f"the server ended with status {self._server.returncode}; see {self.log}")

    def kill(self, random: Random, cut: float | None) -> bool:
        """Kill the server; `cut` cuts the power too, with this chance for a step to be kept.

        With a trace, half of the time that is right behind some step of the disk.
        Now and then it is only the sender of letters. Returns whether the server has to be started
        again.
        """
        if cut is None and random.random() < SHARE_OF_SENDERS and self._kill_sender():
            return False
        has_moment = self._build is Build.EARLY_LINES and not self._mains
        if has_moment and self.port and not self._ledger.is_over:
            self._wait_for_the_moment()
        fuse = None
        if self._mains and random.random() < 0.5:
            fuse = self._folder / "fuse"
            fuse.write_text(str(random.randint(1, LONGEST_FUSE)))
        with self._mains.still(fuse) if self._mains else nullcontext(), self.steady:
            self._ledger.count("kills while serving" if self.port else "kills during start")
            self.port = None
            members = children_of(self._server.pid)
            # Who waits for the trace must not have it when whoever holds it is killed.
            for process in (self._server.pid, *members):
                _stop_process(process)
            if cut is not None:
                for delivery in self._deliveries:
                    self._kill_delivery(delivery)
            _kill(self._server)
            for member in members:
                _kill_process(member)
            if cut is not None and self._mains:
                undone = self._mains.cut(random, cut)
                self._ledger.count("power cuts")
                self._ledger.count("steps undone", undone)
        return True

    def _kill_sender(self) -> bool:
        """Kill the process that sends letters, which the server starts again; return whether."""
        with self._mains.still(None) if self._mains else nullcontext(), self.steady:
            if self.port is None or not (senders := processes_of(self._server.pid, "send")):
                return False
            for each in senders:
                _kill_process(each)
            self._ledger.count("kills of the sender")
        return True

    def deliver(self, sender: str, data: bytes, fuse: float | None = None) -> int:
        """Hand a mail to a process of `pbm-oust deliver`, and return its exit status.

        With a `fuse`, which is between 0 and 1, it is killed when it has taken about that share
        of its steps or, without a trace, of its time. It is also killed when the power goes.
        """
        path = self._folder / f"fuse-{threading.get_ident()}"
        if fuse and self._mains:
            path.write_text(str(1 + int(fuse * STEPS_OF_DELIVER)))
        with self.steady:
            process = subprocess.Popen(
                self._command(path, "deliver", "--sender", sender),
                stdin=subprocess.PIPE,
                stderr=self._log_file,
                cwd=ROOT,
            )
            self._deliveries.add(process)
        assert process.stdin
        with suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(data)
        if fuse and self._is_to_be_killed(process, path, fuse):
            self._kill_delivery(process)
        status = process.wait(PATIENCE)
        path.unlink(missing_ok=True)
        with self.steady:
            self._deliveries.remove(process)
        return status

    def connect(self, _host: int, seconds: float) -> smtplib.SMTP | None:
        """Return a connection to the server; None while it does not listen. Raises OSError."""
        if (port := self.port) is None:
            return None
        smtp = smtplib.SMTP(local_hostname="localhost", timeout=seconds)
        return greeted(smtp, smtp.connect("127.0.0.1", port), self.host)

    def history(self, kind: str, board: int) -> bytes | None:
        """Return the history of a board; None if there is none.

        A server that starts publishes again what a power cut took from the files.
        """
        end = time.monotonic() + self.histories_take
        path = self.home / kind / f"{board}.txt"
        while True:
            with self.steady:
                if self.port is not None or time.monotonic() > end:
                    return path.read_bytes() if path.exists() else None
            time.sleep(0.005)

    def board_with(self, kind: str, text: str) -> int | None:
        """Return a board of a kind in whose history a text stands."""
        with self.steady:
            for path in (self.home / kind).glob("[0-9]*.txt"):
                if text in path.read_text():
                    return int(path.stem)
        return None

    def letters(self) -> Iterator[str]:
        """Yield the letters that wait in the outbox."""
        with self.steady:
            for path in (self.home / "outbox").glob("new/*"):
                yield path.read_text()

    def stop(self) -> int:
        """Tell the server to stop, and return its exit status."""
        self._server.send_signal(signal.SIGTERM)
        return self._server.wait(PATIENCE)

    def close(self) -> None:
        """Kill what still runs."""
        members = children_of(self._server.pid)
        for process in (self._server, *self._deliveries):
            _kill(process)
        for member in members:
            _kill_process(member)
        self._log_file.close()
        if self._mains:
            self._mains.close()

    def _wait_for_the_moment(self) -> None:
        """Wait until the server stands still between its early lines and their commit."""
        fuse = self._folder / "fuse"
        fuse.write_text("1")
        deadline = time.monotonic() + _SECONDS_OF_A_FUSE
        while fuse.exists() and time.monotonic() < deadline:
            time.sleep(0.002)
        fuse.unlink(missing_ok=True)

    def _command(self, fuse: Path, *arguments: str) -> list[str]:
        """Return the command line that starts the build on trial."""
        program = [PROGRAM]
        if self._mains or self._build is not Build.SOUND:
            trace = str(self._folder / "trace") if self._mains else ""
            launcher = [sys.executable, "-m", "tests.chaos.launcher"]
            program = [*launcher, self._build.value, self._spared, trace, str(fuse)]
        return [*program, "--home", str(self.home), *arguments]

    def _hear(self, server: subprocess.Popen[bytes]) -> None:
        """Read where a server listens."""
        assert server.stdout
        with server.stdout as output:
            found = re.search(rb"at 127\.0\.0\.1:(\d+)", output.readline())
            with self.steady:
                if found and server is self._server and server.poll() is None:
                    self.port = int(found[1])
            output.read()

    def _kill_delivery(self, process: subprocess.Popen[bytes]) -> None:
        _kill(process)
        if process.returncode == -signal.SIGKILL:
            self._ledger.count("kills of deliver")

    def _is_to_be_killed(self, process: subprocess.Popen[bytes], path: Path, fuse: float) -> bool:
        """Return whether a process is still there when its fuse has burnt down."""
        deadline = time.monotonic() + (PATIENCE if self._mains else fuse * SECONDS_OF_DELIVER)
        while process.poll() is None and time.monotonic() < deadline:
            if self._mains and not path.exists():
                break
            time.sleep(0.002)
        return process.poll() is None


def _kill(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait(PATIENCE)


def _stop_process(process: int) -> None:
    """Let a process stand still, if it is there, and wait until it does."""
    with suppress(ProcessLookupError, FileNotFoundError):
        os.kill(process, signal.SIGSTOP)
        status, deadline = Path(f"/proc/{process}/stat"), time.monotonic() + PATIENCE
        while status.read_text().rpartition(") ")[2][0] not in "TZX":
            if time.monotonic() > deadline:
                raise Broken(f"process {process} does not stop")
            time.sleep(0.001)


def _kill_process(process: int) -> None:
    """Kill a process that somebody else has started, and wait until it is gone."""
    with suppress(ProcessLookupError):
        handle = os.pidfd_open(process)
        try:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            has_news(handle, PATIENCE)
        finally:
            os.close(handle)
