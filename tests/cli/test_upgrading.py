"""A home of an earlier form: brought up to date, it says the same."""

import json
import re
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from pbm_oust.board import Game
from pbm_oust.experiments.openings import turned
from pbm_oust.mail.inbound import Envelope
from pbm_oust.play.request import Request
from pbm_oust.rules import KINDS, How
from pbm_oust.store.database import EARLIER, LATEST, selection
from pbm_oust.store.home import Home
from pbm_oust.store.index import all_names
from pbm_oust.store.openings import played_from
from pbm_oust.store.sqlite import SqliteDatabase, connection_to_nothing
from pbm_oust.store.upgrading import STEPS
from tests.support.command_line import run
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, home_of, taken
from tests.support.server import ROOT
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
    run(home, "sweep")
    return with_tables(home, 13)


@pytest.fixture
def home_14(home: Path) -> Path:
    """A home of version 14, in which each player on a ladder has a row."""
    run(home, "home", "upgrade")
    run(home, "sweep")
    return with_tables(home, 14)


@pytest.fixture
def home_15(home: Path) -> Path:
    """A home of version 15, which knows nobody who announces tournaments."""
    run(home, "home", "upgrade")
    run(home, "sweep")
    return with_tables(home, 15)


@pytest.fixture
def home_16(home: Path) -> Path:
    """A home of version 16, which knows no openings."""
    run(home, "home", "upgrade")
    run(home, "sweep")
    return with_tables(home, 16)


def with_tables(home: Path, version: int) -> Path:
    """Give a home the tables of a version, and return it; those that it lacks are empty."""
    database = home / "pbm_oust.db"
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute((BEFORE / f"tables_{version}.sql").read_text())
        connection.execute("ATTACH ? AS later", (str(database),))
        tables = "SELECT name FROM main.sqlite_schema WHERE type = 'table' INTERSECT "
        tables += "SELECT name FROM later.sqlite_schema"
        for (table,) in connection.execute(tables).fetchall():
            columns = "SELECT group_concat(name) FROM pragma_table_info(?)"
            names = connection.execute(columns, (table,)).get
            taken = selection(f"later.{table}", names.split(","))
            connection.execute(f"INSERT INTO main.{table} ({names}) {taken}")
        connection.execute(f"DETACH later; PRAGMA user_version = {version}")
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
    told = str(refused.exception)
    assert f"tables are of version {version}, and no release had those" in told
    for word in ("export", "import"):
        assert f"--home {home} players {word} {home.with_name('players.jsonl')}" in told
    started = run(home, "serve", "--smtp", "127.0.0.1:0")
    assert (started.exit_code, "no release had those" in started.output) == (2, True)
    assert version_of(home) == version


def test_documents_name_the_versions_that_can_be_brought_up_to_date() -> None:
    text = (ROOT / "docs" / "upkeep.md").read_text()
    (found,) = re.findall(r"tables of version (14), .* and those of ([\d, and]+), which", text)
    assert {*map(int, re.findall(r"\d+", " ".join(found)))} == {*EARLIER}
    latest, *_ = re.findall(r"Tables have version (\d+)", (ROOT / "CHANGELOG.md").read_text())
    assert int(latest) == LATEST


def test_each_version_that_can_be_brought_up_to_date_has_its_steps() -> None:
    assert tuple(STEPS) == EARLIER
    assert max(STEPS) == LATEST - 1


@pytest.mark.parametrize("version", ["home", "home_13", "home_14", "home_15", "home_16"])
def test_it_says_the_same_before_and_after(version: str, request: pytest.FixtureRequest) -> None:
    home: Path = request.getfixturevalue(version)
    assert version_of(home) != LATEST
    done = run(home, "home", "upgrade")
    assert done.exit_code == 0, done.output
    assert set(SAID) == set(COMMANDS)
    for name, words in COMMANDS.items():
        assert json.loads(run(home, *words).output) == json.loads(SAID[name].read_text()), name
    assert version_of(home) == LATEST


@pytest.mark.parametrize("version", ["home_13", "home_14", "home_15", "home_16"])
def test_tables_that_were_brought_up_to_date_are_those_of_a_new_home(
    version: str, request: pytest.FixtureRequest
) -> None:
    home: Path = request.getfixturevalue(version)
    run(home, "home", "upgrade")
    with (
        closing(apsw.Connection(str(home / "pbm_oust.db"))) as upgraded,
        closing(connection_to_nothing()) as new,
    ):
        assert statements_of(upgraded) == statements_of(new)
    assert run(home, "games", "verify").exit_code == 0


@pytest.mark.parametrize("version", [14, 15])
def test_a_ladder_stands_as_it_did(home: Path, version: int) -> None:
    run(home, "home", "upgrade")
    run(home, "sweep")
    for userid in ("yan", "player1", "zoe"):
        run(home, "tournaments", "ladder", "oust", "--add", userid, "--size", "9")
    asked = "tournaments", "ladder", "oust", "--json"
    said = json.loads(run(home, *asked).output)
    assert [each["userid"] for each in said["players"]] == ["yan", "player1", "zoe"]
    with_tables(home, version)
    if version == 15:
        without_times_of_places(home)
    run(home, "home", "upgrade")
    assert json.loads(run(home, *asked).output) == said


def without_times_of_places(home: Path) -> None:
    """Give ladders the documents of version 15, which do not say since when a place is held."""
    with closing(apsw.Connection(str(home / "pbm_oust.db"))) as connection:
        rows = "SELECT kind, document FROM ladders WHERE document IS NOT NULL"
        for kind, text in connection.execute(rows).fetchall():
            ladder = json.loads(str(text))
            ladder["rungs"] = [rung[:2] for rung in ladder["rungs"]]
            changed = "UPDATE ladders SET document = ? WHERE kind = ?"
            connection.execute(changed, (json.dumps(ladder), kind))


@pytest.mark.parametrize("version", ["home", "home_13", "home_14", "home_15", "home_16"])
def test_the_openings_of_games_that_are_over_are_counted(
    version: str, request: pytest.FixtureRequest
) -> None:
    home: Path = request.getfixturevalue(version)
    run(home, "home", "upgrade")
    run(home, "sweep")
    opened = Home(home)
    over = [game for game in games_over(opened) if game.line]
    assert over
    for game in over:
        start = game.header.first_position
        found = opened.ask(played_from, game.header.kind.name, start)
        number = turned(start).number_of(next(game.placed_cells))
        assert found[number].games >= 1


def games_over(home: Home) -> list[Game]:
    """Return the games that are over, whose openings count."""
    with home.database.read() as snapshot:
        names = all_names(snapshot)
        found = [home.boards.read(snapshot, KINDS[each.kind], each.board).game for each in names]
    return [each for each in found if each.result and each.result.how is not How.VOID]


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


# Mails that an earlier program has carried out

CARRIED_OUT = [
    (ALICE, "oust challenge alice bob wonderland -size=5", "Hi Bob!"),
    (ALICE, "oust challenge alice bob wonderland -size=6", ""),
    (ALICE, "oust move 1 alice wonderland C3", "good luck"),
    (BOB, "oust move 1 bob lookingglass A5", ""),
    (ALICE, "oust chat 1 alice wonderland", "how are you?"),
    (ALICE, "settings alice wonderland digest evening", ""),
    (BOB, "oust queue 2 bob lookingglass B2", ""),
    (ALICE, "multiple", "oust move 1 alice wonderland E1\noust move 2 alice wonderland A3\n"),
    (BOB, "oust resign 2 bob lookingglass", ""),
    (ALICE, "oust move 1 alice wonderland C3", "out of turn"),
]


def sent_all(path: Path, *, has_ids: bool) -> list[tuple[str, int]]:
    """Send these mails; return what became of each, and how many letters went to the other one."""
    home, found = Home(path), list[tuple[str, int]]()
    for number, (sender, line, text) in enumerate(CARRIED_OUT):
        headers = [f"Date: Thu, 26 Nov 2026 10:{number:02}:00 +0000"]
        headers += [f"Message-ID: <{number}@mail.example.org>"] if has_ids else []
        head = [f"From: {sender}", f"To: {ADDRESS}", f"Subject: {line}", *headers]
        data = "\n".join([*head, "", text, ""]).encode()
        outcome, letters = taken(home, data, Envelope(sender, (ADDRESS,)), at=LEFT)
        found.append((outcome, sum(sender not in letter.to for letter in letters)))
    home.close()
    return found


@pytest.mark.parametrize("has_ids", [True, False])
@pytest.mark.parametrize("way", [0, 1, 2])
def test_a_mail_that_was_carried_out_before_is_known_after_it(
    way: int, has_ids: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However the program made message keys then: as today, of the Message-ID, or with the Date."""
    path = tmp_path / "home"
    home_of(path, ALICE, BOB, at=LEFT).close()
    made = Request.message_keys
    with monkeypatch.context() as then:
        then.setattr(Request, "message_keys", lambda *given: [made(*given)[way]])
        first = sent_all(path, has_ids=has_ids)
    assert [outcome.partition(":")[0] for outcome, _ in first] == [*["done"] * 9, "refused"]
    run(path, "home", "upgrade")
    run(with_tables(path, 13), "home", "upgrade")
    before = {each.name: each.read_text() for each in (path / "oust").iterdir()}
    again = sent_all(path, has_ids=has_ids)
    assert {each.name: each.read_text() for each in (path / "oust").iterdir()} == before
    outcomes = [outcome.partition(":")[0] for outcome, _ in again]
    del outcomes[7]  # each line of that mail has an outcome of its own
    assert outcomes == [*["done before"] * 8, "refused"]
    assert [letters for _, letters in again] == [0] * len(CARRIED_OUT)
