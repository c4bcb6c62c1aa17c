"""The boards of a home as commands use them: reading, writing and finding them."""

from pbm_oust.board.game import Game
from dataclasses import dataclass
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import board_queries
from pbm_oust.store.boards import Board, BoardChanged, DamagedHistory
from pbm_oust.store.causes import Incoming, keep_cause
from pbm_oust.store.database import Transaction
from pbm_oust.store.entries import Entry, Source, State
from pbm_oust.store.home import Home

__all__ = ["DamagedHistory"]

_HAS_STARTED_NONE = "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM boards WHERE challenge = ?)"
"""The statement that gives a row if the mail with a message key has started no board."""


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """A board to be written, as it was read."""

    board: Board
    _home: Home

    @property
    def game(self) -> Game:
        """The game of the board."""
        return self.board.game

    def append(self, game: Game, mail: Incoming | None = None) -> None:
        """Add the new records of `game` to the board, with the unit of work.

        `mail` is the one that led to them, if one did.
        """
        home, first = self._home, len(self.game.records) + 1

        def work(transaction: Transaction) -> None:
            home.boards.append(transaction, self.board, game)
            if mail:
                keep_cause(transaction, game, first, mail)

        home.write(work)


def read_board(home: Home, kind: Kind, number: int) -> Board:
    """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
    return home.ask(home.boards.read, kind, number)


def read_game(home: Home, kind: Kind, number: int) -> Game:
    """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
    return read_board(home, kind, number).game


def game_if_any(home: Home, kind: Kind, number: int) -> Game | None:
    """Return the game of a board; None if there is none, or it cannot be read."""
    try:
        return read_game(home, kind, number)
    except (NotAllowed, DamagedHistory):
        return None


def open_board(home: Home, kind: Kind, number: int) -> OpenBoard:
    """Return a board to be written. Raises NotAllowed if there is none, and DamagedHistory."""
    return OpenBoard(read_board(home, kind, number), home)


def start_new_board(
    home: Home, game: Game, key: str, remarks: bytes, source: Source | None = None
) -> None:
    """Write a new board with the unit of work; `remarks` are lines to go below the header.

    The unit is not committed if another board has come from the same mail or source meanwhile.
    """
    kind = game.header.kind.name

    def work(transaction: Transaction) -> None:
        if source and board_queries.started_from(transaction, kind, source):
            raise BoardChanged(f"{kind} {source.word} {source.number}")
        transaction.require(BoardChanged(f"the board of {key}"), _HAS_STARTED_NONE, key)
        home.boards.start(transaction, game, remarks + (source.remark if source else b""))

    home.write(work)


def next_number(home: Home, kind: Kind) -> int:
    """Return the number that a new board will have."""
    return home.ask(home.boards.next_number, kind)


def started_by(home: Home, key: str) -> Game | None:
    """Return the game that the mail with a message key has started, or None."""
    name = home.ask(board_queries.started_by, key)
    return read_game(home, KINDS[name.kind], name.board) if name else None


def started_from(home: Home, kind: Kind, source: Source) -> Game | None:
    """Return the game of the board that came from a source, or None."""
    name = home.ask(board_queries.started_from, kind.name, source)
    return read_game(home, kind, name.board) if name else None


def game_of(home: Home, entry: Entry) -> Game:
    """Return the game of an entry of the index. Raises NotAllowed and DamagedHistory."""
    return read_game(home, KINDS[entry.name.kind], entry.name.board)


def active_entries(home: Home, userid: str) -> list[Entry]:
    """Return the index entries of the active boards on which a player owns a side."""
    return home.ask(board_queries.boards_of_player, userid, State.ACTIVE)


def has_played(userid: str, home: Home) -> bool:
    """Return whether this userid has ever been on a board, with or without an account."""
    return home.ask(board_queries.has_played, userid)
