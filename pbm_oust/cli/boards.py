"""`pbm-oust games show`: a board drawn, and drawn again whenever something happens on it."""

import time
from typing import Any

import click

from pbm_oust.board.formats.structured import result_fields
from pbm_oust.board.game import Game, Summary, summary_of
from pbm_oust.board.notation import format_time
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.drawing import drawn
from pbm_oust.cli.operator import (
    BOARD_AT,
    KIND,
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_json,
)
from pbm_oust.cli.terminal import Shown, is_terminal, page, say, shown
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import BoardAt
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import How, Kind, Side
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import BoardName

PAUSE = 0.5
"""Seconds between two looks at the size of the history."""


@click.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=BOARD_AT, metavar="BOARD[#N]", shell_complete=complete_boards)
@click.option(
    "--watch",
    "is_watched",
    is_flag=True,
    help="Draw it again after each record, until the game is over.",
)
@as_json
@pass_operator
def show(operator: Operator, kind: Kind, board: BoardAt, is_watched: bool, as_json: bool) -> None:
    """Draw a board as it is, or as it was after record N."""
    if is_watched:
        if as_json or board.number is not None:
            raise click.UsageError("--watch goes neither with --json nor with #N")
        _watch(operator, kind, board.board)
        return
    game = operator.game(kind, board.board)
    if board.number is not None:
        if board.number > len(game.records):
            raise Refused(f"{game.name} has {counted(len(game.records), 'record')}")
        game = game.after(board.number)
    if as_json:
        deadline = {"deadline": deadline_of(operator, game)}
        print_json(summary(game) | deadline | _stones(game))
    else:
        page(Shown(f"{_headed(game)}\n"))


def state_of(game: Game) -> str:
    """Return whose turn it is, or who won and how."""
    if game.result:
        return result_text(summary_of(game))
    return f"{game.player_to_move} ({game.to_move.value}) to move"


def result_text(board: Summary) -> str:
    """Return who won a game that is over, and how: `dave won, capture`."""
    if board.result is None:
        raise ValueError(f"{board.name} is not over")
    how = board.result.how
    if how is How.VOID:
        return "never begun"
    if how is How.AGREED:
        return f"{board.winner} won, award" if board.winner else "draw"
    return f"{board.winner} won, {how.value}" if board.winner else f"draw, {how.value}"


def summary(game: Game) -> dict[str, Any]:
    """Return what JSON says about any board."""
    result = game.result
    return {
        "kind": game.header.kind.name,
        "board": game.header.board,
        "grid": str(game.header.grid),
        "x": game.x,
        "o": game.o,
        "started": format_time(game.header.started),
        "records": len(game.records),
        "to_move": None if result else game.to_move.value,
        "result": result_fields(result),
        "won_by": summary_of(game).winner,
    }


def deadline_of(operator: Operator, game: Game) -> str | None:
    """Return the deadline of the player to move; None if the game is over or nobody knows."""
    work = UnitOfWork(operator.home, lambda _notice, _request: [], operator.home.now)
    try:
        return None if game.result else format_time(work.clock_of(game).deadline)
    except DatabaseFault:
        return None


def _stones(game: Game) -> dict[str, Any]:
    grid, position = game.header.grid, game.position
    return {
        "stones": {side.value: grid.names(position.stones(side)) for side in Side},
        "tally": {side.value: list(position.tally(side)) for side in Side},
        "placements": [] if game.result else grid.names(position.placements()),
        "must_pass": game.must_pass,
    }


def _headed(game: Game) -> Shown:
    """Return a board as it is printed, below its name, grid and state."""
    heading = shown(f"{game.name}, {game.header.grid}: {state_of(game)}")
    return Shown(f"{heading}\n\n{drawn(game)}")


def _watch(operator: Operator, kind: Kind, board: int) -> None:
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
        say()


def _draw(game: Game, *, is_first: bool) -> None:
    if is_terminal():
        click.clear()
    elif not is_first:
        say()
    say(_headed(game))
