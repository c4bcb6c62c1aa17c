"""Pages of boards that need no reading, because nothing was written since they were answered."""

from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime

from pbm_oust.store.home import Home
from pbm_oust.store.latest import Latest
from pbm_oust.web.kept import MOST_BYTES, Made


@dataclass(frozen=True, slots=True)
class State:
    """What the page of a board depends on; while it is the same, the page is."""

    database: Hashable
    minute: datetime
    """Pages show clocks to the minute."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and how long a browser may keep it."""

    made: Made
    keeping: str


class Fresh:
    """The pages that were answered last, by what was asked for."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._latest = Latest[Hashable, tuple[State, Page]](
            MOST_BYTES, lambda known: len(known[1].made.content)
        )

    def state(self, now: datetime) -> State:
        """Return what the page of a board depends on, before anything of it is read."""
        return State(self._home.database.moment(), now.replace(second=0, microsecond=0))

    def find(self, asked: Hashable, state: State) -> Page | None:
        """Return the page that was answered, if it is still right."""
        known = self._latest.get(asked)
        return known[1] if known and known[0] == state else None

    def keep(self, asked: Hashable, state: State, page: Page) -> Page:
        """Keep a page that was made after a state was taken, and return it."""
        self._latest.put(asked, (state, page))
        return page
