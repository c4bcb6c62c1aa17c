"""Copying a whole home into another one, whichever engines keep them.

Every row is copied, in one transaction, and compared afterwards; the files of histories are
published from that. The key comes last: it is withheld until then, so that nobody uses a home that
is no whole copy, and copying may begin again.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import apsw

from pbm_oust.store.accounts import all_userids
from pbm_oust.store.backup import NotCopied
from pbm_oust.store.board_queries import all_names, count_all
from pbm_oust.store.database import Database, Row, Snapshot, Transaction, Value
from pbm_oust.store.guarding import CLOSED, guard
from pbm_oust.store.home import Home
from pbm_oust.store.rebuilding import Progress
from pbm_oust.store.schema import tables
from pbm_oust.store.sending import hold_letters

_PAGE = 500
"""How many rows are read at a time."""
_LOWEST = -(2**63)
Keys = tuple[tuple[str, Value], ...]
"""The columns by which the rows of a table are in order, and what comes before all values."""


@dataclass(frozen=True, slots=True)
class Copied:
    """How much was copied, and compared afterwards."""

    boards: int
    accounts: int
    rows: int
    letters: int
    """Letters that waited, and are held back in the copy."""


@cache
def copied_tables() -> dict[str, Keys]:
    """Return the tables that are copied: each comes after those that its rows refer to."""
    connection = apsw.Connection(":memory:")
    connection.execute(tables("sqlite"))
    made = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY rowid"
    )
    found: dict[str, Keys] = {}
    for name in [str(name) for (name,) in made]:
        columns = connection.execute(f"PRAGMA table_info({name})").fetchall()
        keys = sorted(
            (place, str(column), kind) for _, column, kind, _, _, place in columns if place
        )
        found[name] = tuple(
            (column, _LOWEST if kind == "INTEGER" else "") for _, column, kind in keys
        )
    connection.close()
    return found


def copy_home(source: Home, target: Home, progress: Progress) -> Copied:
    """Copy a home into another one that is empty, or that is no whole copy yet.

    No server may run on either. Raises NotCopied, DatabaseFault and OSError.
    """
    key = target.engine.key
    if key.is_made:
        raise NotCopied(f"{target.path} is in use already: it has a key; copy into a new home")
    if source.engine.key.is_withheld:
        raise NotCopied(f"{source.path} is no whole copy of another home; copy that one")
    source.recover()
    target.path.mkdir(CLOSED, parents=True, exist_ok=True)
    guard(target.path, has_readers=target.configured.readers)
    if not target.is_on_server:
        target.publisher.prepare()
    with source.database.read_latest() as snapshot:
        source.database.check_copied(snapshot)
        _check_begun(target)
        if not target.is_on_server:
            _check_histories(snapshot, target)
        key.withhold()
        boards = count_all(snapshot)
        progress(0, boards)
        target.database.write(
            lambda transaction: copy_tables(source.database, snapshot, target.database, transaction)
        )
        rows = _compare(snapshot, target)
        accounts = len(all_userids(snapshot))
    letters = target.database.write(hold_letters)
    target.maildir.prepare()
    if not target.is_on_server:
        target.publisher.catch_up(progress=progress)
    target.remove_drafts()
    key.put(source.key())
    return Copied(boards, accounts, rows, letters)


def copy_tables(
    source: Database, snapshot: Snapshot, target: Database, transaction: Transaction
) -> None:
    """Put all that a snapshot holds in place of what is there.

    Raises DatabaseTooNew, if either may hold more than we know of.
    """
    source.check_copied(snapshot)
    target.check_copied(transaction)
    known = copied_tables()
    for table in reversed(known):
        transaction.run(f"DELETE FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    for table, keys in known.items():
        _insert_all(transaction, table, _rows(snapshot, table, keys))
    for table in filter(gives_ids, known):
        target.note_latest_id(transaction, table, latest_id(source, snapshot, table))


def latest_id(database: Database, snapshot: Snapshot, table: str) -> int:
    """Return the highest id that a table has given."""
    search = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - the names are ours # nosec B608
    ((highest,),) = snapshot.rows(search)
    return max(database.latest_id(snapshot, table), int(highest))


def gives_ids(table: str) -> bool:
    """Return whether a table gives its rows ids."""
    return copied_tables()[table] == (("id", _LOWEST),)


def _check_begun(target: Home) -> None:
    """Raise NotCopied unless a home is new, or its copying was broken off."""
    with target.database.read_latest() as copy:
        target.database.check_copied(copy)
        is_used = bool(all_userids(copy) or count_all(copy))
    is_used = is_used or (not target.is_on_server and bool(target.publisher.names()))
    if is_used and not target.engine.key.is_withheld:
        raise NotCopied(f"{target.path} holds something already; copy into a new home")


def _check_histories(snapshot: Snapshot, target: Home) -> None:
    """Raise NotCopied if a home has files of boards that are not to be copied."""
    boards = set(all_names(snapshot))
    for name in target.publisher.names():
        if name not in boards:
            raise NotCopied(
                f"{target.path} has a history of {name}, which is not one of the home that is "
                "copied; copy into a new home"
            )


def _compare(snapshot: Snapshot, target: Home) -> int:
    """Compare all rows, which are counted. Raises NotCopied."""
    count = 0
    with target.database.read_latest() as copy:
        for table, keys in copied_tables().items():
            there = _rows(copy, table, keys)
            for row in _rows(snapshot, table, keys):
                if next(there, None) != row:
                    raise NotCopied(f"{table} are not the same in {target.path}: {row[0]}")
                count += 1
            if next(there, None) is not None:
                raise NotCopied(f"{table} are not the same in {target.path}")
    return count


def _rows(snapshot: Snapshot, table: str, keys: Keys) -> Iterator[Row]:
    """Yield the rows of a table in order, page by page."""
    names = ", ".join(name for name, _ in keys)
    places = ", ".join("?" * len(keys))
    search = (
        f"SELECT {names}, t.* FROM {table} t WHERE ({names}) > ({places}) "  # noqa: S608 - the names are ours # nosec B608
        f"ORDER BY {names} LIMIT {_PAGE}"
    )
    after: tuple[Value, ...] = tuple(lowest for _, lowest in keys)
    while page := snapshot.rows(search, *after):
        yield from (row[len(keys) :] for row in page)
        after = page[-1][: len(keys)]


def _insert_all(transaction: Transaction, table: str, rows: Iterable[Row]) -> None:
    """Add rows to a table, some at a time."""
    for number, row in enumerate(rows, 1):
        places = ", ".join("?" * len(row))
        transaction.send(f"INSERT INTO {table} VALUES ({places})", *row)  # noqa: S608 - the names are ours # nosec B608
        if number % _PAGE == 0:
            transaction.wait()
