"""Openings of games that are over, as sweeps count them."""

from pathlib import Path

import pytest

from pbm_oust.experiments.openings import ResultCount, turned
from pbm_oust.rules import KINDS, parse_grid
from pbm_oust.store import openings
from pbm_oust.store.boards import Boards, read_rows
from pbm_oust.store.database import Database
from pbm_oust.store.index import BoardName
from pbm_oust.store.openings import count_ended, played_from
from tests.support.histories import short_history

START = KINDS["oust"].start(parse_grid("square 5x5"))
CENTRE = turned(START).number_of(START.grid.parse_cell("C3"))
ENDED = "2026-11-03T00:00:00Z"


@pytest.fixture
def boards(database: Database) -> Boards:
    return Boards(Path(), database.time)


def put(database: Database, boards: Boards, board: int, history: str) -> None:
    """Write the history of a board, and count what has ended."""
    rows = read_rows(BoardName("oust", board), history.encode())
    database.write(lambda transaction: boards.put_all(transaction, [rows]))
    count_ended(database, boards)


def found(database: Database, kind: str = "oust") -> dict[int, ResultCount]:
    """Return what was placed first on square 5x5."""
    with database.read() as snapshot:
        return played_from(snapshot, kind, START)


def over(board: int) -> str:
    """Return the history of a game that x, who has placed C3, has won."""
    return short_history(board, "2026-11-02T00:00:00Z", ENDED)


def test_games_that_are_over_are_counted_once(database: Database, boards: Boards) -> None:
    for board in (1, 2, 3):
        put(database, boards, board, over(board))
    put(database, boards, 4, short_history(4, "2026-11-02T00:00:00Z"))
    assert found(database) == {CENTRE: ResultCount(3, 0, 0)}
    assert found(database, "churn") == {}
    put(database, boards, 2, over(2))
    assert found(database) == {CENTRE: ResultCount(3, 0, 0)}


def test_what_the_other_side_has_won_counts_for_it(database: Database, boards: Boards) -> None:
    lost = over(1).replace("2 o resign ", "2 * award o").replace("= x resign", "= o agreed")
    put(database, boards, 1, lost)
    assert found(database) == {CENTRE: ResultCount(0, 0, 1)}


def test_a_board_that_goes_takes_its_openings_along(database: Database, boards: Boards) -> None:
    put(database, boards, 1, over(1))
    put(database, boards, 2, over(2))
    database.write(lambda transaction: boards.remove(transaction, BoardName("oust", 1)))
    assert found(database) == {CENTRE: ResultCount(1, 0, 0)}


def test_a_game_whose_history_has_no_end_any_more_is_not_counted(
    database: Database, boards: Boards
) -> None:
    put(database, boards, 1, over(1))
    put(database, boards, 1, short_history(1, "2026-11-02T00:00:00Z"))
    assert found(database) == {}


def test_games_that_never_began_and_damaged_ones_are_left_out(
    database: Database, boards: Boards
) -> None:
    void = over(1).replace("2 o resign", "2 * void  ").replace("= x resign", "= draw void")
    put(database, boards, 1, void)
    put(database, boards, 2, over(2).replace("x C3 ", "x Z9 "))
    assert found(database) == {}
    with database.read() as snapshot:
        assert not snapshot.rows("SELECT kind FROM openings_wanted WHERE kind = 'oust'")


def test_the_latest_games_count_where_there_are_many(
    database: Database, boards: Boards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openings, "MOST_GAMES", 3)
    monkeypatch.setattr(openings, "AT_ONCE", 2)
    rows = [read_rows(BoardName("oust", board), over(board).encode()) for board in range(1, 8)]
    database.write(lambda transaction: boards.put_all(transaction, rows))
    assert found(database) == {}
    count_ended(database, boards)
    assert found(database) == {CENTRE: ResultCount(3, 0, 0)}
    with database.read() as snapshot:
        assert snapshot.number("SELECT count(*) FROM openings WHERE kind = 'oust'") == 7
