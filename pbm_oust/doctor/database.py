"""The database: that SQLite finds it whole, and that it fits the histories."""

from collections.abc import Iterator

from pbm_oust.doctor.finding import Examiner, Finding, counted
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store import index
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName, boards_with_waiting

_on = Examiner("database")


def check(home: Home) -> Iterator[Finding]:
    """Yield findings about the database."""
    if not home.database.path.exists():
        yield _on.note("there is none yet; the server makes it when it starts")
        return
    try:
        with home.database.read() as snapshot:
            findings = [*_integrity(snapshot), *_index(home, snapshot), *_waiting(home, snapshot)]
    except DatabaseFault as fault:
        yield _on.bad(str(fault), "Until then no mail is taken")
        return
    yield from _on.all_or("it is whole, and the index of boards fits the histories", findings)


def _integrity(snapshot: Snapshot) -> Iterator[Finding]:
    for (text,) in snapshot.rows("PRAGMA integrity_check(5)"):
        if text != "ok":
            yield _on.bad(f"it is damaged: {text}", "Stop the server, and restore a backup")
    for table, row, parent, _ in snapshot.rows("PRAGMA foreign_key_check"):
        yield _on.bad(
            f"row {row} of {table} belongs to nothing in {parent}",
            "Stop the server, and restore a backup",
        )


def _index(home: Home, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield how many boards the index does not know as their files are."""
    strange = [
        name
        for kind in KINDS
        for name in {*_files(home, kind), *index.stamps_in(snapshot, kind)}
        if index.stamp_in(snapshot, name) != home.boards.histories.stamp(name)
    ]
    waiting = set(boards_with_waiting(snapshot))
    strange = sorted(set(strange) - waiting)
    if strange:
        yield _on.note(
            f"the index is behind the histories of {counted(len(strange), 'board')}, the first "
            f"{strange[0]}; the server reads them again, and so does: pbm-oust games reindex"
        )


def _files(home: Home, kind: str) -> Iterator[BoardName]:
    for number in home.boards.histories.numbers(kind):
        yield BoardName(kind, number)


def _waiting(home: Home, snapshot: Snapshot) -> Iterator[Finding]:
    names = boards_with_waiting(snapshot)
    if names:
        yield _on.note(
            f"lines wait for the histories of {counted(len(names), 'board')}, the first {names[0]};"
            " the server appends them within a minute"
        )
