"""A power cut at any moment: what was committed is found in the histories all the same."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.chaos.launcher import TracedDisk
from tests.chaos.power import Storage
from tests.chaos.trace import Step, Trace
from tests.store.dying import Death
from tests.store.kept import Kept
from tests.support.rings import slow


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


def catch_up(kept: Kept) -> None:
    kept.catch_up()


def renamed(kept: Kept) -> None:
    kept.database.write(lambda each: kept.boards.rename_player(each, "alice", "zoe"))


Works = list[Callable[[Kept], object]]
PLAY: Works = [
    lambda kept: kept.start("x C3"),
    catch_up,
    lambda kept: kept.play(1, "o C4"),
    lambda kept: kept.start("x A1", "o resign"),
    catch_up,
    lambda kept: kept.play(1, "x A1", "o E5"),
    catch_up,
    renamed,
    lambda kept: kept.play(1, "x resign"),
    catch_up,
]
"""Boards are started and played on, and a player gets another userid."""
RENAME: Works = [lambda kept: kept.start("x C3"), catch_up, renamed, catch_up]
"""A player of a single board gets another userid."""


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
    ((number,),) = kept.rows("SELECT ifnull(max(board), 0) FROM boards")
    committed = [kept.read(each).data for each in range(1, number + 1)]
    storage.restore()
    return committed


def check(folder: Path, committed: list[bytes]) -> None:
    """Make sure that the next process finds, or writes, all that was committed."""
    kept = Kept(folder / "home")
    kept.catch_up()
    numbers = range(1, len(committed) + 1)
    assert [kept.file(number).read_bytes() for number in numbers] == committed
    assert [kept.read(number).data for number in numbers] == committed
    assert [path.name for path in kept.path.glob("*/*.edited-*")] == []
    assert kept.rows("SELECT * FROM renamed") == []


@pytest.mark.parametrize(("share", "pace"), [slow(0, 1), (0, 5), (0.3, 7), slow(0.7, 4)])
def test_what_was_committed_is_there_after_a_power_cut_at_any_step(
    share: float, pace: int, memory_path: Path
) -> None:
    most, is_cut = 0, True
    while is_cut:
        most += pace
        folder = memory_path / f"{most}"
        folder.mkdir()
        kept, disk, is_cut = work_until(folder, PLAY, most)
        check(folder, cut_power(kept, disk.taken, share))
    assert most > 30


@pytest.mark.parametrize(("works", "pace"), [slow(PLAY, 2), (PLAY, 9), (RENAME, 2)])
def test_what_a_process_that_died_has_not_synced_is_synced_by_the_next(
    works: Works, pace: int, memory_path: Path
) -> None:
    most, is_cut = 0, True
    while is_cut:
        most += pace
        folder = memory_path / f"{most}"
        folder.mkdir()
        _, _, is_cut = work_until(folder, works, most)
        disk = CutDisk(folder, ALL)
        kept = Kept(folder / "home", disk)
        catch_up(kept)
        check(folder, cut_power(kept, list(disk.trace.steps()), share=0))


def test_a_disk_that_syncs_nothing_is_found_out(
    memory_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CutDisk, "step_sync", lambda _disk, _handle: None)
    kept, disk, _ = work_until(memory_path, PLAY, ALL)
    committed = cut_power(kept, disk.taken, share=0)
    kept = Kept(memory_path / "home")
    numbers = range(1, len(committed) + 1)
    there = [kept.file(each).exists() and kept.file(each).read_bytes() for each in numbers]
    assert there != committed
