"""The games of a home whose database cannot be read, from their histories alone.

Lines that wait in the database are missing then.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board.game import Game
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store import index
from pbm_oust.store.board_queries import boards_of_kind
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.entries import Entry, entry_of
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import DamagedHistory, read_game
from pbm_oust.store.waiting import BoardName

T = TypeVar("T")


class Salvage:
    """Reads the games of a home, with the database or without it.

    `warn` is called once, with the reason for reading without it.
    """

    def __init__(self, home: Home, warn: Callable[[DatabaseFault], None] | None = None) -> None:
        self._home = home
        self._warn = warn
        self._is_without_database = False

    def names(self, kind: str) -> list[BoardName]:
        """Return all boards of a kind, damaged or not, in order."""
        numbers = self._home.boards.histories.numbers
        return self._read(
            lambda: self._home.board_names(kind),
            lambda: [BoardName(kind, number) for number in numbers(kind)],
        )

    def game(self, kind: Kind, number: int) -> Game:
        """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self._read(
            lambda: read_game(self._home, kind, number),
            lambda: self._home.boards.read_file(kind, number).game,
        )

    def history(self, name: BoardName) -> bytes:
        """Return the history of a board. Raises NoSuchFile."""
        return self._read(
            lambda: self._home.history(name),
            lambda: self._home.boards.histories.read(name).data,
        )

    def entries(self, kind: Kind) -> Iterator[Entry | DamagedHistory]:
        """Yield what there is to say about each board of a kind, in order.

        Only the histories that the index does not fit are read.
        """
        fitting: dict[BoardName, Entry] = self._read(
            lambda: self._home.ask(self._fitting, kind.name), dict
        )
        for name in self.names(kind.name):
            try:
                yield fitting.get(name) or entry_of(self.game(kind, name.board), earliest_ruling)
            except NotAllowed:
                continue  # somebody has just removed it
            except DamagedHistory as damage:
                yield damage

    def _fitting(self, snapshot: Snapshot, kind: str) -> dict[BoardName, Entry]:
        stamps, histories = index.stamps_in(snapshot, kind), self._home.boards.histories
        entries = {each.name: each for each in boards_of_kind(snapshot, kind)}
        snapshot.foresee([partial(histories.stamp, name) for name in entries])
        return {
            name: each
            for name, each in entries.items()
            if stamps[name] == histories.stamp(name, snapshot)
        }

    def _read(self, by_database: Callable[[], T], by_files: Callable[[], T]) -> T:
        if not self._is_without_database:
            try:
                return by_database()
            except DatabaseFault as fault:
                self._is_without_database = True
                if self._warn:
                    self._warn(fault)
        return by_files()
