"""`pbm-oust games history`, `verify` and `accept`, `home rebuild`: histories and their files."""

import sys
from contextlib import nullcontext

import click

from pbm_oust.board.formats.structured import record_fields
from pbm_oust.cli.boards import summary
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.operator import (
    KIND,
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_json,
)
from pbm_oust.cli.terminal import page, progress_bar, say
from pbm_oust.cli.verifying import verified
from pbm_oust.doctor.finding import counted
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import rebuilding
from pbm_oust.store.index import BoardName, count_records


@click.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
@as_json
@pass_operator
def history(operator: Operator, kind: Kind, board: int, as_json: bool) -> None:
    """Print the history of a board.

    In JSON, x and o are the players as the game stands, and at_start as the header names them.
    """
    if as_json:
        game = operator.game(kind, board)
        records = [record_fields(record) for record in game.records]
        header = {"X": game.header.x, "O": game.header.o}
        print_json(summary(game) | {"at_start": header, "records": records})
    else:
        page(operator.history(kind, board).decode("utf-8", "replace"))


@click.command()
@click.argument("kind", type=KIND, required=False)
@click.argument("board", type=click.IntRange(min=1), required=False, shell_complete=complete_boards)
@as_json
@pass_operator
def verify(operator: Operator, kind: Kind | None, board: int | None, as_json: bool) -> None:
    """Replay histories, and compare their files.

    Prints a line for each board. Exit status 1 if one of them does not replay through the rules, or
    if its file or what the database says about it is something else.
    """
    if kind and board:
        names = [BoardName(kind.name, board)]
    else:
        kinds = [kind] if kind else KINDS.values()
        names = [name for each in kinds for name in operator.boards.names(each.name)]
    results = []
    with progress_bar("replaying") if not sys.stdout.isatty() else nullcontext() as progress:
        for result in verified(operator, names):
            results.append(result)
            if not as_json:
                say(result["text"])
            if progress:
                progress(len(results), len(names))
    if as_json:
        print_json(results)
    if not all(result["ok"] for result in results):
        raise SystemExit(1)


@click.command()
@click.argument("kind", type=KIND)
@click.argument("board", type=click.IntRange(min=1), shell_complete=complete_boards)
@pass_operator
def accept(operator: Operator, kind: Kind, board: int) -> None:
    """Let an edited history be the history of its board.

    It is the file of the board, or the last one that was set aside because somebody had changed it.
    It must replay through the rules.
    """
    home, name = operator.prepared_home(), BoardName(kind.name, board)
    before = home.ask(count_records, name)
    try:
        path = rebuilding.accept(home.database, home.boards, home.publisher, name)
    except rebuilding.NotAccepted as error:
        raise Refused(str(error)) from None
    there = counted(home.ask(count_records, name) or 0, "record")
    instead = "" if before is None else f", where it had {counted(before, 'record')}"
    say(f"{name} has the history of {path} now: {there}{instead}")


@click.command()
@pass_operator
def rebuild(operator: Operator) -> None:
    """Make the database from the files of histories.

    Each file becomes the history of its board. Boards without a file, accounts and letters stay. A
    home without a database does the same at its start.
    """
    home = operator.prepared_home()
    with progress_bar("reading histories") as progress:
        boards = rebuilding.rebuild(home.database, home.boards, home.publisher, progress)
    say(f"the database holds {counted(boards, 'board')}")
