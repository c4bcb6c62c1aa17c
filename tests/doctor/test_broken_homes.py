"""Homes with one mistake each, and what the doctor says about it."""

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from click.testing import Result

from pbm_oust.doctor import Examiner, Severity
from pbm_oust.doctor import home as checks
from pbm_oust.store.accounts import import_accounts, parse_accounts
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Draft, Head
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.outbox import post
from tests.support.server import PROGRAM
from tests.support.sink import listening_sink

FOLDER = Path(__file__).parent / "broken_homes"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/expected.txt"))
DAY = 24 * 3600


def complaint(name: str) -> str:
    return (FOLDER / name / "expected.txt").read_text()


def lay(name: str, path: Path) -> Home:
    """Return a home at `path` that is sound but for what the folder `name` changes."""
    home = Home(path)
    shutil.copytree(FOLDER / "sound" / "home", path)
    laid_over = FOLDER / name / "home"
    for added in laid_over.rglob("*"):
        if added.is_file():
            target = path / added.relative_to(laid_over)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(added, target)
    home.key_path.chmod(0o600)
    home.prepare()
    accounts = (FOLDER / "sound" / "accounts.jsonl").read_text().splitlines()
    home.do(import_accounts, parse_accounts(accounts))
    home.database.close()
    execute(path, FOLDER / name / "database.sql")
    change_files(path, FOLDER / name / "changes.txt")
    return home


def execute(path: Path, statements: Path) -> None:
    """Carry out statements in the database of a home, if there are any."""
    connection = apsw.Connection(str(path / "pbm_oust.db"))
    connection.execute(statements.read_text() if statements.exists() else "")
    connection.close()


def change_files(path: Path, changes: Path) -> None:
    """Change files of a home, if anything says how."""
    for change in changes.read_text().splitlines() if changes.exists() else []:
        match change.split():
            case "remove", file:
                (path / file).unlink()
            case "mode", mode, file:
                (path / file).chmod(int(mode, 8))
            case "age", file:
                at = (path / file).stat().st_mtime - DAY
                os.utime(path / file, (at, at))
            case "cut", file, size:
                os.truncate(path / file, int(size))
            case "write", file:
                (path / file).write_text("hello\n" * 1000)
            case words:
                pytest.fail(f"nobody knows how to {words}")


def times(path: Path) -> dict[Path, int]:
    """Return when each file below a folder was changed."""
    return {each: each.stat().st_mtime_ns for each in path.rglob("*") if each.is_file()}


def examine(path: Path, *options: str) -> Result:
    return run(path, "doctor", *options)


def faults(result: Result) -> str:
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = result.output.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("ok "))


@pytest.mark.parametrize("name", NAMES)
def test_the_doctor_says_what_is_wrong_and_nothing_else(name: str, tmp_path: Path) -> None:
    lay(name, tmp_path / "home")
    result = examine(tmp_path / "home")
    assert faults(result).replace(f"{tmp_path}/", "") == complaint(name)
    assert result.exit_code == ("BAD" in complaint(name))


def test_every_folder_has_its_complaint() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    assert folders - {"sound", "__pycache__"} == set(NAMES)


def test_a_sound_home_has_a_line_for_each_thing(tmp_path: Path) -> None:
    lay("sound", tmp_path / "home")
    result = examine(tmp_path / "home")
    assert (faults(result), result.exit_code) == ("", 0)
    abouts = " ".join(line.split()[1] for line in result.output.splitlines())
    things = "histories: accounts: bounces: tournaments: texts: outbox: permissions: space:"
    assert abouts == f"program: configuration: house: database: {things}"


def test_boards_of_the_house_are_in_order_in_play_and_when_they_are_over(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE)
    for line in (
        "oust challenge alice house1 wonderland -size=2",
        "churn challenge house alice wonderland",
        "oust challenge alice house3 wonderland -size=2",
        "oust move 2 alice wonderland A1",
        "oust resign 2 alice wonderland",
    ):
        talk.send(ALICE, line)
    result = examine(tmp_path / "home")
    assert (faults(result), result.exit_code) == ("", 0)


def test_a_player_without_an_account_is_missed_whatever_they_are_called(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland")
    talk.home.database.close()
    database = apsw.Connection(str(tmp_path / "home" / "pbm_oust.db"))
    database.execute("DELETE FROM accounts WHERE userid = 'bob'")
    database.close()
    result = examine(tmp_path / "home")
    assert "oust 1 is not over, and its player bob has no account" in result.output
    assert result.exit_code == 1


@pytest.mark.slow
def test_what_the_doctor_says_to_do_can_be_pasted_into_a_shell(tmp_path: Path) -> None:
    home = lay("database_is_wrong_about_a_history", tmp_path / "the home's folder")
    said = subprocess.run(
        [PROGRAM, "--home", home.path.name, "doctor"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    (bad,) = (line for line in said.stdout.splitlines() if line.startswith("BAD"))
    _, _, command = bad.partition(":  ")
    subprocess.run(["sh", "-c", command], check=True, cwd="/")
    assert faults(examine(home.path)) == ""


def test_the_doctor_changes_nothing(tmp_path: Path) -> None:
    lay("history_with_an_illegal_record", tmp_path / "home")
    before = times(tmp_path)
    examine(tmp_path / "home")
    assert times(tmp_path) == before


def test_the_findings_as_json(tmp_path: Path) -> None:
    lay("key_is_cut", tmp_path / "home")
    said = json.loads(examine(tmp_path / "home", "--json").output)
    (bad,) = [finding for finding in said["findings"] if finding["verdict"] == "BAD"]
    assert bad["about"] == "permissions"
    assert bad["text"].startswith("key: a key is 64 hexadecimal digits in one line.")


@pytest.mark.parametrize(
    ("now", "is_old"),
    [
        (datetime(2028, 1, 1, tzinfo=UTC), False),
        (datetime(2028, 1, 2, tzinfo=UTC), True),
    ],
)
def test_time_zones_are_old_after_two_years(
    now: datetime, is_old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "IANA_VERSION", "2026b")
    examiner = Examiner(lay("sound", tmp_path / "home"), "program", Configuration(), now)
    notes = [str(each) for each in checks.check_program(examiner) if each.severity is Severity.NOTE]
    said = "note  program: the time zones of 2026b are old; the library tzdata has newer ones"
    assert notes == ([said] if is_old else [])


def test_there_is_nothing_to_examine_where_there_is_no_home(tmp_path: Path) -> None:
    result = examine(tmp_path / "nowhere")
    assert result.exit_code == 1
    assert "there is no home" in result.output


@pytest.mark.parametrize("name", [name for name in NAMES if "does not start" in complaint(name)])
def test_the_server_does_not_start_and_complains_alike(name: str, tmp_path: Path) -> None:
    home = lay(name, tmp_path / "home")
    result = run(home, "serve")
    _, _, text = complaint(name).partition("configuration: pbm_oust.toml: ")
    reason = text.removesuffix(". The server does not start until this is mended.\n")
    assert result.exit_code == 2
    assert result.output == f"Error: {home.configuration}: {reason}\n"


# The relay


def test_a_relay_that_answers_is_in_order(tmp_path: Path) -> None:
    with listening_sink() as (sink, endpoint):
        result = _with_relay(tmp_path, f'relay = "smtp://{endpoint}"')
    assert result.output.splitlines()[-1] == (
        f"ok    relay: {endpoint} answers and takes letters from us"
    )
    assert (result.exit_code, sink.taken) == (0, [])


def test_a_relay_that_does_not_answer(tmp_path: Path) -> None:
    result = _with_relay(tmp_path, 'relay = "smtp://127.0.0.1:1"')
    assert faults(result) == (
        "BAD   relay: 127.0.0.1:1 does not answer: [Errno 111] Connection refused. "
        "See whether it runs and listens there.\n"
    )
    assert result.exit_code == 1


def test_no_relay(tmp_path: Path) -> None:
    assert faults(_with_relay(tmp_path, "")) == (
        "BAD   relay: no relay is set, so letters stay in the outbox. Set relay in pbm_oust.toml.\n"
    )


def test_a_relay_that_takes_nothing_from_us(tmp_path: Path) -> None:
    with listening_sink() as (sink, endpoint):
        sink.refuses_senders = True
        result = _with_relay(tmp_path, f'relay = "smtp://{endpoint}"')
    assert faults(result) == (
        f"BAD   relay: {endpoint} does not take letters from us: "
        "550 5.7.1 not from you. Allow this host to send through it.\n"
    )


def _with_relay(tmp_path: Path, line: str) -> Result:
    home = lay("sound", tmp_path / "home")
    text = home.read_configuration()
    home.configuration.write_text("\n".join([*text.splitlines()[:2], line]))
    return examine(home.path, "--relay")


def test_letters_to_made_up_addresses_that_fail_are_told_after_three_days(tmp_path: Path) -> None:
    """Anybody can have one sent there."""
    home = lay("sound", tmp_path / "home")
    told = dict[int, list[str]]()
    for days in (2, 4):
        posted = home.now() - timedelta(days=days)
        for name in ("made.up", "another"):
            draft = Draft(Head(f"{name}@example.com", f"<{days}@example.com>", "-"), b"", posted)
            post(home, draft)
        home.do(lambda each: each.run("UPDATE letters SET state = 'failed', failures = 1"))
        home.database.close()
        result = examine(home.path)
        lines = faults(result).replace(f"{tmp_path}/", "").splitlines()
        told[days] = [line for line in lines if "outbox" in line]
        assert result.exit_code == 0
    assert told == {
        2: [],
        4: [
            "note  outbox: 2 letters to addresses of no account failed: another@example.com"
            " (and 1 more); to remove all that failed:  pbm-oust --home home outbox remove --failed"
        ],
    }


def test_a_letter_to_a_made_up_address_that_is_put_off_for_days_is_no_fault(tmp_path: Path) -> None:
    home = lay("sound", tmp_path / "home")
    told = list[bool]()
    for recipient in ("made.up@example.com", ALICE):
        posted = home.now() - timedelta(days=2)
        post(home, Draft(Head(recipient, "<1@example.com>", "-"), b"", posted))
        home.do(
            lambda each: each.run(
                "UPDATE letters SET failures = 9, next_try = unixepoch() + 3600, state = 'waiting'"
            )
        )
        home.database.close()
        told.append("letters wait for the relay since" in faults(examine(home.path)))
    assert told == [False, True]


def test_nothing_is_wrong_after_a_clock_was_a_month_ahead(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path / "home", ALICE, BOB)
    talk.now = datetime.now(UTC) + timedelta(days=30)
    for line in (
        "challenge alice bob wonderland -size=5",
        "challenge alice bob wonderland -size=5",
        "move 1 alice wonderland C3",
        "resign 2 alice wonderland",
    ):
        talk.send(ALICE, f"oust {line}")
    talk.now = datetime.now(UTC)
    assert "BAD" not in faults(examine(tmp_path / "home"))
    talk.send(BOB, "oust move 1 bob lookingglass D4")
    talk.sweep()
    result = examine(tmp_path / "home")
    assert ("BAD" in faults(result), result.exit_code) == (False, 0)
