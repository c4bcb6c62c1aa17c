"""A disk that fails at any single step, for once or from then on, and a process that dies there.

Each command is carried out again and again, with the fault one step later each time, until it goes
through undisturbed. After every fault the sender sends the mail again, as a mail server does.
"""

import errno
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email import message_from_bytes
from enum import Enum
from pathlib import Path

import pytest
from pbm_oust.store.journal import Ending
from pbm_oust.store.recovery import recover

from pbm_oust.board.history import read_history
from pbm_oust.letters.letters import Letters
from pbm_oust.mail.inbound import Envelope, Intake, KeptBySender
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName
from tests.support.accounts import codes, make_account
from tests.support.rings import first_is_fast

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
ADDRESS = "pbmserv@example.com"
LETTERS = Letters(ADDRESS, lambda: NOW, lambda: b"key")


class Fault(Enum):
    """What happens at the chosen step."""

    ONCE = "fails once"
    HALF = "writes half, then fails once"
    STAYS = "fails from then on"
    DIES = "the process dies"


class Death(BaseException):
    """The end of a process: nothing that comes after it is done."""


class FaultyDisk(Disk):
    """A disk whose step number `at` goes wrong."""

    def __init__(self, at: int, fault: Fault) -> None:
        self.at = at
        self.fault = fault
        self.steps = 0

    def _step(self) -> bool:
        """Count a step; return whether half of it is to be done, or raise."""
        self.steps += 1
        if self.steps < self.at:
            return False
        if self.fault is Fault.DIES:
            raise Death
        if self.steps == self.at and self.fault is Fault.HALF:
            return True
        if self.steps == self.at or self.fault is Fault.STAYS:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return False

    def step_open(self, path: Path, flags: int, mode: int) -> int:
        self._whole_step()
        return super().step_open(path, flags, mode)

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        if self._step():
            super().step_write(handle, data[: len(data) // 2], at)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().step_write(handle, data, at)

    def step_sync(self, handle: int) -> None:
        self._whole_step()
        super().step_sync(handle)

    def step_truncate(self, handle: int, size: int) -> None:
        self._whole_step()
        super().step_truncate(handle, size)

    def step_link(self, path: Path, target: Path) -> None:
        self._whole_step()
        super().step_link(path, target)

    def step_rename(self, path: Path, target: Path) -> None:
        self._whole_step()
        super().step_rename(path, target)

    def step_remove(self, path: Path) -> None:
        self._whole_step()
        super().step_remove(path)

    def _whole_step(self) -> None:
        if self._step():
            raise OSError(errno.EIO, os.strerror(errno.EIO))


@dataclass(frozen=True)
class Outcome:
    """What stands in a home: accounts by name, histories whole, and letters by what tells them."""

    userids: tuple[str, ...]
    addresses: tuple[tuple[str, ...], ...]
    histories: tuple[bytes, ...]
    letters: frozenset[tuple[str, str]]
    refused: int
    """How many mails the journal knows as refused."""


def outcome(path: Path) -> Outcome:
    home = Home(path)
    messages = [message_from_bytes(home.outbox.read(name)) for name in home.outbox.letters()]
    return Outcome(
        tuple(home.userids()),
        tuple(home.account(userid).addresses for userid in home.userids()),
        tuple(home.history(BoardName("oust", board)) for board in home.boards("oust")),
        frozenset((str(message["To"]), str(message["Message-ID"])) for message in messages),
        sum(entry.ending is Ending.REFUSED for entry in home.journal.entries()),
    )


def take(path: Path, line: str, sender: str, disk: Disk | None = None) -> None:
    intake = Intake(UnitOfWork(Home(path, disk), LETTERS.write, lambda: NOW), ADDRESS)
    number = zlib.crc32(line.encode())
    if "CODE" in line:
        line = line.replace("CODE", "".join(code for _, code in codes(Home(path))))
    mail = f"From: {sender}\nSubject: {line}\nMessage-ID: <{number}@example.org>\n\nHello\n"
    intake.take(mail.encode(), Envelope(sender))


ALICE, BOB, CAROL = "alice@example.org", "bob@example.org", "carol@example.org"
BEGINNING = [
    ("oust challenge alice bob -size=5", ALICE),
    ("oust move 1 alice wonderland C3", ALICE),
    ("oust move 1 bob lookingglass C2", BOB),
    ("oust queue 1 bob lookingglass if A1 then E5", BOB),
    ("oust seek alice wonderland -o", ALICE),
]
Begun = Callable[[list[tuple[str, str]]], Path]
SIGNUP = ("signup carol rabbithole", CAROL)
CHANGE = (f"change address bob lookingglass {CAROL}", BOB)
COMMANDS: dict[str, tuple[list[tuple[str, str]], str, str]] = {
    "signup": ([], *SIGNUP),
    "code of a signup": ([SIGNUP], "verify CODE", CAROL),
    "code of an address": ([CHANGE], "verify CODE", BOB),
    "challenge": ([], *BEGINNING[0]),
    "move": (BEGINNING[:1], *BEGINNING[1]),
    "winning move": (BEGINNING[:3], "oust move 1 alice wonderland B3", ALICE),
    "refused move": (BEGINNING[:1], "oust move 1 bob lookingglass C3", BOB),
    "move that is answered at once": (BEGINNING, "oust move 1 alice wonderland A1", ALICE),
    "join": (BEGINNING, "oust join 1 bob lookingglass", BOB),
    "replay": (BEGINNING[:3], "oust replay 1 1 bob alice", BOB),
    "help": ([], "help", ALICE),
}
IN_STEPS: dict[str, tuple[list[tuple[str, str]], str, str]] = {
    "end of an account": (
        [*BEGINNING[:3], ("oust challenge bob alice -size=5", BOB)],
        "delete alice wonderland",
        ALICE,
    ),
}
"""Commands of several records, some of which may be on the disk and others not."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """Return a function that gives a home in which these commands have been carried out."""

    def home_after(commands: list[tuple[str, str]]) -> Path:
        path: Path = tmp_path_factory.mktemp("begun")
        Home(path).prepare()
        make_account(Home(path), "alice", "wonderland", ALICE)
        make_account(Home(path), "bob", "lookingglass", BOB)
        for line, sender in commands:
            take(path, line, sender)
        return path

    return home_after


@pytest.mark.parametrize("fault", first_is_fast(Fault))
@pytest.mark.parametrize("name", [*COMMANDS, *IN_STEPS])
def test_whatever_the_disk_does_a_command_is_done_once_with_all_its_letters(
    name: str, fault: Fault, begun: Begun, tmp_path: Path
) -> None:
    _, line, sender = (COMMANDS | IN_STEPS)[name]
    before, wanted = _undisturbed(name, begun, tmp_path)
    for at, path in _disturbed(before, tmp_path, line, sender, fault):
        for history in outcome(path).histories:
            read_history(history)
        take(path, line, sender)
        recover(Home(path))
        found = outcome(path)
        assert replace(found, letters=wanted.letters, refused=0) == replace(wanted, refused=0), at
        assert found.letters >= wanted.letters, at
        assert list((path / "outbox" / "tmp").iterdir()) == [], at
    assert at > 5


@pytest.mark.parametrize("fault", first_is_fast(Fault))
@pytest.mark.parametrize("name", COMMANDS)
def test_whatever_the_disk_does_the_next_process_finds_a_command_done_or_not_done(
    name: str, fault: Fault, begun: Begun, tmp_path: Path
) -> None:
    _, line, sender = COMMANDS[name]
    before, wanted = _undisturbed(name, begun, tmp_path)
    endings = set()
    for at, path in _disturbed(before, tmp_path, line, sender, fault):
        recover(Home(path))
        assert outcome(path) in (outcome(before), wanted), at
        assert list((path / "outbox" / "tmp").iterdir()) == [], at
        assert not [file for file in path.rglob(".*") if file.is_file()], at
        endings.add(outcome(path) == outcome(before))
    assert endings == {True, False}


def _undisturbed(name: str, begun: Begun, folder: Path) -> tuple[Path, Outcome]:
    """Return the home before a command, and what stands in it after that when nothing fails."""
    commands, line, sender = (COMMANDS | IN_STEPS)[name]
    before = begun(commands)
    after = shutil.copytree(before, folder / "undisturbed")
    take(after, line, sender)
    return before, outcome(after)


def _disturbed(
    before: Path, folder: Path, line: str, sender: str, fault: Fault
) -> Iterator[tuple[int, Path]]:
    """Yield the step at which a command was disturbed and the home, step by step."""
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        path = shutil.copytree(before, folder / f"{at}")
        is_disturbed = _is_disturbed(path, line, sender, FaultyDisk(at, fault))
        yield at, path


def _is_disturbed(path: Path, line: str, sender: str, disk: FaultyDisk) -> bool:
    """Carry out a command on a faulty disk; return whether the fault was reached."""
    try:
        take(path, line, sender, disk)
    except (KeptBySender, Death):
        return True
    return disk.steps >= disk.at
