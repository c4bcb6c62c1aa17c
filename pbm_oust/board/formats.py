"""A game as one JSON object, and the reading of a game in any format. SGF has its own module. Pure.

{"format": "pbm_oust game 1",
 "header": {"Kind": "oust", "Board": "17", ..},
 "records": [{"number": 1, "side": "x", "action": [{"cell": "G7", "took": 0}], ..}, ..],
 "result": {"winner": "x", "how": "resign"},
 "remarks": [{"line": 10, "text": "# challenge 4f0c1d2e9a8b7c6d"}]}
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pbm_oust.board.game import Summary
from pbm_oust.board.notation import DRAW, FIRST_LINE, format_action, format_time, record_line
from pbm_oust.board.record import Record
from pbm_oust.board.sgf import format_sgf, has_tree, parse_sgf
from pbm_oust.board.sheet import FORMAT, BadGame, Piece, Sheet, UncheckedSheet, draft
from pbm_oust.rules import Result

V = TypeVar("V")


def format_structured(sheet: Sheet) -> str:
    """Return a game as JSON."""
    whole = {
        "format": FORMAT,
        "header": dict(sheet.header),
        "records": [record_fields(record) for record in sheet.game.records],
        "result": result_fields(sheet.game.result),
        "remarks": [{"line": each.line, "text": each.text} for each in sheet.remarks],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def record_fields(record: Record) -> dict[str, Any]:
    """Return a record as JSON writes it."""
    return {
        "number": record.number,
        "side": record.by,
        "action": [{"cell": done.cell, "took": done.took} for done in record.action]
        if isinstance(record.action, tuple)
        else format_action(record.action),
        "at": format_time(record.at),
        "id": record.message_key,
    }


def result_fields(result: Result | None) -> dict[str, str | None] | None:
    """Return a result as JSON writes it."""
    if result is None:
        return None
    return {"winner": result.winner.value if result.winner else None, "how": result.how.value}


def summary_fields(board: Summary) -> dict[str, Any]:
    """Return the summary of a board as lists in JSON have it."""
    return {
        "kind": board.kind.name,
        "board": board.board,
        "grid": str(board.grid),
        "x": board.x,
        "o": board.o,
        "started": format_time(board.started),
        "records": board.records,
        "to_move": board.side_to_move.value if board.side_to_move else None,
        "result": result_fields(board.result),
        "won_by": board.winner,
    }


FORMATS: Mapping[str, Callable[[Sheet], str]] = {"sgf": format_sgf, "json": format_structured}
"""The functions that write a game, by the name of the format."""


def in_format(name: str, sheet: Sheet) -> str:
    """Return a game in the format of this name, with one line end at the end."""
    return f"{FORMATS[name](sheet).rstrip()}\n"


def parse_structured(text: str) -> UncheckedSheet:
    """Return the history in a JSON object. Raises BadGame."""
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadGame(f"line {error.lineno}", f"this is no JSON: {error.msg}") from None
    except (RecursionError, ValueError):
        raise BadGame(
            "the object", "it lies too deep in itself, or has too long a number"
        ) from None
    if _of(dict, whole, "the object").get("format") != FORMAT:
        raise BadGame("format", f"it has to be {FORMAT!r}")
    header = [
        Piece(f"{key}: {_of(str, value, f'header {key}')}", f"header {key}")
        for key, value in _field(dict, whole, "header", "the object").items()
    ]
    records = [
        _record(_of(dict, each, where), where)
        for nth, each in enumerate(_field(list, whole, "records", "the object"), 1)
        for where in [f"record {nth}"]
    ]
    result = whole.get("result")
    if result is not None:
        how = _field(str, _of(dict, result, "result"), "how", "result")
        winner = result.get("winner")
        won = DRAW if winner is None else _of(str, winner, "result")
        records.append(Piece(f"= {won} {how}", "result"))
    remarks = [
        (_field(int, each, "line", where), Piece(_field(str, each, "text", where), where))
        for nth, each in enumerate(_of(list, whole.get("remarks", []), "remarks"), 1)
        for where in [f"remark {nth}"]
    ]
    return draft(header, records, remarks)


def _record(fields: dict[str, Any], where: str) -> Piece:
    action = fields.get("action")
    if isinstance(action, list):
        action = " ".join(_placement(_of(dict, done, where), where) for done in action)
    words = (_field(str, fields, key, where) for key in ("side", "at", "id"))
    side, at, key = words
    number = str(_field(int, fields, "number", where))
    return Piece(record_line(number, side, _of(str, action, where), at, key), where)


def _placement(done: dict[str, Any], where: str) -> str:
    cell, took = _field(str, done, "cell", where), _of(int, done.get("took", 0), where)
    return f"{cell}*{took}" if took else cell


def _field(wanted: type[V], fields: object, key: str, where: str) -> V:
    found = _of(dict, fields, where)
    if key not in found:
        raise BadGame(where, f"{key!r} is missing")
    return _of(wanted, found[key], where)


_NAMES: dict[type, str] = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


def _of(wanted: type[V], value: object, where: str) -> V:
    """Return the value if it is of the wanted type. Raises BadGame."""
    if not isinstance(value, wanted) or isinstance(value, bool):
        raise BadGame(where, f"{json.dumps(value)[:40]} is not {_NAMES[wanted]}")
    return value


def parse_any(text: str) -> UncheckedSheet:
    """Return the history in a text, whose beginning shows its format.

    A history file is taken as it is. Raises BadGame if the format is unknown or the text is
    damaged.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return parse_structured(text)
    lines = text.split("\n")
    if FIRST_LINE in lines:
        whole = lines if lines[-1] else lines[:-1]
        return UncheckedSheet(
            tuple(Piece(line, f"line {nth}") for nth, line in enumerate(whole, 1))
        )
    if has_tree(text) or text.lstrip().startswith("("):
        return parse_sgf(text)
    raise BadGame("the text", "this is no SGF, no JSON, and no history")
