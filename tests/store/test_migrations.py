"""The tables: walked from nothing to the latest version, and as the program expects them."""

import re
from pathlib import Path

import apsw
import pytest

from pbm_oust.regex import regex
from pbm_oust.store.embedded import EmbeddedDatabase
from pbm_oust.store.migrations import LATEST, OLDEST, boards, mail
from pbm_oust.store.migrations.steps import STEPS, empty_database, migrate

EXPECTED = Path(__file__).with_name("schema.sql")


def schema(connection: apsw.Connection) -> str:
    """Return all that the tables are made by, in order of their names."""
    made = "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
    return "\n\n".join(sql for (sql,) in connection.execute(made)) + "\n"


def test_the_steps_lead_to_the_expected_tables() -> None:
    """After a change: remove the file, run the tests twice, and read what has changed in it."""
    connection = apsw.Connection(":memory:")
    for number in range(1, LATEST + 1):
        migrate(connection, STEPS[:number])
        assert connection.pragma("user_version") == number
    assert connection.pragma("foreign_key_check") is None
    if not EXPECTED.exists():
        EXPECTED.write_text(schema(connection))
        pytest.fail(f"{EXPECTED} is made anew")
    assert schema(connection) == EXPECTED.read_text()
    connection.close()


def test_a_database_file_is_made_with_the_latest_tables(tmp_path: Path) -> None:
    path = tmp_path / "pbm_oust.db"
    path.write_bytes(empty_database())
    connection = apsw.Connection(str(path))
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("user_version") == LATEST
    assert connection.pragma("integrity_check") == "ok"
    assert schema(connection) == EXPECTED.read_text()
    connection.close()


@pytest.mark.parametrize("version", range(1, LATEST))
def test_a_database_of_an_earlier_version_is_brought_up_to_date(
    version: int, tmp_path: Path
) -> None:
    path = tmp_path / "pbm_oust.db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    migrate(connection, STEPS[:version])
    connection.close()
    database = EmbeddedDatabase(path)
    with database.read() as snapshot:
        assert snapshot.row("PRAGMA user_version") == (LATEST,)
    database.close()
    connection = apsw.Connection(str(path))
    assert schema(connection) == EXPECTED.read_text()
    connection.close()


def test_a_step_that_fails_leaves_the_tables_as_they_were() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    before = schema(connection)
    with pytest.raises(apsw.SQLError), connection:
        migrate(connection, [*STEPS, ("CREATE TABLE more (x) STRICT; nonsense",)])
    assert schema(connection) == before
    assert connection.pragma("user_version") == LATEST
    connection.close()


def tables(connection: apsw.Connection) -> list[str]:
    found = connection.execute("PRAGMA table_list").fetchall()
    names = [str(name) for _, name, kind, *_ in found if kind == "table"]
    return [name for name in names if not name.startswith("sqlite_")]


def test_every_table_checks_the_types_of_its_columns() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    found = connection.execute("PRAGMA table_list").fetchall()
    strict = {name for _, name, _, _, _, is_strict in found if is_strict}
    assert strict == set(tables(connection))
    connection.close()


def test_what_refers_to_an_account_follows_it() -> None:
    connection = apsw.Connection(":memory:")
    migrate(connection)
    found = set()
    for table in tables(connection):
        for reference in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            _, _, parent, _, _, on_update, on_delete, _ = reference
            if parent == "accounts":
                found.add((on_update, on_delete))
    assert found == {("CASCADE", "CASCADE"), ("CASCADE", "SET NULL")}
    connection.close()


def test_every_reference_has_an_index() -> None:
    """Without one, a change of what it refers to would read the whole table."""
    connection = apsw.Connection(":memory:")
    migrate(connection)
    for table in tables(connection):
        columns: dict[object, list[str]] = {}
        for number, _, _, column, *_ in connection.execute(
            f"PRAGMA foreign_key_list({table})"
        ).fetchall():
            columns.setdefault(number, []).append(f"{column} = ''")
        for named in columns.values():
            search = f"SELECT 1 FROM {table} WHERE {' AND '.join(named)}"  # noqa: S608 - our names
            (plan,) = connection.execute(f"EXPLAIN QUERY PLAN {search}").fetchall()
            assert str(plan[3]).startswith("SEARCH"), (table, plan)
    connection.close()


ADDITIONS = (
    regex(r"CREATE TABLE \w+ \([^;]*\)( STRICT)?(, WITHOUT ROWID)?"),
    regex(r"CREATE (UNIQUE )?INDEX [^;]*"),
    regex(r"ALTER TABLE \w+ ADD COLUMN \w+ \w+( NOT NULL DEFAULT [^;]*)?"),
)
"""What programs of the version before do not notice."""


def only_adds(section: str) -> bool:
    """Return whether a section of a step does nothing but add."""
    statements = re.sub(r"--.*", "", section).split(";")
    wanted = [" ".join(statement.split()) for statement in statements if statement.strip()]
    return all(any(each.fullmatch(statement) for each in ADDITIONS) for statement in wanted)


@pytest.mark.parametrize(
    ("section", "adds"),
    [
        (mail.VERSION_3, True),
        (mail.VERSION_4, True),
        ("ALTER TABLE letters ADD COLUMN colour TEXT NOT NULL DEFAULT '';", True),
        ("ALTER TABLE letters ADD COLUMN colour TEXT NOT NULL;", False),
        ("ALTER TABLE letters DROP COLUMN subject;", False),
        ("UPDATE letters SET subject = '';", False),
        (mail.VERSION_2, False),
        (boards.VERSION_5, False),
    ],
)
def test_what_a_step_adds_is_told_from_what_it_changes(section: str, adds: bool) -> None:
    assert only_adds(section) is adds


def test_programs_of_the_oldest_version_can_work_with_the_latest_tables() -> None:
    assert 1 <= OLDEST <= LATEST
    for step in STEPS[OLDEST:]:
        assert all(map(only_adds, step)), f"raise OLDEST, or only add: {step}"
