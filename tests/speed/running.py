"""Runs of the server and of the one that drops each mail, with the same mails and connections."""

import json
import os
import shutil
import smtplib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TypeVar

from pbm_oust.store.home import Home
from pbm_oust.store.letters import first_due
from tests.speed.homes import PASSED, WARMING, Form, all_played, configure, make_home
from tests.speed.load import Message
from tests.support.server import PROGRAM, logging_into
from tests.support.sink import listening_sink
from tests.support.website import website

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
NOWHERE = "smtp://127.0.0.1:1"
"""A relay that nobody is at, so that letters wait."""
LOOK_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Shape:
    """How mails come: over so many connections at once, so many over each."""

    connections: int
    each: int

    def __str__(self) -> str:
        return f"{self.connections} x {self.each}"

    def shared(self, servers: int) -> "Shape":
        """Return the part of each of so many servers."""
        return Shape(-(-self.connections // servers), self.each)


SHAPES = (Shape(8, 1), Shape(32, 20))


@dataclass(frozen=True, slots=True)
class Run:
    """How a run went."""

    mails: int
    seconds: float
    waits: tuple[float, ...]
    """Seconds from the end of each mail to the reply."""
    processor: float
    """Seconds of processor time of the server."""

    @property
    def rate(self) -> float:
        """Mails a second."""
        return self.mails / self.seconds

    @property
    def late(self) -> float:
        """The 99th percentile of the waits, in seconds."""
        return sorted(self.waits)[int(len(self.waits) * 0.99)]


class Ground:
    """A folder with a home for each form, copied for each run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._homes: dict[Form, Path] = {}
        self._numbers = count()

    def null(self, shape: Shape, mails: int) -> Run:
        """Let the server that drops each mail take so many."""
        command = [sys.executable, "-m", "tests.speed.null"]
        with logging_into(self._folder / "null.log", command) as (process, port):
            boards = self._mails(Form.PASSWORD, mails, skipped=WARMING)
            return self._sent(process, port, shape, boards)

    def moves(self, shape: Shape, mails: int, form: Form, *options: str) -> Run:
        """Let the server make so many moves while letters wait, on a home of its own."""
        with self._serving(form, NOWHERE, options) as (_, process, port):
            return self._sent(process, port, shape, self._mails(form, mails, skipped=WARMING))

    def visited(self, mails: int, form: Form, rate: float, visit: Callable[[int], T]) -> list[T]:
        """Return what visits of its pages found, while so many moves a second came in by mail."""
        with (
            self._serving(form, NOWHERE, ()) as (home, process, port),
            website(home.path) as pages,
        ):
            boards = self._mails(form, mails, skipped=WARMING)
            with ThreadPoolExecutor(1) as pool:
                sending = pool.submit(self._sent, process, port, SHAPES[0], boards, rate)
                found = []
                while not sending.done():
                    found.append(visit(pages.port))
                sending.result()
            return found

    def rate_with_letters(self, shape: Shape, mails: int, form: Form, *options: str) -> float:
        """Return how many moves a second the server makes until their letters have left too.

        That is the rate at which the outbox neither grows nor shrinks.
        """
        command = [sys.executable, "-m", "tests.speed.relay"]
        with logging_into(self._folder / "relay.log", command) as (_, at):
            relay = f"smtp://127.0.0.1:{at}"
            with self._serving(form, relay, options) as (home, process, port):
                _wait_for_letters(home)
                run = self._sent(process, port, shape, self._mails(form, mails, skipped=WARMING))
                return mails / (run.seconds + _wait_for_letters(home))

    def ways_to_relay(self, mails: int, form: Form) -> list[float]:
        """Return the seconds from the 250 for each of some moves until both letters have left.

        The moves are made one after the other, at a relay that answers at once.
        """
        with (
            listening_sink() as (sink, relay),
            self._serving(form, f"smtp://{relay}", ()) as served,
        ):
            home, _, port = served
            _wait_for_letters(home)
            waits = list[float]()
            for board in self._mails(form, mails, skipped=WARMING)[:mails]:
                before = len(sink.taken)
                with smtplib.SMTP("127.0.0.1", port) as smtp:
                    # The content has its dots doubled already, and the dot at its end.
                    content = board[0].content.removesuffix(".\r\n")
                    smtp.sendmail(board[0].sender, [board[0].recipient], content)
                taken = time.perf_counter()
                sink.wait_for(before + 2)
                waits.append(time.perf_counter() - taken)
                _wait_for_letters(home)
            return waits

    @contextmanager
    def _serving(
        self, form: Form, relay: str, options: Sequence[str]
    ) -> Iterator[tuple[Home, subprocess.Popen[str], int]]:
        """Run a server that is warmed up, on a home of its own; give both and the port."""
        path = self._folder / f"home{next(self._numbers)}"
        shutil.copytree(self._home(form), path)
        configure(path, relay)
        home = Home(path)
        command = [PROGRAM, "--home", str(path), "serve", "--smtp", "127.0.0.1:0", *options]
        try:
            with logging_into(self._folder / "serve.log", command) as (process, port):
                warming = self._mails(form, WARMING * len(all_played()))
                self._sent(process, port, SHAPES[0], warming)
                yield home, process, port
        finally:
            home.database.close()
            shutil.rmtree(path)

    def _home(self, form: Form) -> Path:
        """Return a home where players write in some way; each is made once."""
        if form not in self._homes:
            self._homes[form] = self._folder / form.value
            make_home(self._homes[form], form, relay=NOWHERE).database.close()
        return self._homes[form]

    def _mails(self, form: Form, mails: int, skipped: int = 0) -> list[list[Message]]:
        """Return so many mails, of all boards in turn, after some that are skipped."""
        home = Home(self._home(form))
        found = mails_of(form, mails, skipped, home)
        home.database.close()
        return found

    def _sent(
        self,
        process: subprocess.Popen[str],
        port: int,
        shape: Shape,
        boards: list[list[Message]],
        rate: float = 0,
    ) -> Run:
        """Send the mails of some boards, at a rate if one is given.

        Raises RuntimeError if one is refused.
        """
        return send(process.pid, port, shape, boards, self._folder / "mails.json", rate)


def mails_of(
    form: Form, mails: int, skipped: int = 0, home: Home | None = None
) -> list[list[Message]]:
    """Return so many mails, of all boards in turn, after some that are skipped.

    Those to the address of a letter are for a home.
    """
    boards = all_played()
    each = -(-mails // len(boards))
    first = PASSED + 1 + skipped
    return [[board.mail(nth, home, form) for nth in range(first, first + each)] for board in boards]


def send(
    process: int,
    port: int,
    shape: Shape,
    boards: list[list[Message]],
    file: Path,
    rate: float = 0,
) -> Run:
    """Send the mails of some boards to a server, at a rate if one is given.

    They are handed over in a file. Raises RuntimeError if one is refused.
    """
    rows = [[(mail.sender, mail.recipient, mail.content) for mail in board] for board in boards]
    file.write_text(json.dumps(rows))
    before = processor_time(process)
    command = [sys.executable, "-m", "tests.speed.load", str(port)]
    done = subprocess.run(
        [*command, str(shape.connections), str(shape.each), str(file), str(rate)],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    spent = processor_time(process) - before
    found = json.loads(done.stdout)
    if found["refused"]:
        raise RuntimeError(f"{len(found['refused'])} refused: {found['refused'][0]}")
    if found["put_off"]:
        print(f"{found['put_off']} mails were put off and sent again", file=sys.stderr)
    return Run(len(found["waits"]), found["seconds"], tuple(found["waits"]), spent)


def _wait_for_letters(home: Home) -> float:
    """Wait until no letter waits; return for how many seconds."""
    begun = time.perf_counter()
    while home.ask(first_due):
        time.sleep(LOOK_SECONDS)
    return time.perf_counter() - begun


def processor_time(pid: int) -> float:
    """Return the seconds of processor time that a process and those that it started have had.

    It is 0 for a process that is gone; its parent has that time then.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(processor_time, map(int, children)))


def median(numbers: list[float]) -> float:
    """Return the median of some figures."""
    return statistics.median(numbers)
