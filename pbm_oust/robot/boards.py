"""Boards that wait for the house: it is to move there, or has been offered something."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from pbm_oust.accounts.account import HOUSE, is_house
from pbm_oust.accounts.clock import read_clock
from pbm_oust.board.game import Game
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.index import (
    BoardName,
    Entry,
    Part,
    State,
    boards_in,
    boards_of_player,
    count_in,
    find_analysis,
    progress_of,
)
from pbm_oust.store.open_boards import read_game


@dataclass(frozen=True, slots=True)
class Waiting:
    """A board that waits for a house player."""

    game: Game
    userid: str

    @property
    def is_offered(self) -> bool:
        """Whether the other player's offer is what waits."""
        return self.game.is_offered_to(self.game.side_of(self.userid))

    def seconds_left(self, now: datetime) -> float:
        """Return how many seconds there are until the deadline of the board."""
        # Only players who have a mail address go on vacation, and the turn is not theirs.
        return (read_clock(self.game, {}, now).deadline - now).total_seconds()


class Boards:
    """The boards of the house in a home, and what is known of them."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._progress = (0, 0)
        self._seen: dict[BoardName, tuple[int, Waiting | None]] = {}
        """How many records boards had when they were looked at, and how they waited then."""

    @property
    def names(self) -> frozenset[str]:
        """The names of the boards that went on when they were looked at last."""
        return frozenset(map(str, self._seen))

    def have_changed(self) -> bool:
        """Return whether anything has happened on boards of the house since this was asked."""
        before, self._progress = self._progress, self._home.ask(progress_of, HOUSE)
        return before != self._progress

    def waiting(self) -> Iterator[Waiting]:
        """Yield the boards that wait, those first that have waited longest."""
        return (waits for waits in self.looked_at() if waits)

    def looked_at(self) -> Iterator[Waiting | None]:
        """Yield the same, and None after each look at a board that does not wait."""
        active = self._active()
        names = {entry.name for entry in active}
        self._seen = {name: seen for name, seen in self._seen.items() if name in names}
        for entry in active:
            records, waits = self._seen.get(entry.name, (-1, None))
            if records != entry.records:
                waits = self._look(entry.name)
                self._seen[entry.name] = entry.records, waits
            yield waits

    def settle(self, name: BoardName, records: int) -> None:
        """Leave a board alone until it has more records."""
        self._seen[name] = records, None

    def _active(self) -> list[Entry]:
        """Return all boards of the house that go on, those first where least happened lately."""
        found = [
            entry
            for userid in HOUSE
            for entry in self._home.ask(boards_of_player, userid, State.ACTIVE)
        ]
        return sorted(found, key=lambda entry: entry.latest)

    def _look(self, name: BoardName) -> Waiting | None:
        """Return a board as it waits for the house; None if it does not, or cannot be read."""
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(self._home, KINDS[name.kind], name.board)
            players = [each for each in (game.x, game.o) if self._is_house(each)]
            for userid in players if not game.result else ():
                waits = Waiting(game, userid)
                if waits.is_offered or game.player_to_move == userid:
                    return waits
        return None

    def _is_house(self, userid: str) -> bool:
        account = self._home.account(userid)
        return account is not None and is_house(account)


MOST_LOOKED_AT = 50
"""How many games of a kind are looked at: those that ended last."""


class Finished:
    """The games of a home that are over."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._numbers: list[int] = []

    def have_changed(self) -> bool:
        """Return whether games have ended since this was asked."""
        before = self._numbers
        self._numbers = [self._home.ask(count_in, kind, State.OVER) for kind in KINDS]
        return before != self._numbers

    def waiting(self, most_cells: int) -> Iterator[Game]:
        """Yield the games without an analysis on boards of at most so many cells.

        Of each kind, those come first that ended last.
        """
        for kind in KINDS:
            part = Part(MOST_LOOKED_AT)
            for entry in self._home.ask(boards_in, kind, (State.OVER,), part).entries:
                if self._is_wanted(entry, most_cells):
                    yield from self._read(entry)

    def _is_wanted(self, entry: Entry, most_cells: int) -> bool:
        is_void = entry.result is None or entry.result.how is How.VOID
        is_large = parse_grid(entry.grid).cells.bit_count() > most_cells
        return not (is_void or is_large or self._home.ask(find_analysis, entry.name))

    def _read(self, entry: Entry) -> Iterator[Game]:
        """Yield the game of an entry, if it can be read and is over."""
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(self._home, KINDS[entry.name.kind], entry.name.board)
            if game.result:
                yield game
