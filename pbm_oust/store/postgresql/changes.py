"""Which histories have changed, for those who keep copies of them elsewhere.

Each change of a history gives it a higher version. But who has drawn a lower one may commit later.
So a look at what has changed also tells which transactions were under way: when all of these have
ended, nothing comes any more below the highest version of that look.
"""

from pbm_oust.frozen import frozen
from pbm_oust.store.connections import Identity
from pbm_oust.store.postgresql.server import ServerPool
from pbm_oust.store.snapshots import lent
from pbm_oust.store.waiting import BoardName

_BOUNDS = (
    "SELECT coalesce(max(version), 0),"
    " CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT),"
    " CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT) FROM history_stamps"
)
_CHANGED = (
    "SELECT kind, board, size, version FROM history_stamps WHERE version > ? ORDER BY version"
)


@frozen
class Changed:
    """A history that has changed."""

    name: BoardName
    size: int
    """In bytes."""
    version: int


@frozen
class Look:
    """What was found at one moment."""

    identity: Identity | None
    """What tells the database from others."""
    highest: int
    """The highest version of all."""
    oldest: int
    """All transactions with lower numbers have ended."""
    following: int
    """No transaction with this number or a higher one has begun."""
    changed: tuple[Changed, ...]
    """Those above a version, the lowest first."""


def look_at_changes(pool: ServerPool, version: int) -> Look:
    """Return which histories have changed since a version. Raises DatabaseFault."""
    with lent(pool) as connection:
        connection.begin_to_read()
        ((highest, oldest, following),) = connection.execute(_BOUNDS)
        rows = connection.execute(_CHANGED, (version,))
        changed = (Changed(BoardName(kind, board), *rest) for kind, board, *rest in rows)
        return Look(connection.identity, highest, oldest, following, tuple(changed))
