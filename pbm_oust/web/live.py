"""News as they come: events that a server sends while somebody looks at a board, or at their own.

One task asks the index once a second about all that is looked at, however many look.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from operator import attrgetter

from msgspec import Struct

from pbm_oust.store.database import Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, find_entry, progress_of
from pbm_oust.store.ladders import position
from pbm_oust.store.tournaments import progress_of as progress_of_cup

log = logging.getLogger("pbm_oust")

MOST_WATCHING = 100
"""How many pages of those who only watch may be live at once, and how many of players."""
MOST_WATCHING_OF_ONE = 20
"""How many of them one player may have, or those who only watch from one host or network."""
LOOK_SECONDS = 1.0
"""How long between two looks at the index."""
HEARTBEAT_SECONDS = 20.0
"""After so long without news a comment is sent, so that nothing between us hangs up."""


Watched = BoardName | tuple[str, int | None] | str
"""A board; a tournament by its game and number, or the ladder of a game; or the userid of a player
with all their boards in play."""


class Looker(Struct, frozen=True):
    """A reader of live pages: a player at their own, or anybody; with their host or network."""

    source: str
    userid: str = ""
    """Empty for anybody."""

    @property
    def name(self) -> str:
        """The name that tells them from others: a player's userid, or the source of anybody."""
        return self.userid or self.source


class TooManyWatch(Exception):
    """As many look as may at once."""


class _News:
    """The state of something that somebody looks at, told to all who do."""

    def __init__(self) -> None:
        self.state: str | None = None
        """The state after the latest record; None if nobody has looked, or the board is gone."""
        self.watching = 0
        self.changed = asyncio.Event()

    def tell(self, state: str | None) -> None:
        """Wake up those who look."""
        self.state = state
        self.changed.set()
        self.changed = asyncio.Event()


class _Page:
    """A page that is live."""

    def __init__(self, looker: Looker) -> None:
        self.looker = looker
        self.news: _News | None = None
        """The news that it waits for, once it has begun."""
        self.is_over = False

    def end(self) -> None:
        """Let its events end."""
        self.is_over = True
        if self.news:
            self.news.tell(self.news.state)


class Live:
    """The live pages of a home, in one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._watched: dict[Watched, _News] = {}
        self._pages: list[_Page] = []
        """The pages that have begun, the oldest first."""
        self._looking: asyncio.Task[None] | None = None
        self._is_over = False

    def events(self, name: Watched, looker: Looker) -> AsyncIterator[str]:
        """Yield events that each tell the state of something, the first one at once.

        Of a board that is how many records it has. Raises TooManyWatch, before the first one.
        """
        alike = [each for each in self._pages if bool(each.looker.userid) is bool(looker.userid)]
        if sum(each.looker.name == looker.name for each in alike) >= MOST_WATCHING_OF_ONE:
            raise TooManyWatch
        if len(alike) >= MOST_WATCHING:
            self._end_one(alike, looker)
        return self._events(name, _Page(looker))

    def _end_one(self, alike: list[_Page], looker: Looker) -> None:
        """End the oldest page of the host, or else of the player, that has most of them.

        Raises TooManyWatch if nobody has more pages than somebody with those of a looker and one.
        """
        for of in (attrgetter("source"), attrgetter("name")):
            held = Counter[str](of(each.looker) for each in alike)
            (name, most) = held.most_common(1)[0]
            if most > held[of(looker)] + 1:
                first = next(each for each in alike if of(each.looker) == name)
                self._pages.remove(first)
                first.end()
                return
        raise TooManyWatch

    def end(self) -> None:
        """End all events."""
        self._is_over = True
        for each in self._watched.values():
            each.tell(each.state)

    async def _events(self, name: Watched, page: _Page) -> AsyncIterator[str]:
        with self._watching(name, page) as news:
            if news.state is None:
                found = await self._look([name])
                if news.state is None:  # others may have looked meanwhile
                    news.tell(found[name])
            told = None
            while not (self._is_over or page.is_over):
                changed, state = news.changed, news.state
                yield ":\n\n" if told == state else f"data: {state}\n\n"
                told = state
                with suppress(TimeoutError):
                    async with asyncio.timeout(HEARTBEAT_SECONDS):
                        await changed.wait()

    @contextmanager
    def _watching(self, name: Watched, page: _Page) -> Iterator[_News]:
        """Count a page that is live."""
        news = page.news = self._watched.get(name) or _News()
        self._watched[name] = news
        news.watching += 1
        self._pages.append(page)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on())
        try:
            yield news
        finally:
            news.watching -= 1
            if page in self._pages:
                self._pages.remove(page)
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
    """Return a text that is another one after each record of a board, or of a player's boards.

    For a tournament or a ladder, it is another one after the beginning and the end of each game.
    None if there is no such board.
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
