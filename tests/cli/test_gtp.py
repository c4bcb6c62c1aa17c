"""`pbm-oust gtp`: what an engine answers to a controller, and games that two engines play."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.cli import main
from pbm_oust.rules import KINDS, Side, parse_grid
from tests.support import tables
from tests.support.core import needs_core
from tests.support.server import PROGRAM, ROOT

tabled = tables.tabled(__file__)
LONGEST = 1_000
"""More than the placements and passes of any game here."""


def answers(options: str, *commands: str) -> list[str]:
    """Return what an engine answers to some commands."""
    result = CliRunner().invoke(main, ["gtp", *options.split()], input="\n".join(commands))
    assert result.exit_code == 0, result.output
    return result.stdout.split("\n\n")[:-1]


@tabled("options", "commands", "answered")
def test_commands_are_answered(options: str, commands: str, answered: str) -> None:
    assert answers(options, *commands.split("; "))[-1].rstrip() == answered


def test_every_command_is_listed_and_known() -> None:
    listed = answers("oust", "list_commands")[0].removeprefix("= ").split("\n")
    assert {"play", "genmove", "undo", "showboard", "final_score", "time_left"} <= {*listed}
    known = answers("oust", *(f"known_command {name}" for name in listed))
    assert known == ["= true"] * len(listed)


def test_what_is_no_command_is_passed_over() -> None:
    """Control characters, comments and empty lines, as section 2.5 of the protocol has them."""
    assert answers("oust", "", "# nothing", "\x01 7\tname # who", "quit", "name") == [
        "=7 pbm_oust house8",
        "= ",
    ]


@given(st.lists(st.text(max_size=30), max_size=5))
@settings(max_examples=200)
def test_no_text_breaks_it(lines: list[str]) -> None:
    assert answers("oust --size 3", *lines, "pbm_oust-board oust square 3x3")[-1] == "= "


@contextmanager
def engine(*options: str) -> Iterator["subprocess.Popen[str]"]:
    """Run an engine in a process of its own for the body of the `with`."""
    command = [PROGRAM, "gtp", *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        yield process
        assert asked(process, "quit") == ""
        assert process.wait() == 0


def asked(process: "subprocess.Popen[str]", command: str) -> str:
    """Return the answer of an engine to a command, which it can carry out."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{command}\n")
    process.stdin.flush()
    lines = [*iter(process.stdout.readline, "\n")]
    assert lines[0].startswith("= "), (command, lines)
    return "".join(lines)[2:].rstrip("\n")


@needs_core
@pytest.mark.parametrize(
    ("kind", "grid"), [("oust", "square 5x5"), ("oust", "hex 3"), ("churn", "hex 3")]
)
def test_two_engines_play_a_game_to_its_end(kind: str, grid: str) -> None:
    """As match tools let them: each in turn, until both have passed."""
    with engine(kind, "--player", "house3") as black, engine(kind, "--player", "house2") as white:
        for each in black, white:
            asked(each, f"pbm_oust-board {kind} {grid}")
        sides = [("b", black, white), ("w", white, black)]
        played = list[str]()
        while played[-2:] != ["pass", "pass"]:
            assert len(played) < LONGEST
            color, mover, other = sides[len(played) % 2]
            played.append(asked(mover, f"genmove {color}"))
            asked(other, f"play {color} {played[-1]}")
        told = {asked(each, "final_score") for each in (black, white)}
    position = KINDS[kind].start(parse_grid(grid))
    for nth, vertex in enumerate(played):
        is_on_turn = position.to_move is [Side.X, Side.O][nth % 2] and not position.result
        assert is_on_turn or vertex == "pass"
        if vertex != "pass":
            position = position.place(position.grid.parse_cell(vertex))
        elif is_on_turn:
            position = position.pass_turn()
    assert position.result
    assert told == {{Side.X: "B+1", Side.O: "W+1", None: "0"}[position.result.winner]}


def test_a_pipe_that_closes_ends_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [PROGRAM, "gtp", "oust"], input="name\n", capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "= pbm_oust house8\n\n", "")
    with suppress(FileNotFoundError):
        assert not [*(tmp_path / "games").iterdir()], "it needs no home"
