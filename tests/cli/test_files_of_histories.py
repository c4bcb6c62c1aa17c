"""What the command line makes of the files of histories: what reads, compares and accepts them."""

import subprocess
import sys
from pathlib import Path

import pytest

from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.support import tables
from tests.support.command_line import run
from tests.support.home_by_mail import ALICE, BOB, home_of, mailed

tabled = tables.tabled(__file__)

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


@pytest.mark.slow
@tabled("arguments", "read", arguments=str.split, read=str.split)
def test_only_who_compares_files_opens_them(
    arguments: list[str], read: list[str], home: Home
) -> None:
    assert files_read(home, *arguments) == read


def cut(home: Home, name: BoardName = TWO) -> Path:
    """Take the last record out of a file by hand, with a remark; return the file."""
    path = home.history_path(name)
    path.write_text(path.read_text().partition("   1 ")[0] + "# the operator cut this\n")
    return path


def test_a_file_that_was_set_aside_can_still_be_accepted(home: Home) -> None:
    text = cut(home).read_text()
    mailed(home, ALICE, "oust move 1 alice wonderland C3")
    assert list(home.publisher.check([TWO])) == [TWO]
    (aside,) = home.publisher.edited(TWO)
    assert aside.read_text() == text
    doctor = run(home, "doctor").output
    assert f"oust/{aside.name} was changed by somebody, and set aside" in doctor
    accepted = run(home, "games", "accept", "oust", "2")
    assert accepted.output == (
        f"oust 2 has the history of {aside} now: 0 records, where it had 1 record\n"
    )
    assert home.history_path(TWO).read_text() == text
    assert home.publisher.edited(TWO) == []
