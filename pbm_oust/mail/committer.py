"""What mails do is committed together: one sync of the disk for all that are in flight."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from pbm_oust.store.commits import CannotDefer, Changed, MakeDurable
from pbm_oust.store.home import Home
from pbm_oust.store.unit import Unit
from pbm_oust.store.writing import MOST_TOGETHER

T = TypeVar("T")
_Waiting = tuple[Unit, asyncio.Future[None]]
"""A unit, and what tells that it is durable."""

MOST_IDLE = 20
"""After how many rounds of the loop without another unit no more is awaited; they take less than a
millisecond."""
MOST_ATTEMPTS = 10
"""How often a deed is done again here because others have changed what it read."""


class Committer:
    """Does deeds in the thread of the sessions, and waits for the disk in another one.

    Two threads that compute hinder one another in Python; one that waits hinders nobody.
    """

    def __init__(self, home: Home, waiting: Executor) -> None:
        """Let the thread of `waiting` wait for the disk."""
        self._home = home
        self._executor = waiting
        self._units: list[_Waiting] = []
        """What is to be committed next."""
        self._is_at_work = False

    async def done(self, deed: Callable[[], T]) -> T:
        """Return what a deed returns, once all that it wrote is durable.

        Raises what the deed or the commit raises, and CannotDefer for a deed that has to be done
        where it may wait itself.
        """
        for _ in range(MOST_ATTEMPTS):
            with self._home.commits.deferring() as units:
                result = deed()
            try:
                for unit in units:
                    await self._commit(unit)
            except Changed:
                continue
            return result
        raise CannotDefer

    async def _commit(self, unit: Unit) -> None:
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()
        self._units.append((unit, over))
        if not self._is_at_work:
            self._is_at_work = True
            loop.call_soon(self._gather)
        await over

    def _gather(self, before: int = 0, idle: int = 0) -> None:
        """Begin when no mail adds a unit any more; those in flight so share more commits."""
        idle = 0 if before < len(self._units) else idle + 1
        if idle < MOST_IDLE and len(self._units) < MOST_TOGETHER:
            asyncio.get_running_loop().call_soon(self._gather, len(self._units), idle)
        else:
            self._begin()

    def _begin(self) -> None:
        """Write what has gathered, and let it become durable."""
        taken, self._units = self._units, []
        try:
            make_durable = self._home.commits.begin([unit for unit, _ in taken])
        except Exception as error:  # noqa: BLE001 - it is raised where the mails are handled
            self._end(taken, [error] * len(taken))
            return
        loop = asyncio.get_running_loop()
        try:
            work = self._executor.submit(_result_of, make_durable, len(taken))
        except RuntimeError:  # nobody waits for the disk any more: the server stops
            self._end(taken, _result_of(make_durable, len(taken)))
            return
        work.add_done_callback(
            lambda done: loop.call_soon_threadsafe(self._end, taken, done.result())
        )

    def _end(
        self,
        taken: list[_Waiting],
        errors: list[Exception | None],
    ) -> None:
        for (_, over), error in zip(taken, errors, strict=True):
            if over.cancelled():
                continue
            if error:
                over.set_exception(error)
            else:
                over.set_result(None)
        self._is_at_work = bool(self._units)
        if self._units:
            asyncio.get_running_loop().call_soon(self._gather)


def _result_of(make_durable: MakeDurable, units: int) -> list[Exception | None]:
    try:
        return make_durable()
    except Exception as error:  # noqa: BLE001 - it is raised where the mails are handled
        return [error] * units
