"""What those who share mail out among hosts are told about this one."""

import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.faults import DatabaseBusy, DatabaseDamaged, DatabaseFault, DatabaseTooNew
from pbm_oust.store.home import Home
from pbm_oust.store.upkeep import (
    LETTERS_STAY,
    LONGEST_DUE,
    SILENT,
    UNREACHABLE,
    Trouble,
    find_trouble,
    trouble_of,
)
from pbm_oust.web.app import PATIENCE
from tests.store.posting import head, post
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, home_of
from tests.support.waiting import wait_until
from tests.support.website import Got, Website, website

WELL = {"takes_mail": True, "trouble": None, "text": None}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = home_of(tmp_path / "home", ALICE)
    yield home
    home.close()


def told(trouble: Trouble) -> dict[str, object]:
    """Return what is told about a trouble."""
    return {"takes_mail": False, "trouble": trouble.word, "text": trouble.text}


def until(status: int, pages: Website) -> Got:
    """Ask until the status of the answer is this one, and return the answer.

    An answer stays fresh for a while, and one that took too long to find out is asked for again.
    """

    def answer() -> Got | None:
        got = pages.get("/healthz")
        is_late = json.loads(got.content) == told(SILENT)
        return got if got.status == status and not is_late else None

    found = wait_until(answer, f"/healthz answers {status}")
    assert found
    return found


def doctor(home: Home) -> dict[str, object]:
    """Return what the doctor says as JSON."""
    done = run(home, "doctor", "--json")
    said: dict[str, object] = json.loads(done.output)
    return said


def without_findings(said: dict[str, object]) -> dict[str, object]:
    return {name: said[name] for name in WELL}


def test_a_host_that_takes_mail_says_so_and_nothing_is_changed(home: Home) -> None:
    with website(home.path) as pages:
        got = until(200, pages)
        assert json.loads(got.content) == WELL
        assert got.headers["cache-control"] == "no-store"
        wait_until(lambda: pages.get("/healthz", method="HEAD").status == 200, "the same by HEAD")
    assert without_findings(doctor(home)) == WELL
    assert home.ask(lambda snapshot: snapshot.rows("SELECT * FROM message_keys")) == []


def test_the_trial_is_durable_even_if_nothing_was_written_before(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    assert not home.database.is_made
    assert find_trouble(home) is None
    assert home.database.is_made
    home.close()


def test_a_database_of_a_later_version(home: Home) -> None:
    with website(home.path) as pages:
        for pragma, status in (
            ("user_version = 1000", 503),
            (f"user_version = {_version(home)}", 200),
        ):
            connection = apsw.Connection(str(home.database_path))
            connection.execute(f"PRAGMA {pragma}")
            connection.close()
            got = until(status, pages)
            said = told(trouble_of(DatabaseTooNew())) if status == 503 else WELL
            assert json.loads(got.content) == said
            assert without_findings(doctor(home)) == said


def _version(home: Home) -> int:
    with home.database.read() as snapshot:
        ((version,),) = snapshot.rows("PRAGMA user_version")
    return int(version)


def test_a_damaged_database(home: Home) -> None:
    home.close()
    home.database_path.write_bytes(b"hello\n" * 1000)
    assert without_findings(doctor(home)) == told(trouble_of(DatabaseDamaged()))


def test_who_is_locked_out_answers_all_the_same(home: Home) -> None:
    with website(home.path) as pages:
        connection = apsw.Connection(str(home.database_path))
        connection.execute("BEGIN IMMEDIATE")
        begun = time.monotonic()
        got = pages.get("/healthz")
        assert json.loads(got.content) == told(SILENT)
        assert time.monotonic() - begun >= PATIENCE
        connection.execute("ROLLBACK")
        connection.close()
        assert json.loads(until(200, pages).content) == WELL


def test_a_process_without_connections_left_blames_nobody_else() -> None:
    trouble = trouble_of(DatabaseBusy("all 16 connections of this process are in use"))
    assert (trouble.word, "connections" in trouble.text) == ("busy", True)


def test_letters_that_do_not_leave_are_told(home: Home) -> None:
    since = datetime.now(UTC) - LONGEST_DUE
    post(home.database, head(), since + timedelta(minutes=10))
    with website(home.path) as pages:
        until(200, pages)
        post(home.database, head("bob@example.org"), since - timedelta(minutes=10))
        assert json.loads(until(503, pages).content) == told(LETTERS_STAY)
    assert without_findings(doctor(home)) == told(LETTERS_STAY)


def test_a_home_without_its_key_while_the_pages_run(home: Home) -> None:
    with website(home.path) as pages:
        home.key_path.write_text("hello\n")
        assert json.loads(until(503, pages).content) == told(UNREACHABLE)


def test_every_trouble_has_a_sentence() -> None:
    assert all(fault().told.endswith(".") for fault in DatabaseFault.__subclasses__())
