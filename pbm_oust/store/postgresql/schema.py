"""The tables in PostgreSQL: the shared migrations, and what only this engine has.

The version of the tables is that of the shared migrations. Whoever takes them to a later version
puts the triggers and the tables of this engine in place as well.
"""

from pbm_oust.store.migrations import LATEST, OLDEST
from pbm_oust.store.migrations.steps import STEPS
from pbm_oust.store.postgresql.dialect import tables_for

VERSION = "SELECT coalesce(max(version), 0) FROM pbm_oust_version"
"""The statement that gives the version of the tables."""
OLDEST_AND_TIME = (
    "SELECT coalesce(max(oldest), 0),"
    " CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION) FROM pbm_oust_version"
)
"""The statement that gives the lowest version whose programs can work with the tables, and the
seconds since the epoch, by the clock of the server."""

_OWN = """
CREATE TABLE IF NOT EXISTS pbm_oust_version (version BIGINT NOT NULL, oldest BIGINT NOT NULL);
CREATE TABLE IF NOT EXISTS home_key ( -- the secret of the home, which all hosts share
    id BIGINT PRIMARY KEY CHECK (id = 1),
    key BYTEA NOT NULL
);
CREATE TABLE IF NOT EXISTS leases ( -- which host does what
    task TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL -- in seconds since the epoch
);
CREATE SEQUENCE IF NOT EXISTS history_version;
CREATE TABLE IF NOT EXISTS history_stamps ( -- the row that is locked while a history is written
    kind TEXT COLLATE "C" NOT NULL,
    board BIGINT NOT NULL,
    size BIGINT NOT NULL, -- in bytes
    version BIGINT NOT NULL, -- another one after each change, and never one that was there before
    PRIMARY KEY (kind, board)
);
CREATE UNIQUE INDEX IF NOT EXISTS history_stamps_version ON history_stamps (version);
CREATE TABLE IF NOT EXISTS history_lines (
    kind TEXT COLLATE "C" NOT NULL,
    board BIGINT NOT NULL,
    line BIGINT NOT NULL, -- from 1 on
    content BYTEA NOT NULL, -- with the end of the line
    PRIMARY KEY (kind, board, line),
    FOREIGN KEY (kind, board) REFERENCES history_stamps ON DELETE CASCADE
);
"""

_COUNT_FROM_NEW = """UPDATE ratings_until SET ended = NEW.latest, board = NEW.board - 1
    WHERE kind = NEW.kind AND (NEW.latest, NEW.board) <= (ended, board)
    AND NEW.is_rated = 1 AND NEW.state = 'over' AND NEW.result <> 'draw void';"""
_COUNT_FROM_OLD = """UPDATE ratings_until SET ended = OLD.latest, board = OLD.board - 1
    WHERE kind = OLD.kind AND (OLD.latest, OLD.board) <= (ended, board)
    AND OLD.is_rated = 1 AND OLD.state = 'over' AND OLD.result <> 'draw void';"""
_ONE_MORE = """INSERT INTO board_counts (kind, state, number) VALUES (NEW.kind, NEW.state, 1)
    ON CONFLICT (kind, state) DO UPDATE SET number = board_counts.number + 1;"""
_ONE_LESS = """UPDATE board_counts SET number = number - 1
    WHERE kind = OLD.kind AND state = OLD.state;"""

TRIGGERS = {
    "ratings_insert": ("AFTER INSERT ON boards FOR EACH ROW", _COUNT_FROM_NEW),
    "ratings_delete": ("AFTER DELETE ON boards FOR EACH ROW", _COUNT_FROM_OLD),
    "ratings_update": (
        """AFTER UPDATE ON boards FOR EACH ROW WHEN
    ((OLD.grid, OLD.x, OLD.o, OLD.state, OLD.result, OLD.is_rated, OLD.latest) IS DISTINCT FROM
    (NEW.grid, NEW.x, NEW.o, NEW.state, NEW.result, NEW.is_rated, NEW.latest)
    AND (OLD.state = 'over' OR NEW.state = 'over'))""",
        f"{_COUNT_FROM_OLD} {_COUNT_FROM_NEW}",
    ),
    "board_counts_insert": ("AFTER INSERT ON boards FOR EACH ROW", _ONE_MORE),
    "board_counts_delete": ("AFTER DELETE ON boards FOR EACH ROW", _ONE_LESS),
    "board_counts_update": (
        "AFTER UPDATE OF state ON boards FOR EACH ROW WHEN (NEW.state <> OLD.state)",
        f"{_ONE_LESS} {_ONE_MORE}",
    ),
    "rating_counts_insert": (
        "AFTER INSERT ON ratings FOR EACH ROW",
        """INSERT INTO rating_counts (kind, size, number) VALUES (NEW.kind, NEW.size, 1)
    ON CONFLICT (kind, size) DO UPDATE SET number = rating_counts.number + 1;""",
    ),
    "rating_counts_delete": (
        "AFTER DELETE ON ratings FOR EACH ROW",
        """UPDATE rating_counts SET number = number - 1
    WHERE kind = OLD.kind AND size = OLD.size;""",
    ),
}
"""The triggers of the latest version by their names: when they act, and what they do."""


def steps_from(version: int) -> list[str]:
    """Return what takes the tables from a version to the latest one, none if they are there."""
    if version >= LATEST:
        return []
    shared = [tables_for(section) for step in STEPS[version:] for section in step]
    versions = f"VALUES ({LATEST}, {OLDEST})"
    note = f"DELETE FROM pbm_oust_version; INSERT INTO pbm_oust_version {versions}"  # noqa: S608 - numbers # nosec B608
    return [*shared, _OWN, *map(_trigger, TRIGGERS), note]


def _trigger(name: str) -> str:
    """Return what puts a trigger in place."""
    when, body = TRIGGERS[name]
    return (
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $do$\n"
        f"BEGIN\n    {body}\n    RETURN NULL;\nEND $do$;\n"
        f"CREATE OR REPLACE TRIGGER {name} {when} EXECUTE FUNCTION {name}();"
    )
