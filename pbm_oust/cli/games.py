"""`pbm-oust games list`, `show`, `history` and `why`: looking at boards."""

import time
from functools import partial
from typing import Any

import click

from pbm_oust.board.formats.structured import record_fields, result_fields
from pbm_oust.board.game import Game
from pbm_oust.board.notation import format_action, format_time
from pbm_oust.cli.operator import (
    BOARD_AT,
    KIND,
    Operator,
    Refused,
    as_json,
    board_number,
    complete_boards,
    complete_userids,
    kind_name,
    pass_operator,
    print_fields,
    print_json,
    print_table,
)
from pbm_oust.cli.terminal import Shown, has_colours, is_terminal, page, say, shown
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import BoardAt, Filter
from pbm_oust.play.moving import Channel, Provenance, origin_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.text import LETTERS, Letters, game_text
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import How, Kind, Side
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.index import BoardName, Entry, entry_of
from pbm_oust.store.letters import State, answers_about

COLOURS = {Side.X: "red", Side.O: "cyan"}

_MARKS = Letters(x=("\ue000", "\ue001"), o=("\ue002", "\ue003"))
"""Stand for stones while a board is drawn, to tell them from the names of columns."""
_COLOURED = ((_MARKS.x, LETTERS.x, COLOURS[Side.X]), (_MARKS.o, LETTERS.o, COLOURS[Side.O]))

PAUSE = 0.5
"""Seconds between two looks at the size of the history."""

_WAYS = {
    Channel.MAIL: "by a mail",
    Channel.QUEUED: "queued before, and followed at once on the record of a mail",
    Channel.PASSED: "the server passed for the player after the record of a mail",
    Channel.SWEEP: "by a sweep, because it was due",
    Channel.OPERATOR: "by the operator",
    Channel.IMPORTED: "imported with the game",
    Channel.UNKNOWN: "by a mail of which nothing is kept",
}
_STATES = {
    State.WAITING: "waits in the outbox",
    State.HELD: "is held in the outbox",
    State.FAILED: "has failed",
    State.FILE: "is a file in the outbox",
}


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
        print_json([summary(each) | {"deadline": _deadline(operator, each)} for each in found])
    elif found:
        print_table(
            ("BOARD", "GRID", "X", "O", "RECORDS", "STATE", "DEADLINE"),
            (
                (
                    *(each.name, each.grid, each.x, each.o, each.records, state_of(each)),
                    _deadline(operator, each) or "",
                )
                for each in found
            ),
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


def _deadline(operator: Operator, board: Entry) -> str | None:
    """Return the deadline of a board, whose history is read for it; None if it is over."""
    if board.result:
        return None
    return _deadline_of(operator, operator.game(KINDS[board.name.kind], board.name.board))


def _deadline_of(operator: Operator, game: Game) -> str | None:
    """Return the deadline of the player to move; None if the game is over or nobody knows."""
    work = UnitOfWork(operator.home, lambda _notice, _request: [], operator.home.now)
    try:
        return None if game.result else format_time(work.clock_of(game).deadline)
    except DatabaseFault:
        return None


def state_of(board: Entry) -> str:
    """Return whose turn it is, or who won and how: `dave won, capture`."""
    if board.result is None:
        return f"{board.to_move} ({_side_to_move(board)}) to move"
    how, winner = board.result.how, board.summary.winner
    if how is How.VOID:
        return "never begun"
    if how is How.AGREED:
        return f"{winner} won, award" if winner else "draw"
    return f"{winner} won, {how.value}" if winner else f"draw, {how.value}"


def summary(board: Entry) -> dict[str, Any]:
    """Return what JSON says about any board."""
    return {
        "kind": board.name.kind,
        "board": board.name.board,
        "grid": board.grid,
        "x": board.x,
        "o": board.o,
        "started": format_time(board.started),
        "records": board.records,
        "to_move": _side_to_move(board),
        "result": result_fields(board.result),
        "won_by": board.summary.winner,
    }


def _side_to_move(board: Entry) -> str | None:
    if board.to_move is None:
        return None
    side = Side.X if board.to_move == board.x else Side.O
    return str(side.value)


@click.command()
@kind_name
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
        deadline = {"deadline": _deadline_of(operator, game)}
        print_json(summary(entry_of(game)) | deadline | _stone_fields(game))
    else:
        page(Shown(f"{_headed(game)}\n"))


def _stone_fields(game: Game) -> dict[str, Any]:
    grid, position = game.header.grid, game.position
    return {
        "stones": {side.value: grid.names(position.stones(side)) for side in Side},
        "tally": {side.value: list(position.tally(side)) for side in Side},
        "placements": [] if game.result else grid.names(position.placements()),
        "must_pass": game.must_pass,
    }


def _headed(game: Game) -> Shown:
    """Return a board as it is printed, below its name, grid and state."""
    heading = shown(f"{game.name}, {game.header.grid}: {state_of(entry_of(game))}")
    return Shown(f"{heading}\n\n{_drawn(game)}")


def _drawn(game: Game) -> Shown:
    """Return a board with its heading, in colours if there are any."""
    if not has_colours():
        return shown(game_text(game))
    text: str = shown(game_text(game, _MARKS))
    for marks, letters, colour in _COLOURED:
        for mark, letter, bold in zip(marks, letters, (False, True), strict=True):
            text = text.replace(mark, click.style(letter, fg=colour, bold=bold))
    return Shown(text)


def _watch(operator: Operator, kind: Kind, board: int) -> None:
    """Draw a board until its game is over or the person at the keyboard presses Ctrl-C.

    Raises Refused if there is no such board, and DamagedHistory.
    """
    path = operator.home.history_path(BoardName(kind.name, board))
    size, seen = -1, None
    try:
        while seen is None or not seen.result:
            grown = path.stat().st_size if path.exists() else 0
            if grown != size:
                game = operator.game(kind, board)
                if game != seen:
                    _draw(game, is_first=seen is None)
                size, seen = grown, game
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


@click.command()
@kind_name
@board_number
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
        print_json(summary(entry_of(game)) | {"at_start": header, "records": records})
    else:
        page(operator.history(kind, board).decode("utf-8", "replace"))


@click.command()
@kind_name
@click.argument("board", type=BOARD_AT, metavar="BOARD[#N]", shell_complete=complete_boards)
@as_json
@pass_operator
def why(operator: Operator, kind: Kind, board: BoardAt, as_json: bool) -> None:
    """Tell which mail led to record N of a board, or to its latest one.

    What is kept about a mail goes after a year, or with the account of its player.
    """
    game = operator.game(kind, board.board)
    try:
        origin = origin_of(game, board.number, operator.home)
    except NotAllowed:
        raise Refused(f"{game.name} has {counted(len(game.records), 'record')}") from None
    answer = _answer_to(operator, origin)
    if as_json:
        print_json(_origin_fields(origin, answer))
        return
    record = origin.record
    owner = f"{origin.mover} ({record.by})" if origin.mover else "the server"
    said = f"{owner}, {format_action(record.action)}, {format_time(record.at)}"
    say(f"{game.name} record {record.number}: {said}")
    print_fields(_origin_rows(origin, answer))


def _answer_to(operator: Operator, origin: Provenance) -> str | None:
    """Return what became of the letter that answered the mail; None if there was no mail."""
    cause = origin.cause
    if cause is None or cause.mail is None:
        return None
    states = operator.home.ask(
        partial(answers_about, game=origin.game, record=cause.until, userid=cause.mail.userid)
    )
    return ", ".join(_STATES[state] for state in states) or "has left the outbox"


def _origin_rows(origin: Provenance, answer: str | None) -> list[tuple[str, str]]:
    cause = origin.cause
    rows = [("how", _WAYS[origin.way])]
    if cause is None:
        return rows
    rows.append(("came" if cause.mail else "imported", format_time(cause.came)))
    if cause.mail:
        rows += [
            ("player", cause.mail.userid),
            ("from", cause.mail.sender),
            ("Message-ID", cause.mail.message_id or "none"),
            ("records", f"{cause.record} to {cause.until}"),
            ("answer", f"the board after record {cause.until}; it {answer}"),
        ]
    return rows


def _origin_fields(origin: Provenance, answer: str | None) -> dict[str, Any]:
    """Return what JSON says about the origin of a record."""
    header, cause = origin.game.header, origin.cause
    mail = cause.mail if cause else None
    return {
        "kind": header.kind.name,
        "board": header.board,
        "record": record_fields(origin.record),
        "way": origin.way.value,
        "came": format_time(cause.came) if cause else None,
        "records": [cause.record, cause.until] if cause else None,
        "mail": {
            "userid": mail.userid,
            "from": mail.sender,
            "message_id": mail.message_id or None,
            "answer": answer,
        }
        if mail
        else None,
    }
