"""A home of an earlier form: brought up to date, it says the same."""

import json
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.database import LATEST, selection
from pbm_oust.store.sqlite import SqliteDatabase, connection_to_nothing
from tests.support.command_line import run
from tests.support.trouble import Trouble, faulty_statements

BEFORE = Path(__file__).parents[1] / "data" / "home_before"
"""Tables and histories as an earlier program left them, and what it said of them: one line waits
for a history that is torn."""
LEFT = datetime(2026, 11, 26, 10, 13, tzinfo=UTC)
"""When that was: later on there are reminders, and games lost on time."""
SAID = {path.stem: path for path in (BEFORE / "said").glob("*.json")}
COMMANDS = {
    "games": ("games", "list", "--json"),
    "players": ("players", "list", "--json"),
    "outbox": ("outbox", "list", "--json"),
    "ratings": ("ratings", "--json"),
    "standings": ("standings", "--json"),
    "zoe": ("players", "show", "zoe", "--json"),
}


@pytest.fixture(autouse=True)
def _then(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of homes stand at the moment at which this one was left."""
    monkeypatch.setattr(SqliteDatabase, "time", lambda _: LEFT.timestamp())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of the form before."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for folder in ("oust", "churn"):
        shutil.copytree(BEFORE / folder, home / folder)
    connection = apsw.Connection(str(home / "pbm_oust.db"))
    connection.execute((BEFORE / "tables.sql").read_text())
    connection.close()
    return home


@pytest.fixture
def home_13(home: Path) -> Path:
    """A home of version 13, in which histories are rows and nobody knows of tournaments."""
    run(home, "home", "upgrade")
    database = home / "pbm_oust.db"
    run(home, "sweep")
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute((BEFORE / "tables_13.sql").read_text())
        connection.execute("ATTACH ? AS later", (str(database),))
        tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table'"
        for (table,) in connection.execute(tables).fetchall():
            columns = "SELECT group_concat(name) FROM pragma_table_info(?)"
            names = connection.execute(columns, (table,)).get
            taken = selection(f"later.{table}", names.split(","))
            connection.execute(f"INSERT INTO main.{table} ({names}) {taken}")
        connection.execute("DETACH later; PRAGMA user_version = 13")
        content = connection.serialize("main")
    for path in home.glob("pbm_oust.db*"):
        path.unlink()
    database.write_bytes(content)
    return home


def version_of(home: Path) -> int:
    connection = apsw.Connection(str(home / "pbm_oust.db"))
    version = connection.pragma("user_version")
    connection.close()
    return int(str(version))


def statements_of(connection: apsw.Connection) -> set[str]:
    """Return the statements that make the tables of a database."""
    rows = connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {str(statement) for (statement,) in rows}


@pytest.mark.parametrize("version", [9, 11, 12])
def test_tables_that_no_released_program_has_made_are_refused(home: Path, version: int) -> None:
    connection = apsw.Connection(str(home / "pbm_oust.db"))
    connection.pragma("user_version", version)
    connection.close()
    refused = run(home, "home", "upgrade")
    assert refused.exit_code == 1
    wanted = (
        f"tables are of version {version}, and this program can read versions 10, 13 and {LATEST}"
    )
    assert wanted in str(refused.exception)
    assert version_of(home) == version


@pytest.mark.parametrize("version", ["home", "home_13"])
def test_it_says_the_same_before_and_after(version: str, request: pytest.FixtureRequest) -> None:
    home: Path = request.getfixturevalue(version)
    assert version_of(home) != LATEST
    done = run(home, "home", "upgrade")
    assert done.exit_code == 0, done.output
    assert set(SAID) == set(COMMANDS)
    for name, words in COMMANDS.items():
        assert json.loads(run(home, *words).output) == json.loads(SAID[name].read_text()), name
    assert version_of(home) == LATEST


def test_tables_that_were_brought_up_to_date_are_those_of_a_new_home(home_13: Path) -> None:
    run(home_13, "home", "upgrade")
    with (
        closing(apsw.Connection(str(home_13 / "pbm_oust.db"))) as upgraded,
        closing(connection_to_nothing()) as new,
    ):
        assert statements_of(upgraded) == statements_of(new)
    assert run(home_13, "games", "verify").exit_code == 0


def test_what_waited_for_a_history_is_in_its_rows_and_its_file(home: Path) -> None:
    run(home, "home", "upgrade")
    run(home, "sweep")
    assert "1 x C3 " in run(home, "games", "history", "oust", "8").output
    assert "1 x C3 " in (home / "oust" / "8.txt").read_text()
    verified = run(home, "games", "verify")
    assert (verified.exit_code, "BAD" in verified.output) == (0, False)
    assert list((home / "oust").glob("*.edited-*")) == []


def test_it_is_needed_before_anything_else_and_once(home: Path) -> None:
    refused = run(home, "players", "list")
    assert refused.exit_code == 1
    assert "written by an earlier pbm_oust" in str(refused.exception)
    assert f"--home {home} home upgrade" in str(refused.exception)
    assert "brought up to date" in run(home, "home", "upgrade").output
    again = run(home, "home", "upgrade")
    assert (again.exit_code, "brought up to date" in again.output) == (0, False)


def test_letters_get_ids_that_were_never_given(home: Path) -> None:
    run(home, "home", "upgrade")
    connection = apsw.Connection(str(home / "pbm_oust.db"))
    latest = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'letters'")
    assert latest.fetchall() == [(20,)]
    connection.close()


def test_a_backup_of_that_form_is_restored(home: Path, tmp_path: Path) -> None:
    (home / "key").write_text(f"{'0' * 64}\n")
    done = run(tmp_path / "restored", "restore", str(home))
    assert done.exit_code == 0, done.output
    players = run(tmp_path / "restored", *COMMANDS["players"])
    assert json.loads(players.output) == json.loads(SAID["players"].read_text())


@pytest.mark.slow
def test_a_fault_of_any_statement_leaves_it_as_it_was(home: Path) -> None:
    at, trouble = 0, Trouble()
    while trouble.steps >= at:
        at += 40
        trouble = Trouble(at)
        with faulty_statements(trouble):
            run(home, "home", "upgrade")
        if version_of(home) == LATEST:
            break
        assert version_of(home) == 10
    assert at > 200
    run(home, "home", "upgrade")
    assert json.loads(run(home, *COMMANDS["games"]).output) == json.loads(SAID["games"].read_text())
