"""Boards for commands: reading, appending, importing; and reading without a database."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import TypeVar

from msgspec import structs

from pbm_oust.board import Game, Summary
from pbm_oust.board.notation import check_time, format_record, format_time
from pbm_oust.board.sheet import BadGame, Checked, UncheckedSheet
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import Kind
from pbm_oust.store import index, tournaments
from pbm_oust.store.accounts import readable_account, whole
from pbm_oust.store.boards import (
    Board,
    Boards,
    DamagedHistory,
    NoSuchBoard,
    started_in,
    without_source,
)
from pbm_oust.store.database import ALL_ROWS, Snapshot, Transaction
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.store.message_keys import keep_cause
from pbm_oust.store.ratings import mark
from pbm_oust.tournaments.cup import SOURCE


def read_board(home: Home, kind: Kind, number: int) -> Board:
    """Return a board. Raises NotAllowed if there is none, and DamagedHistory."""
    return home.ask(home.boards.read, kind, number)


def read_game(home: Home, kind: Kind, number: int) -> Game:
    """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
    return read_board(home, kind, number).game


def is_taken(snapshot: Snapshot, userid: str) -> bool:
    """Return whether a userid has an account, or has ever been on a board."""
    return bool(readable_account(snapshot, userid)) or index.has_played(snapshot, userid)


# Making boards of games from elsewhere

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class NotImported(Exception):
    """A sound game that cannot become a board here, with the reason."""


def import_game(
    draft: UncheckedSheet,
    home: Home,
    at: datetime,
    number: int | None = None,
    *,
    into: bool = False,
) -> Game:
    """Make a board of a game, under the given number or the next one, and return it.

    A given number may be that of a damaged board, which is replaced. Nobody is mailed. Raises
    BadGame and NotImported, as `plan_import` does.
    """
    checked = _checked(draft, at)

    def work(transaction: Transaction) -> Game:
        boards = home.boards
        planned = _planned(transaction, checked, boards, number, into=into)
        game = planned.game
        if boards.remove(transaction, index.BoardName.of(game.header)):
            mark(transaction, game.header.kind)
        boards.start_from(transaction, game, planned.history.encode())
        if game.records:
            keep_cause(transaction, game, 1, at, mail=None)
        return game

    return home.database.write(work)


def plan_import(
    draft: UncheckedSheet,
    home: Home,
    at: datetime,
    number: int | None = None,
    *,
    into: bool = False,
) -> Game:
    """Return a game as its board would have it.

    Its tournament, ladder or original board counts only with `into`. Raises BadGame if it does not
    replay, or cannot have been played: with a time in the future or before an earlier one, or a
    control character. Raises NotImported if the number is taken, if the game is already here, if it
    goes on and a player has no account, and if there is no room where it is to go into.
    """
    checked = _checked(draft, at)
    with home.database.read() as snapshot:
        return _planned(snapshot, checked, home.boards, number, into=into).game


def source_of(draft: UncheckedSheet) -> index.Source | None:
    """Return the source of a game, or None."""
    text = "".join(f"{piece.text}\n" for piece in draft.pieces)
    return started_in(text.encode("utf-8", "replace"))[1]


def _checked(draft: UncheckedSheet, now: datetime) -> Checked:
    """Return a game that can have been played by now. Raises BadGame."""
    for piece in draft.pieces:
        if _CONTROL.search(piece.text):
            raise BadGame(piece.where, "a control character stands in it")
    checked = draft.check()
    game, latest = checked.game, checked.game.header.started
    written = [(latest, f"Started: {format_time(latest)}")]
    written += [(record.at, format_record(record)) for record in game.records]
    for at, line in written:
        try:
            check_time(at, now)
            if at < latest:
                raise ValueError(f"{format_time(at)} lies before {format_time(latest)}")
        except ValueError as error:
            where = next((each.where for each in draft.pieces if each.text == line), "the game")
            raise BadGame(where, str(error)) from None
        latest = at
    return checked


def _planned(
    snapshot: Snapshot, checked: Checked, boards: Boards, number: int | None, *, into: bool
) -> Checked:
    game = checked.game
    kind = game.header.kind
    if into:
        _check_place(snapshot, checked)
    else:
        history = without_source(checked.history.encode()).decode()
        checked = structs.replace(checked, history=history)
    if number and _game_if_any(snapshot, boards, kind, number):
        raise NotImported(f"there is a board {kind.name} {number} already")
    known = _known(snapshot, game, boards)
    if known:
        raise NotImported(f"this game is here already: {known.name}")
    accounts = {userid: readable_account(snapshot, userid) for userid in (game.x, game.o)}
    missing = [userid for userid, account in accounts.items() if not (account and whole(account))]
    if missing and not game.result:
        reason = f"there is none of {' and '.join(missing)}"
        raise NotImported(f"the game goes on, so both players need accounts, and {reason}")
    return checked.on_board(number or boards.next_number(snapshot, kind))


def _game_if_any(snapshot: Snapshot, boards: Boards, kind: Kind, number: int) -> Game | None:
    with suppress(NotAllowed, DamagedHistory):
        return boards.read(snapshot, kind, number).game
    return None


def _check_place(snapshot: Snapshot, checked: Checked) -> None:
    """Raise NotImported if the source of a game has no room for it."""
    game, source = checked.game, started_in(checked.history.encode())[1]
    if source is None:
        raise NotImported("the game does not say where it belongs")
    if source.word != SOURCE:
        return
    kind, where = game.header.kind.name, source.remark.decode().removeprefix("# ").strip()
    cup = tournaments.find(snapshot, kind, source.number)
    key = kind, source.number, source.round or 0, source.section or 0
    section = tournaments.section_at(snapshot, key) if cup else None
    players = {game.header.x, game.header.o}
    if cup is None or section is None or not players <= set(section.players):
        raise NotImported(f"there is no {where} here in which both play")
    if game.header.grid != cup.grid:
        raise NotImported(f"{kind} {where} is played on {cup.grid}")
    known = tournaments.boards_of(snapshot, section)
    if sum({each.x, each.o} == players for each in known) >= cup.games:
        raise NotImported(f"all games of these two in {where} are here already")


def _known(snapshot: Snapshot, game: Game, boards: Boards) -> Game | None:
    """Return the same game if it is already here; one of the two may be longer."""
    header = game.header
    for name in index.boards_between(snapshot, header.x, header.o):
        said = index.find_entry(snapshot, name)
        if said is None or (said.kind, said.started) != (header.kind, header.started):
            continue
        known = _game_if_any(snapshot, boards, header.kind, name.board)
        if known and known.header == structs.replace(header, board=name.board):
            shorter = min(len(known.records), len(game.records))
            if known.records[:shorter] == game.records[:shorter]:
                return known
    return None


# Reading games where the database cannot be read

T = TypeVar("T")


class GameReader:
    """A reader of the games of a home, with or without the database.

    `warn` is called once, with the reason for reading without it, unless there is none yet. With a
    `snapshot`, all is of that moment.
    """

    def __init__(
        self,
        home: Home,
        warn: Callable[[DatabaseFault], None] | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self._home = home
        self._warn = warn
        self._snapshot = snapshot
        self._is_without_database = not (home.is_on_server or home.database.is_made)

    def names(self, kind: str) -> list[index.BoardName]:
        """Return all boards of a game, damaged or not, in order."""
        publisher = self._home.publisher
        return self._read(
            lambda snapshot: index.names_of(snapshot, kind), lambda: publisher.names([kind])
        )

    def game(self, kind: Kind, number: int) -> Game:
        """Return the game of a board. Raises NotAllowed if there is none, and DamagedHistory."""
        return self._read(
            lambda snapshot: self._home.boards.read(snapshot, kind, number).game,
            lambda: self._published(kind, number),
        )

    def _published(self, kind: Kind, number: int) -> Game:
        """Return the game of a board by its file alone. Raises as `game` does."""
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
        boards, publisher = self._home.boards, self._home.publisher
        return self._read(
            lambda snapshot: boards.history(snapshot, name), lambda: publisher.read(name)
        )

    def entries(self, kind: Kind, player: str = "") -> Iterator[Summary | DamagedHistory]:
        """Yield the index entry of each board of a game, in order, or its damage.

        With the database, no histories are read. With a player, only boards on which the player
        owns a side are listed, and damaged ones that may be theirs; without the database all are.
        """

        def asked(snapshot: Snapshot) -> dict[int, Summary | None]:
            userids = [player] if player else []
            states, part = (index.BoardState.ACTIVE, index.BoardState.OVER), Window(ALL_ROWS)
            whole, _ = index.boards_in(snapshot, [kind.name], states, part, userids)
            damaged = index.damaged_boards(snapshot, kind.name, userids)
            return {name.board: None for name in damaged} | {each.board: each for each in whole}

        found = self._read(
            asked,
            lambda: dict.fromkeys(name.board for name in self.names(kind.name)),
        )
        for number, board in sorted(found.items()):
            try:
                yield board or index.entry_of(self.game(kind, number))
            except NotAllowed:
                continue  # somebody has just removed it
            except DamagedHistory as damage:
                yield damage

    def _read(self, by_database: Callable[[Snapshot], T], by_files: Callable[[], T]) -> T:
        if not self._is_without_database:
            try:
                known = self._snapshot
                return by_database(known) if known else self._home.ask(by_database)
            except DatabaseFault as fault:
                self._is_without_database = True
                if self._warn:
                    self._warn(fault)
        return by_files()
