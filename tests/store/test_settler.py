"""A server writes what waits into the histories soon, for many boards together."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from pbm_oust.store.connections import Transaction
from pbm_oust.store.disk import Disk
from pbm_oust.store.message_keys import KeyOutcome, note_key
from pbm_oust.store.settler import Settler
from pbm_oust.store.sqlite import LARGEST_LOG, LARGEST_TENDED
from tests.store.kept import Kept, edited, named

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = 3600.0
"""So long that nothing is settled before the end."""


class Syncs(Disk):
    """A disk that counts how often a file or a folder was synced."""

    number = 0

    def step_sync(self, handle: int) -> None:
        self.number += 1
        super().step_sync(handle)


def settler_of(kept: Kept, soon: float) -> Settler:
    return Settler(kept.database, kept.boards, soon)


def wait_until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        threading.Event().wait(0.01)


def test_lines_come_into_the_history_soon_without_another_mail(kept: Kept) -> None:
    settler = settler_of(kept, 0.01)
    with settler.running():
        number = kept.start("x C3")
        settler.take([named(number)])
        wait_until(lambda: kept.file(number).exists() and not kept.waiting())


def test_all_that_was_taken_is_in_the_histories_at_the_end(kept: Kept) -> None:
    settler = settler_of(kept, LATER)
    with settler.running():
        numbers = [kept.start("x C3") for _ in range(3)]
        settler.take([*map(named, numbers)])
        assert kept.waiting() == [(number, 0) for number in numbers]
    assert kept.waiting() == []
    assert all(kept.file(number).exists() for number in numbers)


def test_a_board_is_settled_at_once_where_nothing_runs(kept: Kept) -> None:
    settler = settler_of(kept, LATER)
    with settler.running():
        pass
    number = kept.start("x C3")
    settler.take([named(number)])
    assert kept.waiting() == []


def test_however_many_lines_wait_a_history_is_synced_once(tmp_path: Path) -> None:
    disk = Syncs()
    kept = Kept(tmp_path, disk)
    settler = settler_of(kept, LATER)
    numbers = [kept.start("x C3"), kept.start("x C3")]
    settler.settle()
    kept.play(numbers[0], "o C4")
    settler.settle()  # from now on the names of both files are known to be synced
    kept.play(numbers[1], "o C4")
    settler.settle()
    before, disk.number = [len(kept.read(each).game.records) for each in numbers], 0
    with settler.running():
        for number in numbers:
            for command in ("x B4", "o resign"):
                kept.play(number, command)
                settler.take([named(number)])
    assert [len(kept.read(each).game.records) for each in numbers] == [each + 2 for each in before]
    assert disk.number == len(numbers)
    assert kept.waiting() == []


def test_what_cannot_be_written_waits_and_others_do_not(kept: Kept) -> None:
    number, other = kept.start("x C3"), kept.start("x C3")
    kept.settle()
    settler = settler_of(kept, LATER)
    with settler.running():
        for each in (number, other):
            kept.play(each, "o C4")
        edited(kept.file(number), " x C3", " x Z9")
        settler.take([named(number), named(other)])
    assert kept.waiting() == [(number, 2)]
    assert "o C4" in kept.file(other).read_text()


def fill_log(kept: Kept, pages: int) -> None:
    """Write until the log has so many pages."""

    def write(transaction: Transaction) -> None:
        note_key(transaction, f"{len(written):016x}", KeyOutcome.BEGUN, NOON, "x" * 400_000)

    written: list[int] = []
    while 100 * len(written) < pages:
        kept.database.write(write)
        written.append(1)


def size_of_log(kept: Kept) -> int:
    return kept.path.joinpath("pbm_oust.db-wal").stat().st_size // 4096


def test_the_log_is_shortened_by_the_settler_and_not_by_who_writes(kept: Kept) -> None:
    kept.start()
    file = kept.path / "pbm_oust.db"
    before = file.stat().st_size
    with settler_of(kept, LATER).running():
        fill_log(kept, LARGEST_LOG + 200)
        assert file.stat().st_size == before
    assert file.stat().st_size > 4096 * LARGEST_LOG


def test_a_log_that_grows_very_long_is_shortened_even_so(kept: Kept) -> None:
    with settler_of(kept, LATER).running():
        fill_log(kept, 2 * LARGEST_TENDED)
        assert size_of_log(kept) < 1.1 * LARGEST_TENDED
