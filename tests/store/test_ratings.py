"""Ratings that are kept up to date are those that all finished games give."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.ratings import Table, finish_of, rate
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_pages import Part
from pbm_oust.store.board_queries import rated_games
from pbm_oust.store.rating_lists import Explained, best_players, explain
from pbm_oust.store.ratings import (
    are_right,
    changes_by,
    count_all,
    forget_ratings,
    standings_of,
)
from pbm_oust.store.refreshing import look_at_histories
from tests.store.kept import OUST, Kept, edited, played
from tests.support.rings import examples


def computed(kept: Kept) -> list[Table]:
    """Return the ratings that come of all games in the index."""
    with kept.database.read() as snapshot:
        found = [each.finish for each in rated_games(snapshot, "oust")]
    return rate(finish for finish in found if finish)


def standings(tables: list[Table]) -> list[object]:
    return [(table.size, table.ordered()) for table in tables]


def kept_up_to_date(kept: Kept) -> list[object]:
    with kept.database.read() as snapshot:
        return standings(standings_of(snapshot, OUST))


def finished(kept: Kept, winner: str = "x", x: str = "alice", o: str = "bob") -> int:
    """Play a game that one side wins, and return its number."""
    number = kept.start("x C3", "o swap" if winner == "swap" else "o C4", x=x, o=o)
    kept.play(number, "o resign" if winner == "x" else "x resign")
    kept.settle()
    return number


def until(kept: Kept) -> list[tuple[int | None, int | None]]:
    return kept.rows("SELECT ended, board FROM ratings_until")


def test_a_rated_game_that_ends_is_counted_with_it(kept: Kept) -> None:
    for winner in ("x", "o", "x"):
        number = finished(kept, winner)
        assert kept_up_to_date(kept) == standings(computed(kept)) != []
        assert [board for _, board in until(kept)] == [number]
        assert kept.rows("SELECT sum(wins + losses) FROM ratings") == [(2 * number,)]


def test_games_that_end_in_the_same_second_count_by_their_numbers(kept: Kept) -> None:
    numbers = [finished(kept, x="alice", o=f"player{nth}") for nth in range(11)]
    assert numbers[-1] == 11
    (table,) = computed(kept)
    assert [rated.game.board for rated in table.games] == numbers
    assert kept_up_to_date(kept) == standings([table])


@pytest.mark.parametrize(
    "ending", [["o resign"], ["o C4", "x resign"], ["o C4", "x B4", "o resign"]]
)
def test_what_a_game_does_is_the_same_as_counted_from_the_first_one(
    ending: list[str], kept: Kept
) -> None:
    """It may have ended before the others, with one of them, or after them."""
    for winner in ("x", "o"):
        finished(kept, winner)
    number = kept.start("x C3")
    finish = finish_of(played(kept.read(number).game, *ending))
    assert finish
    with kept.database.read() as snapshot:
        rated = changes_by(snapshot, finish)
        games = [each.finish for each in rated_games(snapshot, "oust") if each.finish]
    (table,) = rate([*games, finish])
    assert rated == next(each for each in table.games if each.game == finish)


@pytest.mark.parametrize("deed", ["edit", "remove", "rename", "lay"])
def test_ratings_are_counted_anew_when_a_game_changes_that_was_counted(
    deed: str, kept: Kept
) -> None:
    first, *_ = [finished(kept, winner) for winner in ("x", "o", "x")]
    before = kept_up_to_date(kept)
    if deed == "edit":
        edited(kept.file(first), "o resign", "x resign")
        edited(kept.file(first), "= x", "= o")
    elif deed == "remove":
        kept.file(first).unlink()
    elif deed == "lay":
        text = kept.file(first).read_text().replace("Board: 1\n", "Board: 2000\n")
        kept.file(2000).write_text(text.replace("2026-11-", "2025-11-"))
    else:
        board = kept.read(first)
        kept.database.write(lambda each: kept.boards.rename(each, board, "bob", "robert"))
        kept.settle()
    look_at_histories(kept.database, kept.boards)
    assert until(kept) == [(None, 3)]
    assert kept_up_to_date(kept) == standings(computed(kept)) != before
    assert count_all(kept.database, OUST)
    assert until(kept) != [(None, 3)]
    assert kept_up_to_date(kept) == standings(computed(kept))


def test_a_history_that_was_only_read_again_changes_no_rating(kept: Kept) -> None:
    first = finished(kept)
    finished(kept)
    before = until(kept)
    kept.file(first).write_text(f"{kept.file(first).read_text()}# a remark\n")
    look_at_histories(kept.database, kept.boards)
    assert until(kept) == before


@examples(20)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["finish", "finish", "remove", "edit", "walk", "count"]),
            st.integers(0, 5),
        ),
        max_size=12,
    )
)
def test_ratings_are_those_of_the_index_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[tuple[str, int]]
) -> None:
    kept, numbers = Kept(Path(tmp_path_factory.mktemp("kept"))), list[int]()
    for deed, chosen in deeds:
        if deed == "finish":
            numbers.append(finished(kept, "xo"[chosen % 2], o=f"player{chosen}"))
        elif deed == "count":
            count_all(kept.database, KINDS["oust"])
        elif numbers and deed == "remove":
            kept.file(numbers.pop(chosen % len(numbers))).unlink()
        elif numbers and deed == "edit":
            path = kept.file(numbers[chosen % len(numbers)])
            x = "alice" if "X: alice" in path.read_text() else "alicia"
            edited(path, f"X: {x}", "X: alicia" if x == "alice" else "X: alice")
        look_at_histories(kept.database, kept.boards)
        assert kept_up_to_date(kept) == standings(computed(kept))
    kept.database.close()


def test_ratings_that_are_not_those_of_the_games_are_found(kept: Kept) -> None:
    finished(kept)
    with kept.database.read() as snapshot:
        assert are_right(snapshot, OUST)
    kept.database.write(lambda each: each.run("UPDATE ratings SET rating = rating + 1"))
    with kept.database.read() as snapshot:
        assert not are_right(snapshot, OUST)
    kept.database.write(lambda each: forget_ratings(each, OUST))
    assert count_all(kept.database, OUST)
    with kept.database.read() as snapshot:
        assert are_right(snapshot, OUST)
    assert kept_up_to_date(kept) == standings(computed(kept))


def test_what_games_did_is_told_as_if_all_were_counted(kept: Kept) -> None:
    """From the database, and from all games where it has to count them anew."""
    for nth, winner in enumerate("xoxxo"):
        finished(kept, winner, o=("bob", "carol")[nth % 2])
    parts = [Part(99), Part(2), Part(2, 2), Part(3, 4), Part(9, 9)]

    def told() -> list[object]:
        with kept.database.read() as snapshot:
            found: list[object] = [
                explain(snapshot, OUST, ["alice", "carol", "dave"], part) for part in parts
            ]
            return [*found, *(best_players(snapshot, OUST, part) for part in parts)]

    before = told()
    (table,) = computed(kept)
    changes = [(rated.game.name, rated.change_of("alice")) for rated in table.games]
    whole = before[0]
    assert isinstance(whole, Explained)
    assert whole.players[0] == ("alice", table.size, changes)
    assert [userid for userid, _, _ in whole.players] == ["alice", "carol"]
    assert whole.count == len(changes) + 2
    kept.database.write(lambda each: forget_ratings(each, OUST))
    assert told() == before
    assert count_all(kept.database, OUST)
    assert told() == before


def test_steps_that_are_not_those_of_the_games_are_found(kept: Kept) -> None:
    finished(kept)
    kept.database.write(lambda each: each.run("UPDATE rating_steps SET wins = wins + 1"))
    with kept.database.read() as snapshot:
        assert not are_right(snapshot, OUST)
