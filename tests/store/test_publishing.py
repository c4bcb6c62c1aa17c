"""Histories as files: published from the rows, mended from them, and never written over others'."""

import errno
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.board import Ruling, Verb
from pbm_oust.rules import Side
from pbm_oust.store.disk import Disk
from pbm_oust.store.index import BoardName, all_names
from pbm_oust.store.publishing import REACHED
from tests.store.dying import Death, Dying
from tests.store.kept import Kept, edited, key_of, later, named
from tests.store.test_renaming import renamed
from tests.support.beside import run_scripts
from tests.support.rings import first_is_fast, is_fast_ring
from tests.support.trouble import Fault, FaultyDisk


def asides(kept: Kept, number: int = 1) -> list[Path]:
    """Return the files of a board that were set aside."""
    return kept.publisher.edited(named(number))


def is_published(kept: Kept, *numbers: int) -> bool:
    """Return whether files hold the histories of their boards."""
    return all(kept.file(each).read_bytes() == kept.read(each).data for each in numbers)


def looked_at(kept: Kept) -> list[BoardName]:
    """Let all files be looked at, as a sweep does; return the boards that were not right."""
    with kept.database.read() as snapshot:
        names = all_names(snapshot)
    return list(kept.publisher.check(names))


@pytest.fixture
def begun(kept: Kept) -> Kept:
    """A home with a board on which both have moved."""
    kept.start("x C3")
    kept.play(1, "o C4")
    return kept


def test_a_move_is_in_the_file_when_its_transaction_is_done(begun: Kept) -> None:
    assert is_published(begun, 1)
    assert begun.file(1).read_text().splitlines()[-1].startswith("   2 o C4 ")


# What is missing, torn or cut is written again


@pytest.mark.parametrize("again", ["move", "start", "sweep"])
@pytest.mark.parametrize(
    "tear",
    [
        lambda data: data[:-1],
        lambda data: data[:-30],
        lambda data: data[: data.rfind(b"\n   2 ") + 1],
        lambda data: data[:100],
        lambda data: data[:10],
        lambda data: b"",
        lambda data: data[:-40] + b"\0" * 40,
        lambda data: data[:-40] + b"\0" * 20 + data[-20:],
        lambda data: b"\0" * len(data),
    ],
)
def test_a_file_that_is_behind_or_torn_is_mended(
    tear: Callable[[bytes], bytes], again: str, begun: Kept
) -> None:
    begun.file(1).write_bytes(tear(begun.file(1).read_bytes()))
    kept = Kept(begun.path)
    if again == "move":
        kept.play(1, "x A1")
    elif again == "start":
        assert kept.catch_up() == 1
    else:
        assert looked_at(kept) == [named(1)]
    assert is_published(kept, 1)
    assert asides(kept) == []


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_was_removed_is_made_again(what: str, begun: Kept) -> None:
    begun.file(1).unlink()
    if what == "folder":
        begun.file(1).parent.rmdir()
    begun.play(1, "x A1")
    begun.start("x A1")
    assert is_published(begun, 1, 2)


# What others have changed is set aside


def replaced_by_link(path: Path) -> None:
    """Put a link to a copy in the place of a file."""
    other = path.with_suffix(".other")
    path.rename(other)
    path.symlink_to(other)


def replaced_by_folder(path: Path) -> None:
    """Put a folder with something in it in the place of a file."""
    path.unlink()
    path.mkdir()
    (path / "mine").touch()


def remarked(path: Path) -> None:
    """Add a line."""
    path.write_bytes(path.read_bytes() + b"# mine\n")


CHANGES: list[Callable[[Path], object]] = [
    lambda path: edited(path, "x C3", "x B2"),
    lambda path: path.write_text("nothing\n"),
    lambda path: path.write_bytes(path.read_bytes().replace(b"x C3", b"x B2")),
    remarked,
    replaced_by_link,
    replaced_by_folder,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_others_have_changed_is_set_aside_once_and_named(
    change: Callable[[Path], object], begun: Kept, caplog: pytest.LogCaptureFixture
) -> None:
    change(begun.file(1))
    before = None if begun.file(1).is_dir() else begun.file(1).read_bytes()
    begun.play(1, "x A1")
    assert is_published(begun, 1)
    assert not begun.file(1).is_symlink()
    (aside,) = asides(begun)
    assert before is None or aside.read_bytes() == before
    assert f"1.txt was changed by others and is now {aside.name}" in caplog.text
    begun.play(1, "o E5")
    assert begun.catch_up() == 0
    assert looked_at(begun) == []
    assert asides(begun) == [aside]


@pytest.mark.parametrize("line", ["# mine\n", "   3 x A1                        {}\n"])
@pytest.mark.parametrize("again", ["start", "sweep"])
def test_a_line_that_was_added_by_hand_is_not_cut_though_nobody_plays(
    again: str, line: str, begun: Kept
) -> None:
    path = begun.file(1)
    added = path.read_bytes() + line.format("2026-11-28T12:00:00Z 0123456789abcdef").encode()
    path.write_bytes(added)
    kept = Kept(begun.path)
    if again == "start":
        assert kept.catch_up() == 1
    else:
        assert looked_at(kept) == [named(1)]
    (aside,) = asides(kept)
    assert aside.read_bytes() == added
    assert is_published(kept, 1)


def test_each_change_is_set_aside_under_a_name_of_its_own(begun: Kept) -> None:
    texts = ["one\n", "two\n", "three\n"]
    for text in texts:
        begun.file(1).write_text(text)
        assert begun.publisher.mend(named(1))
    assert sorted(path.read_text() for path in asides(begun)) == sorted(texts)
    assert is_published(begun, 1)


def test_a_file_of_no_board_is_left_alone(begun: Kept) -> None:
    begun.file(7).write_text("mine\n")
    assert not begun.publisher.mend(named(7))
    assert begun.file(7).read_text() == "mine\n"


# What cannot be written waits, and keeps nobody


def linked_away(path: Path) -> Callable[[], object]:
    """Put a link in the place of the folder of histories; return what undoes that."""
    away = path / "away"
    (path / "oust").rename(away)
    (path / "oust").symlink_to(away)

    def undo() -> None:
        (path / "oust").unlink()
        away.rename(path / "oust")

    return undo


def blocked(path: Path) -> Callable[[], object]:
    """Put a file in the place of the folder of histories; return what undoes that."""
    away = path / "away"
    (path / "oust").rename(away)
    (path / "oust").touch()

    def undo() -> None:
        (path / "oust").unlink()
        away.rename(path / "oust")

    return undo


@pytest.mark.parametrize("spoil", [linked_away, blocked])
@pytest.mark.parametrize("again", ["move", "start", "sweep"])
def test_a_folder_that_cannot_be_written_only_delays_publishing(
    spoil: Callable[[Path], Callable[[], object]],
    again: str,
    begun: Kept,
    caplog: pytest.LogCaptureFixture,
) -> None:
    undo = spoil(begun.path)
    begun.play(1, "x A1")
    begun.play(1, "o E5")
    number = begun.start("x C3")
    assert len(begun.read(1).game.records) == 4
    assert "the file of oust 1 is not published" in caplog.text
    assert begun.catch_up() == 0
    undo()
    if again == "move":
        begun.play(1, "x E1")
        begun.play(number, "o C4")
    elif again == "start":
        assert Kept(begun.path).catch_up() == 2
    else:
        assert looked_at(begun) == [named(1), named(number)]
    assert is_published(begun, 1, number)


class FullDisk(Disk):
    """A disk without room for histories, until it has some."""

    is_full = True

    def step_write(self, handle: int, data: bytes, at: int) -> int:
        """Write a part of it, then nothing."""
        if self.is_full and len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().step_write(handle, data[:15] if self.is_full else data, at)


@pytest.mark.parametrize("again", ["move", "start", "sweep"])
def test_a_full_disk_for_histories_only_delays_publishing(again: str, begun: Kept) -> None:
    disk = FullDisk()
    kept = Kept(begun.path, disk)
    for command in ("x A1", "o E5"):
        kept.play(1, command)
    number = kept.start("x C3")
    assert len(kept.read(1).game.records) == 4
    assert kept.read(1).data.startswith(kept.file(1).read_bytes())
    assert not kept.file(number).exists()
    kept.catch_up()
    disk.is_full = False
    if again == "move":
        kept.play(1, "x E1")
        kept.play(number, "o C4")
    elif again == "start":
        assert Kept(begun.path).catch_up() == 2
    else:
        looked_at(kept)
    assert is_published(kept, 1, number)
    assert asides(kept) == []


# A process that dies


def work(kept: Kept) -> None:
    """Do all that changes files."""
    kept.play(1, "x A1")
    kept.start("x C3")
    kept.play(2, "o C4")
    renamed(kept, "bob", "robert")
    board = kept.read(2)
    ruling = Ruling(Verb.ADOPT, Side.X, "carol")
    acted = board.game.rule(ruling, later(board.game), key_of(board.game))
    kept.database.write(lambda each: kept.boards.append(each, board, acted))
    kept.play(1, "o resign")
    kept.file(2).write_text("nothing\n")
    kept.play(2, "x A1")
    kept.catch_up()


def assert_all_is_published(path: Path, at: int) -> None:
    """Make sure that the next process finds, or writes, all that was committed."""
    kept = Kept(path)
    kept.catch_up()
    looked_at(kept)
    ((boards,),) = kept.rows("SELECT count(*) FROM boards")
    assert is_published(kept, *range(1, int(boards) + 1)), at
    assert asides(kept, 1) == [], at
    assert [each.read_text() for each in asides(kept, 2)] in ([], ["nothing\n"]), at
    assert kept.rows("SELECT * FROM renamed") == [], at
    kept.database.close()


@pytest.mark.parametrize("fault", first_is_fast(Fault))
def test_whatever_fails_files_are_what_was_committed_in_the_end(
    fault: Fault, memory_path: Path
) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 3 if is_fast_ring() else 1
        path = memory_path / f"{at}"
        kept = Kept(path)
        kept.start("x C3", "o C4")
        trouble = Dying(at, fault)
        with suppress(Death, OSError):
            work(Kept(path, FaultyDisk(trouble)))
        is_disturbed = trouble.is_over
        kept.database.close()
        assert_all_is_published(path, at)
    assert at > 30


# Several processes


@pytest.mark.slow
def test_processes_that_move_on_one_board_at_once_publish_all_lines_in_order(
    tmp_path: Path,
) -> None:
    script = """
import sys
from pathlib import Path
from pbm_oust.store.boards import BoardChanged
from tests.store.kept import Kept
kept = Kept(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
done = 0
while done < 40:
    try:
        side = "xo"[len(kept.read(1).game.records) % 2]
        kept.play(1, f"{side} propose" if done % 2 else f"{side} reject")
        done += 1
    except BoardChanged:
        pass
    except Exception as error:
        done += 1
assert kept.read(1).data.startswith(kept.file(1).read_bytes()[:100])
"""
    home = tmp_path / "home"
    kept = Kept(home)
    kept.start("x C3")
    run_scripts(script, (home,), (home,), (home,))
    assert is_published(kept, 1)
    assert kept.catch_up() <= 1
    assert len(kept.read(1).game.records) > 1
    assert asides(kept) == []


def test_of_a_version_that_was_noted_in_part_the_lower_one_is_known(kept: Kept) -> None:
    lower, higher = 1_799_999_999_999_999, 1_800_000_000_000_001
    publisher = kept.publisher
    note = publisher.folder / REACHED
    publisher.note_reached(lower)
    before = note.read_bytes()
    publisher.note_reached(higher)
    after = note.read_bytes()
    assert publisher.reached() == higher
    for written in range(len(after) + 1):
        note.write_bytes(after[:written] + before[written:])
        assert publisher.reached() in (lower, higher), written
