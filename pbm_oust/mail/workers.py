"""Workers that carry mails out: strangers wait for one another, and mails share commits."""

import asyncio
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, TypeVar

from pbm_oust.store.database import MOST_TOGETHER, Database, Task, Transaction

T = TypeVar("T")

WORKERS = 4
KINDNESS = 10
"""By how much those who hash passwords step back from the processor."""
MOST_UNPROVED = 5
"""So many mails that prove nothing lead to the slow worker."""
FORGOTTEN_AFTER = 12.0
"""Seconds after which one of them counts no more."""
TRUSTED_SECONDS = 3600.0
"""How long whoever has proved whose a mail is is trusted to go on so."""
MOST_ORIGINS = 10_000


class Workers(AbstractContextManager["Workers"]):
    """Workers for mails: usually one of several, or a slow one that also rests.

    Beside each there is a worker that hashes passwords, for whom no other mail waits. Where a mail
    comes from decides. One that proves whose it is makes up for one that does not.
    Used from one thread, that of the sessions.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._usual = ThreadPoolExecutor(WORKERS, "worker")
        self._slow = ThreadPoolExecutor(1, "slow worker")
        self._hashing = ThreadPoolExecutor(1, "hashing worker", _step_back)
        self._slow_hashing = ThreadPoolExecutor(1, "slow hashing worker", _step_back)
        self.committing = ThreadPoolExecutor(1, "committer")
        """Waits for the disk. Its thread is there from the beginning."""
        self.committing.submit(int).result()
        self._proved = OrderedDict[str, float]()
        """The origins whose latest mails proved whose they are, and when."""
        self._scores: dict[str, tuple[float, float]] = {}
        """By origin: how many mails without proof count, and when that was so."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for what has begun; what waits for the slow one is dropped, and comes again."""
        for dropped in (self._slow, self._slow_hashing):
            dropped.shutdown(wait=False, cancel_futures=True)
        for pool in (
            self._usual,
            self._hashing,
            self._slow,
            self._slow_hashing,
            self.committing,
        ):
            pool.shutdown()

    def submit(self, origin: str, work: Callable[[], T]) -> Future[T]:
        """Let a worker do some work that comes from somewhere."""
        return self._submit(origin, work, self._usual, self._slow)

    def hash(self, origin: str, work: Callable[[], T]) -> Future[T]:
        """Let a worker hash a password that comes from somewhere."""
        return self._submit(origin, work, self._hashing, self._slow_hashing)

    def _submit(
        self, origin: str, work: Callable[[], T], usual: Executor, slow: Executor
    ) -> Future[T]:
        if self._score(origin) < MOST_UNPROVED:
            return usual.submit(work)
        return slow.submit(_at_leisure, work)

    def is_trusted(self, origin: str) -> bool:
        """Return whether the latest mail from somewhere proved whose it is, not long ago."""
        return self._clock() < self._proved.get(origin, -TRUSTED_SECONDS) + TRUSTED_SECONDS

    def note(self, origin: str, is_proved: bool) -> None:
        """Note whether a mail from somewhere proved whose it is."""
        self._proved.pop(origin, None)
        if is_proved:
            self._proved[origin] = self._clock()
            if len(self._proved) > MOST_ORIGINS:
                self._proved.popitem(last=False)
        score = self._score(origin) + (-1 if is_proved else 1)
        self._scores.pop(origin, None)
        if score > 0:
            self._scores[origin] = min(score, 2.0 * MOST_UNPROVED), self._clock()
        if len(self._scores) > MOST_ORIGINS:
            del self._scores[next(iter(self._scores))]

    def _score(self, origin: str) -> float:
        score, at = self._scores.get(origin, (0.0, 0.0))
        return max(0.0, score - (self._clock() - at) / FORGOTTEN_AFTER)


def _at_leisure(work: Callable[[], T]) -> T:
    """Do some work, and leave the processor to others for as long as it took."""
    begun = time.monotonic()
    try:
        return work()
    finally:
        time.sleep(time.monotonic() - begun)


def _step_back() -> None:
    """Let other threads of the process have the processor first, unless all of it steps back more.

    Only root may take a step back again.
    """
    thread = threading.get_native_id()
    kindness = max(KINDNESS, os.getpriority(os.PRIO_PROCESS, thread))
    os.setpriority(os.PRIO_PROCESS, thread, kindness)


MOST_IDLE = 3
"""After how many rounds of the loop without more work no more is awaited; that takes no time."""


class Committer:
    """A gatherer of works, done in the thread of the sessions; another one waits for the disk.

    Two threads that compute hinder one another in Python; one that waits hinders nobody.
    """

    def __init__(self, database: Database, waiting: Executor) -> None:
        """Let the thread of `waiting` wait for the disk, and for others who write just now."""
        self._database = database
        self._executor = waiting
        self._gathered = list[Task[Any]]()
        """What is to be done next."""
        self._over = asyncio.Event()
        """The event that is set when that has its results."""
        self._is_at_work = False

    async def done(self, work: Callable[[Transaction], T]) -> T:
        """Return what some work returns, once all that it wrote is durable.

        Raises what the work or the commit raises.
        """
        task, over = Task(work), self._over
        self._gathered.append(task)
        if not self._is_at_work:
            self._is_at_work = True
            asyncio.get_running_loop().call_soon(self._gather)
        try:
            await over.wait()
        finally:
            task.cancel()  # if nobody waits any more, and nobody has begun with it
        return task.result()

    def _gather(self, before: int = 0, idle: int = 0) -> None:
        """Begin when no mail adds work any more; those in flight so share more commits."""
        idle = 0 if before < len(self._gathered) else idle + 1
        if idle < MOST_IDLE and len(self._gathered) < MOST_TOGETHER:
            asyncio.get_running_loop().call_soon(self._gather, len(self._gathered), idle)
        else:
            self._begin()

    def _begin(self) -> None:
        """Do what has gathered, and let it become durable."""
        tasks, self._gathered = self._gathered, []
        over, self._over = self._over, asyncio.Event()
        loop = asyncio.get_running_loop()
        self._database.enqueue(tasks)
        self._database.begin(tasks)
        try:
            finish = loop.run_in_executor(self._executor, self._database.finish, tasks)
            finish.add_done_callback(lambda _: self._end(over))
        except RuntimeError:  # nobody waits for the disk any more: the server stops
            self._database.finish(tasks)
            self._end(over)

    def _end(self, over: asyncio.Event) -> None:
        """Wake those whose work is over, and begin with what has come since."""
        over.set()
        self._is_at_work = bool(self._gathered)
        if self._gathered:
            asyncio.get_running_loop().call_soon(self._gather)
