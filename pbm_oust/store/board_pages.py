"""Parts of lists of boards, however long the lists are. What happened latest comes first."""

from collections.abc import Collection
from datetime import datetime

from dataclasses import dataclass
from pbm_oust.store.board_queries import ENTRIES, read_entries
from pbm_oust.store.columns import seconds, words_list
from pbm_oust.store.database import Snapshot, Value
from pbm_oust.store.entries import Entry, State

_COUNT = "SELECT count(*) FROM"
_IN_STATE = "boards b WHERE b.kind = ? AND b.state = ? AND b.latest > ?"
_OWNED = (
    "boards b WHERE (b.kind, b.board) IN ("
    "SELECT u.kind, u.board FROM board_userids u "
    "WHERE u.userid IN (SELECT value FROM json_each(?)) "
    "AND u.state IN (SELECT value FROM json_each(?)) AND u.is_owner = 1 AND u.kind = ?)"
)
_TO_MOVE = (
    "boards b INDEXED BY boards_to_move "  # else all boards of the kind are gone through
    "WHERE b.to_move IN (SELECT value FROM json_each(?)) AND b.kind = ?"
)
_LATEST = "ORDER BY latest DESC, board DESC LIMIT ? OFFSET ?"


@dataclass(frozen=True, slots=True)
class Part:
    """Which boards of a list are wanted: at most so many, after so many."""

    most: int
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Extract:
    """Some boards of a list."""

    entries: list[Entry]
    count: int
    """How many boards the list has."""


def boards_in(
    snapshot: Snapshot,
    kind: str,
    states: Collection[State],
    part: Part,
    since: datetime | None = None,
) -> Extract:
    """Return boards of a kind in some states; only those with a record after `since`."""
    after = seconds(since) if since else -1
    asked: list[tuple[Value, ...]] = [(kind, state.value, after) for state in states]
    if since:
        count = sum(_count(snapshot, _IN_STATE, *each) for each in asked)
    else:
        count = sum(_number_in(snapshot, kind, state) for state in states)
    boards = f" UNION ALL {ENTRIES} ".join([_IN_STATE] * len(asked))
    return _extract(snapshot, count, part, boards, *(value for each in asked for value in each))


def boards_of(
    snapshot: Snapshot, kind: str, userids: Collection[str], states: Collection[State], part: Part
) -> Extract:
    """Return boards of a kind in some states on which any of these players owns a side."""
    values = words_list(userids), words_list(state.value for state in states), kind
    return _extract(snapshot, _count(snapshot, _OWNED, *values), part, _OWNED, *values)


def boards_waiting_for(
    snapshot: Snapshot, kind: str, userids: Collection[str], part: Part
) -> Extract:
    """Return boards of a kind on which any of these players is to move."""
    values = words_list(userids), kind
    return _extract(snapshot, _count(snapshot, _TO_MOVE, *values), part, _TO_MOVE, *values)


def _extract(snapshot: Snapshot, count: int, part: Part, boards: str, *values: Value) -> Extract:
    if part.skipped >= count or not part.most:
        return Extract([], count)
    wanted = f"{ENTRIES} {boards} {_LATEST}"
    return Extract(read_entries(snapshot, wanted, *values, part.most, part.skipped), count)


def _count(snapshot: Snapshot, boards: str, *values: Value) -> int:
    row = snapshot.row(f"{_COUNT} {boards}", *values)
    return int(row[0]) if row else 0


def _number_in(snapshot: Snapshot, kind: str, state: State) -> int:
    """Return how many boards of a kind are in a state."""
    row = snapshot.row(
        "SELECT number FROM board_counts WHERE kind = ? AND state = ?", kind, state.value
    )
    return int(row[0]) if row else 0
