"""Analyses of games that are over, and who waits for one.

They are made from histories, take long to make, and stay when the index is made anew.
"""

from contextlib import suppress
from datetime import datetime, timedelta

from pbm_oust.board import Game
from pbm_oust.robot import analysis as analyses
from pbm_oust.store.database import Snapshot, Transaction, seconds
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName

MOST_WANTED = 5
"""The most games for whose analysis a player may wait at once."""
AT_ONCE = 100
"""How many wishes are looked at, at most: those that have waited longest."""
WANTED_LIFETIME = timedelta(days=30)
"""How long somebody waits for an analysis at most, if nobody makes it."""


def keep(transaction: Transaction, game: Game, analysis: analyses.Analysis) -> None:
    """Keep the analysis of a game that is over, instead of one that was kept before."""
    transaction.run(
        "INSERT INTO analyses (kind, board, analysis) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, board) DO UPDATE SET analysis = excluded.analysis",
        *BoardName.of(game.header),
        analyses.format_analysis(analysis),
    )


def has_text(snapshot: Snapshot, name: BoardName) -> bool:
    """Return whether an analysis of a board is kept, of whatever history."""
    return _text(snapshot, name) is not None


def kept(home: Home, game: Game) -> analyses.Analysis | None:
    """Return the analysis of a game that is over; None if none is kept of the history as it is."""
    text = home.ask(_text, BoardName.of(game.header)) if game.result else None
    if text:
        with suppress(analyses.BadAnalysis):
            found = analyses.parse_analysis(text)
            return found if found.identity == analyses.identity_of(game) else None
    return None


def _text(snapshot: Snapshot, name: BoardName) -> str | None:
    search = "SELECT analysis FROM analyses WHERE kind = ? AND board = ?"
    row = snapshot.row(search, *name)
    return str(row[0]) if row else None


def want(transaction: Transaction, name: BoardName, userid: str, now: datetime) -> None:
    """Let a player wait for the analysis of a board."""
    transaction.run(
        "INSERT INTO analyses_wanted (kind, board, userid, asked) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, board, userid) DO NOTHING",
        *(*name, userid, seconds(now)),
    )


def wanted_by(snapshot: Snapshot, userid: str) -> list[BoardName]:
    """Return the boards for whose analysis a player waits, in the order of asking."""
    search = "SELECT kind, board FROM analyses_wanted WHERE userid = ? ORDER BY asked, kind, board"
    return [BoardName(*row) for row in snapshot.rows(search, userid)]


def all_wanted(snapshot: Snapshot) -> list[BoardName]:
    """Return the boards for whose analysis somebody waits, that first that was asked for first."""
    rows = snapshot.rows("SELECT kind, board FROM analyses_wanted ORDER BY asked LIMIT ?", AT_ONCE)
    return [*dict.fromkeys(BoardName(*row) for row in rows)]


def waiting_for(snapshot: Snapshot, name: BoardName) -> list[str]:
    """Return the userids of those who wait for the analysis of a board."""
    search = "SELECT userid FROM analyses_wanted WHERE kind = ? AND board = ? ORDER BY userid"
    return [str(userid) for (userid,) in snapshot.rows(search, *name)]


def forget_waiting(transaction: Transaction, name: BoardName) -> None:
    """Let nobody wait for the analysis of a board any more."""
    transaction.run("DELETE FROM analyses_wanted WHERE kind = ? AND board = ?", *name)
