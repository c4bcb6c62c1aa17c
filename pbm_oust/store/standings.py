"""What players have achieved in the rated games that have been counted, in rows of the database."""

from collections.abc import Iterable

from pbm_oust.board.ratings import SizeClass, Standing
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Part
from pbm_oust.store.connections import Snapshot, Transaction, Value

STANDINGS = "SELECT size, userid, rating, wins, losses, draws, worth FROM"
"""The beginning of a statement whose rows `read_standings` reads."""

Key = tuple[SizeClass, str]
"""A class of sizes, and a userid: who has a standing."""


def read_standings(snapshot: Snapshot, statement: str, *values: Value) -> dict[Key, Standing]:
    """Return the standings that a statement gives, in its order."""
    rows = snapshot.rows(statement, *values)
    found = ((SizeClass(size), Standing(*standing)) for size, *standing in rows)
    return {(size, standing.userid): standing for size, standing in found}


def values_of(standing: Standing) -> tuple[str, float, int, int, int, float]:
    """Return the values of the columns of a standing."""
    return (
        standing.userid,
        standing.rating,
        standing.wins,
        standing.losses,
        standing.draws,
        standing.worth,
    )


def find_standing(snapshot: Snapshot, kind: Kind, key: Key) -> Standing | None:
    """Return what a player has achieved; None without rated games."""
    size, userid = key
    statement = f"{STANDINGS} ratings WHERE kind = ? AND size = ? AND userid = ?"
    return read_standings(snapshot, statement, kind.name, size.value, userid).get(key)


def all_standings(snapshot: Snapshot, kind: Kind) -> dict[Key, Standing]:
    """Return what all players of a kind have achieved."""
    return read_standings(snapshot, f"{STANDINGS} ratings WHERE kind = ?", kind.name)


def best_standings(snapshot: Snapshot, kind: Kind, size: SizeClass, part: Part) -> list[Standing]:
    """Return a part of the standings of a class of sizes, the highest rating first."""
    found = read_standings(
        snapshot,
        f"{STANDINGS} ratings WHERE kind = ? AND size = ? "
        "ORDER BY rating DESC, userid LIMIT ? OFFSET ?",
        kind.name,
        size.value,
        part.most,
        part.skipped,
    )
    return list(found.values())


def count_standings(snapshot: Snapshot, kind: Kind, size: SizeClass) -> int:
    """Return how many players have rated games of a class of sizes."""
    row = snapshot.row(
        "SELECT number FROM rating_counts WHERE kind = ? AND size = ?", kind.name, size.value
    )
    return int(row[0]) if row else 0


def write_standings(
    transaction: Transaction, kind: Kind, size: SizeClass, standings: Iterable[Standing]
) -> None:
    """Keep what players have achieved, in place of what was kept of them."""
    for standing in standings:
        transaction.send(
            "INSERT INTO ratings (kind, size, userid, rating, wins, losses, draws, worth) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, size, userid) "
            "DO UPDATE SET rating = excluded.rating, wins = excluded.wins, "
            "losses = excluded.losses, draws = excluded.draws, worth = excluded.worth",
            kind.name,
            size.value,
            *values_of(standing),
        )


def remove_standing(transaction: Transaction, kind: Kind, key: Key) -> None:
    """Forget what a player has achieved in a class of sizes."""
    size, userid = key
    transaction.send(
        "DELETE FROM ratings WHERE kind = ? AND size = ? AND userid = ?",
        kind.name,
        size.value,
        userid,
    )


def remove_standings(transaction: Transaction, kind: Kind) -> None:
    """Forget what all players of a kind have achieved."""
    transaction.send("DELETE FROM ratings WHERE kind = ?", kind.name)
