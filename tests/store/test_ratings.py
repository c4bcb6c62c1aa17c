"""Ratings that are kept are those that all finished games give."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.ratings import Table, rate
from pbm_oust.store import ratings
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import (
    best_players,
    changes_by,
    count_marked,
    explain,
    finished_games,
    is_counting,
    mark,
    standings_of,
    wrongly_rated,
)
from pbm_oust.store.rebuilding import accept, rebuild
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.kept import OUST, Kept, edited, named, played
from tests.support import tables
from tests.support.rated import Deed, Rated, happenings, standings
from tests.support.rings import examples

tabled = tables.tabled(__file__)


def computed(kept: Kept) -> list[Table]:
    """Return the ratings that come of all games in the index."""
    with kept.database.read() as snapshot:
        return rate(finished_games(snapshot, OUST))


def kept_standings(kept: Kept) -> list[object]:
    with kept.database.read() as snapshot:
        return standings(standings_of(snapshot, OUST))


def finished(kept: Kept, winner: str = "x", x: str = "alice", o: str = "bob") -> int:
    """Play a game that one side wins, and return its number."""
    number = kept.start("x C3", "o C4", x=x, o=o)
    kept.play(number, "o resign" if winner == "x" else "x resign")
    return number


def is_counted(kept: Kept) -> bool:
    with kept.database.read() as snapshot:
        return not is_counting(snapshot, OUST)


def are_right(kept: Kept) -> bool:
    with kept.database.read() as snapshot:
        return not wrongly_rated(snapshot, OUST)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> int:
    """Let games be counted two at a time."""
    monkeypatch.setattr(ratings, "MOST_AT_ONCE", 2)
    return 2


def test_a_rated_game_that_ends_is_counted_with_it(kept: Kept) -> None:
    for winner in ("x", "o", "x"):
        number = finished(kept, winner)
        assert kept_standings(kept) == standings(computed(kept)) != []
        assert kept.rows("SELECT sum(wins + losses) FROM ratings") == [(2 * number,)]


@pytest.mark.parametrize("deed", ["accept", "rename", "rebuild"])
@pytest.mark.parametrize("most", [2, 100])
def test_ratings_are_counted_anew_when_a_game_changes_that_was_counted(
    deed: str, most: int, kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many games after it that is left to the sweep."""
    first, *_ = [finished(kept, winner) for winner in ("x", "o", "x", "x")]
    before = kept_standings(kept)
    monkeypatch.setattr(ratings, "MOST_AT_ONCE", most)
    if deed == "accept":
        edited(kept.file(first), "o resign", "x resign")
        edited(kept.file(first), "= x", "= o")
        edited(kept.file(first), "alice won", "bob won")
        accept(kept.database, kept.boards, kept.publisher, named(first))
    elif deed == "rebuild":
        text = kept.file(first).read_text().replace("Board: 1\n", "Board: 2000\n")
        kept.file(2000).write_text(text.replace("2026-11-", "2025-11-"))
        rebuild(kept.database, kept.boards, kept.publisher)
    else:
        board = kept.read(first)
        kept.database.write(lambda each: kept.boards.rename(each, board, "bob", "robert"))
        assert is_counted(kept) is (most == 100)
        count_marked(kept.database)
    assert is_counted(kept)
    assert are_right(kept)
    assert kept_standings(kept) == standings(computed(kept)) != before


def test_a_history_that_only_gets_a_remark_changes_no_rating(kept: Kept, few_at_once: int) -> None:
    first = finished(kept)
    for _ in range(few_at_once):
        finished(kept)
    kept.file(first).write_text(f"{kept.file(first).read_text()}# a remark\n")
    accept(kept.database, kept.boards, kept.publisher, named(first))
    assert is_counted(kept)


@tabled("wrong")
def test_ratings_that_are_not_those_of_the_games_are_found(wrong: str, kept: Kept) -> None:
    finished(kept)
    assert are_right(kept)
    kept.database.write(lambda each: each.run(wrong))
    assert not are_right(kept)
    kept.database.write(lambda each: mark(each, OUST))
    count_marked(kept.database)
    assert are_right(kept)
    assert kept_standings(kept) == standings(computed(kept))


def test_what_games_did_is_told_as_if_all_were_counted(kept: Kept) -> None:
    for nth, winner in enumerate("xoxxo"):
        finished(kept, winner, o=("bob", "carol")[nth % 2])
    parts = [Window(99), Window(2), Window(2, 2), Window(3, 4), Window(9, 9)]
    (table,) = computed(kept)
    of_alice = [(rated.game.name, rated.x) for rated in table.games]
    of_carol = [(name, rated.o) for (name, _), rated in zip(of_alice, table.games, strict=True)]
    of_carol = [each for each in of_carol if each[1].before.userid == "carol"]
    with kept.database.read() as snapshot:
        whole, *found = [
            explain(snapshot, OUST, ["alice", "carol", "dave"], part) for part in parts
        ]
        best = [best_players(snapshot, OUST, part) for part in parts]
    assert whole.players == [("alice", table.size, of_alice), ("carol", table.size, of_carol)]
    assert [standing.userid for _, standing in whole.standings] == ["alice", "carol"]
    assert {each.count for each in (whole, *found)} == {7}
    assert [each.players for each in found] == [
        [("alice", table.size, of_alice[-2:])],
        [("alice", table.size, of_alice[1:3])],
        [("alice", table.size, of_alice[:1]), ("carol", table.size, of_carol)],
        [],
    ]
    ordered = table.ordered()
    assert [each[0].standings for each in best] == [
        ordered,
        ordered[:2],
        ordered[2:],
        *([], []),
    ]
    assert {each[0].count for each in best} == {3}


def test_a_game_that_ends_in_the_second_of_a_later_one_is_counted_with_it(kept: Kept) -> None:
    """Only the games after it are counted again, and it is known at once what it does."""
    for winner in ("x", "o"):
        finished(kept, winner)
    number = kept.start("x C3", "o C4", o="carol")
    later = [finished(kept, x="carol"), finished(kept, x="dave", o="bob")]
    game = played(kept.read(number).game, "x resign")
    with kept.database.read() as snapshot:
        assert {each.latest for each in finished_games(snapshot, OUST)} == {game.latest}
        rated = changes_by(snapshot, game.summary)
    kept.play(number, "x resign")
    assert is_counted(kept)
    (table,) = computed(kept)
    assert rated == table.games[number - 1]
    assert [each.game.board for each in table.games] == [1, 2, number, *later]
    assert are_right(kept)


def test_while_a_class_is_to_be_counted_anew_nobody_is_told_what_a_game_does(
    kept: Kept, few_at_once: int
) -> None:
    for nth in range(2 * few_at_once):
        finished(kept, o=f"player{nth}")
    kept.database.write(lambda each: mark(each, OUST))
    number = kept.start("x C3", "o C4")
    game = played(kept.read(number).game, "x resign")
    with kept.database.read() as snapshot:
        assert changes_by(snapshot, game.summary) is None
    kept.play(number, "x resign")
    assert not is_counted(kept)
    assert not are_right(kept)
    count_marked(kept.database)
    assert is_counted(kept)
    assert are_right(kept)


@examples(100)
@given(happenings(), st.integers(1, 3))
def test_whatever_becomes_of_games_their_ratings_are_those_of_all_in_their_order(
    tmp_path_factory: pytest.TempPathFactory, happens: list[Deed | list[list[Deed]]], most: int
) -> None:
    path = tmp_path_factory.mktemp("rated") / "pbm_oust.db"
    rated = Rated(SqliteDatabase(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "MOST_AT_ONCE", most)
        rated.go_through(happens)
    rated.database.close()
