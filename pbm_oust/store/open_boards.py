"""The boards of a home as commands use them, also imported ones, and without a database."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TypeVar

from msgspec import structs

from pbm_oust.board import Game, Summary
from pbm_oust.board.notation import check_time, format_time
from pbm_oust.board.sheet import BadGame, Checked, UncheckedSheet
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import index
from pbm_oust.store.boards import Board, DamagedHistory, NoSuchBoard
from pbm_oust.store.database import ALL_ROWS, Snapshot, Transaction
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.store.message_keys import Incoming, keep_cause
from pbm_oust.store.ratings import mark


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


def append(home: Home, board: Board, game: Game, mail: Incoming | None = None) -> None:
    """Add the new records of a game to its board, with the unit of work that has read it.

    `mail` is the one that led to them, if one did.
    """

    def work(transaction: Transaction) -> None:
        home.boards.append(transaction, board, game)
        if mail:
            keep_cause(transaction, game, len(board.game.records) + 1, mail.came, mail)

    home.do(work)


def next_number(home: Home, kind: Kind) -> int:
    """Return the number that a new board will have."""
    return home.ask(home.boards.next_number, kind)


def started_by(home: Home, key: str) -> Game | None:
    """Return the game that the mail with a message key has started, or None."""
    name = home.ask(index.started_by, key)
    return read_game(home, KINDS[name.kind], name.board) if name else None


def started_from(home: Home, kind: Kind, source: index.Source) -> Game | None:
    """Return the game of the board that came from a source, or None."""
    name = home.ask(index.started_from, kind.name, source)
    return read_game(home, kind, name.board) if name else None


def has_played(userid: str, home: Home) -> bool:
    """Return whether this userid has ever been on a board, with or without an account."""
    return home.ask(index.has_played, userid)


# Making boards of games from elsewhere

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class NotImported(Exception):
    """A sound game cannot become a board here, and why."""


def import_game(draft: UncheckedSheet, home: Home, at: datetime, number: int | None = None) -> Game:
    """Make a board of a game, under the given number or the next one, and return it.

    It takes the place of a damaged board, if that number is given. Nobody is mailed. Raises BadGame
    and NotImported, as `plan_import` does.
    """
    checked = _checked(draft, at)

    def work(transaction: Transaction) -> Game:
        planned = _planned(checked, home, number)
        game, boards = planned.game, home.boards
        if boards.remove(transaction, index.BoardName.of(game.header)):
            mark(transaction, game.header.kind)
        boards.start_from(transaction, game, planned.history.encode())
        if game.records:
            keep_cause(transaction, game, 1, at, mail=None)
        return game

    return home.database.write(work)


def plan_import(draft: UncheckedSheet, home: Home, at: datetime, number: int | None = None) -> Game:
    """Return a game as the board that it would become.

    Raises BadGame if it does not replay, or if there is something in it that no game has that was
    played: a time ahead, or a control character. Raises NotImported if the number is taken, if the
    game is already here, or if it goes on and a player has no account.
    """
    return _planned(_checked(draft, at), home, number).game


def _checked(draft: UncheckedSheet, now: datetime) -> Checked:
    """Return a game that may have been played until now. Raises BadGame."""
    for piece in draft.pieces:
        if _CONTROL.search(piece.text):
            raise BadGame(piece.where, "a control character stands in it")
    checked = draft.check()
    game = checked.game
    for at in (game.header.started, *(record.at for record in game.records)):
        try:
            check_time(at, now)
        except ValueError as error:
            written = format_time(at)
            where = next((each.where for each in draft.pieces if written in each.text), "the game")
            raise BadGame(where, str(error)) from None
    return checked


def _planned(checked: Checked, home: Home, number: int | None) -> Checked:
    game = checked.game
    kind = game.header.kind
    if number and game_if_any(home, kind, number):
        raise NotImported(f"there is a board {kind.name} {number} already")
    known = _known(game, home)
    if known:
        raise NotImported(f"this game is here already: {known.name}")
    missing = [userid for userid in (game.x, game.o) if home.account(userid) is None]
    if missing and not game.result:
        accounts = f"there is none of {' and '.join(missing)}"
        raise NotImported(f"the game goes on, so both players need accounts, and {accounts}")
    return checked.on_board(number or next_number(home, kind))


def _known(game: Game, home: Home) -> Game | None:
    """Return the same game if it is already here; one of the two may have gone on."""
    header = game.header
    for name in home.ask(index.boards_between, header.x, header.o):
        said = home.ask(index.find_entry, name)
        if said is None or (said.kind, said.started) != (header.kind, header.started):
            continue
        known = game_if_any(home, header.kind, name.board)
        if known and known.header == structs.replace(header, board=name.board):
            shorter = min(len(known.records), len(game.records))
            if known.records[:shorter] == game.records[:shorter]:
                return known
    return None


# Reading games where the database cannot be read

T = TypeVar("T")


class Salvage:
    """Reads the games of a home, with the database or without it.

    `warn` is called once, with the reason for reading without it, unless there is none yet.
    """

    def __init__(self, home: Home, warn: Callable[[DatabaseFault], None] | None = None) -> None:
        self._home = home
        self._warn = warn
        self._is_without_database = not (home.is_on_server or home.database.is_made)

    def names(self, kind: str) -> list[index.BoardName]:
        """Return all boards of a kind, damaged or not, in order."""
        publisher = self._home.publisher
        return self._read(lambda: self._home.board_names(kind), lambda: publisher.names([kind]))

    def game(self, kind: Kind, number: int) -> Game:
        """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self._read(
            lambda: read_game(self._home, kind, number), lambda: self._published(kind, number)
        )

    def _published(self, kind: Kind, number: int) -> Game:
        """Return the game of a board from its file alone. Raises as `game` does."""
        name = index.BoardName(kind.name, number)
        try:
            data = self._home.publisher.read(name)
        except NoSuchFile:
            raise NotAllowed(NoSuchBoard(kind, number), str(number)) from None
        except OSError as error:
            raise DamagedHistory(self._home.history_path(name), error) from None
        return self._home.boards.replayed(name, data).game

    def history(self, name: index.BoardName) -> bytes:
        """Return the history of a board. Raises NoSuchFile."""
        return self._read(lambda: self._home.history(name), lambda: self._home.publisher.read(name))

    def entries(self, kind: Kind, player: str = "") -> Iterator[Summary | DamagedHistory]:
        """Yield what there is to say about each board of a kind, in order.

        No histories are read, but without the database. With a player, they are those on which the
        player owns a side, and damaged ones that may be theirs; without the database all.
        """

        def asked(snapshot: Snapshot) -> dict[int, Summary | None]:
            userids = [player] if player else []
            states, part = (index.BoardState.ACTIVE, index.BoardState.OVER), Window(ALL_ROWS)
            whole, _ = index.boards_in(snapshot, [kind.name], states, part, userids)
            damaged = index.damaged_boards(snapshot, kind.name, userids)
            return {name.board: None for name in damaged} | {each.board: each for each in whole}

        found = self._read(
            lambda: self._home.ask(asked),
            lambda: dict.fromkeys(name.board for name in self.names(kind.name)),
        )
        for number, board in sorted(found.items()):
            try:
                yield board or index.entry_of(self.game(kind, number))
            except NotAllowed:
                continue  # somebody has just removed it
            except DamagedHistory as damage:
                yield damage

    def _read(self, by_database: Callable[[], T], by_files: Callable[[], T]) -> T:
        if not self._is_without_database:
            try:
                return by_database()
            except DatabaseFault as fault:
                self._is_without_database = True
                if self._warn:
                    self._warn(fault)
        return by_files()
