"""Ratings that are kept up to date are those that all finished games give."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.board.ratings import Finish, Table, finish_of, rate
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store import ratings
from pbm_oust.store.board_pages import Part
from pbm_oust.store.board_queries import rated_games
from pbm_oust.store.connections import Row, Transaction, Value
from pbm_oust.store.rating_lists import Explained, best_players, explain
from pbm_oust.store.ratings import (
    changes_by,
    count_all,
    counted_until,
    forget_ratings,
    is_up_to_date,
    standings_of,
    wrongly_rated,
)
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
    return number


def until(kept: Kept) -> int:
    """Return the number of the game up to which all have been counted."""
    with kept.database.read() as snapshot:
        return counted_until(snapshot, OUST)[1]


def is_counted(kept: Kept) -> bool:
    with kept.database.read() as snapshot:
        return is_up_to_date(snapshot, OUST)


def are_right(kept: Kept) -> bool:
    with kept.database.read() as snapshot:
        return not wrongly_rated(snapshot, OUST)


def test_a_rated_game_that_ends_is_counted_with_it(kept: Kept) -> None:
    for winner in ("x", "o", "x"):
        number = finished(kept, winner)
        assert kept_up_to_date(kept) == standings(computed(kept)) != []
        assert until(kept) == number
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


@pytest.mark.parametrize("deed", ["edit", "rename", "lay"])
def test_ratings_are_counted_anew_when_a_game_changes_that_was_counted(
    deed: str, kept: Kept
) -> None:
    first, *_ = [finished(kept, winner) for winner in ("x", "o", "x")]
    before = kept_up_to_date(kept)
    if deed == "edit":
        edited(kept.file(first), "o resign", "x resign")
        kept.damage(first, "= x", "= o")
    elif deed == "lay":
        text = kept.file(first).read_text().replace("Board: 1\n", "Board: 2000\n")
        kept.file(2000).write_text(text.replace("2026-11-", "2025-11-"))
        kept.rebuild()
    else:
        board = kept.read(first)
        kept.database.write(lambda each: kept.boards.rename(each, board, "bob", "robert"))
        count_all(kept.database, OUST)
    assert is_counted(kept)
    assert are_right(kept)
    assert kept_up_to_date(kept) == standings(computed(kept)) != before


@examples(20)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["finish", "finish", "damage", "edit", "rebuild", "count"]),
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
        elif numbers and deed == "damage":
            kept.damage(numbers.pop(chosen % len(numbers)), "x C3", "x Z9")
        elif numbers and deed == "edit":
            path = kept.file(numbers[chosen % len(numbers)])
            x = "alice" if "X: alice" in path.read_text() else "alicia"
            edited(path, f"X: {x}", "X: alicia" if x == "alice" else "X: alice")
            kept.rebuild()
        elif deed == "rebuild":
            kept.rebuild()
        assert kept_up_to_date(kept) == standings(computed(kept))
        assert kept.kept_counts() == kept.counts()
    kept.database.close()


def test_ratings_that_are_not_those_of_the_games_are_found(kept: Kept) -> None:
    finished(kept)
    assert are_right(kept)
    kept.database.write(lambda each: each.run("UPDATE ratings SET rating = rating + 1"))
    assert not are_right(kept)
    kept.database.write(lambda each: forget_ratings(each, OUST))
    count_all(kept.database, OUST)
    assert are_right(kept)
    assert kept_up_to_date(kept) == standings(computed(kept))


def test_what_games_did_is_told_as_if_all_were_counted(kept: Kept) -> None:
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
    count_all(kept.database, OUST)
    assert told() == before


def test_steps_that_are_not_those_of_the_games_are_found(kept: Kept) -> None:
    finished(kept)
    kept.database.write(lambda each: each.run("UPDATE rating_steps SET wins = wins + 1"))
    assert not are_right(kept)


def test_a_game_that_ends_in_the_second_of_a_later_one_is_counted_with_it(kept: Kept) -> None:
    """Only the games after it are taken back, and it is known at once what it does."""
    for winner in ("x", "o"):
        finished(kept, winner)
    number = kept.start("x C3", "o C4", o="carol")
    later = [finished(kept, x="carol"), finished(kept, x="dave", o="bob")]
    game = played(kept.read(number).game, "x resign")
    assert {each.ended for each in _finishes(kept)} == {game.latest}
    finish = finish_of(game)
    assert finish
    with kept.database.read() as snapshot:
        rated = changes_by(snapshot, finish)
    kept.play(number, "x resign")
    assert is_counted(kept)
    assert until(kept) == later[-1]
    (table,) = computed(kept)
    assert rated == table.games[number - 1]
    assert [each.game.board for each in table.games] == [1, 2, number, *later]
    assert are_right(kept)


def _finishes(kept: Kept) -> list[Finish]:
    with kept.database.read() as snapshot:
        return [each.finish for each in rated_games(snapshot, "oust") if each.finish]


def test_no_command_counts_more_than_some_games(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left then is counted by those whom nobody waits for."""
    games = [finished(kept, o=f"player{nth}") for nth in range(7)]
    kept.database.write(lambda each: forget_ratings(each, OUST))
    monkeypatch.setattr(ratings, "MOST_AT_ONCE", 2)
    number = kept.start("x C3", "o C4")
    game = played(kept.read(number).game, "x resign")
    finish = finish_of(game)
    assert finish
    with kept.database.read() as snapshot:
        assert changes_by(snapshot, finish) is None
    kept.play(number, "x resign")
    assert until(kept) == games[1]
    assert not is_counted(kept)
    count_all(kept.database, OUST)
    assert is_counted(kept)
    assert are_right(kept)
    kept.damage(games[3], "X: alice", "X: zoe")
    assert are_right(kept)


def test_what_waits_to_be_counted_is_read_within_bounds(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    for nth in range(9):
        finished(kept, o=f"player{nth}")
    kept.database.write(lambda each: forget_ratings(each, OUST))
    monkeypatch.setattr(ratings, "MOST_AT_ONCE", 3)
    most = 0

    class Counting(Transaction):
        def rows(self, statement: str, *values: Value) -> list[Row]:
            nonlocal most
            found = super().rows(statement, *values)
            most = max(most, len(found))
            return found

    def catch_up(transaction: Transaction) -> bool:
        return ratings.catch_up(Counting(transaction._connection), OUST)

    while kept.database.write(catch_up):
        assert most == 3
    assert is_counted(kept)
    assert are_right(kept)
