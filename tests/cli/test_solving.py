"""What `pbm-oust rules solve` can hold in memory, and what it says about it beforehand."""

import json
import re
import resource
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.cli.rules import free_memory
from tests.support import tables
from tests.support.server import PROGRAM

tabled = tables.tabled(__file__)

GIB = 1 << 30


def solve(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["rules", "solve", *arguments])


@pytest.mark.parametrize(
    ("grid", "swapless", "reachable"),
    [
        (["--size", "2x2"], "the first player wins", 6),
        (["--hex", "2"], "the first player wins", 25),
        pytest.param(["--size", "3x3"], "the first player wins", 415, marks=pytest.mark.slow),
        pytest.param(["--size", "4x3"], "the first player wins", 22_730, marks=pytest.mark.slow),
    ],
)
def test_solve_says_who_wins_a_small_board(grid: list[str], swapless: str, reachable: int) -> None:
    result = solve("oust", *grid, "--census", "--json")
    solved = json.loads(result.stdout)
    assert solved["without_swap"] == swapless
    assert solved["with_swap"] == "the second player wins"
    assert solved["draw_forced_by"] == []
    assert solved["reachable"] == reachable
    assert 0 < solved["positions"] <= reachable
    assert swapless in solve("oust", *grid).stdout


def test_solve_says_beforehand_how_many_positions_it_can_hold() -> None:
    (told,) = solve("oust", "--hex", "2").stderr.splitlines()
    assert re.fullmatch(r"Half of the free memory holds [\d,]+ positions of \d+ bytes\.", told)


@pytest.mark.parametrize("arguments", [["oust", "--size", "25"], ["churn", "--hex", "7"]])
def test_solve_refuses_a_board_without_hope(arguments: list[str]) -> None:
    result = solve(*arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(
        r"Error: \w+ (square|hex) \S+ is too large: nothing above 36 cells can be solved\n",
        result.stderr,
    )


def limited(address_space: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Solve a board in a process that may take so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))

    command = [PROGRAM, "rules", "solve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)


def limited_to(megabytes: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Solve a board in a process that may take so much besides what the program itself takes."""
    plenty = limited(GIB, "oust", "--hex", "2").stderr
    positions, each = (
        int(text.replace(",", "")) for text in re.findall(r"([\d,]+) positions of (\d+)", plenty)[0]
    )
    program = GIB - 2 * positions * each
    return limited(program + megabytes * 1_000_000, *arguments)


@pytest.mark.slow
def test_solve_stops_when_memory_is_full() -> None:
    result = limited_to(20, "churn", "--hex", "1,5")
    *_, refusal = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(
        r"Error: churn hex 1,5 was not solved: [78]\d,\d{3} positions fill the memory; "
        "try a smaller board",
        refusal,
    )


@pytest.mark.slow
def test_who_wins_is_told_even_if_there_is_no_room_to_count_what_play_can_reach() -> None:
    result = limited_to(20, "oust", "--hex", "1,5", "--census")
    assert result.returncode == 1
    assert "without swap  the second player wins\n" in result.stdout
    assert "reached by play" not in result.stdout
    assert "positions fill the memory" in result.stderr


@tabled("files", "free", files=json.loads, free=int)
def test_free_memory_is_what_the_machine_and_the_container_leave(
    files: dict[str, str], free: int, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert free_memory(tmp_path / "proc", tmp_path / "groups") == free


def test_a_machine_that_does_not_say_what_is_free_has_all_of_its_memory(tmp_path: Path) -> None:
    assert free_memory(tmp_path, tmp_path) >= free_memory()
