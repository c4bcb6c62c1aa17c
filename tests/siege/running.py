"""The siege: honest players without attackers, then with them, and what became of it all."""

import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pbm_oust.store.home import Home
from tests.hostile.attack import MEGABYTE, resident
from tests.siege.honest import Table, address_of, password_of
from tests.siege.hostile import SENDERS, SESSIONS, VICTIMS
from tests.support.accounts import make_account
from tests.support.server import ADDRESS, PROGRAM, Server, logging_into

ROOT = Path(__file__).parents[2]
_FAULT = re.compile(r"^.*(?:fault in the program|Traceback|kept by the sender).*$", re.MULTILINE)
REST = 3.0
"""Seconds after the attack until memory is looked at."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a siege is."""

    mails: int = 10_000
    """How many bad mails come."""
    tables: int = 8
    pace: float = 3.0
    """Seconds between two moves at a table."""
    calm: float = 60.0
    """Seconds without attackers."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Waits:
    """How long honest moves waited for their 250."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median, in milliseconds."""
        return 1000 * statistics.median(self.seconds)

    @property
    def late(self) -> float:
        """The 99th percentile, in milliseconds."""
        return 1000 * sorted(self.seconds)[int(len(self.seconds) * 0.99)]


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a siege."""

    plan: Plan
    calm: Waits
    attacked: Waits
    replies: dict[str, int]
    """The replies to bad mails, by their codes."""
    idle: int
    """Bytes of memory before the attack."""
    peak: int
    after: int
    letters_to_victims: int
    lost: tuple[str, ...]
    """Honest moves that were acknowledged and are not in their histories."""
    faults: tuple[str, ...]
    """Lines of the log about faults of ours."""
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether every honest move is there, and nothing failed."""
        return not (self.lost or self.faults)

    def report(self) -> str:
        """Return the outcome as a table."""
        ratio = self.attacked.median / self.calm.median, self.attacked.late / self.calm.late
        rows = [
            ("honest moves without attackers", len(self.calm.seconds)),
            ("  median, ms", f"{self.calm.median:.0f}"),
            ("  99th percentile, ms", f"{self.calm.late:.0f}"),
            ("honest moves with attackers", len(self.attacked.seconds)),
            ("  median, ms", f"{self.attacked.median:.0f} ({ratio[0]:.2f} times)"),
            ("  99th percentile, ms", f"{self.attacked.late:.0f} ({ratio[1]:.2f} times)"),
            ("honest moves lost", len(self.lost)),
            ("bad mails", sum(self.replies.values())),
            *((f"  answered {code}", number) for code, number in self.replies.items()),
            ("bad mails a second", f"{sum(self.replies.values()) / self.seconds:.0f}"),
            ("letters to addresses that they chose", self.letters_to_victims),
            ("memory before, MB", f"{self.idle / MEGABYTE:.0f}"),
            ("  at most, MB", f"{self.peak / MEGABYTE:.0f}"),
            ("  afterwards, MB", f"{self.after / MEGABYTE:.0f}"),
            ("faults in the log", len(self.faults)),
        ]
        lines = [f"{what:<44}{found:>20}" for what, found in rows]
        found = [*self.lost, *self.faults]
        return "\n".join([*lines, *(found or ["all is as it has to be"])])


def conduct(plan: Plan, folder: Path, show: Callable[[str], None]) -> Ending:
    """Lay siege to a server with a home in a folder."""
    home = Home(folder / "home")
    home.prepare()
    log = folder / "log"
    command = [PROGRAM, "--home", str(home.path), "serve", "--address", ADDRESS]
    with logging_into(log, [*command, "--smtp", "127.0.0.1:0"]) as (process, port):
        server = Server(home.path, process, port)
        tables = [
            Table(number, Random(plan.seed + number), server.port, home)
            for number in range(plan.tables)
        ]
        for userid in (userid for table in tables for userid in table.players):
            make_account(home, userid, password_of(userid), address_of(userid))
        for table in tables:
            table.begin()
        show("without attackers")
        ends = time.monotonic() + plan.calm
        calm = _play(plan, tables, lambda: time.monotonic() < ends)
        idle = resident(server)
        show(f"{SENDERS + len(SESSIONS)} attackers")
        begun = time.monotonic()
        attackers = _attackers(server, plan)
        attacked = _play(plan, tables, lambda: attackers.poll() is None)
        seconds = time.monotonic() - begun
        replies = dict(line.split() for line in (attackers.communicate()[0]).splitlines())
        time.sleep(REST)
        peak, after = resident(server, "VmHWM"), resident(server)
    letters = server.letters_to(f"@{VICTIMS}")
    return Ending(
        plan,
        calm,
        attacked,
        {code: int(number) for code, number in replies.items()},
        idle,
        peak,
        after,
        len(letters),
        tuple(lost for table in tables for lost in _lost(home, table)),
        tuple(_FAULT.findall(log.read_text())),
        seconds,
    )


def _attackers(server: Server, plan: Plan) -> subprocess.Popen[str]:
    """Start the attackers, in a process of their own."""
    command = [sys.executable, "-m", "tests.siege.hostile"]
    numbers = map(str, (server.port, plan.mails, plan.seed))
    return subprocess.Popen([*command, *numbers], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _play(plan: Plan, tables: Sequence[Table], goes_on: Callable[[], bool]) -> Waits:
    """Let all tables play; return how long their moves waited."""
    with ThreadPoolExecutor(len(tables)) as threads:
        list(threads.map(lambda table: table.play(plan.pace, goes_on), tables))
    return Waits(tuple(wait for table in tables for wait in table.waits))


def _lost(home: Home, table: Table) -> list[str]:
    """Return the moves of a table that its history does not have, in their order."""
    name = f"oust {table.number + 1}"
    text = (home.path / "oust" / f"{table.number + 1}.txt").read_text()
    placed = re.findall(r"^ +\d+ [xo] ([A-Z]\d+) ", text, re.M)
    if placed == table.played:
        return []
    return [f"{name}: {len(table.played)} moves were acknowledged, {len(placed)} are there"]
