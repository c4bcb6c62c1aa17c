"""Accounts in the tables of earlier programs become documents."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from msgspec.structs import replace

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.document import KEPT, format_document, format_json, parse_json
from pbm_oust.accounts.settings import Unknown
from pbm_oust.board.notation import parse_time
from pbm_oust.store.accounts import write_account
from pbm_oust.store.database import Database, Row, seconds
from pbm_oust.store.upgrading import TABLES, upgraded_account
from tests.support.account_store import read
from tests.support.kept import HASH, accounts

JOINED = datetime(2026, 11, 1, 12, tzinfo=UTC)
CHANGED = datetime(2026, 11, 21, tzinfo=UTC)
KEY = "4f0c1d2e9a8b7c6d"
AT = seconds(datetime(2026, 11, 20, 15, 36, tzinfo=UTC))
TIME = "2026-11-20T15:36:00Z"
ROW = ("alice", HASH, seconds(JOINED), KEY, seconds(CHANGED))
ROWS: Mapping[str, Sequence[Row]] = {
    "addresses": [("alice@example.org",), ("Alice+oust@Example.net",)],
    "settings": [("mail", "digest"), ("told", "zone Mars/Base"), ("tempo", "fast")],
    "notes": [("oust", 17, "Corners\nand edges")],
    "watched": [("churn", 3), ("oust", 2)],
    "board_limits": [(5,)],
    "rejections": [("bob",)],
    "queue": [("oust", 17, 5, KEY, "F6", "D4,E5"), ("oust", 17, 5, KEY, None, "D4")],
    "submissions": [("oust", 17, 5, "D4,E5")],
    "seeks": [("oust", 3, AT, None, "hex 7", "nagtime=7 forfeittime=21")],
    "vacations": [(AT, AT + 86400)],
    "broadcasts": [(AT,)],
    "digests": [(AT, AT)],
    "signed_off": [(AT,)],
    "disabled": [(AT,)],
    "verified": [("feedfeedfeedfeed", KEY)],
}
"""An account that keeps one of everything, and more."""
NOT_KEPT_THEN = {
    *("said", "solved", "missed", "streaks", "puzzles_mailed", "given", "invitations"),
}
"""What accounts keep that earlier programs kept nothing of."""


def test_an_account_with_one_of_everything_becomes_its_document() -> None:
    account = upgraded_account(ROW, ROWS)
    assert not account.damaged
    assert account.changed == CHANGED
    assert account.all_settings.unknown == (
        Unknown("zone", "Mars/Base", is_told=True),
        Unknown("tempo", "fast"),
    )
    assert json.loads(format_document(account)) == {
        "userid": "alice",
        "password": HASH,
        "addresses": ["alice@example.org", "Alice+oust@Example.net"],
        "joined": "2026-11-01T12:00:00Z",
        "message_key": KEY,
        "settings": [
            {"name": "mail", "value": "digest"},
            {"name": "told", "value": "zone Mars/Base"},
            {"name": "tempo", "value": "fast"},
        ],
        "notes": [{"kind": "oust", "board": 17, "note": "Corners\nand edges"}],
        "watched": [{"kind": "churn", "board": 3}, {"kind": "oust", "board": 2}],
        "board_limits": [{"boards": 5}],
        "rejections": [{"rejected": "bob"}],
        "queue": [
            {
                "kind": "oust",
                "board": 17,
                "record": 5,
                "message_key": KEY,
                "condition": "F6",
                "answer": "D4,E5",
            },
            {"kind": "oust", "board": 17, "record": 5, "message_key": KEY, "answer": "D4"},
        ],
        "submissions": [{"kind": "oust", "board": 17, "record": 5, "move": "D4,E5"}],
        "seeks": [
            {
                "kind": "oust",
                "number": 3,
                "at": TIME,
                "grid": "hex 7",
                "terms": "nagtime=7 forfeittime=21",
            }
        ],
        "vacations": [{"begins": TIME, "ends": "2026-11-21T15:36:00Z"}],
        "broadcasts": [{"at": TIME}],
        "digests": [{"looked": TIME, "sent": TIME}],
        "signed_off": [{"since": TIME}],
        "disabled": [{"since": TIME}],
        "verified": [{"code": "feedfeedfeedfeed", "message_key": KEY}],
    }
    assert parse_json(format_json(account)) == replace(account, changed=None)


def test_all_that_accounts_keep_comes_from_a_table() -> None:
    assert TABLES.keys() == ROWS.keys() == {"addresses", *KEPT} - NOT_KEPT_THEN


def test_an_account_that_keeps_nothing_has_a_short_document() -> None:
    account = upgraded_account(("bob", HASH, seconds(JOINED), None, None), {})
    assert account == Account("bob", HASH, (), JOINED)
    assert account.changed is None


@given(accounts())
def test_the_rows_of_any_account_become_it_again(account: Account) -> None:
    account = replace(account, **dict.fromkeys(NOT_KEPT_THEN, ()))
    found = json.loads(format_json(account))
    rows = {
        table: [tuple(_cell(item.get(column)) for column in columns) for item in found[table]]
        for table, columns in TABLES.items()
        if table in found and table != "addresses"
    }
    rows["addresses"] = [(address,) for address in account.addresses]
    joined = seconds(account.joined)
    row = (account.userid, account.password, joined, account.message_key or None, None)
    assert upgraded_account(row, rows) == replace(account, said=())


def _cell(cell: object) -> object:
    """Return a cell as the tables had it."""
    with suppress(ValueError):
        return seconds(parse_time(str(cell)))
    return cell


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("queue", ("oust", 1, 1, "x", None, "D4")),
        ("board_limits", (-1,)),
        ("vacations", (99999999999999, 99999999999999)),
        ("seeks", ("oust", 3, AT, None, "round", "swap")),
    ],
)
def test_what_was_damaged_stays_damaged_and_troubles_nobody_else(
    table: str, row: Row, database: Database
) -> None:
    account = upgraded_account(ROW, {**ROWS, table: [row]})
    assert account.damaged.keys() == {table}
    database.write(lambda transaction: write_account(transaction, account))
    with pytest.raises(Exception, match=f"the account alice in the database is damaged, {table}: "):
        read(database, "alice")
