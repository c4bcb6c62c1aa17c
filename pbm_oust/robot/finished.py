"""Games that are over and wait for an analysis, which the house makes when nothing else waits."""

from collections.abc import Iterator
from contextlib import suppress

from pbm_oust.board.game import Game
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.grid import parse_grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How
from pbm_oust.store.analyses import has_analysis
from pbm_oust.store.board_pages import Part, boards_in
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.entries import Entry, State
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game

MOST_LOOKED_AT = 50
"""How many games of a kind are looked at: those that ended last."""

NONE = Part(0)


class Finished:
    """The games of a home that are over."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._numbers: list[int] = []

    def have_changed(self) -> bool:
        """Return whether games have ended since this was asked."""
        before = self._numbers
        self._numbers = [
            self._home.ask(boards_in, kind, (State.OVER,), NONE).count for kind in KINDS
        ]
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
        return not (is_void or is_large or self._home.ask(has_analysis, entry.name))

    def _read(self, entry: Entry) -> Iterator[Game]:
        """Yield the game of an entry, if it can be read and is over."""
        with suppress(DamagedHistory, NotAllowed):
            game = read_game(self._home, KINDS[entry.name.kind], entry.name.board)
            if game.result:
                yield game
