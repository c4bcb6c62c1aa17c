"""Players who get another userid: in the index at once, in the histories afterwards."""

from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.board.record import Ruling, Verb
from pbm_oust.rules.position import Side
from pbm_oust.store.board_queries import boards_with, has_played
from pbm_oust.store.boards import BoardChanged, DamagedHistory
from pbm_oust.store.renaming import plan_renaming, rename
from tests.store.dying import Death, Dying
from tests.store.kept import Kept, edited, key_of, later, named
from tests.support.rings import first_is_fast
from tests.support.trouble import Fault, FaultyDisk


def renamed(kept: Kept, old: str, new: str) -> None:
    """Commit another userid for a player."""
    with kept.database.read() as snapshot:
        renaming = plan_renaming(snapshot, kept.boards, old, new)
    kept.database.write(lambda each: rename(each, kept.boards, renaming))


def adopt(kept: Kept, number: int, side: Side, userid: str) -> None:
    """Commit that a player takes over a side of a board."""
    board = kept.read(number)
    game = board.game
    acted = game.rule(Ruling(Verb.ADOPT, side, userid), later(game), key_of(game))
    kept.database.write(lambda each: kept.boards.append(each, board, acted, key_of(game)))


def with_boards(path: Path) -> Kept:
    """Return boards of alice: one in its file, one with lines that wait, one without a file."""
    kept = Kept(path)
    kept.start("x C3", "o swap")
    kept.start("x C3")
    kept.settle()
    kept.play(2, "o C4")
    adopt(kept, 2, Side.X, "carol")
    adopt(kept, 2, Side.X, "alice")
    kept.start("x A1", x="bob", o="alice")
    kept.start("x A1", x="bob", o="carol")
    return kept


def test_a_userid_is_replaced_in_files_in_lines_that_wait_and_in_the_index(tmp_path: Path) -> None:
    kept = with_boards(tmp_path)
    before = [kept.read(number).data for number in (1, 2, 3, 4)]
    renamed(kept, "alice", "zoe")
    wanted = [data.replace(b"alice", b"zoe") for data in before]
    wanted[1] = before[1].replace(b"X: alice", b"X: zoe").replace(b"alice  ", b"zoe    ")
    assert [kept.read(number).data for number in (1, 2, 3, 4)] == wanted
    assert kept.rows("SELECT count(*) FROM board_userids WHERE userid = 'alice'") == [(0,)]
    assert kept.rows("SELECT board FROM board_userids WHERE userid = 'zoe'") == [(1,), (2,), (3,)]
    assert kept.settle() == []
    assert [kept.file(number).read_bytes() for number in (1, 2, 3, 4)] == wanted
    assert kept.waiting() == []


def test_a_userid_counts_until_it_is_gone_from_all_files(tmp_path: Path) -> None:
    kept = with_boards(tmp_path)
    renamed(kept, "alice", "zoe")
    with kept.database.read() as snapshot:
        assert has_played(snapshot, "alice")
    kept.settle()
    with kept.database.read() as snapshot:
        assert not has_played(snapshot, "alice")
        assert has_played(snapshot, "zoe")


@pytest.mark.parametrize("fault", first_is_fast(Fault))
def test_a_renaming_that_is_broken_off_anywhere_is_finished_by_the_next(
    fault: Fault, tmp_path: Path
) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 1
        kept = with_boards(tmp_path / f"{at}")
        renamed(kept, "alice", "zoe")
        wanted = [kept.read(number).data for number in (1, 2, 3, 4)]
        trouble = Dying(at, fault)
        with suppress(Death):
            Kept(kept.path, FaultyDisk(trouble)).settle()
        is_disturbed = trouble.is_over
        assert [kept.read(number).data for number in (1, 2, 3, 4)] == wanted, at
        assert kept.settle() == [], at
        assert [kept.file(number).read_bytes() for number in (1, 2, 3, 4)] == wanted, at
        assert kept.waiting() == [], at
    assert at > 12


def test_a_userid_that_became_free_can_be_taken_by_another_player(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    number = kept.start(x="alice", o="carol")
    kept.settle()
    renamed(kept, "alice", "zoe")
    with pytest.raises(BoardChanged, match="alice"):
        renamed(kept, "carol", "alice")
    kept.settle()
    renamed(kept, "carol", "alice")
    kept.settle()
    game = kept.read(number).game
    assert (game.x, game.o) == ("zoe", "alice")


def test_two_renamings_of_a_player_are_carried_out_one_after_the_other(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    number = kept.start(x="alice", o="carol")
    kept.settle()
    renamed(kept, "alice", "zoe")
    renamed(kept, "zoe", "gone-1")
    assert kept.read(number).game.x == "gone-1"
    assert kept.settle() == []
    assert "X: gone-1" in kept.file(number).read_text()


def test_moves_that_are_made_between_a_renaming_and_its_end_are_not_lost(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    number = kept.start(x="alice")
    kept.settle()
    renamed(kept, "alice", "zoe")
    kept.play(number, "x C3", "o C4")
    wanted = kept.read(number).data
    assert kept.settle() == []
    assert kept.file(number).read_bytes() == wanted
    assert kept.read(number).game.x == "zoe"


def test_both_players_of_a_board_cannot_become_one(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.start(x="alice", o="carol")
    with pytest.raises(DamagedHistory, match="same owner"):
        renamed(kept, "alice", "carol")
    assert kept.read(1).game.x == "alice"


def test_nothing_is_renamed_where_one_board_is_damaged(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.start("x C3")
    kept.start("x C3")
    kept.settle()
    edited(kept.file(1), "x C3", "x Z9")
    with pytest.raises(DamagedHistory, match="line 11"):
        renamed(kept, "alice", "zoe")
    assert kept.waiting() == []


def test_a_board_that_was_started_meanwhile_makes_the_plan_old(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.start()
    with kept.database.read() as snapshot:
        renaming = plan_renaming(snapshot, kept.boards, "alice", "zoe")
    kept.start()
    with pytest.raises(BoardChanged):
        kept.database.write(lambda each: rename(each, kept.boards, renaming))
    assert kept.waiting() == [(1, 0), (2, 0)]


def test_a_move_that_was_made_meanwhile_makes_the_plan_old(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    kept.start()
    with kept.database.read() as snapshot:
        renaming = plan_renaming(snapshot, kept.boards, "alice", "zoe")
    kept.play(1, "x C3")
    with pytest.raises(BoardChanged):
        kept.database.write(lambda each: rename(each, kept.boards, renaming))


def test_a_history_that_was_damaged_after_the_renaming_keeps_the_old_userid_until_it_is_mended(
    tmp_path: Path,
) -> None:
    kept = Kept(tmp_path)
    kept.start("x C3")
    kept.settle()
    renamed(kept, "alice", "zoe")
    edited(kept.file(1), "x C3", "x Z9")
    before = kept.file(1).read_bytes()
    assert [each.name for each in kept.settle()] == [named(1)]
    assert kept.file(1).read_bytes() == before
    edited(kept.file(1), "x Z9", "x C3")
    assert kept.settle() == []
    with kept.database.read() as snapshot:
        assert boards_with(snapshot, "zoe") == [named(1)]
        assert not has_played(snapshot, "alice")
    assert "X: zoe" in kept.file(1).read_text()
