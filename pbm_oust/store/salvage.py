"""The games of a home whose database cannot be read, from their histories alone.

Lines that wait in the database are missing then.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from pbm_oust.accounts.clock import earliest_ruling
from pbm_oust.board.game import Game
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store import index
from pbm_oust.store.board_queries import (
    Standing,
    boards_of_kind,
    boards_of_player,
    boards_with,
    damaged_boards,
)
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.entries import Entry, State, entry_of
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

    def entries(self, kind: Kind, player: str = "") -> Iterator[Entry | DamagedHistory]:
        """Yield what there is to say about each board of a kind, in order.

        Only the histories that the index does not fit are read. With a player, they are the boards
        on which the index knows the player, and damaged ones that may be theirs; no others are
        looked at.
        """
        fitting: dict[BoardName, Entry] = self._read(
            lambda: self._home.ask(self._fitting, kind.name, player), dict
        )
        for name in self._names_with(kind.name, player):
            try:
                yield fitting.get(name) or entry_of(self.game(kind, name.board), earliest_ruling)
            except NotAllowed:
                continue  # somebody has just removed it
            except DamagedHistory as damage:
                yield damage

    def _names_with(self, kind: str, player: str) -> list[BoardName]:
        if not player or self._is_without_database:
            return self.names(kind)

        def asked(snapshot: Snapshot) -> list[BoardName]:
            damaged = [each.name for each in damaged_boards(snapshot, kind, [player])]
            theirs = [name for name in boards_with(snapshot, player) if name.kind == kind]
            return sorted({*damaged, *theirs})

        return self._read(lambda: self._home.ask(asked), lambda: self.names(kind))

    def _fitting(self, snapshot: Snapshot, kind: str, player: str) -> dict[BoardName, Entry]:
        histories = self._home.boards.histories
        if player:
            theirs = [
                each
                for state in State
                for each in boards_of_player(snapshot, player, state, kind, Standing.STANDS)
            ]
            entries = {each.name: each for each in theirs}
            stamps = index.stamps_in(snapshot, kind, [name.board for name in entries])
        else:
            stamps = index.stamps_in(snapshot, kind)
            entries = {each.name: each for each in boards_of_kind(snapshot, kind)}
        there = histories.stamps(kind, [name.board for name in entries], snapshot)
        return {name: each for name, each in entries.items() if stamps.get(name) == there.get(name)}

    def _read(self, by_database: Callable[[], T], by_files: Callable[[], T]) -> T:
        if not self._is_without_database:
            try:
                return by_database()
            except DatabaseFault as fault:
                self._is_without_database = True
                if self._warn:
                    self._warn(fault)
        return by_files()
