"""Players who get another userid: in all histories at once, and in their files afterwards."""

from contextlib import suppress
from pathlib import Path

import pytest

from pbm_oust.board import Ruling, Verb
from pbm_oust.rules import Side
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.index import has_played
from tests.store.dying import Death, Dying
from tests.store.kept import Kept, key_of, later, named
from tests.support.rings import first_is_fast, is_fast_ring
from tests.support.trouble import Fault, FaultyDisk


def renamed(kept: Kept, old: str, new: str) -> None:
    """Commit another userid for a player."""
    kept.database.write(lambda each: kept.boards.rename_player(each, old, new))


def adopt(kept: Kept, number: int, side: Side, userid: str) -> None:
    """Commit that a player takes over a side of a board."""
    board = kept.read(number)
    game = board.game
    acted = game.rule(Ruling(Verb.ADOPT, side, userid), later(game), key_of(game))
    kept.database.write(lambda each: kept.boards.append(each, board, acted))


def with_boards(path: Path) -> Kept:
    """Return boards of alice, on one of which she has come back, and one without her."""
    kept = Kept(path)
    kept.start("x C3", "o swap")
    kept.start("x C3")
    kept.play(2, "o C4")
    adopt(kept, 2, Side.X, "carol")
    adopt(kept, 2, Side.X, "alice")
    kept.start("x A1", x="bob", o="alice")
    kept.start("x A1", x="bob", o="carol")
    return kept


def texts(kept: Kept) -> list[bytes]:
    """Return the histories of all boards."""
    return [kept.read(number).data for number in (1, 2, 3, 4)]


def files(kept: Kept) -> list[bytes]:
    """Return what is published of all boards."""
    return [kept.file(number).read_bytes() for number in (1, 2, 3, 4)]


def test_a_userid_is_replaced_in_histories_in_files_and_in_what_is_said_of_them(
    tmp_path: Path,
) -> None:
    kept = with_boards(tmp_path)
    before = texts(kept)
    renamed(kept, "alice", "zoe")
    wanted = [data.replace(b"alice", b"zoe") for data in before]
    wanted[1] = before[1].replace(b"X: alice", b"X: zoe").replace(b"alice  ", b"zoe    ")
    assert texts(kept) == files(kept) == wanted
    assert kept.rows("SELECT count(*) FROM board_userids WHERE userid = 'alice'") == [(0,)]
    assert kept.rows("SELECT board FROM board_userids WHERE userid = 'zoe'") == [(1,), (2,), (3,)]
    with kept.database.read() as snapshot:
        assert not has_played(snapshot, "alice")
        assert has_played(snapshot, "zoe")


def test_a_former_userid_is_nowhere_once_all_is_published(tmp_path: Path) -> None:
    kept = with_boards(tmp_path)
    renamed(kept, "alice", "zoe")
    assert kept.catch_up() == 0
    kept.database.close()
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or b"alice" not in path.read_bytes(), path


@pytest.mark.parametrize("fault", first_is_fast(Fault))
def test_a_renaming_that_is_broken_off_anywhere_is_finished_by_the_next(
    fault: Fault, memory_path: Path
) -> None:
    at, is_disturbed = 0, True
    while is_disturbed:
        at += 3 if is_fast_ring() else 1
        before = with_boards(memory_path / f"{at}")
        trouble = Dying(at, fault)
        with suppress(Death):
            renamed(Kept(before.path, FaultyDisk(trouble)), "alice", "zoe")
        is_disturbed = trouble.is_over
        kept = Kept(before.path)
        kept.catch_up()
        assert files(kept) == texts(kept), at
        assert not [data for data in texts(kept) if b"alice" in data], at
        assert [path.name for path in kept.file(1).parent.glob("*.edited-*")] == [], at
        assert kept.rows("SELECT * FROM renamed") == [], at
    assert at > 12


def test_a_userid_that_became_free_can_be_taken_by_another_player(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    number = kept.start(x="alice", o="carol")
    renamed(kept, "alice", "zoe")
    renamed(kept, "carol", "alice")
    game = kept.read(number).game
    assert (game.x, game.o) == ("zoe", "alice")
    assert kept.file(number).read_bytes() == kept.read(number).data


def test_a_file_that_several_renamings_have_not_reached_is_written_anew(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    number = kept.start(x="alice", o="carol")
    before = kept.file(number).read_bytes()
    renamed(kept, "alice", "zoe")
    renamed(kept, "zoe", "gone-1")
    renamed(kept, "carol", "alice")
    kept.play(number, "x C3")
    kept.file(number).write_bytes(before)
    assert kept.catch_up() == 1
    assert kept.file(number).read_bytes() == kept.read(number).data
    assert kept.publisher.edited(named(number)) == []


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
    kept.damage(1, "x C3", "x Z9")
    with pytest.raises(DamagedHistory, match="line 11"):
        renamed(kept, "alice", "zoe")
    assert b"X: alice" in kept.read(2).data
