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
from tests.support.home_by_mail import ALICE, BOB, CAROL, Talk
from tests.support.outbox import Letter, letters
from tests.support.server import PROGRAM
from tests.support.sweeping import BEGIN, World, new_world
from tests.support.waiting import PATIENCE

LONG_AGO = -999
"""A day before all boards, so that what is done then is done when the board begins."""


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a home with a board that began 10 days before this moment."""
    world = new_world(tmp_path, ("alice", "bob", "carol"))
    ago = (datetime.now(UTC) - timedelta(days=10) - BEGIN) / timedelta(days=1)
    world.add_board("alice", "bob", ago)
    return world


def rule(home: Path, command: str, *options: str) -> Result:
    return run(home, "games", *command.split(), *options, "--yes")


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1)])
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


def deadline(world: World) -> datetime:
    shown = json.loads(run(world.path, "games", "show", "oust", "1", "--json").output)
    return datetime.fromisoformat(shown["deadline"])


def test_the_operator_gives_the_player_to_move_more_time(world: World) -> None:
    world.play(1, LONG_AGO, "x C3")
    assert run(world.path, "sweep").output == "oust 1: remind o\n"
    before = deadline(world)
    world.clear()
    result = rule(world.path, "extend oust 1 3d", "--reason", "Your mail server was down.")
    assert (result.exit_code, result.output) == (0, "oust 1: extend o 3d\n")
    assert deadline(world) == before + timedelta(days=3)
    assert world.history(1) == ["1 x C3", "2 * remind o", "3 * extend o 3d"]
    assert world.letters() == [
        ("alice", "oust 1 #4: bob to move"),
        ("bob", "oust 1 #4: your turn, bob"),
    ]
    to_bob, to_alice = world.text_to("bob"), world.text_to("alice")
    assert "The operator writes: Your mail server was down." in to_bob
    assert "The operator has given you 3 days more for this turn." in to_bob
    assert "The operator has given bob 3 days more for this turn." in to_alice
    assert "by the operator" in run(world.path, "games", "why", "oust", "1#3").output
    assert rule(world.path, "extend oust 1 2W").output == "oust 1: extend o 14d\n"
    assert deadline(world) == before + timedelta(days=17)


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


def test_the_operator_takes_the_latest_turn_back_all_parts_of_it(world: World) -> None:
    for move in ("x C3", "o C2", "x E5", "o A1", "x B3"):
        world.play(1, 0, move)
    before = world.game(1).after(4)
    result = rule(world.path, "undo oust 1")
    assert (result.exit_code, result.output) == (0, "oust 1: undo 4\n")
    assert world.history(1)[-2:] == ["5 x B3*1", "6 * undo 4"]
    game = world.game(1)
    assert (game.position, game.line) == (before.position, before.line)
    assert world.letters() == [
        ("alice", "oust 1 #7: your turn, alice"),
        ("bob", "oust 1 #7: alice to move"),
    ]
    said = "The operator has taken moves back. The board is as it was after record 4."
    assert said in world.text_to("alice")
    assert said in world.text_to("bob")
    assert "how by the operator" in " ".join(
        run(world.path, "games", "why", "oust", "1").output.split()
    )
    assert rule(world.path, "undo oust 1 --to 1").output == "oust 1: undo 1\n"
    assert world.game(1).position == before.after(1).position
    assert rule(world.path, "undo oust 1 --to 0").output == "oust 1: undo 0\n"
    assert "The board is as it was at its start." in world.text_to("bob")
    world.play(1, 0, "x C3")
    refused = rule(world.path, "undo oust 1 --to 9")
    assert (refused.exit_code, refused.output) == (
        1,
        "Error: no move is left to take back there; the latest on oust 1 is record 9\n",
    )
    assert rule(world.path, "undo oust 1").exit_code == 0
    refused = rule(world.path, "undo oust 1")
    assert (refused.exit_code, refused.output) == (
        1,
        "Error: oust 1 has no move that could be taken back\n",
    )


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


def reply_to(letter: Letter) -> str:
    return letter["Reply-To"] or ""


def ruled(talk: Talk, command: str, *options: str) -> list[Letter]:
    """Let the operator rule on a home to which mails were sent, and return the letters."""
    talk.home.configuration.write_text(f'address = "{talk.own}"\n')
    before = {letter.name for letter in letters(talk.home)}
    assert rule(talk.home.path, command, *options).exit_code == 0
    return [letter for letter in letters(talk.home) if letter.name not in before]


def test_an_answer_to_a_mail_about_moves_that_are_gone_does_not_count(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5 -noswap")
    first = reply_to(talk.letter_to(ALICE))
    talk.send(ALICE, "oust move 1 alice wonderland C3")
    talk.send(BOB, "oust move 1 bob lookingglass A1")
    old = reply_to(talk.letter_to(ALICE))
    to_alice, to_bob = ruled(talk, "undo oust 1 --to 0")
    assert (to_alice.to, to_bob.to) == (ALICE, BOB)
    for address in (first, old):
        talk.send(ALICE, "Re: oust 1", "E5", to=address)
        assert talk.outcome == "refused: old_answer"
    talk.send(ALICE, "Re: oust 1", "E5", to=reply_to(to_alice))
    assert talk.outcome == "done: move"


def test_who_gets_more_time_may_answer_the_mail_that_came_before(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB, CAROL)
    talk.send(CAROL, "oust challenge alice bob wonderland -size=5")
    talk.send(ALICE, "oust challenge alice bob wonderland -size=5")
    address = reply_to(talk.letter_to(ALICE))
    talk.send(CAROL, "oust watch 1 carol rabbithole")
    assert [letter.to for letter in ruled(talk, "extend oust 1 3d", "--reason", "Just so.")] == [
        *(ALICE, BOB, CAROL)
    ]
    assert "Just so." not in letters(talk.home)[-1].text
    talk.send(ALICE, "Re: oust 1", "E5", to=address)
    assert talk.outcome == "done: move"
