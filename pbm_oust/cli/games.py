"""`pbm-oust games`: boards listed, shown and verified."""

from typing import Any

import click

from pbm_oust.actions.desk import Desk
from pbm_oust.boards import DamagedHistory, read_game
from pbm_oust.cli.operator import (
    BOARD_AT,
    KIND,
    Operator,
    Refused,
    as_json,
    now,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.commands.values import BoardAt, Filter
from pbm_oust.disk import NoSuchFile
from pbm_oust.game import Game
from pbm_oust.notation import format_action, format_result, format_time
from pbm_oust.players import BadAccount
from pbm_oust.refusal import Refusal
from pbm_oust.render.text import game_text
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side


@click.group()
def games() -> None:
    """Look at boards, and rule on them."""


@games.command("list")
@click.argument("kind", type=KIND, required=False)
@click.option("--player", help="Only the boards of this player.")
@click.option(
    "--which",
    type=click.Choice([Filter.ALL.value, Filter.ACTIVE.value, Filter.INACTIVE.value]),
    default=Filter.ALL.value,
    show_default=True,
    help="Active boards, or those that have ended.",
)
@as_json
@pass_operator
def list_(
    operator: Operator, kind: Kind | None, player: str | None, which: str, as_json: bool
) -> None:
    """List boards."""
    found, damaged = [], False
    for each in [kind] if kind else KINDS.values():
        for board in operator.home.boards(each.name):
            try:
                game = read_game(operator.home, each, board)
            except DamagedHistory as damage:
                click.echo(f"Error: {damage}", err=True)
                damaged = True
                continue
            if player and player.lower() not in (game.x, game.o):
                continue
            if which == Filter.ALL.value or (which == Filter.ACTIVE.value) is not bool(game.result):
                found.append(game)
    if as_json:
        print_json([_summary(game) | _deadline(operator, game) for game in found])
    elif found:
        print_table(
            (
                game.name,
                game.header.grid,
                game.x,
                game.o,
                f"{len(game.records)} records",
                _state(game),
            )
            for game in found
        )
    if damaged:
        raise SystemExit(1)


@games.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=BOARD_AT, metavar="BOARD[#N]")
@as_json
@pass_operator
def show(operator: Operator, kind: Kind, board: BoardAt, as_json: bool) -> None:
    """Draw a board, as it is or as it was after its record N."""
    game = _game(operator, kind, board.board)
    if board.number is not None:
        if board.number > len(game.records):
            raise Refused(f"{game.name} has {len(game.records)} records")
        game = game.after(board.number)
    if as_json:
        print_json(_summary(game) | _deadline(operator, game) | _stones(game))
    else:
        click.echo(f"{game.name}, {game.header.grid}: {_state(game)}\n\n{game_text(game)}")


@games.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1))
@as_json
@pass_operator
def history(operator: Operator, kind: Kind, board: int, as_json: bool) -> None:
    """Print the history of a board."""
    try:
        text = operator.home.read_history(kind.name, board).decode("utf-8", "replace")
    except NoSuchFile:
        raise _no_board(kind, board) from None
    if as_json:
        game = _game(operator, kind, board)
        records = [
            {
                "number": record.number,
                "side": record.by,
                "action": [{"cell": done.cell, "took": done.took} for done in record.action]
                if isinstance(record.action, tuple)
                else format_action(record.action),
                "at": format_time(record.at),
                "id": record.cause,
            }
            for record in game.records
        ]
        print_json(_summary(game) | {"records": records})
    else:
        click.echo(text, nl=False)


@games.command()
@click.argument("kind", type=KIND, required=False)
@click.argument("board", type=click.IntRange(min=1), required=False)
@as_json
@pass_operator
def verify(operator: Operator, kind: Kind | None, board: int | None, as_json: bool) -> None:
    """Replay histories through the rules: a line for each board.

    Exit status 1 if one of them does not replay.
    """
    results = []
    for each in [kind] if kind else KINDS.values():
        for number in [board] if board else operator.home.boards(each.name):
            results.append(_verify(operator, each, number))
    if as_json:
        print_json(results)
    else:
        for result in results:
            click.echo(result["text"])
    if not all(result["ok"] for result in results):
        raise SystemExit(1)


def _verify(operator: Operator, kind: Kind, board: int) -> dict[str, Any]:
    name = f"{kind.name} {board}"
    path = operator.home.history_path(kind.name, board)
    try:
        game = read_game(operator.home, kind, board)
    except Refusal:
        raise _no_board(kind, board) from None
    except DamagedHistory as damage:
        return {
            "ok": False,
            "kind": kind.name,
            "board": board,
            "path": str(path),
            "line": damage.line,
            "reason": damage.reason,
            "text": f"{name}: BAD: {damage}",
        }
    text = f"{name}: ok, {len(game.records)} records, {_state(game)}"
    return {"ok": True, "kind": kind.name, "board": board, "path": str(path), "text": text}


def _game(operator: Operator, kind: Kind, board: int) -> Game:
    try:
        return read_game(operator.home, kind, board)
    except Refusal:
        raise _no_board(kind, board) from None
    except DamagedHistory as damage:
        raise Refused(str(damage)) from None


def _no_board(kind: Kind, board: int) -> Refused:
    return Refused(f"there is no board {kind.name} {board}")


def _state(game: Game) -> str:
    if game.result:
        return format_result(game.result).removeprefix("= ")
    return f"{game.player_to_move} ({game.to_move.value}) to move"


def _summary(game: Game) -> dict[str, Any]:
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
        "result": None
        if result is None
        else {
            "winner": result.winner.value if result.winner else None,
            "how": result.how.value,
        },
    }


def _deadline(operator: Operator, game: Game) -> dict[str, str | None]:
    """Return until when the player to move has time; None where that is not known, or over."""
    desk = Desk(operator.home, lambda _notice, _request: [], now)
    try:
        until = None if game.result else format_time(desk.clock_of(game).deadline)
    except BadAccount:
        until = None
    return {"deadline": until}


def _stones(game: Game) -> dict[str, Any]:
    grid, position = game.header.grid, game.position
    return {
        "stones": {side.value: grid.names(position.stones(side)) for side in Side},
        "tally": {side.value: list(position.tally(side)) for side in Side},
        "placements": [] if game.result else grid.names(position.placements()),
        "must_pass": game.must_pass,
    }
