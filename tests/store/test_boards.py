"""Boards as they are read, started and continued by units of work."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.board import Game
from pbm_oust.store.accounts import next_seek_number
from pbm_oust.store.boards import (
    BoardChanged,
    DamagedHistory,
    Latest,
    by_records,
    challenge_remark,
)
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, Source, started_from
from pbm_oust.store.open_boards import read_game
from tests.store.kept import OUST, Kept, named, new_game, played
from tests.support import tables
from tests.support.beside import run_scripts
from tests.support.trouble import Trouble, faulty_statements

tabled = tables.tabled(__file__)


def test_a_fault_of_the_database_is_no_damage_of_a_history(kept: Kept) -> None:
    number, at, trouble = kept.start(), 0, Trouble()
    while trouble.steps >= at:
        at += 1
        trouble = Trouble(at)
        with faulty_statements(trouble):
            other = Kept(kept.path)
            with suppress(DatabaseFault):
                other.read(number)
        other.database.close()
    assert at > 3


def test_boards_that_were_read_longest_ago_are_forgotten_first_by_what_they_weigh() -> None:
    latest = Latest[str, bytes](10, len)
    latest.put("one", b"1234")
    latest.put("two", b"1234")
    latest.get("one")
    latest.put("three", b"123")
    assert [latest.get(each) for each in ("one", "two", "three")] == [b"1234", None, b"123"]
    latest.put("one", b"1234567")
    assert [latest.get("one"), latest.get("three")] == [b"1234567", b"123"]
    latest.put("more", b"12345678901")
    assert [latest.get(each) for each in ("one", "three", "more")] == [None, None, b"12345678901"]


@pytest.mark.parametrize("first", [1, 98, 998, 9998, 99998])
def test_each_record_has_a_row_of_its_own_however_many_there_are(first: int) -> None:
    """What stands below a record belongs to it, also a remark that looks like one."""
    lines = [
        f"{number:>4} {by} G7 2026-11-20T15:40:02Z 4f0c1d2e9a8b7c6d\n#{first} x\n".encode()
        for number, by in zip(range(first, first + 4), "xo*x", strict=True)
    ]
    assert by_records(b"".join(lines), first - 1) == [b"", *lines]
    assert by_records(b"= x resign\n", first) == [b"= x resign\n"]


def test_a_board_is_the_same_to_a_process_that_knows_it_from_before(kept: Kept) -> None:
    number, other = kept.start(), Kept(kept.path)
    for each in ("x A1", "o C3", "x A3", "o propose", "x reject", "o E1", "x resign"):
        if each != "x reject":
            other.read(number)
        board = kept.play(number, each)
        assert other.read(number) == Kept(kept.path).read(number) == board


def line_at_fault(kept: Kept, number: int) -> int:
    """Return which line a process finds damaged in the history of a board."""
    with pytest.raises(DamagedHistory) as damaged:
        kept.read(number)
    return damaged.value.line


def test_what_has_changed_above_is_seen_by_a_process_that_knows_a_board_from_before(
    kept: Kept,
) -> None:
    number, other = kept.start("x A1"), Kept(kept.path)
    other.read(number)
    kept.database.write(lambda each: kept.boards.rename_player(each, "alice", "zoe"))
    kept.play(number, "o C3")
    assert other.read(number) == Kept(kept.path).read(number)
    assert other.read(number).game.x == "zoe"
    kept.play(number, "x A3")
    kept.damage(number, " o C3", " o A1")
    assert [line_at_fault(each, number) for each in (kept, other, Kept(kept.path))] == [12] * 3
    kept.damage(number, " o A1", " o C3")
    kept.play(number, "o E5")
    kept.damage(number, " o E5", " o A1")
    assert [line_at_fault(each, number) for each in (kept, other, Kept(kept.path))] == [14] * 3


@tabled("old", "new", "reason")
def test_a_history_in_the_wrong_place_is_damaged(
    kept: Kept, old: str, new: str, reason: str
) -> None:
    kept.start()
    kept.damage(1, old, new)
    with pytest.raises(DamagedHistory, match=reason):
        kept.read(1)


def test_a_damaged_board_that_is_removed_counts_no_more(kept: Kept) -> None:
    kept.start()
    kept.start()
    kept.damage(1, "Board: 1", "Board: 2")
    for is_there in (True, False):
        assert kept.database.write(lambda each: kept.boards.remove(each, named(1))) is is_there
    assert kept.rows("SELECT board FROM boards") == [(2,)]
    assert kept.kept_counts() == kept.counts()


def test_who_acts_on_a_board_that_has_changed_is_told_so(kept: Kept) -> None:
    number = kept.start()
    board = kept.read(number)
    acted = played(board.game, "x C3")
    kept.play(number, "x A1")
    with pytest.raises(BoardChanged):
        kept.database.write(lambda each: kept.boards.append(each, board, acted))
    with pytest.raises(BoardChanged):
        kept.database.write(lambda each: kept.boards.start(each, new_game(number)))
    assert len(kept.read(number).game.records) == 1


def test_of_two_that_act_at_once_one_is_told_that_the_board_has_changed(kept: Kept) -> None:
    number = kept.start()
    board = kept.read(number)

    def act(cell: str) -> str:
        acted = played(board.game, f"x {cell}")
        try:
            kept.database.write(lambda each: kept.boards.append(each, board, acted))
        except BoardChanged:
            return "changed"
        return cell

    cells = ["A1", "B2", "C3", "D4"]
    with ThreadPoolExecutor() as pool:
        done = [each for each in pool.map(act, cells) if each != "changed"]
    assert len(done) == 1
    assert f"x {done[0]} " in kept.read(number).data.decode()


def test_a_number_of_which_there_is_a_file_is_not_given(kept: Kept) -> None:
    """It may be all that is left of a board."""
    kept.start()
    kept.file(2).write_text("by hand")
    assert kept.start() == 3
    assert kept.file(2).read_text() == "by hand"
    assert kept.publisher.edited(named(2)) == []


def test_a_file_that_was_put_where_a_board_is_to_be_is_set_aside(kept: Kept) -> None:
    kept.file(2).write_text("by hand")
    kept.database.write(lambda each: kept.boards.start(each, new_game(2)))
    assert kept.file(2).read_bytes() == kept.read(2).data
    assert [path.read_text() for path in kept.publisher.edited(named(2))] == ["by hand"]


@pytest.mark.slow
def test_processes_that_start_boards_at_once_give_each_a_number_of_its_own(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from tests.store.kept import Kept
kept = Kept(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(20):
    print(kept.start("x C3", x=sys.argv[2]))
"""
    home = tmp_path / "home"
    Kept(home).start()
    printed = run_scripts(script, (home, "carol"), (home, "dave"), (home, "erin"))
    numbers = [int(each) for output in printed for each in output.split()]
    assert sorted(numbers) == list(range(2, 62))
    kept = Kept(home)
    assert kept.catch_up() == 0
    owners = {"carol": printed[0], "dave": printed[1], "erin": printed[2]}
    for owner, output in owners.items():
        for number in output.split():
            assert f"X: {owner}\n" in kept.file(int(number)).read_text()


# Boards that came from something which leads to one board, such as an open challenge


SEEK = Source("seek", 5)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.prepare()
    return made


def start(home: Home, source: Source) -> Game:
    game = new_game(home.ask(home.boards.next_number, OUST))
    key = f"{game.header.board:016d}"
    home.do(home.boards.start, game, challenge_remark(key) + source.remark)
    return game


def test_where_a_board_came_from_is_known_again_when_the_database_is_lost(home: Home) -> None:
    game = start(home, SEEK)
    home.database.close()
    for path in home.path.glob("pbm_oust.db*"):
        path.unlink()
    other = Home(home.path)
    other.prepare()
    assert other.ask(started_from, OUST.name, SEEK) == BoardName.of(game.header)
    assert read_game(other, OUST, 1) == game
    assert other.ask(next_seek_number, "oust") == 6
    assert other.ask(next_seek_number, "churn") == 1


def test_only_a_line_right_below_the_message_key_says_where_a_board_came_from(home: Home) -> None:
    game, key = new_game(1), "f" * 16
    remarks = challenge_remark(key) + b"# by hand\n" + SEEK.remark
    home.do(home.boards.start, game, remarks)
    assert home.ask(started_from, OUST.name, SEEK) is None
