"""A whole trial: tables that play, a server that is killed meanwhile, the verdict at the end."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.chaos.clients import Client, GivenUp
from tests.chaos.launcher import Build
from tests.chaos.ledger import Broken, Enough, Kind, Ledger, Mail, Player
from tests.chaos.players import SETTINGS, tables
from tests.chaos.power import WrongTrace
from tests.chaos.trial import Trial
from tests.chaos.verdict import Verdict, judge

if TYPE_CHECKING:
    from tests.chaos.cluster import Cluster

    Stage = Trial | Cluster

SHARES = (None, None, 0.0, 0.0, 0.5, 0.8, 1.0)
"""What a kill does to the power: nothing, or a cut, with the chance of each step to be kept that is
not durable. The first kill and the last one keep none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a trial is to be: so many mails and kills of the server, and at most so many minutes."""

    mails: int
    kills: int
    seed: int = 1
    power: bool = False
    build: Build = Build.SOUND
    spared: str = ""
    """Which syncs the build without syncs leaves out: those of paths in which this is found."""
    minutes: float = 60
    tables: int = len(SETTINGS)
    hosts: int = 1
    """With several hosts the kills are failures of whatever there is."""


@dataclass(frozen=True, slots=True)
class Kill:
    """A kill that is due when so many mails are acknowledged, and then waits so many seconds."""

    due: int
    delay: float
    is_at_start: bool = False
    """Whether it comes while the server starts after the kill before."""
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a trial went. `fault` says why it could not be carried through, where that is so."""

    plan: Plan
    ledger: Ledger
    verdict: Verdict
    seconds: float
    fault: str = ""

    @property
    def is_right(self) -> bool:
        """Whether the trial was carried through and everything is as it has to be."""
        return not self.fault and self.verdict.is_right


def conduct(
    plan: Plan, folder: Path, progress: Callable[[Ledger], None] = lambda _ledger: None
) -> Ending:
    """Carry out a trial in a folder; `progress` is called all the time."""
    begun = time.monotonic()
    ledger = Ledger(plan.mails - 1)
    stage = _stage(plan, folder, ledger)
    conductor = Conductor(plan, stage, ledger, progress, deadline=begun + 60 * plan.minutes)
    fault = ""
    try:
        stage.start()
        conductor.play()
        conductor.end()
    except (Broken, GivenUp, Enough, WrongTrace) as error:
        fault = f"{type(error).__name__}: {error}"
    finally:
        stage.close()
    verdict = judge(stage.home, stage.log, ledger.mails)
    return Ending(plan, ledger, verdict, time.monotonic() - begun, fault)


def _stage(plan: Plan, folder: Path, ledger: Ledger) -> "Stage":
    """Return what the trial is played on. Without several hosts it needs no PostgreSQL."""
    if plan.hosts > 1:
        from tests.chaos.cluster import Cluster

        return Cluster(folder, ledger, plan.hosts)
    return Trial(folder, ledger, plan.build, plan.power, plan.spared)


class Conductor:
    """Lets the tables play and kills the server meanwhile."""

    def __init__(
        self,
        plan: Plan,
        stage: "Stage",
        ledger: Ledger,
        progress: Callable[[Ledger], None],
        deadline: float,
    ) -> None:
        self._plan = plan
        self._stage = stage
        self._ledger = ledger
        self._progress = progress
        self._deadline = deadline
        self._random = Random(plan.seed)
        self._kills = planned_kills(plan, self._random)
        self._done = 0
        ledger.hold_back_when(self._is_late)

    def play(self) -> None:
        """Play until all mails but the last are acknowledged, and all kills but the last done."""
        seats = tables(self._plan.tables, self._client, self._plan.seed)
        with ThreadPoolExecutor(len(seats)) as pool:
            playing = [pool.submit(seat.play) for seat in seats]
            try:
                for kill in self._kills[:-1]:
                    self._wait_until_due(kill, playing)
                    self._kill(kill)
                self._stage.wait_until_ready()
                while not all(future.done() for future in playing):
                    self._look_after(playing)
                    time.sleep(0.05)
            finally:
                self._ledger.end()
        for future in playing:
            future.result()

    def end(self) -> None:
        """Kill the server once more, send a last mail, and let the server stop."""
        for kill in self._kills[-1:]:
            self._kill(kill)
        self._stage.wait_until_ready()
        self._ledger.reopen()
        player = Player("last", "Pw-last")
        host = self._stage.host
        mail = Mail(Kind.LOOK, player, player, "help", f"<last@{host}>", "marker-last-marker")
        self._client(self._random).send(mail)
        status = self._stage.stop()
        if status != 0:
            raise Broken(f"the server stopped with status {status}; see {self._stage.log}")

    def _client(self, random: Random) -> Client:
        return Client(self._stage, self._ledger, random)

    def _wait_until_due(self, kill: Kill, playing: list[Future[None]]) -> None:
        if not kill.is_at_start:
            self._stage.wait_until_ready()
        while self._ledger.acknowledged < kill.due and not all(each.done() for each in playing):
            self._look_after(playing, kill.due)
        time.sleep(kill.delay)

    def _kill(self, kill: Kill) -> None:
        if self._stage.kill(self._random, kill.share):
            self._stage.start()
        self._done += 1
        self._ledger.tell()

    def _look_after(self, playing: list[Future[None]], due: int = 0) -> None:
        """Wait a moment for mails. Raises Broken where something has gone wrong meanwhile."""
        self._ledger.wait(due or self._ledger.wanted, seconds=0.2)
        self._progress(self._ledger)
        self._stage.check_alive()
        for future in playing:
            if future.done():
                future.result()
        if time.monotonic() > self._deadline:
            raise Broken("the time is over")

    def _is_late(self, acknowledged: int) -> bool:
        """Return whether more kills are due than one."""
        return sum(kill.due <= acknowledged for kill in self._kills[:-1]) > self._done + 1


def planned_kills(plan: Plan, random: Random) -> list[Kill]:
    """Return the kills of a trial, spread over its mails; the last one comes after all of them."""
    last = plan.kills - 1
    at_start = [0 < nth < last and random.random() < 0.2 for nth in range(plan.kills)]
    spread = (plan.mails - 1) / max(at_start.count(False) - 1, 1)
    kills: list[Kill] = []
    for nth, is_at_start in enumerate(at_start):
        due = int((at_start[:nth].count(False) + random.uniform(0.4, 0.9)) * spread)
        share = 0.0 if nth in (0, last) else random.choice(SHARES)
        kills.append(
            Kill(
                due=kills[-1].due if is_at_start else due,
                delay=random.uniform(0, 0.2),
                is_at_start=is_at_start,
                share=share if plan.power else None,
            )
        )
    return kills
