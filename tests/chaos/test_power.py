"""What a power cut leaves: the model of a disk, and the trace that a real disk writes."""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage, WrongTrace
from tests.chaos.trace import Step, Trace, What
from tests.support.tables import pairs

CASES = pairs(Path(__file__).with_name("power.txt"))


def storage(steps: str) -> Storage:
    """Return the storage after steps as the table has them, at places 0, 1, 2 .. of the trace."""
    found, taken = Storage(), list[Step]()
    for words in (step.split() for step in steps.split("; ")):
        match words:
            case ["create", path, *data]:
                taken.append(Step(What.CREATE, path))
                taken += [Step(What.WRITE, path, data=each.encode()) for each in data]
            case ["write", path, at, data]:
                taken.append(Step(What.WRITE, path, at=int(at), data=data.encode()))
            case ["cut", path, size]:
                taken.append(Step(What.TRUNCATE, path, at=int(size)))
            case ["sync", path, *upto]:
                taken.append(Step(What.SYNC, path, at=int(*upto or ["99"])))
            case [word, path, *target]:
                taken.append(Step(What(word), path, "".join(target)))
    found.follow(replace(step, place=place) for place, step in enumerate(taken))
    return found


def left(found: Storage, share: float = 0, seed: int = 1) -> dict[str, bytes]:
    """Return the files that a power cut leaves."""
    found.cut(Random(seed), share)
    return found.files()


@pytest.mark.parametrize(("steps", "wanted"), CASES)
def test_a_power_cut_leaves_what_is_durable(steps: str, wanted: str) -> None:
    files = (f"{name}={data.decode()}" for name, data in left(storage(steps)).items())
    assert (" ".join(files) or "nothing") == wanted


def test_a_file_that_is_not_synced_may_be_half_written() -> None:
    steps = "create oust/1 record; sync oust"
    found = {left(storage(steps), 0.5, seed)["oust/1"] for seed in range(100)}
    assert {b"", b"rec", b"record"} <= found
    assert all(b"record".startswith(each) for each in found)


def test_a_letter_that_is_moved_does_not_come_back_to_where_its_name_was_not_durable() -> None:
    steps = "create tmp/a letter; sync tmp/a; rename tmp/a new/a; sync new"
    assert left(storage(steps), share=1) == {"new/a": b"letter"}


def test_no_step_is_kept_after_one_in_the_same_folder_that_is_not() -> None:
    paths = [f"oust/{number}" for number in range(6)]
    for seed in range(50):
        steps = "; ".join(f"create {path}" for path in paths)
        found = sorted(left(storage(steps), 0.7, seed))
        assert found == paths[: len(found)]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[TracedDisk]:
    """A disk that writes the trace `trace` in the test's folder; the home is beside it."""
    (tmp_path / "home").mkdir()
    disk = TracedDisk()
    disk.trace, disk.fuse = Trace(tmp_path / "trace"), tmp_path / "fuse"
    yield disk
    disk.trace.close()


def append(disk: TracedDisk, path: Path, data: bytes, at: int) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        disk.append(handle, data, at)
    finally:
        os.close(handle)


def test_a_real_disk_loses_nothing_that_it_has_returned_from(
    disk: TracedDisk, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    disk.create(home / "1.txt", b"history\n", 0o644)
    append(disk, home / "1.txt", b"record\n", at=8)
    content = (home / "1.txt").read_bytes() + b"more\n"
    disk.create(home / "1.txt", content, 0o644, replaces=True)
    disk.create(home / "2.txt", b"history\n", 0o644)
    disk.remove(home / "2.txt")
    found = Storage()
    found.follow(disk.trace.steps())
    found.check(home)
    assert found.cut(Random(1), share=0) == 0
    assert found.files() == {str(home / "1.txt"): b"history\nrecord\nmore\n"}


def test_a_cut_puts_the_files_where_the_disk_would_have_them(
    disk: TracedDisk, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    disk.create(home / "1.txt", b"history\n", 0o644)
    disk.write(home / "2.txt", b"not named durably", 0o644)
    disk.step_rename(home / "1.txt", home / "3.txt")
    found = Storage()
    found.follow(disk.trace.steps())
    found.cut(Random(1), share=0)
    found.restore()
    assert {path.name: path.read_bytes() for path in home.iterdir()} == {"1.txt": b"history\n"}
    found.check(home)


def test_a_sync_that_is_spared_makes_nothing_durable(disk: TracedDisk, tmp_path: Path) -> None:
    disk.spared = re.compile("/1[.]txt$")
    disk.create(tmp_path / "home" / "1.txt", b"history\n", 0o644)
    append(disk, tmp_path / "home" / "1.txt", b"record\n", at=8)
    found = Storage()
    found.follow(disk.trace.steps())
    assert left(found) == {str(tmp_path / "home" / "1.txt"): b"history\n"}


@pytest.mark.parametrize("path", ["1.txt", "2.txt"])
def test_a_write_past_the_steps_of_the_disk_is_found(
    path: str, disk: TracedDisk, tmp_path: Path
) -> None:
    disk.create(tmp_path / "home" / "1.txt", b"history\n", 0o644)
    (tmp_path / "home" / path).write_bytes(b"written by somebody else")
    found = Storage()
    found.follow(disk.trace.steps())
    with pytest.raises(WrongTrace, match=path):
        found.check(tmp_path / "home")
