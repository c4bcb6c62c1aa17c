"""The index of boards: what the database says about each history, and whether that still fits.

It is made from the histories, and they take precedence.
"""

from collections.abc import Collection

from pbm_oust.store.board_queries import find_damage, find_entry
from pbm_oust.store.columns import format_outcome, seconds, words_list
from pbm_oust.store.connections import Answer, Row, Snapshot, Transaction
from pbm_oust.store.entries import Damage, Entry, Reading, Source, State
from pbm_oust.store.histories import NO_STAMP, Stamp
from pbm_oust.store.ratings import note_change
from pbm_oust.store.waiting import BoardName

_FORGET = {
    "boards": "DELETE FROM boards WHERE kind = ? AND board = ?",
    "damaged_boards": "DELETE FROM damaged_boards WHERE kind = ? AND board = ?",
    "board_userids": "DELETE FROM board_userids WHERE kind = ? AND board = ?",
}


def stamp_in(snapshot: Snapshot, name: BoardName) -> Stamp | None:
    """Return the stamp of the file that the index was made from; None for a board not in it."""
    row = snapshot.row(
        "SELECT size, mtime, inode FROM histories WHERE kind = ? AND board = ?", *_key(name)
    )
    return Stamp(*row) if row else None


def stamps_in(
    snapshot: Snapshot, kind: str, numbers: Collection[int] | None = None
) -> dict[BoardName, Stamp]:
    """Return the stamps of all boards of a kind, or of those with some numbers."""
    statement, values = "SELECT board, size, mtime, inode FROM histories WHERE kind = ?", [kind]
    if numbers is not None:
        statement += " AND board IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"
        values.append(words_list(map(str, numbers)))
    rows = snapshot.rows(statement, *values)
    return {BoardName(kind, board): Stamp(*stamp) for board, *stamp in rows}


def numbers_in(snapshot: Snapshot, kind: str) -> list[int]:
    """Return the numbers of all boards of a kind."""
    return [
        number for (number,) in snapshot.rows("SELECT board FROM histories WHERE kind = ?", kind)
    ]


def is_named(snapshot: Snapshot, name: BoardName, stamp: Stamp) -> bool:
    """Return whether the name of the file with this stamp is known to be synced."""
    row = snapshot.row(
        "SELECT is_named FROM histories "
        "WHERE kind = ? AND board = ? AND size = ? AND mtime = ? AND inode = ?",
        *_key(name),
        *_values(stamp),
    )
    return row == (1,)


def restamp(transaction: Transaction, name: BoardName, old: Stamp, new: Stamp) -> bool:
    """Record that we have changed a file, whose name is synced.

    The index already says what the file says. Returns whether the old stamp fitted.
    """
    changed = transaction.run(
        "UPDATE histories SET size = ?, mtime = ?, inode = ?, is_named = 1 "
        "WHERE kind = ? AND board = ? AND size = ? AND mtime = ? AND inode = ?",
        *_values(new),
        *_key(name),
        *_values(old),
    )
    return changed == 1


def note_stamp(transaction: Transaction, name: BoardName, stamp: Stamp) -> None:
    """Record the stamp of a history that the index already agrees with."""
    transaction.send(
        "UPDATE histories SET size = ?, mtime = ?, inode = ?, is_named = 1 "
        "WHERE kind = ? AND board = ?",
        *_values(stamp),
        *_key(name),
    )


def put(
    transaction: Transaction, reading: Reading, stamp: Stamp, *, changes_ratings: bool = True
) -> None:
    """Write what a history says into the index.

    If the file cannot be read, the known userids stay, and it will be read again. Whoever leaves
    the ratings alone has to mark them.
    """
    entry = reading.entry
    userids = reading.userids
    if userids is None:
        userids, stamp = _userids_in(transaction, entry.name), NO_STAMP
    told = _put_history(transaction, reading, stamp)
    if isinstance(entry, Entry) and entry.state is State.ACTIVE and not told.changed:
        course = _put_course(transaction, entry)
        transaction.wait()
        if course.changed and not told.changed:
            return
    before = find_entry(transaction, entry.name) if changes_ratings else None
    other = "damaged_boards" if isinstance(entry, Entry) else "boards"
    for table in (other, "board_userids"):
        transaction.send(_FORGET[table], *_key(entry.name))
    if isinstance(entry, Entry):
        _put_entry(transaction, entry)
        state, owners = entry.state, entry.owners
    else:
        _put_damage(transaction, entry)
        state, owners = State.DAMAGED, frozenset[str]()
    for userid in userids:
        transaction.send(
            "INSERT INTO board_userids (userid, kind, board, state, is_owner) "
            "VALUES (?, ?, ?, ?, ?)",
            userid,
            *_key(entry.name),
            state.value,
            int(userid in owners),
        )
    if changes_ratings:
        after = entry.finish if isinstance(entry, Entry) else None
        note_change(transaction, before.finish if before else None, after)


def get(snapshot: Snapshot, name: BoardName) -> tuple[Reading, Stamp] | None:
    """Return what was put into the index for a board; None for a board not in it."""
    entry = find_entry(snapshot, name) or find_damage(snapshot, name)
    row = snapshot.row(
        "SELECT is_replayed, challenge, source, source_number, size, mtime, inode FROM histories "
        "WHERE kind = ? AND board = ?",
        *_key(name),
    )
    if not row or not entry:
        return None
    is_replayed, challenge, word, number, *stamp = row
    source = Source(word, number) if word else None
    userids = _userids_in(snapshot, name)
    return Reading(entry, userids, challenge, source, bool(is_replayed)), Stamp(*stamp)


def said_as(snapshot: Snapshot, kind: str, first: int, last: int) -> dict[BoardName, Row]:
    """Return what was put for the boards with these numbers that replay, as `row_of` gives it."""
    rows = snapshot.rows(
        "SELECT board, size, mtime, inode, is_replayed, challenge, source, source_number, "
        "grid, x, o, state, to_move, result, is_rated, started, latest, records, due "
        "FROM histories JOIN boards USING (kind, board) WHERE kind = ? AND board BETWEEN ? AND ?",
        kind,
        first,
        last,
    )
    return {BoardName(kind, board): tuple(values) for board, *values in rows}


def row_of(reading: Reading, stamp: Stamp) -> Row | None:
    """Return what `put` writes about a board that replays; None for one that is damaged."""
    entry = reading.entry
    if isinstance(entry, Damage):
        return None
    return (*_told_values(reading, stamp), *_entry_values(entry))


def remove(transaction: Transaction, name: BoardName) -> None:
    """Remove a board from the index."""
    before = find_entry(transaction, name)
    transaction.run("DELETE FROM histories WHERE kind = ? AND board = ?", *_key(name))
    note_change(transaction, before.finish if before else None, None)


def believed(snapshot: Snapshot, most: int) -> list[BoardName]:
    """Return boards whose histories have not been replayed."""
    rows = snapshot.rows(
        "SELECT kind, board FROM histories WHERE is_replayed = 0 ORDER BY kind, board LIMIT ?", most
    )
    return [BoardName(*row) for row in rows]


def highest_number(snapshot: Snapshot, kind: str) -> int:
    """Return the highest number of a board in the index, or of lines that wait; 0 for none."""
    rows = snapshot.rows(
        "SELECT max(board) FROM histories WHERE kind = ? "
        "UNION ALL SELECT max(board) FROM waiting_lines WHERE kind = ?",
        kind,
        kind,
    )
    return max(number or 0 for (number,) in rows)


def _userids_in(snapshot: Snapshot, name: BoardName) -> frozenset[str]:
    rows = snapshot.rows(
        "SELECT userid FROM board_userids WHERE kind = ? AND board = ?", *_key(name)
    )
    return frozenset(userid for (userid,) in rows)


def _put_history(transaction: Transaction, reading: Reading, stamp: Stamp) -> Answer:
    """Write what a history tells, and its stamp; that changes no row if it is there already."""
    return transaction.send(
        "INSERT INTO histories AS h (kind, board, size, mtime, inode, is_replayed, challenge, "
        "source, source_number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (kind, board) DO UPDATE SET is_named = CASE "
        "WHEN (h.size, h.mtime, h.inode) = (excluded.size, excluded.mtime, excluded.inode) "
        "THEN h.is_named ELSE 0 END, size = excluded.size, mtime = excluded.mtime, "
        "inode = excluded.inode, is_replayed = excluded.is_replayed, "
        "challenge = excluded.challenge, source = excluded.source, "
        "source_number = excluded.source_number "
        "WHERE (h.size, h.mtime, h.inode, h.is_replayed, h.challenge, h.source, h.source_number) "
        "IS DISTINCT FROM (excluded.size, excluded.mtime, excluded.inode, excluded.is_replayed, "
        "excluded.challenge, excluded.source, excluded.source_number)",
        *_key(reading.entry.name),
        *_told_values(reading, stamp),
    )


def _put_course(transaction: Transaction, entry: Entry) -> Answer:
    """Write what moves change, if that is all that has changed of a board."""
    return transaction.send(
        "UPDATE boards SET to_move = ?, latest = ?, records = ?, due = ? "
        "WHERE kind = ? AND board = ? AND (grid, x, o, state, result, is_rated, started) "
        "IS NOT DISTINCT FROM (?, ?, ?, ?, ?, ?, ?)",
        entry.to_move,
        seconds(entry.latest),
        entry.records,
        _due(entry),
        *_key(entry.name),
        entry.grid,
        entry.x,
        entry.o,
        entry.state.value,
        _result(entry),
        int(entry.is_rated),
        seconds(entry.started),
    )


def _put_entry(transaction: Transaction, entry: Entry) -> None:
    transaction.send(
        "INSERT INTO boards (kind, board, grid, x, o, state, to_move, result, is_rated, started, "
        "latest, records, due) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (kind, board) DO UPDATE SET grid = excluded.grid, x = excluded.x, "
        "o = excluded.o, state = excluded.state, to_move = excluded.to_move, "
        "result = excluded.result, is_rated = excluded.is_rated, started = excluded.started, "
        "latest = excluded.latest, records = excluded.records, due = excluded.due",
        *_key(entry.name),
        *_entry_values(entry),
    )


def _put_damage(transaction: Transaction, damage: Damage) -> None:
    transaction.send(
        "INSERT INTO damaged_boards (kind, board, x, o, line, reason) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (kind, board) DO UPDATE SET x = excluded.x, o = excluded.o, "
        "line = excluded.line, reason = excluded.reason",
        *_key(damage.name),
        damage.x,
        damage.o,
        damage.line,
        damage.reason,
    )


def _told_values(reading: Reading, stamp: Stamp) -> Row:
    """Return what the table of histories says about one."""
    source = reading.source
    word, number = (source.word, source.number) if source else (None, None)
    return (*_values(stamp), int(reading.is_replayed), reading.challenge, word, number)


def _entry_values(entry: Entry) -> Row:
    """Return what the table of boards says about one."""
    return (
        entry.grid,
        entry.x,
        entry.o,
        entry.state.value,
        entry.to_move,
        _result(entry),
        int(entry.is_rated),
        seconds(entry.started),
        seconds(entry.latest),
        entry.records,
        _due(entry),
    )


def _result(entry: Entry) -> str | None:
    return format_outcome(entry.result) if entry.result else None


def _due(entry: Entry) -> int | None:
    return seconds(entry.due) if entry.due else None


def _key(name: BoardName) -> tuple[str, int]:
    return name.kind, name.board


def _values(stamp: Stamp) -> tuple[int, int, int]:
    return stamp.size, stamp.mtime, stamp.inode
