"""The games of a home whose database cannot be read, from the files of their histories alone."""

from collections.abc import Callable, Iterator
from typing import TypeVar

from pbm_oust.board.game import Game
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store.boards import NoSuchBoard
from pbm_oust.store.database import Snapshot
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import (
    BoardName,
    Entry,
    Standing,
    State,
    boards_of_kind,
    boards_of_player,
    boards_with,
    damaged_boards,
    entry_of,
)
from pbm_oust.store.open_boards import DamagedHistory, read_game

T = TypeVar("T")


class Salvage:
    """Reads the games of a home, with the database or without it.

    `warn` is called once, with the reason for reading without it, unless there is none yet.
    """

    def __init__(self, home: Home, warn: Callable[[DatabaseFault], None] | None = None) -> None:
        self._home = home
        self._warn = warn
        self._is_without_database = not (home.is_on_server or home.database.is_made)

    def names(self, kind: str) -> list[BoardName]:
        """Return all boards of a kind, damaged or not, in order."""
        numbers = self._home.publisher.numbers
        return self._read(
            lambda: self._home.board_names(kind),
            lambda: [BoardName(kind, number) for number in numbers(kind)],
        )

    def game(self, kind: Kind, number: int) -> Game:
        """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self._read(
            lambda: read_game(self._home, kind, number),
            lambda: self._published(kind, number),
        )

    def _published(self, kind: Kind, number: int) -> Game:
        """Return the game of a board from its file alone. Raises as `game` does."""
        name = BoardName(kind.name, number)
        try:
            data = self._home.publisher.read(name)
        except NoSuchFile:
            raise NotAllowed(NoSuchBoard(kind, number), str(number)) from None
        except OSError as error:
            raise DamagedHistory(self._home.history_path(name), error) from None
        return self._home.boards.replayed(name, data).game

    def history(self, name: BoardName) -> bytes:
        """Return the history of a board. Raises NoSuchFile."""
        return self._read(
            lambda: self._home.history(name),
            lambda: self._home.publisher.read(name),
        )

    def entries(self, kind: Kind, player: str = "") -> Iterator[Entry | DamagedHistory]:
        """Yield what there is to say about each board of a kind, in order.

        No histories are read, but without the database. With a player, they are the boards on which
        the player stands, and damaged ones that may be theirs.
        """
        fitting: dict[BoardName, Entry] = self._read(
            lambda: self._home.ask(self._fitting, kind.name, player), dict
        )
        for name in self._names_with(kind.name, player):
            try:
                yield fitting.get(name) or entry_of(self.game(kind, name.board))
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
        if player:
            found = [
                each
                for state in State
                for each in boards_of_player(snapshot, player, state, kind, Standing.STANDS)
            ]
        else:
            found = boards_of_kind(snapshot, kind)
        return {each.name: each for each in found}

    def _read(self, by_database: Callable[[], T], by_files: Callable[[], T]) -> T:
        if not self._is_without_database:
            try:
                return by_database()
            except DatabaseFault as fault:
                self._is_without_database = True
                if self._warn:
                    self._warn(fault)
        return by_files()
