"""Short trials: of the program as it is, and of builds in which something is left out."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.launcher import Build, replace
from tests.chaos.report import KILLS_OF_THE_SERVER, report
from tests.chaos.running import Ending, Plan, conduct
from tests.chaos.trial import ROOT
from tests.support import tables
from tests.support.waiting import PATIENCE

tabled = tables.tabled(__file__)


def figures(outcome: Ending) -> dict[str, int]:
    """Return how much is wrong, under the headings of the report."""
    return {what: len(found) for what, found in outcome.verdict.findings().items()}


@pytest.mark.parametrize("power", [False, True])
def test_nothing_is_lost_or_doubled_when_the_server_is_killed_again_and_again(
    power: bool, tmp_path: Path
) -> None:
    plan = Plan(mails=60, kills=8, seed=1, power=power, minutes=15)
    outcome = conduct(plan, tmp_path)
    assert outcome.is_right, report(outcome)
    counts = outcome.ledger.counts
    assert len(outcome.ledger.mails) == 60
    assert sum(counts[what] for what in KILLS_OF_THE_SERVER) == 8
    assert bool(counts["power cuts"]) is power


def test_a_program_that_does_not_sync_loses_commands_when_the_power_goes(tmp_path: Path) -> None:
    plan = Plan(mails=12, kills=1, power=True, build=Build.NO_SYNC, minutes=5, tables=1)
    outcome = conduct(plan, tmp_path)
    assert figures(outcome)["lost"] > 0, report(outcome)
    lines = report(outcome).splitlines()
    assert lines[0] == "build no-sync, seed 1, power cuts"
    assert any(line.startswith("lost: ") and "codes answered: verify" in line for line in lines)
    assert lines[-1] == "something is wrong"


@tabled("spared", "wrong")
def test_each_part_that_is_not_synced_is_missed_when_the_power_goes(
    spared: str, wrong: str, tmp_path: Path
) -> None:
    build = Build.NO_SYNC
    plan = Plan(40, 6, power=True, build=build, spared=spared, minutes=5)
    outcome = conduct(plan, tmp_path)
    assert figures(outcome)[wrong] > 0, report(outcome)


def test_a_program_that_writes_histories_before_it_commits_is_found_out(tmp_path: Path) -> None:
    """A line that was never committed is set aside with its file."""
    plan = Plan(30, 8, build=Build.EARLY_LINES, minutes=15, tables=1)
    outcome = conduct(plan, tmp_path)
    assert figures(outcome)["damaged"] > 0, report(outcome)


def test_a_program_that_does_not_check_ids_doubles_commands(tmp_path: Path) -> None:
    plan = Plan(mails=20, kills=3, build=Build.NO_ID_CHECK, minutes=5)
    outcome = conduct(plan, tmp_path)
    assert not outcome.is_right
    assert figures(outcome)["doubled"] > 0, report(outcome)


@pytest.mark.parametrize("name", ["Game.was_renamed", "Player.was_renamed"])
def test_a_part_that_is_to_be_broken_must_be_there(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        replace("pbm_oust.board.game", name, None)
    assert ended.value.code == 2
    assert f"pbm_oust.board.game has no {name}" in capsys.readouterr().err


def test_a_step_of_the_disk_that_the_trace_does_not_know_is_reported(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from pbm_oust.store.disk import Disk
from tests.chaos.launcher import keep_trace
Disk.step_copy = print
keep_trace(Path({str(tmp_path / "trace")!r}), Path("fuse"), None)
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE
    )
    assert ended.returncode == 2
    assert "step_copy" in ended.stderr


def test_the_script_prints_a_report_and_ends_with_status_1_if_something_is_wrong(
    tmp_path: Path,
) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "chaos"), "--folder", str(tmp_path)]
    options = ["--mails", "30", "--kills", "1", "--build", "no-id-check"]
    ended = subprocess.run([*script, *options], capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 1
    assert "30 of 30 mails, 1 kills" in ended.stderr
    assert "mails acknowledged                                30\n" in ended.stdout
    assert ended.stdout.endswith(f"something is wrong\nsee {tmp_path}\n")
