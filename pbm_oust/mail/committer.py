"""Group commit: mails that come in together are carried out in one transaction, with one sync."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any, TypeVar

from pbm_oust.store.database import MOST_TOGETHER, MakeDurable, Task, Transaction
from pbm_oust.store.home import Home

T = TypeVar("T")
_Waiting = tuple[Callable[[Transaction], Any], asyncio.Future[Any]]
"""Some work, and what is told that it is durable."""

MOST_IDLE = 20
"""After how many rounds of the loop without more work no more is awaited; they take less than a
millisecond."""


class Committer:
    """Does deeds in the thread of the sessions, and waits for the disk in another one.

    Two threads that compute hinder one another in Python; one that waits hinders nobody.
    """

    def __init__(self, home: Home, waiting: Executor) -> None:
        """Let the thread of `waiting` wait for the disk, and for others who write just now."""
        self._home = home
        self._executor = waiting
        self._waiting: list[_Waiting] = []
        """What is to be done next."""
        self._is_at_work = False

    async def done(self, work: Callable[[Transaction], T]) -> T:
        """Return what some work returns, once all that it wrote is durable.

        Raises what the work or the commit raises.
        """
        loop = asyncio.get_running_loop()
        over: asyncio.Future[T] = loop.create_future()
        self._waiting.append((work, over))
        if not self._is_at_work:
            self._is_at_work = True
            loop.call_soon(self._gather)
        return await over

    def _gather(self, before: int = 0, idle: int = 0) -> None:
        """Begin when no mail adds work any more; those in flight so share more commits."""
        idle = 0 if before < len(self._waiting) else idle + 1
        if idle < MOST_IDLE and len(self._waiting) < MOST_TOGETHER:
            asyncio.get_running_loop().call_soon(self._gather, len(self._waiting), idle)
        else:
            self._begin()

    def _begin(self) -> None:
        """Do what has gathered, and let it become durable."""
        taken, self._waiting = self._waiting, []
        works, database = [work for work, _ in taken], self._home.database
        try:
            begun = database.begin_to_write(works)
        except Exception as error:  # noqa: BLE001 - it is raised where the mails are handled
            self._end(taken, error)
            return
        loop, finish = asyncio.get_running_loop(), begun or partial(database.write_all, works)
        try:
            ended = self._executor.submit(_tried, finish)
        except RuntimeError:  # nobody waits for the disk any more: the server stops
            self._end(taken, _tried(finish))
            return
        ended.add_done_callback(
            lambda done: loop.call_soon_threadsafe(self._end, taken, done.result())
        )

    def _end(self, taken: list[_Waiting], done: "list[Task[Any]] | Exception") -> None:
        """Tell those who wait what became of their work, and begin with what has come since."""
        for nth, (_, over) in enumerate(taken):
            if over.cancelled():
                continue
            try:
                if isinstance(done, Exception):
                    raise done
                over.set_result(done[nth].result())
            except Exception as error:  # noqa: BLE001 - it is raised where the mail is handled
                over.set_exception(error)
        self._is_at_work = bool(self._waiting)
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._gather)


def _tried(finish: MakeDurable) -> "list[Task[Any]] | Exception":
    try:
        return finish()
    except Exception as error:  # noqa: BLE001 - it is raised where the mails are handled
        return error
