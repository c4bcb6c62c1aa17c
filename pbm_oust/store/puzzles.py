"""First tries of puzzles by players, as numbers and without names."""

from msgspec import Struct

from pbm_oust.store.database import Snapshot, Transaction


class Tries(Struct, frozen=True):
    """The numbers of players who have tried a puzzle, and who failed at their first try."""

    tried: int = 0
    failed: int = 0


def note_try(transaction: Transaction, kind: str, number: int, *, is_failed: bool) -> None:
    """Count the first try of a player."""
    transaction.run(
        "INSERT INTO puzzle_tries AS t (kind, number, tried, failed) VALUES (?, ?, 1, ?) "
        "ON CONFLICT (kind, number) DO UPDATE SET tried = t.tried + 1, "
        "failed = t.failed + excluded.failed",
        *(kind, number, int(is_failed)),
    )


def tries_of(snapshot: Snapshot, kind: str) -> dict[int, Tries]:
    """Return the first tries of the puzzles of a game, by the numbers of the puzzles."""
    search = "SELECT number, tried, failed FROM puzzle_tries WHERE kind = ?"
    return {number: Tries(tried, failed) for number, tried, failed in snapshot.rows(search, kind)}
