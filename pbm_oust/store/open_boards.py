"""The boards of a home as commands use them: reading, writing and finding them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType

from pbm_oust.board.formats.sheet import BadGame, Checked, Draft
from pbm_oust.board.game import Game
from pbm_oust.board.notation import check_time, format_time
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import index
from pbm_oust.store.boards import Board, BoardChanged, Boards, DamagedHistory
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.faults import Stale
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, Entry, Source, State, boards_between, boards_with
from pbm_oust.store.message_keys import Incoming, keep_cause, keep_import

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
        if source and index.started_from(transaction, kind, source):
            raise BoardChanged(f"{kind} {source.word} {source.number}")
        transaction.require(BoardChanged(f"the board of {key}"), _HAS_STARTED_NONE, key)
        home.boards.start(transaction, game, remarks + (source.remark if source else b""))

    home.write(work)


def next_number(home: Home, kind: Kind) -> int:
    """Return the number that a new board will have."""
    return home.ask(home.boards.next_number, kind)


def started_by(home: Home, key: str) -> Game | None:
    """Return the game that the mail with a message key has started, or None."""
    name = home.ask(index.started_by, key)
    return read_game(home, KINDS[name.kind], name.board) if name else None


def started_from(home: Home, kind: Kind, source: Source) -> Game | None:
    """Return the game of the board that came from a source, or None."""
    name = home.ask(index.started_from, kind.name, source)
    return read_game(home, kind, name.board) if name else None


def game_of(home: Home, entry: Entry) -> Game:
    """Return the game of an entry of the index. Raises NotAllowed and DamagedHistory."""
    return read_game(home, KINDS[entry.name.kind], entry.name.board)


def active_entries(home: Home, userid: str) -> list[Entry]:
    """Return the index entries of the active boards on which a player owns a side."""
    return home.ask(index.boards_of_player, userid, State.ACTIVE)


def has_played(userid: str, home: Home) -> bool:
    """Return whether this userid has ever been on a board, with or without an account."""
    return home.ask(index.has_played, userid)


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
MOST_ATTEMPTS = 50
"""How many numbers to try, if others take them meanwhile."""


class NotImported(Exception):
    """A sound game cannot become a board here, and why."""


def import_game(draft: Draft, home: Home, at: datetime, number: int | None = None) -> Game:
    """Make a board of a game, under the given number or the next one, and return it.

    It takes the place of a damaged board, if that number is given. Nobody is mailed. Raises BadGame
    and NotImported, as `plan_import` does.
    """
    checked = _checked(draft, at)
    kind = checked.game.header.kind
    for _ in range(MOST_ATTEMPTS):
        planned = _planned(checked, home, number)
        try:
            home.write(partial(_write, home, planned, at))
        except Stale:
            continue
        return planned.game
    raise NotImported(f"others start boards of {kind.name} all the time")


def _write(home: Home, planned: Checked, at: datetime, transaction: Transaction) -> None:
    home.boards.remove_damaged(transaction, planned.game.header.kind, planned.game.header.board)
    home.boards.start_from(transaction, planned.game, planned.history.encode())
    keep_import(transaction, planned.game, at)


def plan_import(draft: Draft, home: Home, at: datetime, number: int | None = None) -> Game:
    """Return a game as the board that it would become.

    Raises BadGame if it does not replay, or if there is something in it that no game has that was
    played: a time ahead, or a control character. Raises NotImported if the number is taken, if the
    game is already here, or if it goes on and a player has no account.
    """
    return _planned(_checked(draft, at), home, number).game


def _checked(draft: Draft, now: datetime) -> Checked:
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
    for name in home.ask(boards_between, game.header.x, game.header.o):
        if home.ask(home.boards.header, name) != replace(game.header, board=name.board):
            continue
        known = game_if_any(home, game.header.kind, name.board)
        shorter = min(len(known.records), len(game.records)) if known else 0
        if known and known.records[:shorter] == game.records[:shorter]:
            return known
    return None


NOTHING: Mapping[BoardName, Game] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Renaming:
    """A player to be renamed, and the boards as they were when that was planned."""

    old: str
    new: str
    boards: tuple[Board, ...]


def plan_renaming(
    snapshot: Snapshot,
    boards: Boards,
    old: str,
    new: str,
    acted: Mapping[BoardName, Game] = NOTHING,
) -> Renaming:
    """Return the plan for giving a player another userid on all boards.

    `acted` holds the games of boards on which the same command acts before that. Raises
    DamagedHistory for a board that must be repaired first, or that would not replay afterwards,
    for example because one player would have both sides.
    """
    found = [
        boards.read(snapshot, KINDS[name.kind], name.board) for name in boards_with(snapshot, old)
    ]
    for board in found:
        after = boards.after(board, acted[board.name]) if board.name in acted else board
        boards.renamed(after, old, new)
    return Renaming(old, new, tuple(found))


def rename(transaction: Transaction, boards: Boards, renaming: Renaming) -> None:
    """Give a player the other userid on all boards.

    Raises BoardChanged if it has to be planned again, because a board has changed.
    """
    names = [board.name for board in renaming.boards]
    if boards_with(transaction, renaming.old) != names:
        raise BoardChanged(f"the boards of {renaming.old}")
    for board in renaming.boards:
        changed = transaction.boards.get(board.name)
        current = changed.board if changed else board
        boards.rename(transaction, current, renaming.old, renaming.new)
