"""`pbm-oust games`: boards listed, shown and verified."""

from typing import Any

import click

from pbm_oust.board.formats.structured import record_fields, result_fields
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_time
from pbm_oust.cli.completion import complete_boards, complete_userids
from pbm_oust.cli.gathered import Gathered
from pbm_oust.cli.operator import (
    BOARD_AT,
    KIND,
    Operator,
    Refused,
    as_json,
    no_board,
    now,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import page
from pbm_oust.cli.watching import headed, state_of, watch
from pbm_oust.grammar.values import BoardAt, Filter
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Refusal
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.faults import AccountDamaged
from pbm_oust.store.open_boards import DamagedHistory, read_game
from pbm_oust.store.waiting import BoardName


@click.group(
    cls=Gathered,
    elsewhere={
        "adopt": "rulings:adopt",
        "award": "rulings:award",
        "export": "formats:export",
        "import": "formats:import_",
        "void": "rulings:void",
    },
)
def games() -> None:
    """Look at boards, rule on them, and write them in other forms."""


@games.command("list")
@click.argument("kind", type=KIND, required=False)
@click.option("--player", help="Only the boards of this player.", shell_complete=complete_userids)
@click.option(
    "--which",
    type=click.Choice([each.value for each in Filter]),
    default=Filter.ALL.value,
    show_default=True,
    help="All boards, active ones, those that are over, or those that wait for the player.",
)
@as_json
@pass_operator
def list_(
    operator: Operator, kind: Kind | None, player: str | None, which: str, as_json: bool
) -> None:
    """List boards."""
    found, damaged = [], False
    for each in [kind] if kind else KINDS.values():
        for name in operator.home.board_names(each.name):
            try:
                game = read_game(operator.home, each, name.board)
            except DamagedHistory as damage:
                click.echo(f"Error: {damage}", err=True)
                damaged = True
                continue
            if _is_wanted(game, Filter(which), player.lower() if player else ""):
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
                state_of(game),
            )
            for game in found
        )
    if damaged:
        raise SystemExit(1)


@games.command()
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
        watch(operator, kind, board.board)
        return
    game = operator.game(kind, board.board)
    if board.number is not None:
        if board.number > len(game.records):
            raise Refused(f"{game.name} has {len(game.records)} records")
        game = game.after(board.number)
    if as_json:
        print_json(_summary(game) | _deadline(operator, game) | _stones(game))
    else:
        page(f"{headed(game)}\n")


@games.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
@as_json
@pass_operator
def history(operator: Operator, kind: Kind, board: int, as_json: bool) -> None:
    """Print the history of a board."""
    text = operator.history(kind, board).decode("utf-8", "replace")
    if as_json:
        game = operator.game(kind, board)
        records = [record_fields(record) for record in game.records]
        print_json(_summary(game) | {"records": records})
    else:
        page(text)


@games.command()
@click.argument("kind", type=KIND, required=False)
@click.argument("board", type=click.IntRange(min=1), required=False, shell_complete=complete_boards)
@as_json
@pass_operator
def verify(operator: Operator, kind: Kind | None, board: int | None, as_json: bool) -> None:
    """Replay histories through the rules.

    Prints a line for each board. Exit status 1 if one of them does not replay.
    """
    results = []
    for each in [kind] if kind else KINDS.values():
        names = operator.home.board_names(each.name)
        for number in [board] if board else [name.board for name in names]:
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
    path = operator.home.history_path(BoardName(kind.name, board))
    try:
        game = read_game(operator.home, kind, board)
    except Refusal:
        raise no_board(kind, board) from None
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
    text = f"{name}: ok, {len(game.records)} records, {state_of(game)}"
    return {"ok": True, "kind": kind.name, "board": board, "path": str(path), "text": text}


def _is_wanted(game: Game, which: Filter, player: str) -> bool:
    """Return whether a board belongs on a list for a player, or for all if none is named."""
    if player and player not in (game.x, game.o):
        return False
    match which:
        case Filter.ALL:
            return True
        case Filter.INACTIVE:
            return game.result is not None
        case Filter.ACTIVE:
            return game.result is None
        case Filter.NEXT:
            return game.result is None and player in ("", game.player_to_move)


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
        "result": result_fields(result),
    }


def _deadline(operator: Operator, game: Game) -> dict[str, str | None]:
    """Return by when the player to move has to move; None if the game is over or nobody knows."""
    work = UnitOfWork(operator.home, lambda _notice, _request: [], now)
    try:
        until = None if game.result else format_time(work.clock_of(game).deadline)
    except AccountDamaged:
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
