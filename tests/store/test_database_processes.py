"""Several processes on one database, killed at any moment, and power that goes with them."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from pbm_oust.store.sqlite import SqliteDatabase
from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage
from tests.chaos.trace import Step, Trace
from tests.store.mails import take, taken
from tests.support.beside import run_scripts, start_script
from tests.support.vfs import TracedVfs
from tests.support.waiting import PATIENCE

FILE = "pbm_oust.db"

TAKES_MANY = """
import sys
from pathlib import Path
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.mails import take

database = SqliteDatabase(Path(sys.argv[1]))
database.patience = 300
print("ready", flush=True)
sys.stdin.readline()
for number in range(100):
    take(database, f"{sys.argv[2]}{number}")
"""


DIES_BEFORE_SYNC = """
import os, sys
from pathlib import Path
from pbm_oust.store.sqlite import SqliteDatabase
from tests.chaos.launcher import TracedDisk
from tests.chaos.trace import Trace
from tests.store.mails import take
from tests.support.vfs import TracedVfs

class Dying(TracedVfs):
    at_sync = 0

    def sync(self, path, with_folder, do):
        self.at_sync -= 1
        if self.at_sync == 0:
            os._exit(9)
        super().sync(path, with_folder, do)

TracedDisk.trace, TracedDisk.fuse = Trace(Path(sys.argv[2])), Path("none")
vfs = Dying(TracedDisk.trace)
with vfs.in_use():
    database = SqliteDatabase(Path(sys.argv[1]), TracedDisk())
    take(database, "before")
    vfs.at_sync = 1
    take(database, "mail")
"""


def test_processes_that_take_the_same_mails_take_each_once(tmp_path: Path) -> None:
    path = tmp_path / FILE
    run_scripts(TAKES_MANY, (path, "a"), (path, "a"))
    database = SqliteDatabase(path)
    assert len(taken(database)) == 100
    database.close()


def test_a_process_that_is_killed_lets_others_write(tmp_path: Path) -> None:
    path = tmp_path / FILE
    database = SqliteDatabase(path)
    database.patience = PATIENCE
    process = start_script(TAKES_MANY.replace("range(100)", "range(10**6)"), path, "a")
    assert process.stdin
    assert process.stdout
    process.stdout.readline()
    process.stdin.write("\n")
    process.stdin.flush()
    number = 0
    while number < 50 or not any(key.startswith("a") for key in taken(database)):
        take(database, f"b{number}")
        number += 1
    process.kill()
    process.communicate()
    take(database, "after")
    found = taken(database)
    assert "after" in found
    assert sum(key.startswith("b") for key in found) == number
    database.close()


# Power cuts


def after_cut(steps: list[Step], share: float, seed: int, home: Path) -> SqliteDatabase:
    """Return the database as a power cut leaves it that comes after some steps."""
    storage = Storage()
    storage.follow(steps)
    storage.cut(Random(seed), share)
    home.mkdir()
    for name, content in storage.files().items():
        (home / Path(name).name).write_bytes(content)
    return SqliteDatabase(home / FILE)


def test_what_a_killed_process_has_written_is_durable_before_anybody_sees_it(
    memory_path: Path,
) -> None:
    """It dies between writing and syncing; who comes next sees the mail, and the power goes."""
    home = memory_path / "home"
    home.mkdir()
    trace = memory_path / "trace"
    with start_script(DIES_BEFORE_SYNC, home / FILE, trace) as process:
        assert process.wait(PATIENCE) == 9
    disk = TracedDisk()
    disk.trace, disk.fuse = Trace(trace), memory_path / "fuse"
    before = list(disk.trace.steps())
    with TracedVfs(disk.trace).in_use():
        database = SqliteDatabase(home / FILE, disk)
        assert taken(database) == ["before", "mail"]
        steps = list(disk.trace.steps())
        database.close()
    disk.trace.close()
    unseen = after_cut(before, 0.0, 1, memory_path / "unseen")
    assert taken(unseen) == ["before"]
    seen = after_cut(steps, 0.0, 1, memory_path / "seen")
    assert taken(seen) == ["before", "mail"]
    unseen.close()
    seen.close()


@pytest.mark.parametrize(
    ("then", "kept"),
    [
        (lambda _: None, ["before"]),
        (SqliteDatabase.make_last, ["before", "quick"]),
        (lambda database: take(database, "then"), ["before", "quick", "then"]),
    ],
)
def test_what_need_not_last_does_from_the_next_work_that_does(
    then: Callable[[SqliteDatabase], object], kept: list[str], memory_path: Path
) -> None:
    home = memory_path / "home"
    home.mkdir()
    disk = TracedDisk()
    disk.trace, disk.fuse = Trace(memory_path / "trace"), memory_path / "fuse"
    with TracedVfs(disk.trace).in_use():
        database = SqliteDatabase(home / FILE, disk)
        take(database, "before")
        take(database, "quick", lasts=False)
        then(database)
        steps = list(disk.trace.steps())
        assert "quick" in taken(database)
        database.close()
    disk.trace.close()
    left = after_cut(steps, 0.0, 1, memory_path / "left")
    assert taken(left) == kept
    left.close()
