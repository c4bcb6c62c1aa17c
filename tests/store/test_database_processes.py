"""Several processes on one database, killed at any moment, and power that goes with them."""

import signal
from itertools import count
from pathlib import Path
from random import Random

import apsw
import pytest

from pbm_oust.store.sqlite import SqliteDatabase
from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage
from tests.chaos.trace import Step, Trace
from tests.store.mails import take, taken
from tests.support.beside import run_scripts, start_script
from tests.support.rings import is_fast_ring
from tests.support.vfs import TracedVfs
from tests.support.waiting import PATIENCE

FILE = "pbm_oust.db"

TAKES_MANY = """
import sys
from pathlib import Path
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.mails import take

database = SqliteDatabase(Path(sys.argv[1]), patience=300)
print("ready", flush=True)
sys.stdin.readline()
for number in range(100):
    take(database, f"{sys.argv[2]}{number}")
"""

DIES_AT_STEP = """
import sys
from pathlib import Path
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.mails import take
from tests.support.trouble import Fault, FaultyDisk, FaultyVfs, Trouble

trouble = Trouble(int(sys.argv[2]), Fault.DIES)
with FaultyVfs(trouble).in_use():
    database = SqliteDatabase(Path(sys.argv[1]), FaultyDisk(trouble))
    take(database, "mail")
    print("taken", flush=True)
    database.close()
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


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / FILE
    run_scripts(TAKES_MANY, *((path, name) for name in "abc"))
    database = SqliteDatabase(path)
    assert len(taken(database)) == 300
    database.close()
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


def test_processes_that_take_the_same_mails_take_each_once(tmp_path: Path) -> None:
    path = tmp_path / FILE
    run_scripts(TAKES_MANY, (path, "a"), (path, "a"))
    database = SqliteDatabase(path)
    assert len(taken(database)) == 100
    database.close()


def test_a_process_that_is_killed_at_any_step_leaves_a_mail_whole_or_none(
    memory_path: Path,
) -> None:
    for at in count(2, 8 if is_fast_ring() else 4):
        path = memory_path / f"{at}" / FILE
        path.parent.mkdir()
        process = start_script(DIES_AT_STEP, path, f"{at}")
        output, _ = process.communicate(timeout=PATIENCE)
        database = SqliteDatabase(path)
        found = taken(database)
        assert found in ([], ["mail"])
        assert found or not output
        take(database, "mail")
        assert taken(database) == ["mail"]
        database.close()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
    assert at > 12


def test_a_process_that_is_killed_lets_others_write(tmp_path: Path) -> None:
    path = tmp_path / FILE
    database = SqliteDatabase(path, patience=PATIENCE)
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


def bring_log_into_file(path: Path) -> None:
    """Do early what the database does when its log has grown long."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    connection.close()


def traced(memory_path: Path, mails: int) -> tuple[list[Step], list[int]]:
    """Take mails on a disk with a trace; return its steps, and their number behind each mail."""
    home = memory_path / "traced"
    home.mkdir()
    disk = TracedDisk()
    disk.trace, disk.fuse = Trace(memory_path / "trace"), memory_path / "fuse"
    acknowledged = []
    with TracedVfs(disk.trace).in_use():
        database = SqliteDatabase(home / FILE, disk)
        for number in range(mails):
            take(database, f"{number:03}")
            acknowledged.append(disk.trace.size)
            if number % 5 == 4:
                bring_log_into_file(home / FILE)
            if number % 13 == 12:
                database.close()
        database.close()
    steps = list(disk.trace.steps())
    disk.trace.close()
    return steps, [sum(step.place < size for step in steps) for size in acknowledged]


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_power_cut_at_any_step_loses_no_mail_that_was_acknowledged(
    share: float, memory_path: Path
) -> None:
    """The log is brought into the file meanwhile, and begun anew."""
    steps, acknowledged = traced(memory_path, 20)
    random = Random(7)
    for cut in sorted({*range(1, 30), *random.sample(range(len(steps)), 30), len(steps)}):
        database = after_cut(steps[:cut], share, cut, memory_path / f"{cut}")
        found = taken(database)
        durable = sum(number <= cut for number in acknowledged)
        assert len(found) >= durable, cut
        assert found == [f"{number:03}" for number in range(len(found))]
        take(database, "more")
        assert "more" in taken(database)
        database.close()


def test_without_syncs_a_power_cut_loses_mails(memory_path: Path) -> None:
    """The model of the disk is strict enough to catch that."""
    steps, _ = traced(memory_path, 3)
    unsynced = [step for step in steps if not (step.what.value == "sync" and "wal" in step.path)]
    database = after_cut(unsynced[: len(unsynced) // 2], 0.0, 1, memory_path / "cut")
    assert taken(database) == []
    database.close()


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
