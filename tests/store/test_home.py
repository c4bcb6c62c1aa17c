"""The home directory: what is written stays whole, whatever fails and whoever writes besides."""

import os
import stat
from pathlib import Path

import pytest

from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName
from tests.support.processes import files, run_at_once


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# Histories


def test_a_history_that_was_created_can_be_read(home: Home) -> None:
    with home.next_board("oust") as number:
        home.create_history("oust", number, "first lines\n")
    assert home.history(BoardName("oust", 1)) == b"first lines\n"
    assert home.history_path(BoardName("oust", 1)) == home.path / "oust" / "1.txt"


def test_boards_are_listed_by_number(home: Home) -> None:
    for number in (10, 9, 100):
        home.create_history("oust", number, "")
    (home.path / "oust" / "notes.txt").touch()
    (home.path / "oust" / "1.bak").touch()
    assert home.boards("oust") == [9, 10, 100]


def test_a_new_board_has_the_number_after_the_last(home: Home) -> None:
    home.create_history("oust", 16, "")
    with home.next_board("oust") as number:
        assert number == 17


def test_a_history_is_never_created_over_another(home: Home) -> None:
    home.create_history("oust", 1, "first")
    with pytest.raises(FileExistsError):
        home.create_history("oust", 1, "second")
    assert home.history(BoardName("oust", 1)) == b"first"
    assert files(home.path) == ["key", "oust/1.txt"]


def test_a_board_that_does_not_exist_is_neither_read_nor_locked(home: Home) -> None:
    with pytest.raises(NoSuchFile):
        home.history(BoardName("oust", 1))
    with pytest.raises(NoSuchFile), home.locked_history("oust", 1):
        raise AssertionError("there is nothing to lock")


def test_what_is_appended_stands_behind_what_there_was(home: Home) -> None:
    home.create_history("oust", 1, "header\n")
    with home.locked_history("oust", 1) as file:
        file.append("record 1\n", after=len(file.data))
    with home.locked_history("oust", 1) as file:
        assert file.data == b"header\nrecord 1\n"
        file.append("record 2\n", after=len(file.data))
    assert home.history(BoardName("oust", 1)) == b"header\nrecord 1\nrecord 2\n"


@pytest.mark.parametrize("record", ["2 o swap\n", "2 o A1,B2,C3,D4,E5,F6,G7\n"])
def test_a_torn_last_line_is_dropped_by_the_next_record(home: Home, record: str) -> None:
    home.create_history("oust", 1, "header\n1 x D4\n2 o D5,E6,F")
    with home.locked_history("oust", 1) as file:
        file.append(record, after=len(b"header\n1 x D4\n"))
    assert home.history(BoardName("oust", 1)).decode() == f"header\n1 x D4\n{record}"


def test_a_record_that_does_not_fit_on_the_disk_leaves_the_history_as_it_was(home: Home) -> None:
    home.create_history("oust", 1, "header\n")
    script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
with home.locked_history("oust", 1) as file:
    try:
        file.append("a record longer than three bytes\\n", after=len(file.data))
    except OSError as error:
        print(error.strerror)
"""
    assert run_at_once(home, script) == ["File too large\n"]
    assert home.history(BoardName("oust", 1)) == b"header\n"


# Accounts


def test_accounts_are_listed_and_read(home: Home) -> None:
    home.write_player("bob", "Bob\n")
    home.write_player("alice", "Al\u00efce\n")
    assert home.userids() == ["alice", "bob"]
    assert home.read_player("alice") == "Al\u00efce\n"


def test_an_account_that_does_not_exist_is_not_read(home: Home) -> None:
    with pytest.raises(NoSuchFile):
        home.read_player("carol")


def test_an_account_that_cannot_be_written_leaves_the_one_before(home: Home) -> None:
    home.write_player("alice", "before\n")
    script = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
try:
    home.write_player("alice", "longer than ten bytes\\n")
except OSError as error:
    print(error.strerror)
"""
    assert run_at_once(home, script) == ["File too large\n"]
    assert home.read_player("alice") == "before\n"
    assert files(home.players) == ["alice.txt"]


# Folders


def test_a_home_can_be_prepared_again(home: Home) -> None:
    home.write_player("alice", "kept")
    home.prepare(["oust"])
    assert home.read_player("alice") == "kept"


def test_accounts_and_letters_are_private_and_histories_are_not(home: Home) -> None:
    before = os.umask(0o022)
    try:
        home.create_history("oust", 1, "")
        home.write_player("alice", "")
        with home.outbox.posting([b"letter"], "0" * 16, "oust.1"):
            pass
    finally:
        os.umask(before)
    (letter,) = home.outbox.letters()
    assert mode(home.history_path(BoardName("oust", 1))) == 0o644
    assert mode(home.players / "alice.txt") == 0o600
    assert mode(home.outbox.path / "new" / letter) == 0o600
    private = [
        home.players,
        home.outbox.path,
        *(home.outbox.path / box for box in ("tmp", "new", "cur")),
    ]
    assert [mode(folder) for folder in private] == [0o700] * 5
