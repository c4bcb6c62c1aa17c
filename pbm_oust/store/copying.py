"""Copying a whole home into another one, whichever engines keep them.

What a home holds besides its histories is copied in one transaction. The index of boards is made
anew from the histories. The key comes last: it is withheld until then, so that nobody uses a home
that is no whole copy, and copying may go on.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from pbm_oust.frozen import frozen
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.accounts import all_userids
from pbm_oust.store.backup import NotCopied, history_at
from pbm_oust.store.connections import Database, Row, Snapshot, Transaction, Value
from pbm_oust.store.faults import command_line
from pbm_oust.store.guarding import CLOSED, guard
from pbm_oust.store.histories import Histories
from pbm_oust.store.home import Home
from pbm_oust.store.refreshing import Progress, reindex
from pbm_oust.store.sending import hold_letters
from pbm_oust.store.waiting import BoardName, boards_with_waiting

_PAGE = 500
"""How many rows are read at a time."""
_TOGETHER = 200
"""How many histories are written at a time."""
_LOWEST = -(2**63)

Keys = tuple[tuple[str, Value], ...]
"""The columns by which the rows of a table are in order, and what comes before all values."""
_OF_BOARD: Keys = (("kind", ""), ("board", _LOWEST))

TABLES: dict[str, Keys] = {
    "accounts": (("userid", ""),),
    "addresses": (("normal", ""), ("userid", "")),
    "watched": (*_OF_BOARD, ("userid", "")),
    "seeks": (("kind", ""), ("number", _LOWEST)),
    "seek_numbers": (("kind", ""),),
    "mentions": (("mentioned", ""), ("userid", "")),
    "message_keys": (("message_key", ""),),
    "rate_limits": (("word", ""), ("subject", ""), ("at", _LOWEST)),
    "verifications": (("code", ""),),
    "bounces": (("id", _LOWEST),),
    "letters": (("id", _LOWEST),),
    "sheets": (("userid", ""), ("id", "")),
    "causes": (*_OF_BOARD, ("record", _LOWEST)),
    "analyses": _OF_BOARD,
}
"""The tables that are copied: each comes after those that its rows refer to."""
WAITING: dict[str, Keys] = {
    "waiting_lines": (*_OF_BOARD, ("record", _LOWEST)),
    "waiting_rewritings": (("id", _LOWEST),),
}
"""Those with what waits for histories, which are copied where the histories are not."""
DERIVED = (
    *("histories", "boards", "damaged_boards", "board_userids", "board_counts"),
    *("ratings", "ratings_until", "rating_steps", "rating_counts"),
)
"""Those that are made from the histories."""
_NUMBERED = ("letters", "bounces", "waiting_rewritings")
"""Those that give ids, which are never given twice."""


@frozen
class Copied:
    """How much was copied, and compared afterwards."""

    boards: int
    accounts: int
    rows: int
    letters: int
    """Letters that waited, and are held back in the copy."""


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
    target.boards.histories.prepare()
    try:
        target.remove_drafts()  # which a copying has left that was killed
        return _copy(source, target, progress)
    except BaseException:
        with suppress(OSError):
            target.remove_drafts()
        raise


def _copy(source: Home, target: Home, progress: Progress) -> Copied:
    """Copy a home into another one whose folder is prepared."""
    with source.database.read_latest() as snapshot:
        source.database.check_copied(snapshot)
        if waiting := boards_with_waiting(snapshot):
            doctor = command_line(source.path, "doctor")
            raise NotCopied(f"lines wait for the history of {waiting[0]}; do:  {doctor}")
        names = _names(source)
        _check_begun(target, names)
        target.engine.key.withhold()
        copying = (snapshot, source.boards.histories, target.boards.histories, names)
        for done in _copy_histories(*copying):
            progress(done, len(names))
        target.database.write(partial(copy_tables, source.database, snapshot, target.database))
        _check_strange(target, names)
        rows = _compare(snapshot, source, target, names)
        accounts = len(all_userids(snapshot))
    reindex(target.database, target.boards)
    letters = target.database.write(hold_letters)
    target.maildir.prepare()
    target.engine.key.put(source.key())
    return Copied(len(names), accounts, rows, letters)


def copy_tables(
    source: Database, snapshot: Snapshot, target: Database, transaction: Transaction
) -> None:
    """Put what a snapshot holds, besides what is made from histories, in place of what is there.

    Raises DatabaseTooNew, if either may hold more than we know of.
    """
    source.check_copied(snapshot)
    target.check_copied(transaction)
    tables = TABLES | WAITING
    for table in reversed(tables):
        transaction.run(f"DELETE FROM {table}")  # noqa: S608 - the names are ours # nosec B608
    for table, keys in tables.items():
        _insert_all(transaction, table, _rows(snapshot, table, keys))
    for table in _NUMBERED:
        search = f"SELECT coalesce(max(id), 0) FROM {table}"  # noqa: S608 - the names are ours # nosec B608
        ((highest,),) = snapshot.rows(search)
        latest = max(source.latest_id(snapshot, table), int(highest))
        target.note_latest_id(transaction, table, latest)


def _names(home: Home) -> list[BoardName]:
    """Return all boards that have a history."""
    histories = home.boards.histories
    return [BoardName(kind, number) for kind in KINDS for number in histories.numbers(kind)]


def _check_begun(target: Home, names: Sequence[BoardName]) -> None:
    """Raise NotCopied unless a home is new, or its copying from the same source was broken off."""
    with target.database.read_latest() as copy:
        target.database.check_copied(copy)
        holds_players = bool(all_userids(copy))
    if not target.engine.key.is_withheld and (holds_players or _names(target)):
        raise NotCopied(f"{target.path} holds something already; copy into a new home")
    _check_strange(target, names)


def _check_strange(target: Home, names: Sequence[BoardName]) -> None:
    """Raise NotCopied if a home has a history that the source does not have."""
    if strange := sorted({*_names(target)} - {*names}):
        raise NotCopied(
            f"{target.path} has a history of {strange[0]}, which is not one of the home to copy; "
            "copy into a new home"
        )


def _copy_histories(
    snapshot: Snapshot, source: Histories, target: Histories, names: Sequence[BoardName]
) -> Iterator[int]:
    """Let histories of the target be those that the source had at the moment of a snapshot.

    Yields the number of each one that is there.
    """
    there = {BoardName(kind, number) for kind in KINDS for number in target.numbers(kind)}
    for first in range(0, len(names), _TOGETHER):
        portion = names[first : first + _TOGETHER]
        contents = {name: history_at(snapshot, source, name) for name in portion}
        for name in there & contents.keys():
            if target.read(name).data != contents[name]:
                with target.held(name) as held:
                    held.replace(contents[name])
        target.create_all({name: contents[name] for name in portion if name not in there})
        yield from range(first + 1, first + len(portion) + 1)


def _compare(snapshot: Snapshot, source: Home, target: Home, names: Sequence[BoardName]) -> int:
    """Compare all histories, and all rows, which are counted. Raises NotCopied."""
    for name in names:
        content = history_at(snapshot, source.boards.histories, name)
        if target.boards.histories.read(name).data != content:
            raise NotCopied(f"the history of {name} is not the same in {target.path}")
    count = 0
    with target.database.read_latest() as copy:
        for table, keys in TABLES.items():
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
