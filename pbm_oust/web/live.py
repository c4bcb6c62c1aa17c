"""News as they come: events that a server sends while somebody looks at a board, or at their own.

One task asks the index once a second about all that is looked at, however many look.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from msgspec import Struct

from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, find_entry, progress_of
from pbm_oust.store.ladders import position
from pbm_oust.store.tournaments import progress_of as progress_of_cup

log = logging.getLogger("pbm_oust")

MOST_WATCHING = 100
"""How many who only watch may look at once, and how many players beside them."""
MOST_WATCHING_OF_ONE = 20
"""How many of them may come from one host or network, or be pages of one player."""
LOOK_SECONDS = 1.0
"""How long between two looks at the index."""
HEARTBEAT_SECONDS = 20.0
"""After so long without news a comment is sent, so that nothing between us hangs up."""


Watched = BoardName | tuple[str, int | None] | str
"""A board; a tournament by its game and number, or the ladder of a game; or the userid of a player
with all their boards in play."""


class Looker(Struct, frozen=True):
    """Who looks: a player at their own pages, by their userid, or anybody at a host or network."""

    name: str
    is_player: bool = False


class TooManyWatch(Exception):
    """As many look as may at once."""


class _News:
    """What is told of something that somebody looks at."""

    def __init__(self) -> None:
        self.state: str | None = None
        """What differs after each record; None if nobody has looked, or the board is gone."""
        self.watching = 0
        self.changed = asyncio.Event()

    def tell(self, state: str | None) -> None:
        """Wake up those who look."""
        self.state = state
        self.changed.set()
        self.changed = asyncio.Event()


class Live:
    """What somebody looks at in a home. It belongs to one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._watched: dict[Watched, _News] = {}
        self._lookers = Counter[Looker]()
        self._looking: asyncio.Task[None] | None = None
        self._is_over = False

    def events(self, name: Watched, looker: Looker) -> AsyncIterator[str]:
        """Yield events that each tell the state of something, the first one at once.

        Of a board that is how many records it has. Raises TooManyWatch, before the first one.
        """
        alike = [each for each in self._lookers.elements() if each.is_player is looker.is_player]
        if alike.count(looker) >= MOST_WATCHING_OF_ONE or len(alike) >= MOST_WATCHING:
            raise TooManyWatch
        return self._events(name, looker)

    def end(self) -> None:
        """End all events."""
        self._is_over = True
        for each in self._watched.values():
            each.tell(each.state)

    async def _events(self, name: Watched, looker: Looker) -> AsyncIterator[str]:
        with self._watching(name, looker) as news:
            if news.state is None:
                found = await self._look([name])
                if news.state is None:  # others may have looked meanwhile
                    news.tell(found[name])
            told = None
            while not self._is_over:
                changed, state = news.changed, news.state
                yield ":\n\n" if told == state else f"data: {state}\n\n"
                told = state
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), HEARTBEAT_SECONDS)

    @contextmanager
    def _watching(self, name: Watched, looker: Looker) -> Iterator[_News]:
        """Count somebody who looks."""
        news = self._watched.get(name) or _News()
        self._watched[name] = news
        news.watching += 1
        self._lookers[looker] += 1
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())
        try:
            yield news
        finally:
            news.watching -= 1
            self._lookers -= Counter([looker])  # who is at zero is gone
            if not news.watching:
                del self._watched[name]

    async def _look_on(self) -> None:
        """Look at the index as long as anybody looks at something."""
        while self._watched:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                found = await self._look(list(self._watched))
            except DatabaseFault as fault:
                log.warning("no news of boards: %s", fault)
                continue
            for name, state in found.items():
                news = self._watched.get(name)
                if news and news.state != state:
                    news.tell(state)
        self._looking = None

    async def _look(self, names: list[Watched]) -> dict[Watched, str | None]:
        """Return the states of what is looked at. Nobody else waits for the database meanwhile."""
        return await asyncio.to_thread(
            self._home.ask, lambda snapshot: {name: state_of(snapshot, name) for name in names}
        )


def state_of(snapshot: Snapshot, name: Watched) -> str | None:
    """Return what differs after each record of a board, or on the boards of a player.

    Of a tournament or a ladder it differs after the beginning and the end of each game. None if
    there is no such board.
    """
    if isinstance(name, BoardName):
        entry = find_entry(snapshot, name)
        return str(entry.records) if entry else None
    if isinstance(name, str):
        progress = progress_of(snapshot, [name])
    else:
        kind, number = name
        progress = progress_of_cup(snapshot, kind, number) if number else position(snapshot, kind)
    return ".".join(str(each or 0) for each in progress or ())
