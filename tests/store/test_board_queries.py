"""What is asked of the index of boards, and that each question has an index to answer it."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

import pytest

from pbm_oust.board import Ruling, Verb
from pbm_oust.board.header import Terms
from pbm_oust.board.ratings import finish_of, rate
from pbm_oust.rules import How, Result, Side
from pbm_oust.store.database import Snapshot
from pbm_oust.store.index import (
    BoardState,
    Entry,
    Source,
    Window,
    boards_between,
    boards_in,
    boards_of,
    boards_of_player,
    boards_waiting_for,
    boards_with,
    damaged_boards,
    due_by,
    find_entry,
    has_played,
    highest_source,
    started_by,
    started_from,
)
from pbm_oust.store.ratings import finished_games
from tests.store.kept import OUST, Kept, key_of, later, named, new_game, played
from tests.support.games import STARTED

HOUR = timedelta(hours=1)


def numbers(entries: list[Entry]) -> list[int]:
    """Return the numbers of boards."""
    return [entry.name.board for entry in entries]


@pytest.fixture
def full(kept: Kept) -> Kept:
    """Return a home with boards of alice, bob and carol in all states."""
    kept.start("x C3")
    kept.start("x C3", "o resign", x="bob", o="carol")
    kept.start(x="carol", o="alice", seek=b"# seek 5\n")
    kept.start("x C3", "o C4", "x resign", x="alice", o="carol", seek=b"# seek 7\n")
    kept.start("x C3", x="alice", o="carol")
    board = kept.read(3)
    adopted = board.game.rule(
        Ruling(Verb.ADOPT, Side.X, "bob"), later(board.game), key_of(board.game)
    )
    kept.database.write(lambda each: kept.boards.append(each, board, adopted))
    kept.damage(5, "x C3", "x Z9")
    return kept


def ask(kept: Kept, question: Callable[[Snapshot], object]) -> object:
    """Return what the index answers."""
    with kept.database.read() as snapshot:
        return question(snapshot)


def test_an_entry_says_all_about_a_board(full: Kept) -> None:
    assert ask(full, lambda each: find_entry(each, named(4))) == Entry(
        name=named(4),
        grid="square 5x5",
        x="alice",
        o="carol",
        to_move=None,
        result=Result(Side.O, How.RESIGN),
        is_rated=True,
        started=STARTED,
        latest=STARTED + 3 * HOUR,
        records=3,
        due=None,
    )
    assert ask(full, lambda each: find_entry(each, named(5))) is None


def test_boards_of_a_player(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert numbers(boards_of_player(snapshot, "alice")) == [1, 3]
        assert boards_of_player(snapshot, "dave") == []


def test_a_player_who_has_handed_a_side_over_still_stands_in_the_history(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert numbers(boards_of_player(snapshot, "bob")) == [1, 3]
        assert boards_of_player(snapshot, "carol") == []
        assert named(3) in boards_with(snapshot, "carol")


def test_boards_that_wait_for_a_player(full: Kept) -> None:
    with full.database.read() as snapshot:
        found = boards_waiting_for(snapshot, "oust", ["bob", "dave"], Window(9))
        assert sorted(numbers(found.entries)) == [1, 3]
        assert found.count == 2
        assert boards_waiting_for(snapshot, "oust", ["alice"], Window(9)).entries == []
        assert boards_waiting_for(snapshot, "churn", ["bob"], Window(9)).entries == []


def test_boards_between_two_players(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert boards_between(snapshot, "alice", "carol") == [named(3), named(4), named(5)]
        assert boards_between(snapshot, "bob", "alice") == [named(1), named(3)]


def test_boards_in_whose_history_a_player_stands(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert boards_with(snapshot, "bob") == [named(1), named(2), named(3)]
        assert has_played(snapshot, "carol")
        assert not has_played(snapshot, "dave")


def test_boards_that_ended_of_late(full: Kept) -> None:
    with full.database.read() as snapshot:
        over = partial(boards_in, snapshot, "oust", [BoardState.OVER])
        assert numbers(over(Window(9), STARTED).entries) == [4, 2]
        assert numbers(over(Window(9), STARTED + 2 * HOUR).entries) == [4]


def test_parts_of_a_list_make_the_whole_list(full: Kept) -> None:
    with full.database.read() as snapshot:
        lists = [
            partial(boards_in, snapshot, "oust", [BoardState.ACTIVE, BoardState.OVER]),
            partial(
                boards_of, snapshot, "oust", ["alice", "bob"], [BoardState.ACTIVE, BoardState.OVER]
            ),
            partial(boards_waiting_for, snapshot, "oust", ["alice", "bob"]),
        ]
        wanted = [{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 3}]
        for listed, boards in zip(lists, wanted, strict=True):
            whole = listed(Window(9))
            assert set(numbers(whole.entries)) == boards
            assert whole.count == len(boards)
            assert whole.entries == sorted(
                whole.entries, key=lambda entry: (entry.latest, entry.name), reverse=True
            )
            parts = [listed(Window(1, skipped)) for skipped in range(len(boards))]
            assert [entry for part in parts for entry in part.entries] == whole.entries
            assert {part.count for part in parts} == {whole.count}
            assert listed(Window(9, len(boards))).entries == []


def test_boards_on_which_something_may_be_due(full: Kept) -> None:
    full.start()
    due = STARTED + timedelta(days=Terms().nagtime)
    with full.database.read() as snapshot:
        assert due_by(snapshot, due - HOUR) == []
        assert due_by(snapshot, due) == [named(6)]
        assert due_by(snapshot, due + HOUR) == [named(6), named(1), named(3)]


def test_the_board_that_a_mail_has_started(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert started_by(snapshot, f"{4:016d}") == named(4)
        assert started_by(snapshot, f"{5:016d}") == named(5)
        assert started_by(snapshot, "f" * 16) is None


def test_the_board_that_came_from_an_open_challenge(full: Kept) -> None:
    with full.database.read() as snapshot:
        assert started_from(snapshot, "oust", Source("seek", 7)) == named(4)
        for kind, source in (("oust", Source("seek", 6)), ("churn", Source("seek", 7))):
            assert started_from(snapshot, kind, source) is None
        assert started_from(snapshot, "oust", Source("other", 7)) is None
        assert highest_source(snapshot, "oust", "seek") == 7
        assert highest_source(snapshot, "churn", "seek") == 0


def test_damaged_boards_with_line_and_reason(full: Kept) -> None:
    full.file(8).write_text("nothing\n")
    full.rebuild()
    with full.database.read() as snapshot:
        found = damaged_boards(snapshot, "oust")
        assert [(each.name.board, each.line) for each in found] == [(5, 11), (8, 1)]
        assert found[0].reason == "Z9 by x: Z9 is refused, off grid"
        of_carol = damaged_boards(snapshot, "oust", ["carol"])
        of_bob = damaged_boards(snapshot, "oust", ["bob"])
    assert [each.name.board for each in of_carol] == [5, 8]
    assert [each.name.board for each in of_bob] == [8]


def test_games_count_for_ratings_in_the_order_of_the_ratings(kept: Kept) -> None:
    def add(number: int, terms: Terms, *commands: str) -> None:
        game = played(new_game(number, terms=terms), *commands)
        kept.database.write(lambda each: kept.boards.start(each, game))

    for number in (9, 10, 11):
        add(number, Terms(), "x C3", "o resign")
    add(2, Terms(), "x C3", "o C4", "x resign")
    add(3, Terms(rated=False), "x C3", "o resign")
    add(4, Terms(), "x decline")
    add(5, Terms(), "x C3")
    with kept.database.read() as snapshot:
        games = finished_games(snapshot, OUST)
    finishes = (finish_of(kept.read(number).game) for number in (2, 3, 4, 5, 9, 10, 11))
    (table,) = rate(filter(None, finishes))
    assert [each.board for each in games] == [9, 10, 11, 2]
    assert games == [each.game for each in table.games]
