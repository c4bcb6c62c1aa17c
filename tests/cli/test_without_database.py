"""What the operator can do where the database cannot be read, and what they are told."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.database import LATEST
from pbm_oust.store.home import Home
from tests.support import tables
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.rings import first_is_fast, slow
from tests.support.server import PROGRAM

DAMAGED = (
    "pbm_oust.db is damaged (database disk image is malformed). Stop the server, then restore a "
    "backup, or remove pbm_oust.db, pbm_oust.db-wal and pbm_oust.db-shm to begin again without "
    "accounts and letters: the games are made anew from their files, which can be shown and "
    "verified now"
)
NEWER = (
    "pbm_oust.db was written by a newer pbm_oust: its tables are of version 99, and this program "
    f"knows version {LATEST}. Install the newer program, or restore an older backup"
)
TABLES = tables.of(__file__)
READING = [line.split() for (line,) in TABLES["commands that read games"]]
OTHERS = [line.split() for (line,) in TABLES["all other commands"]]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = home_of(
        tmp_path / "home",
        ALICE,
        BOB,
        mails=[(ALICE, "oust challenge alice bob wonderland -size=5")],
    )
    home.database.close()
    return home


def damage(path: Path) -> None:
    os.truncate(path, 8192)


def make_newer(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 99)
    connection.close()


TROUBLES = [(damage, DAMAGED), (make_newer, NEWER)]


def ran(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, "--home", "home", *arguments]
    return subprocess.run(command, cwd=home.path.parent, input="", capture_output=True, text=True)


@pytest.mark.parametrize("arguments", first_is_fast(READING))
@pytest.mark.parametrize(
    ("spoil", "reason"), [TROUBLES[0], *(slow(*each) for each in TROUBLES[1:])]
)
def test_games_are_read_from_their_histories_alone(
    spoil: Callable[[Path], None], reason: str, arguments: list[str], home: Home
) -> None:
    before = ran(home, *arguments)
    spoil(home.database_path)
    after = ran(home, *arguments)
    assert (before.returncode, before.stderr) == (0, "")
    assert after.returncode == 0
    assert after.stderr.startswith(f"Warning: home/{reason}")
    assert after.stderr.endswith(". This comes from the histories alone.\n")
    assert _without_deadline(after.stdout) == _without_deadline(before.stdout)


@pytest.mark.parametrize(
    ("spoil", "reason", "arguments"),
    [(*each, OTHERS[0]) for each in TROUBLES] + [slow(*TROUBLES[0], each) for each in OTHERS[1:]],
)
def test_every_other_command_says_in_a_sentence_what_to_do(
    spoil: Callable[[Path], None], reason: str, arguments: list[str], home: Home
) -> None:
    spoil(home.database_path)
    refused = ran(home, *arguments)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"Error: home/{reason}")
    assert refused.stderr.count("\n") == 1
    assert refused.stdout == ""


def test_mail_is_kept_by_the_mail_server(home: Home) -> None:
    damage(home.database_path)
    kept = ran(home, "deliver", "--sender", "alice@example.org")
    assert kept.returncode == os.EX_TEMPFAIL
    assert f"kept by the sender: home/{DAMAGED}" in kept.stderr


def test_a_damaged_history_is_named_beside_a_damaged_database(home: Home) -> None:
    damage(home.database_path)
    (home.path / "oust" / "1.txt").write_text("nothing\n")
    verified = ran(home, "games", "verify")
    assert verified.returncode == 1
    assert verified.stdout.startswith("oust 1: BAD: home/oust/1.txt: line 1: ")


@pytest.mark.slow
def test_who_has_locked_the_database_is_waited_for_and_then_named(home: Home) -> None:
    connection = apsw.Connection(str(home.database_path))
    connection.execute("BEGIN IMMEDIATE")
    assert ran(home, "players", "list").returncode == 0
    refused = ran(home, "players", "disable", "alice")
    connection.close()
    assert (refused.returncode, refused.stderr) == (
        1,
        "Error: home/pbm_oust.db is locked by another program; to see which: "
        "fuser home/pbm_oust.db\n",
    )


def _without_deadline(text: str) -> list[str]:
    """Return the lines of an answer but for the deadlines, in which vacations have a say."""
    lines = (line for line in text.splitlines() if '"deadline"' not in line)
    return [re.sub(r" +[0-9T:-]+Z$", "", line) for line in lines]
