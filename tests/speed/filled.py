"""A database of a home with many boards, which the server makes of some by itself.

Each copy of these boards has players and numbers of its own. The texts of the histories stay as
they are, so they are as long as real ones and still name the boards that they were copied from.
"""

from dataclasses import dataclass
from pathlib import Path

import psycopg

from pbm_oust.rules import KINDS
from pbm_oust.store.backup import copy_home
from pbm_oust.store.home import Home
from tests.speed.homes import BOARDS, PLAYERS, Form, configure, make_home
from tests.speed.many import lay_boards, make_many
from tests.support.postgresql import DatabaseServer

OF_KIND = 500
"""How many boards of each kind all others are copies of, besides those that are played on."""
STEP = BOARDS + OF_KIND
"""By how much the numbers of the boards of one copy differ from those of the next."""
YEARS = 5.0
ACCOUNTS = ("accounts", "addresses", "watched", "seeks", "mentions")
BOARDS_OF = ("boards", "records", "board_userids")
RATINGS = ("ratings", "rating_steps")
_OTHERS = {
    "board": "board + copy * {step}",
    **dict.fromkeys(("userid", "x", "o", "to_move"), "{column} || 'n' || copy"),
    **dict.fromkeys(("address", "normal"), "'n' || copy || {column}"),
    **dict.fromkeys(("challenge", "message_key"), "copy || {column}"),
    **dict.fromkeys(("version",), "{column} + copy * 1000000"),
}
"""What stands in a copy, by the name of the column."""
_COUNTS = """
DELETE FROM board_counts;
INSERT INTO board_counts SELECT kind, state, count(*) FROM boards GROUP BY kind, state;
UPDATE rating_classes c SET players =
    (SELECT count(*) FROM ratings r WHERE r.kind = c.kind AND r.size = c.size);
"""
_SIZES = """
SELECT relname, n_live_tup, pg_table_size(relid), pg_indexes_size(relid)
FROM pg_stat_user_tables WHERE n_live_tup > 0 ORDER BY pg_total_relation_size(relid) DESC
"""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a table is: its rows, and bytes of them and of all its indexes."""

    table: str
    rows: int
    data: int
    indexes: int


def make_small(folder: Path, relay: str) -> Path:
    """Make a home of files with boards that are played on, and others; return its folder."""
    path = folder / "files"
    home = make_home(path, Form.PASSWORD, relay=relay)
    numbers = range(BOARDS + 1, STEP + 1)
    lay_boards(home, dict.fromkeys(KINDS, numbers), PLAYERS, YEARS)
    home.close()
    return path


def make_even_smaller(folder: Path) -> Path:
    """Make a home of files with boards and players as on large homes; return its folder."""
    path = folder / "few"
    home = Home(path)
    home.prepare()
    make_many(home, len(KINDS) * STEP, PLAYERS, lambda _done, _all: None, YEARS)
    home.close()
    return path


def copy_of(home: Path, folder: Path, url: str, relay: str) -> None:
    """Copy a home of files into a database; the copy is configured in a folder."""
    folder.mkdir(mode=0o700)
    configure(folder, relay, url)
    source, target = Home(home), Home(folder)
    copy_home(source, target, lambda _done, _all: None)
    source.close()
    target.close()


def fill(server: DatabaseServer, name: str, copies: int) -> None:
    """Add so many copies of the boards that are not played on, and of all players."""
    with psycopg.connect(server.url(name), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # no triggers
        for table in (*ACCOUNTS, *BOARDS_OF, *RATINGS):
            connection.execute(_copying(connection, table, copies).encode())
        connection.execute(_COUNTS)
        connection.execute("VACUUM (ANALYZE)")


def _copying(connection: psycopg.Connection, table: str, copies: int) -> str:
    """Return the statement that adds copies to a table."""
    search = (
        "SELECT column_name FROM information_schema.columns WHERE table_name = %s"
        " ORDER BY ordinal_position"
    )
    columns = [str(name) for (name,) in connection.execute(search, (table,)).fetchall()]
    values = [_OTHERS.get(name, "{column}").format(column=name, step=STEP) for name in columns]
    only = f"WHERE board > {BOARDS}" if table in BOARDS_OF else ""
    return (
        f"INSERT INTO {table} SELECT {', '.join(values)}"  # noqa: S608 - the names are ours
        f" FROM {table} CROSS JOIN generate_series(1, {copies}) AS copy {only}"
    )


def sizes(url: str) -> list[Size]:
    """Return how large the tables are, the largest first."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
        return [Size(*row) for row in connection.execute(_SIZES).fetchall()]
