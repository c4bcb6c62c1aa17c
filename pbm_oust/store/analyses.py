"""Analyses of games, one for a board, as text.

They are made from histories, which takes long, so they stay when the index of boards is made anew.
"""

from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.index import BoardName


def keep_analysis(transaction: Transaction, name: BoardName, text: str) -> None:
    """Keep the analysis of a board instead of one that was kept before."""
    transaction.run(
        "INSERT INTO analyses (kind, board, analysis) VALUES (?, ?, ?)"
        " ON CONFLICT (kind, board) DO UPDATE SET analysis = excluded.analysis",
        name.kind,
        name.board,
        text,
    )


def find_analysis(snapshot: Snapshot, name: BoardName) -> str | None:
    """Return the analysis of a board; None if none is kept."""
    search = "SELECT analysis FROM analyses WHERE kind = ? AND board = ?"
    row = snapshot.row(search, name.kind, name.board)
    return str(row[0]) if row else None


def has_analysis(snapshot: Snapshot, name: BoardName) -> bool:
    """Return whether an analysis of a board is kept."""
    search = "SELECT 1 FROM analyses WHERE kind = ? AND board = ?"
    return snapshot.row(search, name.kind, name.board) is not None
