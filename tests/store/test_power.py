"""A power cut at any moment: what was committed is found in the histories all the same."""

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest
from pbm_oust.store.history_files import HistoryFiles

from pbm_oust.store.entries import BoardName
from pbm_oust.store.renaming import plan_renaming, rename
from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage
from tests.chaos.trace import Step, Trace
from tests.store.dying import Death
from tests.store.kept import Kept


class CutDisk(TracedDisk):
    """A disk that writes its trace, and on which the process dies after a number of steps."""

    def __init__(self, folder: Path, most: int) -> None:
        self.trace = Trace(folder / "trace")
        self.fuse = folder / "fuse"
        self.taken: list[Step] = []
        self._most = most

    def note(self, step: Step) -> None:
        super().note(step)
        if len(self.taken) == self._most:
            raise Death
        self.taken = list(self.trace.steps())


def settle(kept: Kept) -> None:
    assert kept.settle() == []


def renamed(kept: Kept) -> None:
    with kept.database.read() as snapshot:
        renaming = plan_renaming(snapshot, kept.boards, "alice", "zoe")
    kept.database.write(lambda each: rename(each, kept.boards, renaming))


Works = list[Callable[[Kept], object]]
PLAY: Works = [
    lambda kept: kept.start("x C3"),
    settle,
    lambda kept: kept.play(1, "o C4"),
    lambda kept: kept.start("x A1", "o resign"),
    settle,
    lambda kept: kept.play(1, "x A1", "o E5"),
    settle,
    renamed,
    lambda kept: kept.play(1, "x resign"),
    settle,
]
"""Boards are started and played on, and a player gets another userid."""
RENAME: Works = [lambda kept: kept.start("x C3"), settle, renamed, settle]
"""A player of a single board gets another userid."""


TEXT = b"Kind: oust\n"
ALL = 10_000
"""More steps than there ever are."""


def work_until(folder: Path, works: Works, most: int) -> tuple[Kept, CutDisk, bool]:
    """Do works in a process that dies after some steps; return also whether it did."""
    disk = CutDisk(folder, most)
    kept = Kept(folder / "home", disk)
    try:
        for work in works:
            work(kept)
    except Death:
        return kept, disk, True
    return kept, disk, False


def cut_power(kept: Kept, steps: list[Step], share: float) -> list[bytes]:
    """Leave of the files what a power cut leaves; return the histories as they were committed.

    `share` is the chance of each step that is not durable to be kept.
    """
    storage = Storage()
    storage.follow(steps)
    storage.cut(Random(len(steps)), share)
    ((number,),) = kept.rows("SELECT ifnull(max(board), 0) FROM histories")
    committed = [kept.read(each).data for each in range(1, number + 1)]
    storage.restore()
    return committed


def check(folder: Path, committed: list[bytes]) -> None:
    """Make sure that the next process finds, or writes, all that was committed."""
    kept = Kept(folder / "home")
    assert kept.settle() == []
    numbers = range(1, len(committed) + 1)
    assert [kept.file(number).read_bytes() for number in numbers] == committed
    assert kept.waiting() == []


@pytest.mark.parametrize(("share", "pace"), [(0, 1), (0.3, 3), (0.7, 4)])
def test_what_was_committed_is_there_after_a_power_cut_at_any_step(
    share: float, pace: int, tmp_path: Path
) -> None:
    most, is_cut = 0, True
    while is_cut:
        most += pace
        folder = tmp_path / f"{most}"
        folder.mkdir()
        kept, disk, is_cut = work_until(folder, PLAY, most)
        check(folder, cut_power(kept, disk.taken, share))
    assert most > 30


@pytest.mark.parametrize(("works", "pace"), [(PLAY, 2), (RENAME, 1)])
def test_what_a_process_that_died_has_not_synced_is_synced_by_the_next(
    works: Works, pace: int, tmp_path: Path
) -> None:
    most, is_cut = 0, True
    while is_cut:
        most += pace
        folder = tmp_path / f"{most}"
        folder.mkdir()
        _, _, is_cut = work_until(folder, works, most)
        disk = CutDisk(folder, ALL)
        kept = Kept(folder / "home", disk)
        settle(kept)
        check(folder, cut_power(kept, list(disk.trace.steps()), share=0))


def make_missing(folder: Path, most: int) -> tuple[CutDisk, bool]:
    """Make those of three histories that are not there, in a process that may die."""
    disk = CutDisk(folder, most)
    histories = HistoryFiles(folder / "home", disk)
    try:
        there = histories.numbers("oust")
        names = (BoardName("oust", number) for number in (1, 2, 3) if number not in there)
        histories.create_all(dict.fromkeys(names, TEXT))
    except Death:
        return disk, True
    return disk, False


def left_of_histories(steps: Iterable[Step], share: float) -> list[bytes]:
    """Return what a power cut leaves of histories."""
    storage = Storage()
    storage.follow(steps)
    storage.cut(Random(1), share)
    return [text for name, text in storage.files().items() if name.endswith(".txt")]


@pytest.mark.parametrize("share", [0, 0.5])
def test_histories_that_are_made_together_are_whole_after_a_power_cut_at_any_step(
    share: float, tmp_path: Path
) -> None:
    most, is_cut = 0, True
    while is_cut:
        most += 1
        folder = tmp_path / f"{most}"
        Kept(folder / "home")
        disk, is_cut = make_missing(folder, most)
        assert set(left_of_histories(disk.taken, share)) <= {TEXT}
        disk, _ = make_missing(folder, ALL)
        assert left_of_histories(disk.trace.steps(), share) == [TEXT] * 3
    assert most > 15


def test_a_disk_that_syncs_nothing_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CutDisk, "step_sync", lambda _disk, _handle: None)
    kept, disk, _ = work_until(tmp_path, PLAY, ALL)
    committed = cut_power(kept, disk.taken, share=0)
    with pytest.raises(FileNotFoundError):
        check(tmp_path, committed)
