"""Parts of the standings, and of the games that led to the ratings of players."""

from collections.abc import Mapping, Sequence

from pbm_oust.board.ratings import (
    Change,
    SizeClass,
    Standing,
    Table,
    count_game,
    size_class,
)
from pbm_oust.frozen import frozen
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Part
from pbm_oust.store.board_queries import FIRST_PLACE
from pbm_oust.store.columns import ALL_ROWS
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.rating_steps import count_steps, latest_changes, place_of, steps_after
from pbm_oust.store.ratings import finished_games, standings_of
from pbm_oust.store.standings import best_standings, count_standings

Changes = list[tuple[str, Change]]
"""What games did to the rating of a player, by their names."""


@frozen
class Best:
    """The best players of a class of sizes, or those after them."""

    size: SizeClass
    standings: list[Standing]
    count: int
    """How many players have rated games of that class."""


@frozen
class Explained:
    """What games did to the ratings of some players."""

    players: list[tuple[str, SizeClass, Changes]]
    """For each player and class of sizes some games, the latest last."""
    count: int
    """How many games there are for all of them."""


def best_players(snapshot: Snapshot, kind: Kind, part: Part) -> list[Best]:
    """Return the same part of the standings of each class of sizes."""
    counts = ((size, count_standings(snapshot, kind, size)) for size in SizeClass)
    return [
        Best(size, best_standings(snapshot, kind, size, part), count)
        for size, count in counts
        if count
    ]


def explain(snapshot: Snapshot, kind: Kind, userids: Sequence[str], part: Part) -> Explained:
    """Return a part of the games of some players.

    It goes through the players and the classes of sizes in turn, and of each takes the latest games
    first.
    """
    counts = {
        (userid, size): count
        for userid in userids
        for size, count in count_steps(snapshot, kind, userid).items()
    }
    players = [
        (userid, size, latest_changes(snapshot, kind, userid, size, wanted)[::-1])
        for (userid, size), wanted in _parts(counts, part).items()
    ]
    return Explained(players, sum(counts.values()))


def all_changes(snapshot: Snapshot, kind: Kind) -> list[Table]:
    """Return the standings of a kind, with all games that led to them."""
    tables = {table.size: table for table in standings_of(snapshot, kind)}
    before = {
        (step.place, step.before.userid): step.before
        for step in steps_after(snapshot, kind, FIRST_PLACE, ALL_ROWS)
    }
    for game in finished_games(snapshot, kind):
        place = place_of(game)
        standings = {userid: before[place, userid] for userid in (game.x, game.o)}
        tables[size_class(game.grid)].games.append(count_game(game, standings))
    return list(tables.values())


def _parts(
    counts: Mapping[tuple[str, SizeClass], int], part: Part
) -> dict[tuple[str, SizeClass], Part]:
    """Return which games of each player are in a part of all; players with none are left out."""
    found, most, skipped = dict[tuple[str, SizeClass], Part](), part.most, part.skipped
    for key, count in counts.items():
        taken = min(most, max(0, count - skipped))
        if taken:
            found[key] = Part(taken, skipped)
        most, skipped = most - taken, max(0, skipped - count)
    return found
