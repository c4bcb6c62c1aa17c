"""A process that is killed at any operation, and what the next one makes of that.

Either the mail has done nothing, or the next process finishes all that was left: lines come into
their histories, letters into the Maildir.
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from tests.store.disturbed import (
    ALICE,
    BOB,
    CAROL,
    Begun,
    Lines,
    Where,
    done,
    everything,
    killed,
    sent,
    status_of_child,
    with_code,
)
from tests.support.home_by_mail import copy_of
from tests.support.mails import mail
from tests.support.outbox import letters
from tests.support.rings import slow
from tests.support.server import PROGRAM, running
from tests.support.waiting import wait_until

FIRST = BoardName("oust", 1)
BOARD: Lines = (("oust challenge alice bob wonderland -size=5", ALICE),)
MOVE: Lines = (*BOARD, ("oust move 1 alice wonderland C3", ALICE))
NEW = "dave@example.org"
SIGNUP = ("signup dave hatterhatter", NEW)
IN_PARTS = ("move", "undone move", "forget")
"""The commands at a fifth of whose operations a process is killed, another fifth each."""
COMMANDS: dict[str, tuple[Lines, str, str]] = {
    "move": (BOARD, *MOVE[1]),
    "challenge": ((), *BOARD[0]),
    "code": ((SIGNUP,), "verify CODE", NEW),
    "undone move": (MOVE, "oust undo 1 alice wonderland", ALICE),
    "refusal": (BOARD, "oust move 1 bob lookingglass C3", BOB),
    "help": ((), "help", ALICE),
    "forget": (MOVE, "forget alice wonderland really", ALICE),
}


@pytest.mark.parametrize(
    ("name", "where", "nth"),
    [
        ("move", Where.FILES, None),
        *(slow(name, Where.FILES, nth) for nth, name in enumerate(IN_PARTS)),
        *(slow(name, where, None) for name in COMMANDS for where in Where),
    ],
)
def test_a_mail_that_a_killed_process_has_taken_is_done_whole_or_not_at_all_and_once(
    name: str, where: Where, nth: int | None, homes: Begun, memory_path: Path
) -> None:
    beginning, line, sender = COMMANDS[name]
    before = homes(beginning)
    deed = sent(with_code(line, before), sender)
    nothing = everything(before)
    wanted, again = done(before, memory_path, deed), done(before, memory_path, deed, deed)
    outcomes = []
    for each in killed(before, memory_path, deed, where, nth):
        found = each.found()
        assert found in ([nothing, wanted] if each.is_kept else [wanted]), each.at
        outcomes.append(found == wanted)
        each.repeat()
        assert each.found() == (again if outcomes[-1] else wanted), each.at
    assert set(outcomes) == {True, False}


# Who finishes


class DiesAtPublishing(Disk):
    """The disk of a process that dies when it is about to publish what it has committed."""

    def append(self, handle: int, data: bytes, at: int, *, syncs: bool = True) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def left(homes: Begun, tmp_path: Path) -> Home:
    """A home in which a move is committed, and nothing else of it has been done."""
    home = copy_of(Home(homes(BOARD)), tmp_path / "left")
    status = status_of_child(lambda: sent(*MOVE[1])(Home(home.path, DiesAtPublishing())))
    assert status == -signal.SIGKILL
    assert "C3" not in home.history_path(FIRST).read_text()
    assert b"C3" in home.ask(home.boards.history, FIRST)
    assert len(list((home.outbox.path / "new").iterdir())) == 2
    home.database.close()
    return home


def is_finished(home: Home) -> bool:
    there = list((home.outbox.path / "new").iterdir())
    return "C3" in home.history_path(FIRST).read_text() and len(there) == 4


def test_the_server_finishes_when_it_starts(left: Home) -> None:
    with running(left.path):
        wait_until(lambda: is_finished(left), "what was left is finished")


def test_a_delivery_finishes_what_the_one_before_left(left: Home) -> None:
    data = mail(f"From: {CAROL}", "Subject: help", "Message-ID: <9@example.org>")
    command = [PROGRAM, "--home", str(left.path), "deliver", "--sender", CAROL]
    delivered = subprocess.run(command, input=data, stderr=subprocess.DEVNULL)
    assert delivered.returncode == os.EX_OK
    assert [letter.to for letter in letters(left)][2:] == [ALICE, BOB, CAROL]
    assert "C3" in left.history_path(FIRST).read_text()


def test_a_clean_stop_leaves_nothing_to_be_finished(left: Home, tmp_path: Path) -> None:
    """What could not be written for a while is tried once more."""
    kind = left.path / "oust"
    kind.rename(tmp_path / "away")
    kind.touch()
    with running(left.path) as server:
        kind.unlink()
        (tmp_path / "away").rename(kind)
        assert server.stop() == 0
    assert is_finished(left)
