"""What the command line knows from the index of boards, and how the index is made anew."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm_oust.cli import main
from pbm_oust.store.entries import BoardName
from pbm_oust.store.home import Home
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

CHALLENGE = (ALICE, "oust challenge alice bob wonderland -size=5")
TWO = BoardName("oust", 2)
NOTED = """
import sys

def note(event, arguments):
    path = str(arguments[0]) if event == "open" else ""
    if path.startswith(sys.argv[2] + "/oust/"):
        print(path.removeprefix(sys.argv[2] + "/"), file=sys.stderr)

sys.addaudithook(note)
from pbm_oust.cli.main import run
run()
"""
"""Runs a command, and names on standard error each history that it opens."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with two boards; on the second one a game is over."""
    mails = [CHALLENGE, CHALLENGE, (ALICE, "oust resign 2 alice wonderland")]
    home = home_of(tmp_path / "home", ALICE, BOB, mails=mails)
    home.database.close()
    return home


def files_read(home: Home, *arguments: str) -> list[str]:
    """Return which histories a command opens."""
    command = [sys.executable, "-c", NOTED, "--home", str(home.path), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr.split()


def run(home: Home, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["--home", str(home.path), *arguments])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        (("games", "list"), ["oust/1.txt"]),
        (("games", "list", "--player", "bob", "--which", "next"), []),
        (("games", "list", "--json"), ["oust/1.txt"]),
        (("games", "show", "oust", "2"), ["oust/2.txt"]),
        (("games", "history", "oust", "2"), ["oust/2.txt"]),
        (("games", "verify", "oust", "1"), ["oust/1.txt"]),
        (("standings",), []),
        (("ratings",), []),
        (("players", "list"), []),
        (("players", "show", "alice"), []),
        (("outbox", "list"), []),
    ],
)
def test_no_command_reads_more_histories_than_it_is_asked_for(
    arguments: tuple[str, ...], read: list[str], home: Home
) -> None:
    assert files_read(home, *arguments) == read


def test_a_history_edited_by_hand_is_listed_as_it_is(home: Home) -> None:
    path = home.history_path(TWO)
    path.write_text(path.read_text().partition("   1 ")[0])
    assert (
        run(home, "games", "list")
        .output.splitlines()[2]
        .startswith("oust 2  square 5x5  alice  bob  0        alice (x) to move  ")
    )
    assert files_read(home, "games", "list") == ["oust/2.txt", "oust/1.txt"]


def test_the_index_is_made_anew(home: Home) -> None:
    wrong = "UPDATE boards SET to_move = 'bob' WHERE board = 1"
    home.database.write(lambda transaction: transaction.run(wrong))
    home.database.close()
    assert "bob (o) to move" in run(home, "games", "list").output
    done = run(home, "games", "reindex")
    assert (done.exit_code, done.output) == (0, "the index holds 2 boards\n")
    assert "alice (x) to move" in run(home, "games", "list").output


def test_boards_results_and_ratings_are_there_without_the_database(home: Home) -> None:
    listed, standings = run(home, "games", "list").output, run(home, "standings").output
    home.database_path.unlink()
    assert run(home, "games", "list").output == listed
    assert run(home, "standings").output == standings
    assert run(home, "games", "reindex").output == "the index holds 2 boards\n"
    assert run(home, "standings").output == standings


def test_a_board_that_was_removed_by_hand_is_left_out_of_lists_by_mail(home: Home) -> None:
    home.history_path(TWO).unlink()
    for line in ("oust show alice all", "oust standings"):
        (letter,) = mailed(home, ALICE, line)
        assert letter["X-Pbm-Oust"] != "refusal"
        assert "oust 2" not in letter.text
