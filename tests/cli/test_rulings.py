"""What the operator does to boards: games ended, sides handed over, more time, moves taken back."""

import json
import os
import pty
import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.command_line import run
from tests.support.histories import make_from_files
from tests.support.rings import slow
from tests.support.server import PROGRAM
from tests.support.sweeping import BEGIN, World, new_world
from tests.support.waiting import PATIENCE


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a home with a board that began 10 days before this moment."""
    world = new_world(tmp_path, ("alice", "bob", "carol"))
    ago = (datetime.now(UTC) - timedelta(days=10) - BEGIN) / timedelta(days=1)
    world.add_board("alice", "bob", ago)
    return world


def rule(home: Path, command: str, *options: str) -> Result:
    return run(home, "games", *command.split(), *options, "--yes")


@pytest.mark.parametrize(("answer", "status"), [("y", 0), slow("n", 1)])
def test_at_a_terminal_the_operator_is_asked(answer: str, status: int, world: World) -> None:
    ours, theirs = pty.openpty()
    command = [PROGRAM, "--home", str(world.path), "games", "void", "oust", "1"]
    process = subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True)
    os.write(ours, f"{answer}\n".encode())
    asked, _ = process.communicate(timeout=PATIENCE)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == status
    assert "oust 1, alice (x) - bob (o), 0 records: end it as never begun? [y/N]" in asked
    assert bool(world.history(1)) is (answer == "y")


def test_no_more_time_is_given_while_the_clock_stands(world: World) -> None:
    today = (datetime.now(UTC) - BEGIN) / timedelta(days=1)
    world.away("alice", (today - 1, today + 5))
    result = rule(world.path, "extend oust 1 3d")
    assert result.exit_code == 1
    assert re.search(
        r"alice is away until \S+Z, and the clock of oust 1 stands until then; extend it once",
        result.output,
    )
    assert (world.history(1), world.letters()) == ([], [])


def test_a_database_made_anew_knows_who_owns_the_sides_after_an_undone_swap(world: World) -> None:
    world.play(1, 0, "x C3")
    world.play(1, 0, "o swap")
    rule(world.path, "undo oust 1")
    world.play(1, 0, "o resign")
    found = [run(world.path, "games", "list", "--json").output]
    world.home.close()
    world.home.database_path.unlink()
    make_from_files(world.path)
    found.append(run(world.path, "games", "list", "--json").output)
    listed = [json.loads(text)[0] for text in found]
    assert [(each["x"], each["o"]) for each in listed] == [("alice", "bob")] * 2
