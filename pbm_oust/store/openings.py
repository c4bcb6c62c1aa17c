"""Openings of finished games in the database: what was placed in a position, and who won.

A board whose game ends is noted in the transaction in which it does; the next sweep looks at its
first placements. They are rows of the board, and go with it. They name no player.
"""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

from pbm_oust.board import Game
from pbm_oust.experiments.openings import ResultCount, openings_of, turned
from pbm_oust.rules import How, Position, Side
from pbm_oust.store.boards import Boards, DamagedHistory
from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.index import BoardName

MOST_PLACEMENTS = 20
"""The number of placements of a game that are counted: the first."""
MOST_GAMES = 1000
"""The most games that are counted for a position: those with the highest numbers."""
AT_ONCE = 50
"""The number of games that are looked at while others wait to write."""


def played_from(snapshot: Snapshot, kind: str, position: Position) -> dict[int, ResultCount]:
    """Return what came of the placements in a position, by their numbers."""
    rows = snapshot.rows(
        "SELECT number, side, winner FROM openings WHERE kind = ? AND position = ? "
        "ORDER BY board DESC LIMIT ?",
        *(kind, turned(position).key, MOST_GAMES),
    )
    found = defaultdict[int, ResultCount](ResultCount)
    for number, side, winner in rows:
        count = ResultCount.of(Side(side), Side(winner) if winner else None)
        found[number] = found[number].plus(count)
    return found


def count_ended(database: Database, boards: Boards) -> None:
    """Count the openings of games that have ended.

    It is done in parts, so that nobody else waits for all of it. Raises DatabaseFault.
    """
    with database.read() as snapshot:
        is_behind = bool(_wanted(snapshot, 1))
    while is_behind:
        is_behind = database.write(partial(_count_some, boards=boards))


def _wanted(snapshot: Snapshot, most: int) -> list[BoardName]:
    """Return boards whose openings wait to be counted."""
    rows = snapshot.rows("SELECT kind, board FROM openings_wanted LIMIT ?", most)
    return [BoardName(*row) for row in rows]


def _count_some(transaction: Transaction, boards: Boards) -> bool:
    """Count the openings of some games, and return whether others wait."""
    names = _wanted(transaction, AT_ONCE)
    for name in names:
        transaction.run("DELETE FROM openings WHERE kind = ? AND board = ?", *name)
        transaction.run("DELETE FROM openings_wanted WHERE kind = ? AND board = ?", *name)
        with suppress(DamagedHistory):
            game = boards.replayed(name, boards.history(transaction, name)).game
            transaction.run_all(
                "INSERT INTO openings (kind, position, board, number, side, winner) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                list(_rows(name, game)),
            )
    return len(names) == AT_ONCE


def _rows(name: BoardName, game: Game) -> Iterator[tuple[str | int | None, ...]]:
    """Yield the rows of a game; none of one that continues another, or counts as never begun."""
    result, header = game.result, game.header
    if result is None or result.how is How.VOID or header.origin:
        return
    winner = result.winner.value if result.winner else None
    begun = openings_of(header.first_position, game.placed_cells, MOST_PLACEMENTS)
    for key, number, side in begun:
        yield name.kind, key, name.board, number, side.value, winner
