"""`pbm-oust games why`: what the operator learns about the mail of a record."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.service.house import HouseBoards, Worker
from pbm_oust.service.sweep import sweep
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, home_of, mailed

SAMPLE = Path(__file__).parents[2] / "games" / "oust" / "1.txt"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = home_of(tmp_path / "home", ALICE, BOB)
    mailed(made, ALICE, "oust challenge alice bob wonderland -size=5 -noswap")
    mailed(made, BOB, "oust queue 1 bob lookingglass if C3 then B2")
    mailed(made, ALICE, "oust move 1 alice wonderland C3", headers=["Message-ID: <c3@example.org>"])
    made.database.close()
    return made


def run(home: Home, *arguments: str, stdin: bytes = b"") -> Result:
    home.database.close()
    line = ["--home", str(home.path), "games", *arguments]
    return CliRunner().invoke(main, line, input=stdin)


def test_the_operator_sees_the_address_the_message_id_and_the_answer(home: Home) -> None:
    shown = run(home, "why", "oust", "1#1").stdout.splitlines()
    assert shown[0] == "oust 1 record 1: alice (x), C3, 2026-11-20T12:00:00Z"
    assert [line.split(None, 1) for line in shown[1:]] == [
        ["how", "by a mail"],
        ["came", "2026-11-20T12:00:00Z"],
        ["player", "alice"],
        ["from", ALICE],
        ["Message-ID", "<c3@example.org>"],
        ["records", "1 to 2"],
        ["answer", "the board after record 2; it is a file in the outbox"],
    ]


def test_of_what_was_queued_the_operator_sees_the_mail_that_set_it_off(home: Home) -> None:
    shown = json.loads(run(home, "why", "oust", "1", "--json").stdout)
    assert (shown["way"], shown["records"]) == ("queued", [1, 2])
    assert shown["mail"]["userid"] == "alice"
    assert shown["mail"]["message_id"] == "<c3@example.org>"


def test_a_record_of_the_house_has_no_mail(home: Home) -> None:
    mailed(home, ALICE, "oust challenge alice house1 wonderland -size=5 -noswap")
    mailed(home, ALICE, "oust move 2 alice wonderland C3")
    Worker(
        HouseBoards(home), open_inbound(home, ADDRESS, lambda: NOON).work, lambda: False
    ).play_all()
    first, *others = run(home, "why", "oust", "2").stdout.splitlines()
    assert first.startswith("oust 2 record 2: house1 (o), ")
    assert [line.split(None, 1) for line in others] == [
        ["how", "by the house, a program of this server"]
    ]


def test_records_of_the_sweep_and_of_the_operator_have_no_mail(home: Home) -> None:
    sweep(open_inbound(home, ADDRESS, lambda: NOON + timedelta(days=8)).work)
    assert "by a sweep, because it was due" in run(home, "why", "oust", "1").stdout
    assert run(home, "void", "oust", "1", "--yes").exit_code == 0
    shown = json.loads(run(home, "why", "oust", "1", "--json").stdout)
    assert (shown["way"], shown["mail"]) == ("operator", None)


def test_imported_records_say_so(home: Home) -> None:
    assert run(home, "import", "--as", "7", "-", stdin=SAMPLE.read_bytes()).exit_code == 0
    shown = json.loads(run(home, "why", "oust", "7#3", "--json").stdout)
    assert (shown["way"], shown["mail"]) == ("imported", None)


@pytest.mark.parametrize("number", ["1#3", "2"])
def test_of_what_is_not_there_nothing_is_told(home: Home, number: str) -> None:
    refused = run(home, "why", "oust", number)
    assert refused.exit_code == 1
    assert refused.stderr == (
        "Error: oust 1 has 2 records\n" if number == "1#3" else "Error: there is no board oust 2\n"
    )
