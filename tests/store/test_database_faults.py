"""A disk that fails under the database, at any single operation, for once or from then on.

A mail is written again and again, with the fault one operation later each time, until it goes
through undisturbed. After every fault the disk works again, and the mail comes once more.
"""

import errno
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path

import pytest

from pbm_oust.store.faults import DatabaseFailing, DatabaseFault, DatabaseFull
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.mails import take, taken
from tests.support.rings import slow
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble, faulty_statements

FAULTS = [
    ("none", "files", Fault.HALF, errno.EIO),
    ("none", "files", Fault.STAYS, errno.ENOSPC),
    ("none", "statements", Fault.STAYS, errno.EIO),
    ("closed", "files", Fault.ONCE, errno.EIO),
    ("closed", "files", Fault.STAYS, errno.ENOSPC),
    ("left", "files", Fault.HALF, errno.EIO),
    ("left", "files", Fault.STAYS, errno.EIO),
    ("left", "files", Fault.STAYS, errno.ENOSPC),
    ("left", "statements", Fault.ONCE, errno.EIO),
]
"""In which home, where, how and with which `errno` something fails."""


@contextmanager
def begun(how: str, home: Path) -> Iterator[list[str]]:
    """Give a home to copy and its mails: with no database, one, or one left by a killed process."""
    home.mkdir()
    if how == "none":
        yield []
        return
    database = SqliteDatabase(home / "pbm_oust.db")
    take(database, "before")
    if how == "closed":
        database.close()
    yield ["before"]
    database.close()


@pytest.mark.parametrize(
    ("how", "where", "fault", "number"),
    [each if number % 2 else slow(*each) for number, each in enumerate(FAULTS)],
)
def test_a_fault_at_any_moment_loses_nothing_and_doubles_nothing(
    how: str, where: str, fault: Fault, number: int, memory_path: Path
) -> None:
    home = memory_path / "home"
    for at in count(1):
        trouble = Trouble(at, fault, number)
        with ExitStack() as stack:
            before = stack.enter_context(begun(how, memory_path / "begun"))
            shutil.copytree(memory_path / "begun", home)
            if where == "files":
                stack.enter_context(FaultyVfs(trouble).in_use())
            else:
                stack.enter_context(faulty_statements(trouble))
            database = SqliteDatabase(home / "pbm_oust.db", FaultyDisk(trouble))
            stack.callback(database.close)
            outcome = ""
            try:
                assert take(database, "mail") is False
            except DatabaseFault as error:
                outcome = str(error)
            is_over = not outcome and trouble.steps < at
            trouble.end()
            again = SqliteDatabase(home / "pbm_oust.db")
            stack.callback(again.close)
            known = taken(again)
            assert known == taken(database)
            assert known == [*before, "mail"] or (outcome and known == before)
            take(database, "mail")
            assert taken(database) == taken(again) == [*before, "mail"]
        shutil.rmtree(home)
        shutil.rmtree(memory_path / "begun")
        if is_over:
            break
    assert at > 5


def test_a_reader_goes_on_after_the_disk_failed(memory_path: Path) -> None:
    trouble = Trouble()
    with FaultyVfs(trouble).in_use():
        database = SqliteDatabase(memory_path / "pbm_oust.db")
        for number in range(40):
            take(database, f"{number}")
        database.close()
        for at in count(1):
            trouble.steps, trouble.at = 0, at
            try:
                found = taken(database)
            except DatabaseFailing:
                trouble.end()
                found = taken(database)
            assert len(found) == 40
            if trouble.at:
                break
        database.close()


def test_a_full_disk_is_said_to_be_full(memory_path: Path) -> None:
    trouble = Trouble()
    with FaultyVfs(trouble).in_use():
        database = SqliteDatabase(memory_path / "pbm_oust.db")
        take(database, "before")
        trouble.at, trouble.fault, trouble.number = trouble.steps + 1, Fault.STAYS, errno.ENOSPC
        with pytest.raises(DatabaseFull, match=r"pbm_oust\.db: the disk is full"):
            take(database, "mail")
        trouble.end()
        assert take(database, "mail") is False
        database.close()
