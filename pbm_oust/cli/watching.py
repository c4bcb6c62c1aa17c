"""`pbm-oust games show --watch`: a board drawn again whenever something happens on it."""

import time

import click

from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_result
from pbm_oust.cli.operator import Operator
from pbm_oust.cli.terminal import drawn, is_terminal
from pbm_oust.rules.position import Kind
from pbm_oust.store.waiting import BoardName

PAUSE = 0.5
"""Seconds between two looks at the size of the history."""


def watch(operator: Operator, kind: Kind, board: int) -> None:
    """Draw a board until its game is over or the person at the keyboard presses Ctrl-C.

    Raises Refused if there is no such board, or its history does not replay.
    """
    path = operator.home.history_path(BoardName(kind.name, board))
    size, shown = -1, None
    try:
        while shown is None or not shown.result:
            grown = path.stat().st_size if path.exists() else 0
            if grown != size:
                game = operator.game(kind, board)
                if game != shown:
                    _draw(game, is_first=shown is None)
                size, shown = grown, game
            else:
                time.sleep(PAUSE)
    except KeyboardInterrupt:
        click.echo()


def state_of(game: Game) -> str:
    """Return whose turn it is, or how the game ended."""
    if game.result:
        return format_result(game.result).removeprefix("= ")
    return f"{game.player_to_move} ({game.to_move.value}) to move"


def headed(game: Game) -> str:
    """Return a board as `games show` prints it, below its name, grid and state."""
    return f"{game.name}, {game.header.grid}: {state_of(game)}\n\n{drawn(game)}"


def _draw(game: Game, *, is_first: bool) -> None:
    if is_terminal():
        click.clear()
    elif not is_first:
        click.echo()
    click.echo(headed(game))
