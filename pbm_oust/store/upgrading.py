"""Bringing a home in files from the tables of any earlier release into those of today.

`STEPS` has what each version of the tables lacks, and no step is ever taken out. First the tables
are laid out as they are today, with the cells that both have. Then come the steps from the version
of the home on, in their order; they work on the tables of today. All of it is one transaction, with
a copy of the home beside it where nobody has made one (`pbm_oust/store/backup.py`).

Tables of version 10 are older than all releases: there the files of histories were the truth, and
the database had what waited for them. A home on a server is copied into files by the program that
made it.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from functools import partial

import msgspec

from pbm_oust.accounts.account import Account
from pbm_oust.board.history import with_other_userid
from pbm_oust.board.notation import format_time
from pbm_oust.rules import KINDS
from pbm_oust.store import database
from pbm_oust.store.accounts import account_of, write_account
from pbm_oust.store.boards import read_rows
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.faults import ValueDamaged
from pbm_oust.store.home import Home
from pbm_oust.store.index import ENTRIES, BoardName, read_entries
from pbm_oust.store.ladders import catch_up, start_anew
from pbm_oust.store.message_keys import MEMORY, note_upgrade
from pbm_oust.store.players import note_players, playing
from pbm_oust.store.publishing import whole_lines
from pbm_oust.store.ratings import mark
from pbm_oust.store.sqlite import SqliteDatabase, connection_to_nothing

ACCOUNT = ("userid", "password", "joined", "signup_key", "changed")
"""The columns of the old table `accounts` that are read."""
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


def upgraded_account(account: database.Row, rows: Mapping[str, Sequence[database.Row]]) -> Account:
    """Return an account by its rows in the old tables."""
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
    return account_of((userid, changed, document))


def _item(columns: Sequence[str], row: database.Row) -> dict[str, object]:
    cells = zip(columns, row, strict=True)
    return {column: _cell(column, cell) for column, cell in cells if cell is not None}


def _cell(column: str, cell: database.Value) -> object:
    """Return a cell as a document has it: a time as text, if a year has it."""
    if column in _TIMES and isinstance(cell, int):
        with suppress(ValueDamaged):
            return format_time(database.moment_of(cell))
    return cell


_TAKEN = {
    "message_keys": ("message_key", "outcome", "at"),
    "verifications": (
        *("code", "purpose", "userid", "address", "asked", "message_key", "password", "language"),
        *("line", "other"),
    ),
}
"""Tables of version 10 with fewer columns now, and the columns that are kept."""
_SAME = frozenset(
    {
        *("analyses", "bounces", "causes", "letters", "rate_limits", "seek_numbers", "sheets"),
        "sqlite_sequence",
    }
)
"""Tables of version 10 that have stayed the same."""
_WAITING = ("waiting_lines", "waiting_rewritings")
"""Changes that waited to be written into histories."""
_RECORD = re.compile(rb" {0,3}([0-9]+) [xo*] ")
_KEY = re.compile(rb"^(?:# challenge| {0,3}[0-9]+ [xo] .*Z) ([0-9a-f]{16})$", re.MULTILINE)
_COLUMNS = "SELECT name FROM pragma_table_info(?)"
_SCHEMA = "SELECT type, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"


def upgrade(home: Home, database: database.Database) -> int | None:
    """Upgrade a database, with the histories in the folder of a home; all, or nothing.

    Returns the number of boards; None if the tables are up to date. Missing tables are made. Raises
    DatabaseFault, and OSError if a history cannot be read.
    """
    if isinstance(database, SqliteDatabase):
        return database.upgrade(partial(_upgrade, home))
    with database.read():
        return None  # whoever connects to a server makes missing tables


def _upgrade(home: Home, transaction: database.Transaction, version: int) -> int:
    if version == OF_FILES:
        _take_files(transaction, home)
    else:
        _lay_out(transaction)
    steps = (step for number, needed in STEPS.items() if number >= version for step in needed)
    for step in dict.fromkeys(steps):
        step(transaction)
    note_upgrade(transaction, _keys(transaction, home.now() - MEMORY), home.now())
    return transaction.number("SELECT count(*) FROM boards")


def _keys(transaction: database.Transaction, since: datetime) -> Iterator[str]:
    """Yield the message keys on boards changed since a moment, and in accounts.

    Mails of the earlier version are recognised by them for a while.
    """
    rows = transaction.rows(
        "SELECT r.lines FROM boards b JOIN records r USING (kind, board)"
        " WHERE b.latest >= ? OR b.latest IS NULL",
        database.seconds(since),
    )
    for (lines,) in rows:
        yield from (found.decode() for found in _KEY.findall(lines))
    for (key,) in transaction.rows("SELECT json_extract(document, '$.message_key') FROM accounts"):
        if key:
            yield key


def _lay_out(transaction: database.Transaction) -> None:
    """Lay all tables out as they are today, with the cells of columns that are still there."""
    with closing(connection_to_nothing()) as new:
        wanted = _statements(new.execute(_SCHEMA).fetchall())
        columns = {table: set(_columns(new.execute(_COLUMNS, (table,)))) for table in wanted}
    found = _statements(transaction.rows(_SCHEMA))
    same = {table for table in found if found[table] == wanted.get(table)}
    taken = {
        table: [name for name in _columns(transaction.rows(_COLUMNS, table)) if name in there]
        for table, there in columns.items()
        if table in found and table not in same
    }
    _remake(transaction, taken, {*same, "sqlite_sequence"})


def _statements(rows: Iterable[database.Row]) -> dict[str, list[str]]:
    """Return the statements that make each table with its indexes."""
    found = defaultdict[str, list[str]](list)
    for _, table, statement in rows:
        found[table].append(statement)
    return dict(found)


def _columns(rows: Iterable[database.Row]) -> list[str]:
    return [name for (name,) in rows]


def _compute_ladders(transaction: database.Transaction) -> None:
    """Compute all ladders anew, from who has joined and the challenges on boards."""
    for (kind,) in transaction.rows("SELECT kind FROM ladders"):
        start_anew(transaction, kind)
        while catch_up(transaction, kind):
            pass


def _note_players(transaction: database.Transaction) -> None:
    """Note who owns a side of any board, by the boards."""
    boards = read_entries(transaction, f"{ENTRIES} boards b WHERE state <> 'damaged'")
    note_players(transaction, (player for board in boards for player in playing(board)))


def _want_openings(transaction: database.Transaction) -> None:
    """Note the games that are over, whose openings sweeps count then."""
    transaction.run(
        "INSERT INTO openings_wanted (kind, board) SELECT kind, board FROM boards "
        "WHERE state = 'over' ON CONFLICT DO NOTHING"
    )


Step = Callable[[database.Transaction], None]
OF_FILES = 10
"""The version of tables before histories were rows; its rows are made by the programs of today."""
STEPS: Mapping[int, Sequence[Step]] = {
    OF_FILES: (),
    13: (),  # no tournaments: their tables are empty
    14: (_compute_ladders,),  # a row for each player on a ladder; release 0.2.0
    15: (_compute_ladders, _note_players),  # no times of places on ladders, and no table of players
    16: (_want_openings,),  # no openings of games
}
"""The steps to take from each version on. No release had one of those between.

A new column needs a default, or may be NULL: no row would be taken otherwise.
"""


def _remake(
    transaction: database.Transaction,
    taken: Mapping[str, Sequence[str]],
    same: Collection[str],
    waiting: Collection[str] = (),
) -> None:
    """Make all tables anew except `same`; the cells of those in `taken` are kept.

    Old tables are dropped, except those that are `waiting`.
    """
    for table, columns in taken.items():
        transaction.run(
            f"CREATE TEMPORARY TABLE old_{table} AS {database.selection(table, columns)}"
        )
    for kind, table, _ in transaction.rows(_SCHEMA):
        if kind == "table" and table not in {*same, *waiting}:
            transaction.run(f"DROP TABLE {table}")
    with closing(connection_to_nothing()) as new:
        for _, table, statement in new.execute(_SCHEMA):
            if table not in same:
                transaction.run(str(statement))
    for table, columns in taken.items():
        cells = database.selection(f"old_{table}", columns)
        transaction.run(f"INSERT INTO {table} ({', '.join(columns)}) {cells}")
        transaction.run(f"DROP TABLE old_{table}")


def _take_files(transaction: database.Transaction, home: Home) -> None:
    """Make accounts and boards from the rows of version 10, and the history files."""
    accounts = list(_accounts(transaction))
    transaction.run("DELETE FROM message_keys WHERE outcome = 'begun'")
    _remake(transaction, _TAKEN, _SAME, _WAITING)
    for account in accounts:
        write_account(transaction, account)
    _take_histories(transaction, home)
    for game in KINDS.values():
        mark(transaction, game)


def _take_histories(transaction: database.Transaction, home: Home) -> None:
    """Make the rows of all boards, from their files and the waiting lines."""
    for name in _names(transaction, home):
        if data := _history(transaction, home, name):
            home.boards.put_all(transaction, [read_rows(name, data)])
    for table in _WAITING:
        transaction.run(f"DROP TABLE {table}")


def _names(snapshot: database.Snapshot, home: Home) -> list[BoardName]:
    """Return all boards with a history, or with waiting lines."""
    rows = snapshot.rows("SELECT DISTINCT kind, board FROM waiting_lines")
    return sorted({BoardName(*row) for row in rows if row[0] in KINDS} | {*home.publisher.names()})


def _accounts(snapshot: database.Snapshot) -> Iterator[Account]:
    """Yield all accounts, made of their old rows."""
    kept = {table: defaultdict[str, list[database.Row]](list) for table in TABLES}
    for table, columns in TABLES.items():
        search = f"{database.selection(table, ['userid', *columns])} ORDER BY userid, position"
        for userid, *cells in snapshot.rows(search):
            kept[table][userid].append(tuple(cells))
    for row in snapshot.rows(database.selection("accounts", ACCOUNT)):
        yield upgraded_account(row, {table: found[row[0]] for table, found in kept.items()})


def _history(snapshot: database.Snapshot, home: Home, name: BoardName) -> bytes:
    """Return a history by its file, with waiting lines and userids applied."""
    data = b""
    with suppress(NoSuchFile):
        data = whole_lines(home.publisher.read(name))
    for old, new in snapshot.rows(
        "SELECT old, new FROM waiting_rewritings WHERE kind = ? AND board = ? ORDER BY id",
        *name,
    ):
        data = with_other_userid(data, old, new)
    for number, lines in snapshot.rows(
        "SELECT record, lines FROM waiting_lines WHERE kind = ? AND board = ? ORDER BY record",
        *name,
    ):
        text = bytes(lines)
        if number or not data:
            data += b"".join(_lacking(data, text))
    return data


def _lacking(data: bytes, text: bytes) -> Iterator[bytes]:
    """Yield the lines of a text that a history lacks: records, and lines below them."""
    records = map(_RECORD.match, data.splitlines())
    latest = max((int(found[1]) for found in records if found), default=0)
    known = set(data.splitlines(keepends=True))
    for line in text.splitlines(keepends=True):
        record = _RECORD.match(line)
        if (int(record[1]) > latest) if record else (not data or line not in known):
            yield line
