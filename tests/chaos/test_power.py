"""What a power cut leaves: the model of a disk, and the trace that a real disk writes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage, WrongTrace
from tests.chaos.trace import Step, Trace, What

FILE, OTHER, DRAFT = "/home/oust/1.txt", "/home/oust/2.txt", "/home/oust/.1.txt.7.0"
STAGED, POSTED = "/home/outbox/tmp/letter", "/home/outbox/new/letter"


def storage(*steps: Step) -> Storage:
    """Return the storage after these steps, which stand at places 0, 1, 2 .. of the trace."""
    found = Storage()
    found.follow(
        Step(step.what, step.path, step.target, step.at, step.data, place)
        for place, step in enumerate(steps)
    )
    return found


def created(path: str, data: bytes = b"") -> list[Step]:
    write = [Step(What.WRITE, path, data=data)] if data else []
    return [Step(What.CREATE, path), *write]


def synced(path: str, upto: int = 99) -> Step:
    return Step(What.SYNC, path, at=upto)


def left(found: Storage, share: float = 0, seed: int = 1) -> dict[str, bytes]:
    """Return the files that a power cut leaves."""
    found.cut(Random(seed), share)
    return found.files()


def test_what_is_synced_with_its_folder_is_left() -> None:
    steps = [*created(FILE, b"record"), synced(FILE), synced("/home/oust")]
    assert left(storage(*steps)) == {FILE: b"record"}


def test_a_file_whose_folder_is_not_synced_is_gone() -> None:
    assert left(storage(*created(FILE, b"record"), synced(FILE))) == {}


def test_a_file_that_is_not_synced_is_empty_although_its_name_is_there() -> None:
    assert left(storage(*created(FILE, b"record"), synced("/home/oust"))) == {FILE: b""}


def test_a_file_that_is_not_synced_may_be_half_written() -> None:
    steps = [*created(FILE, b"record"), synced("/home/oust")]
    found = {left(storage(*steps), 0.5, seed)[FILE] for seed in range(100)}
    assert {b"", b"rec", b"record"} <= found
    assert all(b"record".startswith(each) for each in found)


def test_what_is_written_after_a_sync_has_begun_is_not_made_durable_by_it() -> None:
    begun = [*created(FILE, b"first"), synced("/home/oust")]
    more = Step(What.WRITE, FILE, at=5, data=b" second")
    assert left(storage(*begun, more, synced(FILE, upto=3))) == {FILE: b"first"}
    assert left(storage(*begun, more, synced(FILE, upto=4))) == {FILE: b"first second"}


def test_a_name_that_came_after_a_sync_of_the_folder_began_is_not_made_durable_by_it() -> None:
    steps = [*created(FILE), *created(OTHER), synced("/home/oust", upto=1)]
    assert left(storage(*steps)) == {FILE: b""}


def test_a_cut_that_is_not_synced_is_undone() -> None:
    begun = [*created(FILE, b"record half"), synced(FILE), synced("/home/oust")]
    cut = [Step(What.TRUNCATE, FILE, at=6), Step(What.WRITE, FILE, at=6, data=b" two")]
    assert left(storage(*begun, *cut)) == {FILE: b"record half"}
    assert left(storage(*begun, *cut, synced(FILE))) == {FILE: b"record two"}


def test_a_file_that_is_removed_comes_back_unless_the_folder_is_synced() -> None:
    begun = [*created(FILE, b"record"), synced(FILE), synced("/home/oust")]
    removed = Step(What.REMOVE, FILE)
    assert left(storage(*begun, removed)) == {FILE: b"record"}
    assert left(storage(*begun, removed, synced("/home/oust"))) == {}


def test_a_file_in_the_place_of_another_is_the_old_or_the_new_one() -> None:
    begun = [*created(FILE, b"old"), synced(FILE), synced("/home/oust")]
    replaced = [*created(DRAFT, b"new"), synced(DRAFT), Step(What.RENAME, DRAFT, FILE)]
    assert left(storage(*begun, *replaced)) == {FILE: b"old"}
    assert left(storage(*begun, *replaced, synced("/home/oust"))) == {FILE: b"new"}


def test_a_link_that_is_not_synced_leaves_at_most_the_draft() -> None:
    linked = [*created(DRAFT, b"new"), synced(DRAFT), Step(What.LINK, DRAFT, FILE)]
    assert left(storage(*linked)) == {}
    assert left(storage(*linked, Step(What.REMOVE, DRAFT), synced("/home/oust"))) == {FILE: b"new"}


def test_a_letter_is_where_it_was_until_the_folder_that_gains_it_is_synced() -> None:
    begun = [*created(STAGED, b"letter"), synced(STAGED), synced("/home/outbox/tmp")]
    moved = Step(What.RENAME, STAGED, POSTED)
    assert left(storage(*begun, moved)) == {STAGED: b"letter"}
    assert left(storage(*begun, moved, synced("/home/outbox/tmp"))) == {STAGED: b"letter"}
    assert left(storage(*begun, moved, synced("/home/outbox/new"))) == {POSTED: b"letter"}


def test_a_letter_that_is_moved_does_not_come_back_to_where_its_name_was_not_durable() -> None:
    begun = [*created(STAGED, b"letter"), synced(STAGED)]
    moved = [Step(What.RENAME, STAGED, POSTED), synced("/home/outbox/new")]
    assert left(storage(*begun, *moved), share=1) == {POSTED: b"letter"}


def test_nothing_is_undone_where_everything_is_kept() -> None:
    steps = [*created(FILE, b"record"), *created(STAGED, b"letter")]
    found = storage(*steps, Step(What.RENAME, STAGED, POSTED))
    assert found.cut(Random(1), share=1) == 0
    assert found.files() == {FILE: b"record", POSTED: b"letter"}


def test_no_step_is_kept_after_one_in_the_same_folder_that_is_not() -> None:
    paths = [f"/home/oust/{number}.txt" for number in range(6)]
    steps = [step for path in paths for step in created(path)]
    for seed in range(50):
        found = sorted(left(storage(*steps), 0.7, seed))
        assert found == paths[: len(found)]


def test_the_steps_that_are_undone_are_counted() -> None:
    steps = [*created(FILE, b"first"), synced(FILE), synced("/home/oust"), *created(OTHER)]
    more = Step(What.WRITE, FILE, at=5, data=b" second")
    assert storage(*steps, more).cut(Random(1), share=0) == 2


def test_a_step_on_a_file_that_nobody_made_is_reported() -> None:
    with pytest.raises(WrongTrace, match=FILE):
        storage(Step(What.WRITE, FILE, data=b"x"))


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
    disk.replace(home / "1.txt", (home / "1.txt").read_bytes() + b"more\n", 0o644)
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
    disk.move(home / "1.txt", home / "3.txt")
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
