"""`pbm-oust games why`: which mail led to a record."""

from functools import partial
from typing import Any

import click

from pbm_oust.board.formats.structured import record_fields
from pbm_oust.board.notation import format_action, format_time
from pbm_oust.cli.completion import complete_boards
from pbm_oust.cli.operator import (
    BOARD_AT,
    KIND,
    Operator,
    Refused,
    as_json,
    pass_operator,
    print_fields,
    print_json,
)
from pbm_oust.cli.terminal import say
from pbm_oust.doctor.finding import counted
from pbm_oust.grammar.values import BoardAt
from pbm_oust.play.moving import Origin, Way, origin_of
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.position import Kind
from pbm_oust.store.letters import State, answers_about

_WAYS = {
    Way.MAIL: "by a mail",
    Way.QUEUED: "queued before, and followed at once on the record of a mail",
    Way.PASSED: "the server passed for the player after the record of a mail",
    Way.SWEEP: "by a sweep, because it was due",
    Way.OPERATOR: "by the operator",
    Way.IMPORTED: "imported with the game",
    Way.UNKNOWN: "by a mail of which nothing is kept",
}
_STATES = {
    State.WAITING: "waits in the outbox",
    State.HELD: "is held in the outbox",
    State.FAILED: "has failed",
    State.FILE: "is a file in the outbox",
}


@click.command()
@click.argument("kind", type=KIND)
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
    answer = _answer(operator, origin)
    if as_json:
        print_json(_fields(origin, answer))
        return
    record = origin.record
    owner = f"{origin.mover} ({record.by})" if origin.mover else "the server"
    said = f"{owner}, {format_action(record.action)}, {format_time(record.at)}"
    say(f"{game.name} record {record.number}: {said}")
    print_fields(_rows(origin, answer))


def _answer(operator: Operator, origin: Origin) -> str | None:
    """Return what became of the letter that answered the mail; None if there was no mail."""
    cause = origin.cause
    if cause is None or cause.mail is None:
        return None
    states = operator.home.ask(
        partial(answers_about, game=origin.game, record=cause.until, userid=cause.mail.userid)
    )
    return ", ".join(_STATES[state] for state in states) or "has left the outbox"


def _rows(origin: Origin, answer: str | None) -> list[tuple[str, str]]:
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


def _fields(origin: Origin, answer: str | None) -> dict[str, Any]:
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
