"""Bringing a home of the form before into today's: tables of version 10, which files came before.

In that form the files of histories were the truth, and the database had what waited for them. All
of it is one transaction: the rows of the old tables are set aside, the new tables are made, and
what has stayed the same is put back. Histories become rows.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.document import read_document
from pbm_oust.board.history import with_other_userid
from pbm_oust.board.notation import format_time
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import write_account
from pbm_oust.store.backup import copied_tables, gives_ids, latest_id
from pbm_oust.store.boards import by_records, reading_of
from pbm_oust.store.database import Connection, Row, Snapshot, Transaction, Value, moment_of, tables
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import ValueDamaged
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, believe
from pbm_oust.store.publishing import whole_lines
from pbm_oust.store.ratings import mark

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
    """Return an account from its row in `accounts` and its rows in the other tables."""
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


BEFORE = (10, 11, 12)
"""The versions of the tables that can be brought up to date: of 10, files had the histories."""
_OF_SERVER = ("home_key",)
"""What only a server keeps, besides the tables of all engines."""
_RECORD = re.compile(rb" {0,3}([0-9]+) [xo*] ")


def upgrade(home: Home, connection: Connection) -> int:
    """Bring the tables behind a connection up to date, within its open transaction.

    Returns the number of boards. Raises DatabaseFault, and OSError if a history cannot be read.
    """
    transaction, is_on_server = Transaction(connection), home.is_on_server
    there = _tables_in(transaction, is_on_server=is_on_server)
    ids = {
        table: latest_id(home.database, transaction, table)
        for table in copied_tables()
        if table in there and gives_ids(table)
    }
    for table in there:
        transaction.run(f"CREATE TEMPORARY TABLE old_{table} AS SELECT * FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    transaction.run("DELETE FROM old_message_keys WHERE outcome = 'begun'")
    for table in there:
        transaction.run(f"DROP TABLE {table}{' CASCADE' if is_on_server else ''}")
    for statement in _statements("postgresql" if is_on_server else "sqlite"):
        transaction.run(statement)
    has_histories = "records" in there
    if not has_histories:
        _take_accounts(transaction)
    for table in (*copied_tables(), *_OF_SERVER):
        if table in there and (has_histories or table not in _MADE_ANEW):
            _put_back(transaction, table, is_on_server=is_on_server)
    for table, latest in ids.items():
        home.database.note_latest_id(transaction, table, latest)
    if not has_histories:
        for name in _names(transaction, home):
            _take(transaction, home, name)
    for kind in KINDS.values():
        mark(transaction, kind)
    for table in there:
        transaction.run(f"DROP TABLE old_{table}")
    return transaction.number("SELECT count(*) FROM boards")


_MADE_ANEW = frozenset(
    {
        *("accounts", "addresses", "watched", "seeks", "mentions"),
        *("boards", "board_userids", "board_counts", "ratings", "rating_steps"),
    }
)
"""Tables that are made from the accounts and the histories."""


def _statements(engine: str) -> list[str]:
    """Return the statements that make all tables; a server takes one at a time."""
    if engine == "sqlite":
        return [tables(engine)]
    text = re.sub(r"--.*", "", tables(engine))
    return [each.strip() for each in text.split(";") if each.strip()]


def _tables_in(snapshot: Snapshot, *, is_on_server: bool) -> list[str]:
    """Return the names of all tables of ours."""
    if is_on_server:
        search = (
            "SELECT table_name FROM information_schema.tables"
            " WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        )
    else:
        search = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    return [str(name) for (name,) in snapshot.rows(search)]


def _put_back(transaction: Transaction, table: str, *, is_on_server: bool) -> None:
    """Put the rows of a table back, as far as there are the same columns."""
    new = _columns(transaction, table, is_on_server=is_on_server)
    old = _columns(transaction, f"old_{table}", is_on_server=is_on_server)
    names = ", ".join(name for name in new if name in old)
    transaction.run(f"DELETE FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    transaction.run(f"INSERT INTO {table} ({names}) SELECT {names} FROM old_{table}")  # noqa: S608 - the names are ours # nosec B608


def _columns(snapshot: Snapshot, table: str, *, is_on_server: bool) -> list[str]:
    if is_on_server:
        search = (
            "SELECT attname FROM pg_attribute WHERE attrelid = CAST(? AS regclass)"
            " AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        )
    else:
        search = "SELECT name FROM pragma_table_info(?)"
    return [str(name) for (name,) in snapshot.rows(search, table)]


def _names(snapshot: Snapshot, home: Home) -> list[BoardName]:
    """Return all boards that have a history, or lines that wait for one."""
    rows = snapshot.rows("SELECT DISTINCT kind, board FROM old_waiting_lines")
    if home.is_on_server:
        rows += snapshot.rows("SELECT kind, board FROM old_history_stamps")
    waiting = {BoardName(*row) for row in rows if row[0] in KINDS}
    return sorted(waiting if home.is_on_server else waiting | {*home.publisher.names()})


def _take_accounts(transaction: Transaction) -> None:
    """Make documents of all accounts."""
    kept = {table: defaultdict[str, list[Row]](list) for table in TABLES}
    for table, columns in TABLES.items():
        names = ", ".join(columns)
        search = f"SELECT userid, {names} FROM old_{table} ORDER BY userid, position"  # noqa: S608 - the names are ours # nosec B608
        for userid, *cells in transaction.rows(search):
            kept[table][userid].append(tuple(cells))
    search = f"SELECT {', '.join(ACCOUNT)} FROM old_accounts"  # noqa: S608 - the names are ours # nosec B608
    for row in transaction.rows(search):
        rows = {table: found[row[0]] for table, found in kept.items()}
        write_account(transaction, upgraded_account(row, rows))


def _take(transaction: Transaction, home: Home, name: BoardName) -> None:
    """Make rows of the history of a board, as its file and what waits for it say together."""
    data = b""
    if home.is_on_server:
        lines = transaction.rows(
            "SELECT content FROM old_history_lines WHERE kind = ? AND board = ? ORDER BY line",
            *name,
        )
        data = b"".join([bytes(content) for (content,) in lines])
    else:
        with suppress(NoSuchFile):
            data = home.publisher.read(name)
    data = _joined(transaction, name, whole_lines(data))
    if data:
        reading = believe(name, data) or reading_of(name, data)
        home.boards.put_all(transaction, [(reading, by_records(data))])


def _joined(snapshot: Snapshot, name: BoardName, data: bytes) -> bytes:
    """Return a history with the userids and the lines that wait for it."""
    for old, new in snapshot.rows(
        "SELECT old, new FROM old_waiting_rewritings WHERE kind = ? AND board = ? ORDER BY id",
        *name,
    ):
        data = with_other_userid(data, old, new)
    for number, lines in snapshot.rows(
        "SELECT record, lines FROM old_waiting_lines WHERE kind = ? AND board = ? ORDER BY record",
        *name,
    ):
        text = bytes(lines)
        if number or not data:
            data += b"".join(_lacking(data, text))
    return data


def _lacking(data: bytes, text: bytes) -> Iterator[bytes]:
    """Yield the lines of a text that a history does not have: its records and what is below."""
    records = map(_RECORD.match, data.splitlines())
    latest = max((int(found[1]) for found in records if found), default=0)
    known = set(data.splitlines(keepends=True))
    for line in text.splitlines(keepends=True):
        record = _RECORD.match(line)
        if (int(record[1]) > latest) if record else (not data or line not in known):
            yield line
