"""Boards kept in a home, for tests of the store: real files and a real database."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeVar

from pbm_oust.board import Game, Header
from pbm_oust.board.header import Terms
from pbm_oust.rules import KINDS, Side, parse_grid
from pbm_oust.store.boards import Board, Boards, challenge_remark, read_rows
from pbm_oust.store.database import Database, Row, Task, Transaction
from pbm_oust.store.disk import Disk
from pbm_oust.store.index import BoardName
from pbm_oust.store.publishing import Publisher
from pbm_oust.store.rebuilding import Rebuilt, rebuild
from pbm_oust.store.sqlite import SqliteDatabase
from tests.support.games import STARTED, wish

T = TypeVar("T")

OUST = KINDS["oust"]


class Kept:
    """The boards of a home at `path`, as one process has them, or those of a database."""

    def __init__(
        self, path: Path, disk: Disk | None = None, database: Database | None = None
    ) -> None:
        self.path = path
        for kind in KINDS:
            (path / kind).mkdir(parents=True, exist_ok=True)
        self.database = database or SqliteDatabase(path / "pbm_oust.db")
        self.boards = Boards(path, self.database.time)
        self.publisher = Publisher(path, self.database, self.boards, disk)
        self.database.after = self._follow_up

    def start(self, *commands: str, x: str = "alice", o: str = "bob", seek: bytes = b"") -> int:
        """Commit a board after some commands, its number the next one; return the number."""

        def start(transaction: Transaction) -> int:
            number = self.boards.next_number(transaction, OUST)
            game = played(new_game(number, x, o), *commands)
            key = f"{number:016d}"
            self.boards.start(transaction, game, challenge_remark(key) + seek)
            return number

        return self.database.write(start)

    def play(self, number: int, *commands: str) -> Board:
        """Commit what comes of commands like `x D4` on a board."""
        board = self.read(number)
        acted = played(board.game, *commands)
        return self.database.write(lambda each: self.boards.append(each, board, acted))

    def catch_up(self) -> int:
        """Publish and sync what may be behind; return how many files were not right."""
        return self.publisher.catch_up()

    def remember(self, transactions: Sequence[Transaction]) -> None:
        """Remember what transactions have changed."""
        for transaction in transactions:
            for board in transaction.follows.values():
                self.boards.remember(transaction.identity, board)

    def _follow_up(self, transactions: Sequence[Transaction]) -> None:
        self.remember(transactions)
        for transaction in transactions:
            self.publisher.publish({board.name: board for board in transaction.follows.values()})

    def read(self, number: int) -> Board:
        """Return a board as it is."""
        with self.database.read() as snapshot:
            return self.boards.read(snapshot, OUST, number)

    def boards_bytes(self, number: int) -> bytes:
        """Return the history of a board, damaged or not."""
        with self.database.read() as snapshot:
            return self.boards.history(snapshot, named(number))

    def file(self, number: int) -> Path:
        """Return where the history of a board is."""
        return self.publisher.path(named(number))

    def damage(self, number: int, old: str, new: str) -> None:
        """Let a board have another history, which need not replay, as one made from files has."""
        edited(self.file(number), old, new)
        rows = read_rows(named(number), self.file(number).read_bytes())
        self.database.write(lambda each: self.boards.put_all(each, [rows]))

    def rebuild(self) -> int:
        """Let the files be the boards; return how many there are."""
        return self.rebuilt().boards

    def rebuilt(self) -> Rebuilt:
        """Let the files be the boards; return what has become of that."""
        return rebuild(self.database, self.boards, self.publisher)

    def rows(self, statement: str, *values: str | int) -> list[Row]:
        """Return what the database answers."""
        with self.database.read() as snapshot:
            return snapshot.rows(statement, *values)

    def kept_counts(self) -> list[Row]:
        """Return how many boards and ratings there are, as that is kept."""
        return self.rows(
            "SELECT kind, state, number FROM board_counts WHERE number > 0 UNION ALL "
            "SELECT kind, size, players FROM rating_classes WHERE players > 0 ORDER BY 1, 2"
        )

    def counts(self) -> list[Row]:
        """Return the same, counted."""
        return self.rows(
            "SELECT kind, state, count(*) FROM boards GROUP BY kind, state UNION ALL "
            "SELECT kind, size, count(*) FROM ratings GROUP BY kind, size ORDER BY 1, 2"
        )

    def said(self) -> dict[str, Sequence[Row]]:
        """Return all that the rows of boards say of the histories, but for versions."""
        return {
            "boards": self.rows(
                "SELECT kind, board, challenge, source, source_number, state, grid, x, o, "
                "to_move, result, is_rated, started, latest, records, due "
                "FROM boards ORDER BY kind, board"
            ),
            "userids": self.rows("SELECT * FROM board_userids ORDER BY kind, board, userid"),
        }


def write_all(database: Database, *works: Callable[[Transaction], T]) -> list[Task[T]]:
    """Write works in one transaction, and return their tasks."""
    tasks = [Task(work) for work in works]
    database.enqueue(tasks)
    database.finish(tasks)
    return tasks


def named(number: int) -> BoardName:
    """Return the name of a board of Oust."""
    return BoardName("oust", number)


def new_game(number: int, x: str = "alice", o: str = "bob", terms: Terms | None = None) -> Game:
    """Return a board of Oust on a small grid before its first record."""
    grid = parse_grid("square 5x5")
    return Game.start(Header(OUST, number, grid, x, o, terms or Terms(), STARTED))


def played(game: Game, *commands: str) -> Game:
    """Return the game after commands like `x D4 E5` or `o resign`, an hour from each to the next.

    The message keys differ from board to board.
    """
    for command in commands:
        side, _, words = command.partition(" ")
        game = game.act(Side(side), wish(words), later(game), key_of(game))
    return game


def later(game: Game) -> datetime:
    """Return an hour after the latest record."""
    return game.latest + timedelta(hours=1)


def key_of(game: Game) -> str:
    """Return a message key for the next record of a game."""
    return f"{game.header.board:08x}{game.next_number:08x}"


def edited(path: Path, old: str, new: str) -> None:
    """Edit a history by hand, as editors do: another file takes its place."""
    text = path.read_text()
    assert old in text
    beside = path.with_suffix(".new")
    beside.write_text(text.replace(old, new))
    beside.replace(path)
