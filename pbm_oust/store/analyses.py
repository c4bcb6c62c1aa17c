"""Analyses of finished games, and the players who wait for one.

An analysis is made from a history, takes long to make, and stays when the index is made anew.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum

from pbm_oust.board import Game
from pbm_oust.robot import analysis as analyses
from pbm_oust.robot.search import can_search, has_core
from pbm_oust.store.database import Snapshot, Transaction, seconds
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName

MOST_WANTED = 5
"""The most analyses for which a player may wait at once."""
AT_ONCE = 100
"""How many wishes are looked at, at most: those that have waited longest."""
WANTED_LIFETIME = timedelta(days=30)
"""The longest wait for an analysis."""


def keep(transaction: Transaction, game: Game, analysis: analyses.Analysis) -> None:
    """Store the analysis of a finished game, in place of an earlier one."""
    transaction.run(
        "INSERT INTO analyses (kind, board, analysis) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, board) DO UPDATE SET analysis = excluded.analysis",
        *BoardName.of(game.header),
        analyses.format_analysis(analysis),
    )


def has_text(snapshot: Snapshot, name: BoardName) -> bool:
    """Return whether an analysis of a board is stored, of any version of its history."""
    return _text(snapshot, name) is not None


def kept(snapshot: Snapshot, game: Game) -> analyses.Analysis | None:
    """Return the analysis of a finished game; None if there is none of its present history."""
    text = _text(snapshot, BoardName.of(game.header)) if game.result else None
    if text:
        with suppress(analyses.BadAnalysis):
            found = analyses.parse_analysis(text)
            is_whole = len(found.evaluations) == len(game.records) + 1
            is_of_it = found.identity == analyses.identity_of(game)
            return found if is_whole and is_of_it else None
    return None


def damaged(snapshot: Snapshot) -> list[BoardName]:
    """Return the boards with an unreadable analysis, in order."""
    found = list[BoardName]()
    search = "SELECT kind, board, analysis FROM analyses ORDER BY kind, board"
    for kind, board, text in snapshot.rows(search):
        try:
            analyses.parse_analysis(text)
        except analyses.BadAnalysis:
            found.append(BoardName(kind, board))
    return found


def _text(snapshot: Snapshot, name: BoardName) -> str | None:
    search = "SELECT analysis FROM analyses WHERE kind = ? AND board = ?"
    row = snapshot.row(search, *name)
    return str(row[0]) if row else None


def want(transaction: Transaction, name: BoardName, userid: str, now: datetime) -> None:
    """Note that a player waits for the analysis of a board."""
    transaction.run(
        "INSERT INTO analyses_wanted (kind, board, userid, asked) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, board, userid) DO NOTHING",
        *(*name, userid, seconds(now)),
    )


def wanted_by(snapshot: Snapshot, userid: str) -> list[BoardName]:
    """Return the boards whose analysis a player waits for, in the order of asking."""
    search = "SELECT kind, board FROM analyses_wanted WHERE userid = ? ORDER BY asked, kind, board"
    return [BoardName(*row) for row in snapshot.rows(search, userid)]


def all_wanted(snapshot: Snapshot) -> list[BoardName]:
    """Return the boards whose analysis somebody waits for, in the order of asking."""
    rows = snapshot.rows("SELECT kind, board FROM analyses_wanted ORDER BY asked LIMIT ?", AT_ONCE)
    return [*dict.fromkeys(BoardName(*row) for row in rows)]


def waiting_for(snapshot: Snapshot, name: BoardName) -> list[str]:
    """Return the userids of those who wait for the analysis of a board."""
    search = "SELECT userid FROM analyses_wanted WHERE kind = ? AND board = ? ORDER BY userid"
    return [str(userid) for (userid,) in snapshot.rows(search, *name)]


def forget_waiting(transaction: Transaction, name: BoardName) -> None:
    """Remove all who wait for the analysis of a board."""
    transaction.run("DELETE FROM analyses_wanted WHERE kind = ? AND board = ?", *name)


class Obstacle(Enum):
    """Why nothing is searched."""

    OFF = "off"
    """The operator does not want it."""
    NO_CORE = "no_core"
    TOO_LARGE = "too_large"
    """The board has more cells than the house searches, or the house does not search the game."""


def obstacle_to(game: Game, home: Home) -> Obstacle | None:
    """Return why the house does not analyse a game that is over; None if it does."""
    configured, header = home.configured, game.header
    if not configured.house_analyses:
        return Obstacle.OFF
    if not has_core():
        return Obstacle.NO_CORE
    is_near = can_search(header.kind.name, header.grid, configured.house_cells)
    return None if is_near else Obstacle.TOO_LARGE
