"""Parts of the standings, and of the games that led to the ratings of players.

They come from the database if all games have been counted, and otherwise from all games.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pbm_oust.board.ratings import Change, SizeClass, Standing, Table, rate
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Part
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.rating_steps import count_steps, latest_changes
from pbm_oust.store.ratings import games_after, is_up_to_date, standings_of

Changes = list[tuple[str, Change]]
"""What games did to the rating of a player, by their names."""
_Key = tuple[str, SizeClass]


@dataclass(frozen=True, slots=True)
class Best:
    """The best players of a class of sizes, or those after them."""

    size: SizeClass
    standings: list[Standing]
    count: int
    """How many players have rated games of that class."""


@dataclass(frozen=True, slots=True)
class Explained:
    """What games did to the ratings of some players."""

    players: list[tuple[str, SizeClass, Changes]]
    """For each player and class of sizes some games, the latest last."""
    count: int
    """How many games there are for all of them."""


def best_players(snapshot: Snapshot, kind: Kind, part: Part) -> list[Best]:
    """Return the same part of the standings of each class of sizes."""
    if not is_up_to_date(snapshot, kind):
        end = part.skipped + part.most
        ordered = ((each.size, each.ordered()) for each in standings_of(snapshot, kind))
        return [Best(size, every[part.skipped : end], len(every)) for size, every in ordered]
    found = (_best(snapshot, kind, size, part) for size in SizeClass)
    return [best for best in found if best.count]


def explain(snapshot: Snapshot, kind: Kind, userids: Sequence[str], part: Part) -> Explained:
    """Return a part of the games of some players.

    It goes through the players and the classes of sizes in turn, and of each takes the latest games
    first.
    """
    if is_up_to_date(snapshot, kind):
        counts = {
            (userid, size): count
            for userid in userids
            for size, count in count_steps(snapshot, kind, userid).items()
        }

        def read(userid: str, size: SizeClass, wanted: Part) -> Changes:
            return latest_changes(snapshot, kind, userid, size, wanted)

    else:
        tables = rate(games_after(snapshot, kind, None))
        changes = {
            (userid, table.size): _changes(table, userid)
            for userid in userids
            for table in tables
            if userid in table.standings
        }
        counts = {key: len(found) for key, found in changes.items()}

        def read(userid: str, size: SizeClass, wanted: Part) -> Changes:
            latest = changes[userid, size][::-1]
            return latest[wanted.skipped : wanted.skipped + wanted.most]

    return Explained(_part(counts, read, part), sum(counts.values()))


def _best(snapshot: Snapshot, kind: Kind, size: SizeClass, part: Part) -> Best:
    key = kind.name, size.value
    counted = snapshot.row("SELECT count(*) FROM ratings WHERE kind = ? AND size = ?", *key)
    rows = snapshot.rows(
        "SELECT userid, rating, wins, losses, draws, worth FROM ratings "
        "WHERE kind = ? AND size = ? ORDER BY rating DESC, userid LIMIT ? OFFSET ?",
        *key,
        part.most,
        part.skipped,
    )
    return Best(size, [Standing(*row) for row in rows], counted[0] if counted else 0)


def _part(
    counts: Mapping[_Key, int], read: Callable[[str, SizeClass, Part], Changes], part: Part
) -> list[tuple[str, SizeClass, Changes]]:
    """Return the changes of a part of all, which `read` returns for a part of one player's."""
    found, most, skipped = list[tuple[str, SizeClass, Changes]](), part.most, part.skipped
    for (userid, size), count in counts.items():
        taken = min(most, max(0, count - skipped))
        if taken:
            found.append((userid, size, read(userid, size, Part(taken, skipped))[::-1]))
        most, skipped = most - taken, max(0, skipped - count)
    return found


def _changes(table: Table, userid: str) -> Changes:
    """Return what the games of a player did to the rating."""
    found = ((rated.game.name, rated.change_of(userid)) for rated in table.games)
    return [(name, change) for name, change in found if change]
