"""What was committed comes into the histories, whatever happens to files and processes."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.board.history import read_history
from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.histories import DamagedHistory
from tests.store.dying import Death, Dying
from tests.store.kept import Kept, edited
from tests.support.trouble import Fault, FaultyDisk, Trouble, faulty_statements


def records(path: Path) -> list[str]:
    """Return what was done by the records of a file, which replays."""
    read_history(path.read_bytes())
    lines = path.read_text().partition("\n\n")[2].splitlines()
    return [" ".join(line.split()[1:-2]) for line in lines if line[0] == " "]


def run(home: Path, script: str) -> int:
    """Run a process on a home, which it finds as `kept`; return its exit status."""
    opening = "import os, sys\nfrom pathlib import Path\nfrom tests.store.kept import Kept\n"
    opening += (
        "from pbm_oust.store.embedded import EmbeddedDatabase\nkept = Kept(Path(sys.argv[1]))\n"
    )
    return subprocess.run([sys.executable, "-c", opening + script, str(home)]).returncode


def test_a_board_that_was_committed_is_there_before_its_file_is(kept: Kept) -> None:
    number = kept.start("x C3")
    assert kept.read(number).game.player_to_move == "bob"
    assert not kept.file(number).exists()


def test_the_file_of_a_board_is_its_history(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.play(number, "o swap")
    before = kept.read(number)
    assert kept.settle() == []
    assert kept.file(number).read_bytes() == before.data
    assert kept.read(number) == before
    assert kept.waiting() == []


def test_lines_are_appended_behind_those_of_the_file(kept: Kept) -> None:
    number = kept.start()
    kept.settle()
    kept.play(number, "x C3")
    kept.play(number, "o C4", "x B4")
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4", "x B4"]


def test_the_end_of_a_game_brings_its_result_line(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o resign")
    kept.settle()
    assert kept.file(number).read_text().endswith("\n= x resign\n")
    assert kept.read(number).has_result_line


def test_a_result_line_that_a_history_lacks_is_written_by_itself(kept: Kept) -> None:
    number = kept.start("x C3", "o resign")
    kept.settle()
    edited(kept.file(number), "= x resign\n", "")
    board = kept.read(number)
    assert board.game.result
    assert not board.has_result_line
    kept.database.write(lambda each: kept.boards.append(each, board, board.game, "f" * 16))
    kept.settle()
    assert kept.file(number).read_text().endswith("\n= x resign\n")


def test_what_a_process_has_committed_and_died_is_appended_by_the_next(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    assert run(kept.path, f"kept.play({number}, 'o C4'); os._exit(9)") == 9
    assert records(kept.file(number)) == ["x C3"]
    assert kept.read(number).game.records[-1].by == "o"
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4"]


def test_lines_that_a_process_has_appended_and_died_are_not_appended_again(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4", "x resign")
    dying = "EmbeddedDatabase.write = lambda *_: os._exit(9)\nkept.settle()"
    assert run(kept.path, dying) == 9
    before = kept.file(number).read_bytes()
    assert kept.waiting()
    assert kept.settle() == []
    assert kept.file(number).read_bytes() == before
    assert kept.waiting() == []


def test_a_header_that_a_process_has_written_and_died_is_not_written_again(kept: Kept) -> None:
    number = kept.start("x C3")
    dying = "EmbeddedDatabase.write = lambda *_: os._exit(9)\nkept.settle()"
    assert run(kept.path, dying) == 9
    before = kept.file(number).read_bytes()
    kept.play(number, "o C4")
    assert kept.settle() == []
    assert kept.file(number).read_bytes().startswith(before)
    assert records(kept.file(number)) == ["x C3", "o C4"]


def test_many_that_settle_at_once_append_everything_once(kept: Kept) -> None:
    numbers = [kept.start("x C3") for _ in range(5)]
    others = [Kept(kept.path) for _ in range(6)]
    for number in numbers:
        kept.play(number, "o C4")
    with ThreadPoolExecutor() as pool:
        assert list(pool.map(Kept.settle, others)) == [[]] * len(others)
    assert [records(kept.file(number)) for number in numbers] == [["x C3", "o C4"]] * 5
    assert kept.waiting() == []


def test_moves_and_settling_go_on_at_once_in_several_processes(kept: Kept) -> None:
    numbers = [kept.start() for _ in range(3)]
    moves = ["x A1", "o C3", "x E5", "o A5", "x E1", "o C5"]
    script = """
import time
while any(len(kept.read(number).game.records) < 6 for number in (1, 2, 3)):
    kept.settle()
    time.sleep(0.002)
"""
    with ThreadPoolExecutor() as pool:
        settling = [pool.submit(run, kept.path, script) for _ in range(2)]
        for move in moves:
            for number in numbers:
                kept.play(number, move)
                kept.settle()
        assert [each.result() for each in settling] == [0, 0]
    assert [records(kept.file(number)) for number in numbers] == [moves] * 3
    assert kept.waiting() == []


TAILS = {
    "half a line": b"   2 o C4   ",
    "NULs": b"\0" * 200,
    "half a line and NULs": b"   2 o C" + b"\0" * 70,
    "NULs before the rest of a line": b"\0" * 30,
}


@pytest.mark.parametrize("tail", TAILS.values(), ids=TAILS)
def test_what_a_power_cut_leaves_behind_the_last_line_is_cut_off(kept: Kept, tail: bytes) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4")
    with kept.file(number).open("ab") as file:
        file.write(tail)
    assert len(kept.read(number).game.records) == 2
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4"]


def test_what_a_power_cut_leaves_counts_for_nothing_where_nothing_waits(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    with kept.file(number).open("ab") as file:
        file.write(b"   2 o C4" + b"\0" * 500)
    assert len(kept.read(number).game.records) == 1
    kept.play(number, "o swap")
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o swap"]


@pytest.mark.parametrize("at", [0, 20, 70, 100])
def test_lines_in_which_a_power_cut_left_a_page_of_nuls_are_written_again(
    kept: Kept, at: int
) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4", "x B4")
    before, after = kept.file(number).read_bytes(), kept.read(number).data
    torn = bytearray(after)
    torn[len(before) + at : len(before) + at + 40] = bytes(40)
    kept.file(number).write_bytes(torn)
    assert kept.read(number).data == after
    assert kept.settle() == []
    assert kept.file(number).read_bytes() == after


def test_nuls_in_front_of_records_that_wait_nowhere_are_damage(kept: Kept) -> None:
    number = kept.start("x C3", "o C4")
    kept.settle()
    whole = kept.file(number).read_bytes()
    kept.file(number).write_bytes(whole.replace(b"   1 x C3", b"\0" * 9))
    with pytest.raises(DamagedHistory):
        kept.read(number)


def test_on_a_full_disk_lines_wait_and_are_appended_later(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    full = Kept(kept.path, FaultyDisk(Trouble(1, Fault.STAYS, errno.ENOSPC)))
    board = full.play(number, "o C4")
    (unsettled,) = full.settle()
    assert isinstance(unsettled.error, OSError)
    assert unsettled.error.errno == errno.ENOSPC
    assert full.read(number) == board
    assert kept.waiting() == [(number, 2)]
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4"]


def test_a_board_that_cannot_be_written_does_not_hold_up_others(kept: Kept) -> None:
    one, other = kept.start("x C3"), kept.start("x C3")
    kept.file(one).mkdir()
    assert [each.name.board for each in kept.settle()] == [one]
    assert records(kept.file(other)) == ["x C3"]


@pytest.mark.parametrize("fault", Fault)
def test_whichever_step_of_the_disk_fails_nothing_is_lost_or_doubled(
    fault: Fault, tmp_path: Path
) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        kept = Kept(tmp_path / f"{at}")
        number = kept.start("x C3")
        kept.settle()
        new = kept.start("x A1")
        kept.play(number, "o C4", "x resign")
        whole = kept.read(number).data
        trouble = Dying(at, fault)
        with suppress(Death):
            Kept(kept.path, FaultyDisk(trouble)).settle()
        is_disturbed = trouble.is_over
        assert kept.read(number).data == whole, at
        assert kept.settle() == [], at
        assert kept.file(number).read_bytes() == whole, at
        assert records(kept.file(new)) == ["x A1"], at
        assert kept.waiting() == [], at
    assert at > 7


def test_whichever_statement_fails_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        kept = Kept(tmp_path / f"{at}")
        number = kept.start("x C3")
        kept.settle()
        before = kept.read(number).data
        trouble = Trouble(at)
        with faulty_statements(trouble):
            disturbed, is_played = Kept(kept.path), False
            with suppress(DatabaseFault):
                disturbed.play(number, "o C4")
                is_played = True
                disturbed.settle()
        disturbed.database.close()
        is_disturbed = trouble.steps >= at
        assert (kept.read(number).data != before) is is_played, at
        assert kept.settle() == [], at
        assert kept.file(number).read_bytes() == kept.read(number).data, at
        assert kept.waiting() == [], at
    assert at > 20


def test_an_edit_that_replays_with_the_lines_stays(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4")
    edited(kept.file(number), "x C3", "x B2")
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x B2", "o C4"]
    assert kept.rows("SELECT to_move FROM boards") == [("alice",)]


def test_lines_that_do_not_replay_behind_an_edit_wait_until_it_is_mended(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4")
    edited(kept.file(number), "x C3", "x C4")
    before = kept.file(number).read_bytes()
    (unsettled,) = kept.settle()
    assert isinstance(unsettled.error, DamagedHistory)
    assert kept.file(number).read_bytes() == before
    assert kept.waiting() == [(number, 2)]
    ((line, reason),) = kept.rows("SELECT line, reason FROM damaged_boards")
    assert (line, reason) == (12, "C4 by o: C4 is refused, occupied")
    assert len(kept.settle()) == 1
    with pytest.raises(DamagedHistory, match="line 12"):
        kept.read(number)
    edited(kept.file(number), "x C4", "x C3")
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4"]
    assert kept.rows("SELECT state, records FROM boards") == [("active", 2)]
    assert kept.rows("SELECT * FROM damaged_boards") == []


def test_a_damaged_board_disturbs_no_other(kept: Kept) -> None:
    one, other = kept.start(), kept.start()
    kept.settle()
    kept.play(one, "x C3")
    kept.play(other, "x C3")
    edited(kept.file(one), "Kind: oust", "Kind: chess")
    assert [each.name.board for each in kept.settle()] == [one]
    assert records(kept.file(other)) == ["x C3"]


def test_lines_of_a_history_that_was_removed_wait_until_it_is_put_back(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    kept.play(number, "o C4")
    before = kept.file(number).read_bytes()
    kept.file(number).unlink()
    (unsettled,) = kept.settle()
    assert isinstance(unsettled.error, DamagedHistory)
    assert not kept.file(number).exists()
    kept.file(number).write_bytes(before)
    assert kept.settle() == []
    assert records(kept.file(number)) == ["x C3", "o C4"]


def test_a_history_of_somebody_else_under_the_number_of_a_new_board_is_left_alone(
    kept: Kept,
) -> None:
    number = kept.start("x C3")
    other = Kept(kept.path.with_name("other"))
    other.start("x E5", x="carol")
    other.settle()
    theirs = other.file(1).read_text().replace("# challenge", "# by hand, not")
    theirs = theirs.replace("Started: 2026", "Started: 2025")
    kept.file(number).write_text(theirs)
    (unsettled,) = kept.settle()
    assert isinstance(unsettled.error, DamagedHistory)
    assert kept.file(number).read_text() == theirs
    assert kept.waiting() == [(number, 0)]


class ReplacingDisk(Disk):
    """A disk on which an editor puts another file in the place of a history as that is synced."""

    def __init__(self) -> None:
        self.replaced: list[Path] = []

    def step_sync(self, handle: int) -> None:
        super().step_sync(handle)
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if path.suffix == ".txt" and not self.replaced:
            beside = path.with_suffix(".new")
            lines = path.read_text().splitlines(keepends=True)
            beside.write_text("".join(lines[:-1]))
            beside.replace(path)
            self.replaced.append(path)


def test_lines_come_into_the_file_that_took_the_place_of_the_history_meanwhile(kept: Kept) -> None:
    number = kept.start("x C3")
    kept.settle()
    disk = ReplacingDisk()
    replacing = Kept(kept.path, disk)
    replacing.play(number, "o C4")
    assert replacing.settle() == []
    assert disk.replaced == [kept.file(number)]
    assert records(kept.file(number)) == ["x C3", "o C4"]


class FolderSyncs(Disk):
    """A disk that counts how often a folder is synced."""

    def __init__(self) -> None:
        self.count = 0

    def sync_folder(self, path: Path) -> None:
        self.count += 1
        super().sync_folder(path)


def test_the_folder_is_synced_for_a_file_that_is_not_known_and_for_no_other(
    tmp_path: Path,
) -> None:
    disk = FolderSyncs()
    kept = Kept(tmp_path, disk)
    number = kept.start()
    kept.settle()
    assert disk.count == 1
    kept.play(number, "x C3")
    kept.settle()
    assert disk.count == 2
    kept.play(number, "o swap")
    kept.settle()
    assert disk.count == 2
    edited(kept.file(number), "x C3", "x C2")
    kept.play(number, "o C4")
    kept.settle()
    assert disk.count == 3
