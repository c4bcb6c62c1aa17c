"""Players by the days on which they last played, as the boards say."""

from datetime import date, timedelta
from pathlib import Path

from pbm_oust.store.boards import Boards, read_rows
from pbm_oust.store.database import Database, Transaction
from pbm_oust.store.index import BoardName
from pbm_oust.store.players import Player, latest_players
from tests.support.histories import short_history

FIRST = date(2026, 11, 2)
NAMES = ("ann", "ben", "cat", "dan")


def boards_of(database: Database) -> Boards:
    """Return boards, on which each of `NAMES` has moved a day later than the one before."""
    boards = Boards(Path(), database.time)
    for nth, userid in enumerate(NAMES):
        day = FIRST + timedelta(days=nth)
        put(database, boards, nth + 1, f"{day}T23:59:59Z", x=userid)
    return boards


def put(database: Database, boards: Boards, board: int, moved: str, **owners: str) -> None:
    """Write the board of two players on which x has moved."""
    name = BoardName("oust", board)
    rows = read_rows(name, short_history(board, moved, **owners).encode())
    database.write(lambda transaction: boards.put_all(transaction, [rows]))


def found(database: Database, since: date = FIRST, after: Player | None = None) -> list[str]:
    """Return a page of two players, each with the day: `dan 5`."""
    with database.read() as snapshot:
        players = latest_players(snapshot, since, 2, after)
    return [f"{each.userid} {each.day.day}" for each in players]


def test_the_latest_come_first_and_those_of_a_day_by_their_names(database: Database) -> None:
    boards_of(database)
    assert found(database) == ["bob 5", "dan 5"]
    assert found(database, after=Player("bob", date(2026, 11, 5))) == ["dan 5", "cat 4"]
    assert found(database, after=Player("cat", date(2026, 11, 4))) == ["ben 3", "ann 2"]
    assert found(database, after=Player("ann", date(2026, 11, 2))) == []


def test_who_has_not_played_since_is_left_out(database: Database) -> None:
    boards_of(database)
    after = Player("dan", date(2026, 11, 5))
    assert found(database, since=date(2026, 11, 4), after=after) == ["cat 4"]


def test_an_earlier_move_elsewhere_changes_nothing(database: Database) -> None:
    boards = boards_of(database)
    put(database, boards, 9, "2026-11-02T00:00:00Z", x="dan")
    assert found(database) == ["bob 5", "dan 5"]


def test_who_has_another_userid_is_there_once(database: Database) -> None:
    boards = boards_of(database)
    database.write(lambda transaction: boards.rename_player(transaction, "dan", "eve"))
    assert found(database) == ["bob 5", "eve 5"]


def test_who_is_forgotten_is_not_there(database: Database) -> None:
    boards = boards_of(database)
    database.write(lambda transaction: boards.rename_player(transaction, "dan", "gone-1"))
    assert found(database) == ["bob 5", "cat 4"]


def test_whose_only_board_is_removed_is_not_there(database: Database) -> None:
    boards = boards_of(database)

    def remove(transaction: Transaction) -> None:
        boards.remove(transaction, BoardName("oust", 4))

    database.write(remove)
    assert found(database) == ["bob 5", "cat 4"]
