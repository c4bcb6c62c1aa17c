"""Finding boards by what their rows say. Each query is served by an index of a table."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import Enum

from pbm_oust.board.game import AHEAD
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.columns import moment_of, parse_outcome, seconds, words_list
from pbm_oust.store.database import Row, Snapshot, Value
from pbm_oust.store.entries import BoardName, Damage, Entry, Source, State

ENTRIES = (
    "SELECT b.kind, b.board, b.grid, b.x, b.o, b.to_move, b.result, b.is_rated, b.started, "
    "b.latest, b.records, b.due FROM"
)
"""The beginning of a statement whose rows `read_entries` reads; it calls the boards `b`."""

_WHOLE = "state <> 'damaged'"
"""Of boards whose histories replay."""


class Standing(Enum):
    """In what sense a board belongs to a player."""

    OWNS = "owns"
    """The player owns a side at the end of the history."""
    STANDS = "stands"
    """The userid is anywhere in the history."""


def all_names(snapshot: Snapshot) -> list[BoardName]:
    """Return all boards, damaged or not, by the names of their kinds and their numbers."""
    rows = snapshot.rows("SELECT kind, board FROM boards ORDER BY kind, board")
    return [BoardName(*row) for row in rows]


def count_all(snapshot: Snapshot) -> int:
    """Return the number of all boards, damaged or not."""
    ((number,),) = snapshot.rows("SELECT count(*) FROM boards")
    return int(number)


def find_entry(snapshot: Snapshot, name: BoardName) -> Entry | None:
    """Return the entry of a board; None if it is damaged or does not exist."""
    found = read_entries(
        snapshot,
        f"{ENTRIES} boards b WHERE kind = ? AND board = ? AND {_WHOLE}",
        name.kind,
        name.board,
    )
    return found[0] if found else None


def count_records(snapshot: Snapshot, name: BoardName) -> int | None:
    """Return how many records a board has; None if it is damaged or does not exist."""
    row = snapshot.row(
        f"SELECT records FROM boards WHERE kind = ? AND board = ? AND {_WHOLE}",  # noqa: S608 - the words are ours # nosec B608
        name.kind,
        name.board,
    )
    return int(row[0]) if row else None


def boards_of_kind(snapshot: Snapshot, kind: str) -> list[Entry]:
    """Return the boards of a kind in order of their numbers."""
    search = f"{ENTRIES} boards b WHERE kind = ? AND {_WHOLE} ORDER BY board"
    return read_entries(snapshot, search, kind)


def boards_of_player(
    snapshot: Snapshot,
    userid: str,
    state: State,
    kind: str | None = None,
    standing: Standing = Standing.OWNS,
) -> list[Entry]:
    """Return the boards of a player in one state, in order of kinds and numbers."""
    owned = (1,) if standing is Standing.OWNS else (0, 1)
    statement = (
        f"{ENTRIES} board_userids u JOIN boards b USING (kind, board) "
        "WHERE u.userid = ? AND u.state = ? AND u.is_owner = ?"
    )
    values: tuple[Value, ...] = ()
    if kind is not None:
        statement, values = f"{statement} AND u.kind = ?", (kind,)
    found = [
        entry
        for is_owner in owned
        for entry in read_entries(snapshot, statement, userid, state.value, is_owner, *values)
    ]
    return sorted(found, key=lambda entry: entry.name)


def count_active(snapshot: Snapshot, userid: str) -> int:
    """Return the number of active boards on which a player owns a side."""
    row = snapshot.row(
        "SELECT count(*) FROM board_userids WHERE userid = ? AND state = ? AND is_owner = 1",
        userid,
        State.ACTIVE.value,
    )
    return int(row[0]) if row else 0


def count_active_against(snapshot: Snapshot, userid: str, others: Iterable[str]) -> int:
    """Return the number of active boards on which a player plays against any of some others."""
    row = snapshot.row(
        "SELECT count(*) FROM board_userids a JOIN board_userids b USING (kind, board) "
        "WHERE a.userid = ? AND a.state = ? AND a.is_owner = 1 AND b.is_owner = 1 "
        "AND b.userid IN (SELECT value FROM json_each(?))",
        userid,
        State.ACTIVE.value,
        words_list(others),
    )
    return int(row[0]) if row else 0


def progress_of(snapshot: Snapshot, userids: Iterable[str]) -> tuple[int, int]:
    """Return how many active boards these players have, and how many records those have in all.

    It differs after whatever happens on one of them.
    """
    row = snapshot.row(
        "SELECT count(*), coalesce(sum(b.records), 0) FROM board_userids u "
        "JOIN boards b USING (kind, board) "
        "WHERE u.userid IN (SELECT value FROM json_each(?)) AND u.state = ? AND u.is_owner = 1",
        words_list(userids),
        State.ACTIVE.value,
    )
    return (int(row[0]), int(row[1])) if row else (0, 0)


def boards_between(snapshot: Snapshot, one: str, other: str) -> list[BoardName]:
    """Return the boards with both userids in their histories, including damaged ones."""
    rows = snapshot.rows(
        "SELECT a.kind, a.board FROM board_userids a JOIN board_userids b "
        "ON b.userid = ? AND b.kind = a.kind AND b.board = a.board "
        "WHERE a.userid = ?",
        other,
        one,
    )
    return sorted(BoardName(*row) for row in rows)


def boards_with(snapshot: Snapshot, userid: str) -> list[BoardName]:
    """Return the boards with a userid in their histories, including damaged ones, in order."""
    rows = snapshot.rows("SELECT kind, board FROM board_userids WHERE userid = ?", userid)
    return sorted(BoardName(*row) for row in rows)


def all_players(snapshot: Snapshot) -> list[str]:
    """Return the userids in all histories."""
    rows = snapshot.rows("SELECT DISTINCT userid FROM board_userids ORDER BY userid")
    return [userid for (userid,) in rows]


def has_played(snapshot: Snapshot, userid: str) -> bool:
    """Return whether a userid is in any history."""
    row = snapshot.row("SELECT 1 FROM board_userids WHERE userid = ? LIMIT 1", userid)
    return row is not None


def due_by(snapshot: Snapshot, moment: datetime) -> list[BoardName]:
    """Return the boards on which something may be due by a moment, the earliest first.

    Whether it is depends on the vacations of the player to move. Those come last whose latest
    record lies far ahead, as a clock was wrong.
    """
    rows = snapshot.rows(
        "SELECT kind, board FROM boards WHERE due <= ? ORDER BY due, kind, board",
        seconds(moment),
    )
    for kind in KINDS:
        rows += snapshot.rows(
            "SELECT kind, board FROM boards WHERE kind = ? AND state = 'active' AND latest > ?",
            kind,
            seconds(moment + AHEAD),
        )
    return [BoardName(*row) for row in rows]


def started_by(snapshot: Snapshot, key: str) -> BoardName | None:
    """Return the board that the mail with a message key has started."""
    row = snapshot.row(
        "SELECT kind, board FROM boards WHERE challenge = ? ORDER BY kind, board LIMIT 1", key
    )
    return BoardName(*row) if row else None


def started_from(snapshot: Snapshot, kind: str, source: Source) -> BoardName | None:
    """Return the board of a kind that came from a source."""
    row = snapshot.row(
        "SELECT board FROM boards WHERE kind = ? AND source = ? AND source_number = ? "
        "ORDER BY board LIMIT 1",
        kind,
        source.word,
        source.number,
    )
    return BoardName(kind, row[0]) if row else None


def highest_source(snapshot: Snapshot, kind: str, word: str) -> int:
    """Return the highest number among the sources with a word; 0 if there are none."""
    row = snapshot.row(
        "SELECT max(source_number) FROM boards WHERE kind = ? AND source = ?", kind, word
    )
    return int(row[0] or 0) if row else 0


def damaged_boards(
    snapshot: Snapshot, kind: str, userids: Sequence[str] | None = None
) -> list[Damage]:
    """Return the damaged boards of a kind, all or those of some players, in order.

    A board whose header cannot be read may be anybody's.
    """
    rows = snapshot.rows(
        "SELECT board, x, o, line, reason FROM damages WHERE kind = ? ORDER BY board", kind
    )
    found = (Damage(BoardName(kind, board), *rest) for board, *rest in rows)
    wanted = {None, *userids} if userids is not None else None
    return [each for each in found if wanted is None or wanted & {each.x, each.o}]


def read_entries(snapshot: Snapshot, statement: str, *values: Value) -> list[Entry]:
    """Return the entries that a statement gives."""
    return [_entry(row) for row in snapshot.rows(statement, *values)]


def _entry(row: Row) -> Entry:
    kind, board, grid, x, o, to_move, result, is_rated, started, latest, records, due = row
    return Entry(
        name=BoardName(kind, board),
        grid=grid,
        x=x,
        o=o,
        to_move=to_move,
        result=parse_outcome(KINDS[kind], result) if result else None,
        is_rated=bool(is_rated),
        started=moment_of(started),
        latest=moment_of(latest),
        records=records,
        due=moment_of(due) if due is not None else None,
    )
