"""`pbm-oust games list`."""

from typing import Any

import click

from pbm_oust.board.formats.structured import result_fields
from pbm_oust.board.notation import format_time
from pbm_oust.cli.boards import deadline_of, result_text
from pbm_oust.cli.completion import complete_userids
from pbm_oust.cli.operator import (
    KIND,
    Operator,
    as_json,
    pass_operator,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import say
from pbm_oust.grammar.values import Filter
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.index import Entry


@click.command("list")
@click.argument("kind", type=KIND, required=False)
@click.option(
    "--player",
    metavar="USERID",
    help="Only the boards of this player.",
    shell_complete=complete_userids,
)
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
    """List boards.

    The histories of active boards are read for their deadlines.
    """
    found, damaged = list[Entry](), False
    player = player.lower() if player else ""
    for each in [kind] if kind else KINDS.values():
        for entry in operator.boards.entries(each, player):
            if isinstance(entry, DamagedHistory):
                say(f"Error: {entry}", err=True)
                damaged = True
            elif _is_wanted(entry, Filter(which), player):
                found.append(entry)
    if as_json:
        print_json([_fields(operator, entry) for entry in found])
    elif found:
        print_table(
            ("BOARD", "GRID", "X", "O", "RECORDS", "STATE", "DEADLINE"),
            (_row(operator, entry) for entry in found),
        )
    if damaged:
        raise SystemExit(1)


def _is_wanted(entry: Entry, which: Filter, player: str) -> bool:
    """Return whether a board belongs on a list for a player, or for all if none is named."""
    if player and player not in entry.owners:
        return False
    match which:
        case Filter.ALL:
            return True
        case Filter.INACTIVE:
            return entry.result is not None
        case Filter.ACTIVE:
            return entry.result is None
        case Filter.NEXT:
            return entry.result is None and player in ("", entry.to_move)


def _row(operator: Operator, entry: Entry) -> tuple[object, ...]:
    """Return what the list says about a board."""
    deadline = _deadline(operator, entry) or ""
    records = entry.records
    return entry.name, entry.grid, entry.x, entry.o, records, _state(entry), deadline


def _deadline(operator: Operator, entry: Entry) -> str | None:
    """Return the deadline of a board, whose history is read for it; None if it is over."""
    if entry.result:
        return None
    return deadline_of(operator, operator.game(KINDS[entry.name.kind], entry.name.board))


def _state(entry: Entry) -> str:
    """Return whose turn it is, or who won and how."""
    if entry.result:
        return result_text(entry.summary)
    return f"{entry.to_move} ({_side_to_move(entry)}) to move"


def _side_to_move(entry: Entry) -> str | None:
    if entry.to_move is None:
        return None
    side = Side.X if entry.to_move == entry.x else Side.O
    return str(side.value)


def _fields(operator: Operator, entry: Entry) -> dict[str, Any]:
    """Return what JSON says about a board."""
    kind, board = entry.name.kind, entry.name.board
    return {
        "kind": kind,
        "board": board,
        "grid": entry.grid,
        "x": entry.x,
        "o": entry.o,
        "started": format_time(entry.started),
        "records": entry.records,
        "to_move": _side_to_move(entry),
        "result": result_fields(entry.result),
        "won_by": entry.summary.winner,
        "deadline": _deadline(operator, entry),
    }
