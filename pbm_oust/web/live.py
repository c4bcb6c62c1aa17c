"""News of boards as they come: events that a server sends while somebody looks at a board.

One task asks the index once a second about all boards that are looked at, however many look.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, find_entry

log = logging.getLogger("pbm_oust")

MOST_WATCHING = 100
"""How many may look at once."""
MOST_WATCHING_OF_ONE = 20
"""How many of them may come from one host or network."""
LOOK_SECONDS = 1.0
"""How long between two looks at the index."""
HEARTBEAT_SECONDS = 20.0
"""After so long without news a comment is sent, so that nothing between us hangs up."""


class TooManyWatch(Exception):
    """As many look at boards as may at once."""


class _Watched:
    """A board that somebody looks at."""

    def __init__(self) -> None:
        self.records: int | None = None
        """How many there are; None if nobody has looked, or the board is gone."""
        self.watching = 0
        self.changed = asyncio.Event()

    def tell(self, records: int | None) -> None:
        """Wake up those who look."""
        self.records = records
        self.changed.set()
        self.changed = asyncio.Event()


class Live:
    """The boards of a home that somebody looks at. It belongs to one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._watched: dict[BoardName, _Watched] = {}
        self._sources = Counter[str]()
        self._looking: asyncio.Task[None] | None = None
        self._is_over = False

    def events(self, name: BoardName, source: str) -> AsyncIterator[str]:
        """Yield events that each tell how many records a board has, the first one at once.

        `source` is where whoever looks is. Raises TooManyWatch, before the first one.
        """
        is_one_too_many = self._sources[source] >= MOST_WATCHING_OF_ONE
        if is_one_too_many or self._sources.total() >= MOST_WATCHING:
            raise TooManyWatch
        return self._events(name, source)

    def end(self) -> None:
        """End the events of all boards."""
        self._is_over = True
        for each in self._watched.values():
            each.tell(each.records)

    async def _events(self, name: BoardName, source: str) -> AsyncIterator[str]:
        with self._watching(name, source) as watched:
            if watched.records is None:
                found = await self._look([name])
                if watched.records is None:  # others may have looked meanwhile
                    watched.tell(found[name])
            told = None
            while not self._is_over:
                changed, records = watched.changed, watched.records
                yield ":\n\n" if told == records else f"data: {records}\n\n"
                told = records
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)

    @contextmanager
    def _watching(self, name: BoardName, source: str) -> Iterator[_Watched]:
        """Count somebody who looks at a board."""
        watched = self._watched.get(name) or _Watched()
        self._watched[name] = watched
        watched.watching += 1
        self._sources[source] += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())
        try:
            yield watched
        finally:
            watched.watching -= 1
            self._sources -= Counter([source])  # who is at zero is gone
            if not watched.watching:
                del self._watched[name]

    async def _look_on(self) -> None:
        """Look at the index as long as anybody looks at a board."""
        while self._watched:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                found = await self._look(list(self._watched))
            except DatabaseFault as fault:
                log.warning("no news of boards: %s", fault)
                continue
            for name, records in found.items():
                watched = self._watched.get(name)
                if watched and watched.records != records:
                    watched.tell(records)
        self._looking = None

    async def _look(self, names: list[BoardName]) -> dict[BoardName, int | None]:
        """Return how many records boards have. Nobody else waits for the database meanwhile."""

        def question(snapshot: Snapshot) -> dict[BoardName, int | None]:
            return {
                name: entry.records if (entry := find_entry(snapshot, name)) else None
                for name in names
            }

        return await asyncio.to_thread(self._home.ask, question)
