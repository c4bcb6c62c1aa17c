"""Importing games from elsewhere: each becomes a board of its own, once."""

from datetime import datetime
from functools import partial

from pbm_oust.board.formats.sheet import BadGame, Checked, Draft
from pbm_oust.board.game import Game
from pbm_oust.board.notation import check_time, format_time
from dataclasses import replace
import re
from pbm_oust.store.board_queries import boards_between
from pbm_oust.store.causes import keep_import
from pbm_oust.store.database import Transaction
from pbm_oust.store.faults import Stale
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import game_if_any, next_number

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
