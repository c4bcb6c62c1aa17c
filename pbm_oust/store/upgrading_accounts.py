"""Accounts as earlier programs kept them, in a row and a table for each thing, as documents. Pure.

Only `home upgrade` reads that form. What a document cannot hold is put into it as it was, so that
its player is told once it is read, and nobody else is troubled.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import msgspec

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.document import read_document
from pbm_oust.board.notation import format_time
from dataclasses import replace
from pbm_oust.store.columns import moment_of
from pbm_oust.store.database import Row, Value
from pbm_oust.store.faults import ValueDamaged

ACCOUNT = ("userid", "password", "joined", "signup_key", "changed")
"""The columns of the table `accounts` that are read."""
TABLES: Mapping[str, tuple[str, ...]] = {
    "addresses": ("address",),
    "settings": ("name", "value"),
    "notes": ("kind", "board", "note"),
    "watched": ("kind", "board"),
    "board_limits": ("boards",),
    "rejections": ("rejected",),
    "queue": ("kind", "board", "record", "message_key", "condition", "answer"),
    "submissions": ("kind", "board", "record", "move"),
    "seeks": ("kind", "number", "at", "side", "grid", "terms"),
    "vacations": ("begins", "ends"),
    "broadcasts": ("at",),
    "digests": ("looked", "sent"),
    "signed_off": ("since",),
    "disabled": ("since",),
    "verified": ("code", "message_key"),
}
"""The columns of the other tables that are read, where `userid` is that of an account, in the order
of `position`. Their rows are in the document under the names of the tables."""
_TIMES = ("joined", "at", "begins", "ends", "looked", "sent", "since")


def upgraded_account(account: Row, rows: Mapping[str, Sequence[Row]]) -> Account:
    """Return an account from its row in `accounts` and its rows in the other tables, as named here.

    It is not stored yet: its version is 0.
    """
    userid, password, joined, signup_key, changed = account
    found: dict[str, object] = {
        "userid": userid,
        "password": password,
        "joined": _cell("joined", joined),
        "addresses": [address for (address,) in rows.get("addresses", ())],
    }
    if signup_key:
        found["message_key"] = signup_key
    for table, columns in TABLES.items():
        if table != "addresses" and (there := rows.get(table)):
            found[table] = [_item(columns, row) for row in there]
    document = msgspec.json.encode(found).decode()
    at = None
    with suppress(ValueDamaged):
        at = None if changed is None else moment_of(changed)
    return replace(read_document(userid, document), changed=at)


def _item(columns: Sequence[str], row: Row) -> dict[str, object]:
    cells = zip(columns, row, strict=True)
    return {column: _cell(column, cell) for column, cell in cells if cell is not None}


def _cell(column: str, cell: Value) -> object:
    """Return a cell as a document has it: a time as text, if a year has it."""
    if column in _TIMES and isinstance(cell, int):
        with suppress(ValueDamaged):
            return format_time(moment_of(cell))
    return cell
