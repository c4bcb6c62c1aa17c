"""The database made from the files of histories, and files that become the histories of boards."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm_oust.store import rebuilding
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.ratings import is_counting, wrongly_rated
from pbm_oust.store.rebuilding import NotAccepted, accept
from tests.store.kept import OUST, Kept, edited, named
from tests.store.test_renaming import renamed
from tests.support import tables

tabled = tables.tabled(__file__)

PLAYERS = ["alice", "bob", "carol", "dave", "erin"]
GAMES = [("x C3",), ("x C3", "o swap"), ("x C3", "o C4", "x resign"), ("x A1", "o resign"), ()]


def accepted(kept: Kept, number: int = 1) -> Path:
    """Accept the file of a board, or one that was set aside."""
    return accept(kept.database, kept.boards, kept.publisher, named(number))


def without_database(kept: Kept, path: Path) -> Kept:
    """Return a home that has only the files of another one."""
    for folder in ("oust", "churn"):
        shutil.copytree(kept.path / folder, path / folder)
    return Kept(path)


def fill(kept: Kept, count: int) -> None:
    """Begin boards of all sorts."""
    for number in range(count):
        x, o = PLAYERS[number % 5], PLAYERS[(number // 5 + number + 1) % 5]
        if x == o:
            o = "zoe"
        kept.start(*GAMES[number % len(GAMES)], x=x, o=o, seek=b"# seek %d\n" % (number + 1))


def test_a_hundred_boards_are_the_same_when_they_are_made_from_their_files(
    kept: Kept, tmp_path: Path
) -> None:
    fill(kept, 100)
    kept.damage(7, "x C3", "x Z9")
    again = without_database(kept, tmp_path / "again")
    assert again.rebuild() == 100
    assert again.said() == kept.said()
    assert again.kept_counts() == kept.kept_counts() == kept.counts()
    for number in range(1, 101):
        assert again.boards_bytes(number) == kept.boards_bytes(number)
        assert again.file(number).read_bytes() == kept.file(number).read_bytes()
    with again.database.read() as snapshot:
        assert not is_counting(snapshot, OUST)
        assert not wrongly_rated(snapshot, OUST)
    assert again.catch_up() == 0


def test_what_is_the_same_already_is_left_alone(kept: Kept) -> None:
    fill(kept, 10)
    before = kept.rows("SELECT kind, board, version FROM boards ORDER BY 1, 2")
    assert kept.rebuild() == 10
    assert kept.rows("SELECT kind, board, version FROM boards ORDER BY 1, 2") == before


def test_boards_without_a_file_stay(kept: Kept) -> None:
    fill(kept, 3)
    kept.file(2).unlink()
    assert kept.rebuild() == 3
    assert kept.catch_up() == 1
    assert kept.file(2).read_bytes() == kept.read(2).data


def test_a_file_that_is_behind_costs_no_move(kept: Kept) -> None:
    """A disk that was full, or a crash, may have kept the last moves from the files."""
    kept.start("x C3", "o C4")
    kept.play(1, "x A1")
    wanted = kept.read(1).data
    kept.file(1).write_bytes(wanted[:-80] + b"\0" * 20)
    assert kept.rebuild() == 1
    assert kept.read(1).data == wanted
    assert kept.catch_up() == 1
    assert kept.file(1).read_bytes() == wanted


def test_a_userid_that_was_replaced_does_not_come_back_from_a_file(kept: Kept) -> None:
    kept.start("x C3")
    before = kept.file(1).read_bytes()
    renamed(kept, "alice", "zoe")
    kept.file(1).write_bytes(before)
    assert kept.rebuild() == 1
    assert kept.read(1).game.x == "zoe"
    kept.catch_up()
    assert b"alice" not in kept.file(1).read_bytes()


def test_a_move_that_is_made_meanwhile_is_not_lost(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made after the files were read."""
    kept.start("x C3")
    kept.start("x C3")
    edited(kept.file(1), "x C3", "x B2")
    on_all_cores = rebuilding.on_all_cores

    def late(*given: Any) -> Iterator[object]:
        for found in on_all_cores(*given):
            kept.play(2, "o C4")
            yield found

    monkeypatch.setattr(rebuilding, "on_all_cores", late)
    assert kept.rebuild() == 2
    assert b"x B2" in kept.read(1).data
    assert b"o C4" in kept.read(2).data
    assert kept.file(2).read_bytes() == kept.read(2).data


@pytest.mark.parametrize("text", ["", "nothing\n", "pbm_oust history 1\n", "\n\n\n", "   1 x C3\n"])
def test_whatever_a_file_holds_its_board_is_there_and_damaged(text: str, kept: Kept) -> None:
    kept.file(1).write_text(text)
    assert kept.rebuild() == 1
    with pytest.raises(DamagedHistory):
        kept.read(1)
    assert kept.boards_bytes(1) == text.encode()
    assert kept.start() == 2
    assert kept.catch_up() == 0


def unlike_text(path: Path) -> None:
    """Put what is no text in the place of a file."""
    path.write_bytes(b"\xff\xfe\n")


def as_folder(path: Path) -> None:
    """Put a folder in the place of a file."""
    path.unlink()
    path.mkdir()


def as_link(path: Path) -> None:
    """Put a link to a history in the place of a file."""
    path.rename(path.with_suffix(".other"))
    path.symlink_to(path.with_suffix(".other"))


SPOILT: dict[str, Callable[[Path], object]] = {
    "line 11: Z9 by x": lambda path: edited(path, "x C3", "x Z9"),
    "line 12: C3 by o": lambda path: edited(path, "o C4", "o C3"),
    "line 3: by the name of the file this is board 1": lambda path: edited(
        path, "Board: 1", "Board: 2"
    ),
    "line 1:": unlike_text,
    "it is not a regular file": as_folder,
    "it is a link": as_link,
}
"""What may be in the place of a history, by what is told of it."""


@pytest.mark.parametrize("reason", SPOILT)
@pytest.mark.parametrize("commands", [("x C3", "o C4"), ("x C3", "o C4", "x resign")])
def test_a_file_that_does_not_replay_is_named_and_takes_no_place(
    commands: tuple[str, ...], reason: str, kept: Kept
) -> None:
    """That of a game that is over as well, which is believed if it made a board."""
    kept.start(*commands)
    kept.start("x C3")
    wanted, said = kept.boards_bytes(1), kept.said()
    SPOILT[reason](kept.file(1))
    edited(kept.file(2), "x C3", "x B2")
    left = kept.rebuilt().left
    assert len(left) == 1
    assert left[0].startswith(f"{kept.file(1)}: {reason}")
    assert kept.boards_bytes(1) == wanted
    assert kept.said() == said
    assert b"x B2" in kept.boards_bytes(2)
    assert len(kept.rebuilt().left) == 1


def test_the_row_of_a_board_whose_file_does_not_replay_is_made_anew(kept: Kept) -> None:
    kept.start("x C3")
    wanted = kept.said()
    kept.database.write(lambda each: each.run("UPDATE boards SET x = 'zoe'"))
    edited(kept.file(1), "x C3", "x Z9")
    assert len(kept.rebuilt().left) == 1
    assert kept.said() == wanted


def test_a_move_on_a_board_whose_file_was_edited_is_not_lost(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made after the file was read."""
    kept.start("x C3")
    edited(kept.file(1), "x C3", "x B2")
    on_all_cores = rebuilding.on_all_cores

    def late(*given: Any) -> Iterator[object]:
        for found in on_all_cores(*given):
            kept.play(1, "o C4")
            yield found

    with monkeypatch.context() as patched:
        patched.setattr(rebuilding, "on_all_cores", late)
        (left,) = kept.rebuilt().left
    assert "oust 1 was played on meanwhile" in left
    assert b"o C4" in kept.boards_bytes(1)
    assert kept.rebuilt().left == []
    assert b"o C4" in kept.file(1).read_bytes()


def test_no_board_gets_the_number_of_a_file_without_a_row(kept: Kept) -> None:
    kept.start("x C3")
    kept.file(2).write_text("the last of a board\n")
    kept.file(3).symlink_to("2.txt")
    assert kept.start("x C3") == 4
    assert kept.file(2).read_text() == "the last of a board\n"


# Files that are accepted


def test_an_edited_file_becomes_the_history_of_its_board(kept: Kept) -> None:
    kept.start("x C3")
    edited(kept.file(1), "x C3", "x B2")
    assert accepted(kept) == kept.file(1)
    assert kept.file(1).read_bytes() == kept.read(1).data
    kept.play(1, "o C4")
    assert kept.file(1).read_bytes() == kept.read(1).data
    assert kept.publisher.edited(named(1)) == []


def test_a_file_that_was_set_aside_becomes_the_history_of_its_board(kept: Kept) -> None:
    kept.start("x C3")
    for cell in ("B2", "A1"):
        edited(kept.file(1), "x C3", f"x {cell}")
        kept.publisher.mend(named(1))
    first, second = kept.publisher.edited(named(1))
    assert accepted(kept) == second
    assert b"x A1" in kept.read(1).data
    assert kept.file(1).read_bytes() == kept.read(1).data
    assert kept.publisher.edited(named(1)) == [first]


@tabled("old", "new", "reason")
def test_what_does_not_replay_is_not_accepted(old: str, new: str, reason: str, kept: Kept) -> None:
    kept.start("x C3")
    before = kept.read(1).data
    edited(kept.file(1), old, new)
    with pytest.raises(NotAccepted, match=reason):
        accepted(kept)
    assert kept.read(1).data == before


def test_rows_that_others_have_changed_are_made_anew(kept: Kept) -> None:
    fill(kept, 3)
    wanted = kept.said()
    kept.database.write(lambda each: each.run("UPDATE boards SET x = 'zoe' WHERE board = 2"))
    assert kept.rebuild() == 3
    assert kept.said() == wanted
