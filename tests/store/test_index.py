"""The index of boards: made from the histories, and never believed over them."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.game import Game
from pbm_oust.board.record import Deed, Ruling, Verb
from pbm_oust.refusal import NotAllowed, Refusal
from pbm_oust.rules.position import Side
from pbm_oust.store import cores
from pbm_oust.store.refreshing import Walk, reindex, replay_believed, unfit
from pbm_oust.store.seen import Board
from tests.store.kept import Kept, edited, key_of, later, named, played
from tests.support.rings import examples


def walked(kept: Kept) -> list[int]:
    """Look at all histories once; return the numbers of the boards that had changed."""
    walk, changed = Walk(kept.database, kept.boards), list[int]()
    while True:
        changed += [each.board for each in walk.step(3)]
        if walk.is_round:
            return changed


def states(kept: Kept) -> list[tuple[object, ...]]:
    """Return what the index says of each board: its number, state and records."""
    return kept.rows(
        "SELECT board, state, records FROM boards "
        "UNION ALL SELECT board, 'line ' || line, reason FROM damaged_boards ORDER BY board"
    )


def test_the_index_knows_a_board_with_its_commit(kept: Kept) -> None:
    kept.start("x C3", "o resign", x="carol")
    assert kept.rows("SELECT x, o, state, to_move, result, records FROM boards") == [
        ("carol", "bob", "over", None, "x resign", 2)
    ]


def test_the_index_fits_the_files_when_everything_is_settled(kept: Kept) -> None:
    for _ in range(4):
        kept.play(kept.start("x C3"), "o swap")
    kept.settle()
    kept.play(2, "o C4")
    kept.settle()
    assert walked(kept) == []


def test_an_edit_from_outside_is_noticed_in_the_background(kept: Kept) -> None:
    for _ in range(5):
        kept.start("x C3")
    kept.settle()
    edited(kept.file(4), "\n   1", "\n# a remark\n   1")
    edited(kept.file(2), "x C3", "x Z9")
    assert walked(kept) == [2, 4]
    assert states(kept)[1] == (
        2,
        "line 11",
        "C3 by x: C3 is refused, off grid".replace("C3 by x: C3", "Z9 by x: Z9"),
    )
    assert walked(kept) == []
    edited(kept.file(2), "x Z9", "x C3")
    assert walked(kept) == [2]
    assert states(kept) == [(number, "active", 1) for number in range(1, 6)]


def test_an_edit_within_the_same_file_is_noticed(kept: Kept) -> None:
    number = kept.start("x C3", "o C4")
    kept.settle()
    text = kept.file(number).read_text()
    kept.file(number).write_text(text.replace("x C3", "x B3"))
    assert walked(kept) == [number]


def test_an_edit_from_outside_is_noticed_when_the_board_is_opened(kept: Kept) -> None:
    for _ in range(9):
        kept.start("x C3")
    kept.settle()
    edited(kept.file(8), "Started: 2026", "Started: 2025")
    assert kept.read(8).game.header.started.year == 2025
    assert Walk(kept.database, kept.boards).step(1) == [named(8)]


def test_a_board_that_was_made_by_hand_comes_into_the_index(kept: Kept) -> None:
    kept.start("x C3")
    kept.settle()
    text = kept.file(1).read_text().replace("Board: 1", "Board: 30").replace("alice", "carol")
    kept.file(30).write_text(text)
    assert kept.read(30).game.x == "carol"
    assert walked(kept) == [30]
    assert kept.rows("SELECT board FROM board_userids WHERE userid = 'carol'") == [(30,)]


def test_a_board_made_by_hand_can_be_played_on_before_it_is_in_the_index(kept: Kept) -> None:
    kept.start("x C3")
    kept.settle()
    kept.file(30).write_text(kept.file(1).read_text().replace("Board: 1", "Board: 30"))
    kept.play(30, "o C4")
    assert kept.settle() == []
    assert states(kept) == [(1, "active", 1), (30, "active", 2)]
    assert walked(kept) == []


def test_a_board_whose_file_was_removed_leaves_the_index(kept: Kept) -> None:
    kept.start("x C3")
    kept.start("x C3")
    kept.settle()
    kept.file(1).unlink()
    with pytest.raises(NotAllowed):
        kept.read(1)
    assert walked(kept) == [1]
    assert states(kept) == [(2, "active", 1)]
    assert kept.rows("SELECT DISTINCT board FROM board_userids") == [(2,)]


def test_a_history_that_cannot_be_read_keeps_its_players_and_is_read_again(kept: Kept) -> None:
    kept.start("x C3")
    kept.settle()
    path, aside = kept.file(1), kept.file(1).with_name("aside")
    path.rename(aside)
    path.mkdir()
    assert walked(kept) == [1]
    assert walked(kept) == [1]
    assert states(kept) == [(1, "line 0", "it is not a regular file")]
    assert kept.rows("SELECT userid, state FROM board_userids") == [
        ("alice", "damaged"),
        ("bob", "damaged"),
    ]
    path.rmdir()
    aside.rename(path)
    assert walked(kept) == [1]
    assert states(kept) == [(1, "active", 1)]


def test_a_damaged_history_is_in_the_index_with_its_players(kept: Kept) -> None:
    kept.start("x C3")
    kept.settle()
    edited(kept.file(1), "x C3", "x Z9")
    walked(kept)
    assert kept.rows("SELECT x, o, line FROM damaged_boards") == [("alice", "bob", 11)]
    assert kept.rows("SELECT userid, state, is_owner FROM board_userids") == [
        ("alice", "damaged", 0),
        ("bob", "damaged", 0),
    ]


def test_files_that_are_no_histories_by_their_names_are_left_alone(kept: Kept) -> None:
    kept.start()
    kept.settle()
    for name in ("0.txt", "01.txt", "1.txt~", "notes", "9" * 30 + ".txt", ".1.txt.1.1.draft"):
        (kept.path / "oust" / name).write_text("text")
    assert walked(kept) == []
    assert kept.start() == 2


def unfitting(kept: Kept) -> list[int]:
    """Return the boards of which the index does not say what their histories say."""
    with kept.database.read() as snapshot:
        return [name.board for name in unfit(snapshot, kept.boards)]


def test_a_board_that_the_index_does_not_fit_is_found(kept: Kept) -> None:
    for _ in range(6):
        kept.start("x C3")
    kept.settle()
    kept.play(6, "o resign")
    assert unfitting(kept) == []
    edited(kept.file(2), "x C3", "x Z9")
    kept.file(9).write_text("by hand\n")
    kept.file(4).unlink()
    kept.database.write(lambda each: each.run("UPDATE boards SET to_move = 'x' WHERE board = 5"))
    assert unfitting(kept) == [2, 4, 5, 9]
    reindex(kept.database, kept.boards)
    assert unfitting(kept) == []


def test_a_believed_result_is_replayed_in_the_background(kept: Kept) -> None:
    kept.start("x C3", "o resign")
    kept.start("x C3", "o resign")
    kept.settle()
    edited(kept.file(1), "x C3 ", "x Z9 ")
    other = Kept(kept.path)
    assert reindex(other.database, other.boards) == 2
    assert states(kept) == [(1, "over", 2), (2, "over", 2)]
    assert replay_believed(other.database, other.boards, 10) == 2
    assert replay_believed(other.database, other.boards, 10) == 0
    assert states(kept) == [(1, "line 11", "Z9 by x: Z9 is refused, off grid"), (2, "over", 2)]


def test_a_walk_replays_what_was_believed(kept: Kept) -> None:
    kept.start("x C3", "o resign")
    kept.settle()
    other = Kept(kept.path)
    reindex(other.database, other.boards)
    assert kept.rows("SELECT is_replayed FROM histories") == [(0,)]
    walked(other)
    assert kept.rows("SELECT is_replayed FROM histories") == [(1,)]


def test_a_new_index_says_how_far_it_is(kept: Kept) -> None:
    for _ in range(120):
        kept.start()
    told = list[tuple[int, int]]()
    reindex(kept.database, kept.boards, lambda *each: told.append(each))
    assert told == [(0, 120), (100, 120), (120, 120)]


def test_a_new_index_that_says_the_same_writes_nothing(kept: Kept) -> None:
    kept.start("x C3", "o swap")
    kept.start("x C3", "o resign", seek=b"# seek 5\n")
    kept.settle()
    reindex(kept.database, kept.boards)
    before, said = kept.database.moment(), kept.index()
    reindex(kept.database, kept.boards)
    assert kept.database.moment() == before
    kept.database.write(lambda each: each.run("UPDATE boards SET records = 7 WHERE board = 2"))
    reindex(kept.database, kept.boards)
    assert kept.database.moment() != before
    assert kept.index() == said


def test_a_lost_database_is_made_anew_from_the_files(kept: Kept) -> None:
    kept.start("x C3", "o swap")
    kept.start("x C3", "o resign", seek=b"# seek 5\n")
    kept.settle()
    before = kept.index()
    kept.database.close()
    for path in kept.path.glob("pbm_oust.db*"):
        path.unlink()
    other = Kept(kept.path)
    assert reindex(other.database, other.boards) == 2
    replay_believed(other.database, other.boards, 10)
    assert other.index() == before


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["place", "place", "place", "adopt", "settle", "edit", "walk", "deed"]),
        st.integers(0, 2**16),
    ),
    max_size=25,
)


def acted(game: Game, act: str, lot: int) -> Game:
    """Return a game after something that may be done there, chosen by lot; the same otherwise."""
    at, key = later(game), key_of(game)
    grid, position = game.header.grid, game.position
    try:
        if act == "adopt":
            userid = ("alice", "bob", "carol", "dave")[lot % 4]
            return game.rule(Ruling(Verb.ADOPT, list(Side)[lot % 2], userid), at, key)
        if act == "deed":
            return game.act(list(Side)[lot % 2], list(Deed)[lot % len(Deed)], at, key)
        names = grid.names(position.placements())
        words = names[lot % len(names)] if names else "pass"
        return played(game, f"{position.to_move.value} {words}")
    except Refusal:
        return game


def commit(kept: Kept, board: Board, act: str, lot: int) -> None:
    """Commit what is done on a board."""
    game = acted(board.game, act, lot)
    kept.database.write(lambda each: kept.boards.append(each, board, game, key_of(board.game)))


@examples(60)
@given(ACTS)
def test_the_index_that_grows_with_the_games_is_the_one_made_from_the_files(
    acts: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as folder:
        kept = Kept(Path(folder))
        for _ in range(3):
            kept.start()
        for act, lot in acts:
            number = lot % 3 + 1
            if act == "settle":
                kept.settle()
            elif act == "walk":
                walked(kept)
            elif act == "edit":
                kept.settle()
                edited(kept.file(number), "\n\n", "\n# by hand\n\n")
            else:
                commit(kept, kept.read(number), act, lot)
        other = Kept(kept.path)
        before_settled = content(kept)
        reindex(other.database, other.boards)
        replay_believed(other.database, other.boards, 10)
        assert content(kept) == before_settled
        kept.settle()
        walked(kept)
        before = kept.index()
        reindex(other.database, other.boards)
        replay_believed(other.database, other.boards, 10)
        assert kept.index() == before
        assert kept.kept_counts() == kept.counts() != []
        kept.database.close()
        other.database.close()


def content(kept: Kept) -> dict[str, object]:
    """Return the index without what depends on how it was made."""
    return {name: rows for name, rows in kept.index().items() if name != "histories"}


def test_a_stretch_of_a_walk_looks_at_some_histories_and_the_next_one_goes_on(kept: Kept) -> None:
    for _ in range(5):
        kept.start()
    kept.settle()
    walk = Walk(kept.database, kept.boards)
    assert list(walk.stretch()) == []
    for number in range(1, 6):
        kept.file(number).write_text(f"{kept.file(number).read_text()}# a remark\n")
    found = [[name.board for name in walk.stretch(steps=2, most=1)] for _ in range(3)]
    assert found == [[1, 2], [3, 4], [5]]
    assert walk.is_round


@pytest.mark.slow
def test_the_index_is_the_same_with_several_processes(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They only read; so what waits and what is damaged comes out the same."""
    for nth in range(5):
        kept.start("x C3", "o resign" if nth % 2 else "o C4")
    kept.settle()
    kept.file(2).write_text(kept.file(2).read_text().replace("x C3", "x C9"))
    kept.play(1, "x B2")
    kept.database.write(lambda each: each.run("DELETE FROM histories"))
    other = Kept(kept.path)
    reindex(other.database, other.boards)
    alone = other.index()
    kept.database.write(lambda each: each.run("DELETE FROM histories"))
    monkeypatch.setattr(cores, "FEW", 1)
    monkeypatch.setattr(cores, "TOGETHER", 2)
    told = list[tuple[int, int]]()
    assert reindex(kept.database, kept.boards, lambda *each: told.append(each)) == 5
    assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]
    assert kept.index() == alone
