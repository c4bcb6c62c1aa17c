"""Ratings in the database, so that no command computes them from all games.

The games of a kind are counted in their order: by the second in which they ended, then by their
numbers. What players have achieved after the last one is kept, and what they had achieved before
each of them. When the index changes for a game that has been counted, or gets one that belongs
before others, triggers of the tables note its place. The games from there on are then taken back,
the latest first, and counted again: some at a time, so that nobody waits for all of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pbm_oust.board.ratings import (
    Finish,
    RatedGame,
    SizeClass,
    Standing,
    Table,
    count_game,
    rate,
    size_class,
)
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_queries import FIRST_PLACE, LAST_PLACE, Place, rated_games
from pbm_oust.store.columns import ALL_ROWS
from pbm_oust.store.connections import Database, Snapshot, Transaction
from pbm_oust.store.rating_steps import (
    Step,
    just_before,
    place_of,
    remove_step,
    remove_steps,
    standing_after,
    steps_after,
    steps_of,
    steps_of_player,
    write_steps,
)
from pbm_oust.store.standings import (
    Key,
    all_standings,
    find_standing,
    remove_standing,
    remove_standings,
    write_standings,
)

MOST_AT_ONCE = 200
"""How many games are counted while others wait to write, or for one letter."""


@dataclass(slots=True)
class _Counting:
    """Standings as they change while games are counted, and the steps of these games."""

    standings: dict[SizeClass, dict[str, Standing]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def count(self, game: Finish) -> RatedGame:
        """Count a game, and return what it does."""
        rated = count_game(game, self.standings.setdefault(size_class(game.grid), {}))
        self.steps += steps_of(rated)
        return rated


def changes_by(snapshot: Snapshot, game: Finish) -> RatedGame | None:
    """Return what a game does to the ratings of its players; the index does not have it yet.

    None if too many games before it have still to be counted.
    """
    before = just_before(place_of(game))
    base = min(counted_until(snapshot, game.kind), before)
    earlier = finished_games(snapshot, game.kind, base, before, MOST_AT_ONCE + 1)
    if len(earlier) > MOST_AT_ONCE:
        return None
    counting = _begin(snapshot, game.kind, base, [*earlier, game])
    for each in earlier:
        counting.count(each)
    return counting.count(game)


def standings_of(snapshot: Snapshot, kind: Kind) -> list[Table]:
    """Return the standings of a kind, without the games that led to them."""
    tables = {size: Table(kind, size) for size in SizeClass}
    for (size, userid), standing in all_standings(snapshot, kind).items():
        tables[size].standings[userid] = standing
    return [table for table in tables.values() if table.standings]


def is_up_to_date(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether all games of a kind have been counted as they are."""
    until = counted_until(snapshot, kind)
    return not (
        steps_after(snapshot, kind, until, 1) or finished_games(snapshot, kind, until, most=1)
    )


def wrongly_rated(
    snapshot: Snapshot, kind: Kind, games: Iterable[Finish] = (), until: Place = FIRST_PLACE
) -> list[Key]:
    """Return of whom something else is kept than all games of a kind give, in order.

    `games` are those up to a place; the later ones, or all, are taken from the index.
    """
    tables = rate(
        [
            *(each for each in games if place_of(each) <= until),
            *finished_games(snapshot, kind, until),
        ]
    )
    given = {
        (table.size, userid): standing
        for table in tables
        for userid, standing in table.standings.items()
    }
    kept = all_standings(snapshot, kind)
    steps = {step for table in tables for game in table.games for step in steps_of(game)}
    others = steps.symmetric_difference(steps_after(snapshot, kind, FIRST_PLACE, ALL_ROWS))
    wrong = {key for key in given.keys() | kept.keys() if given.get(key) != kept.get(key)}
    order = list(SizeClass)
    return sorted(
        wrong | {step.key for step in others}, key=lambda key: (order.index(key[0]), key[1])
    )


def forget_ratings(transaction: Transaction, kind: Kind) -> None:
    """Let all games of a kind be counted anew."""
    remove_steps(transaction, kind)
    remove_standings(transaction, kind)
    _set_until(transaction, kind, FIRST_PLACE)


def forget_player(transaction: Transaction, kind: Kind, userid: str) -> None:
    """Remove the ratings of a player; the games from their first one on are then counted again."""
    steps = steps_of_player(transaction, kind, userid)
    for step in steps:
        remove_step(transaction, kind, step)
    for size in SizeClass:
        remove_standing(transaction, kind, (size, userid))
    if steps:
        before = just_before(min(step.place for step in steps))
        _set_until(transaction, kind, min(counted_until(transaction, kind), before))


def catch_up(transaction: Transaction, kind: Kind) -> bool:
    """Take games back that have to be counted again, and count those that have not been.

    Return whether there are more of them than others should wait for.
    """
    until = counted_until(transaction, kind)
    steps = steps_after(transaction, kind, until, MOST_AT_ONCE)
    for step in steps:
        _take_back(transaction, kind, step)
    if len(steps) == MOST_AT_ONCE:
        return True
    games = finished_games(transaction, kind, until, most=MOST_AT_ONCE)
    if games:
        counting = _begin(transaction, kind, None, games)
        for game in games:
            counting.count(game)
        write_steps(transaction, kind, counting.steps)
        for size, standings in counting.standings.items():
            write_standings(transaction, kind, size, standings.values())
        _set_until(transaction, kind, counting.steps[-1].place)
    return len(games) == MOST_AT_ONCE


def count_all(database: Database, kind: Kind) -> None:
    """Count all games of a kind that have not been, while others write in between.

    Raises DatabaseFault.
    """
    while count_some(database, kind):
        pass


def count_some(database: Database, kind: Kind) -> bool:
    """Do what `catch_up` does, if there is anything to do; return whether there is more.

    Raises DatabaseFault.
    """
    with database.read_latest() as snapshot:
        if is_up_to_date(snapshot, kind):
            return False
    return database.write(lambda transaction: catch_up(transaction, kind))


def counted_until(snapshot: Snapshot, kind: Kind) -> Place:
    """Return up to which place all games of a kind have been counted as they are.

    Those after it may have been counted otherwise.
    """
    row = snapshot.row("SELECT ended, board FROM ratings_until WHERE kind = ?", kind.name)
    return (row[0], row[1]) if row else FIRST_PLACE


def finished_games(
    snapshot: Snapshot,
    kind: Kind,
    after: Place = FIRST_PLACE,
    until: Place = LAST_PLACE,
    most: int = ALL_ROWS,
) -> list[Finish]:
    """Return games of a kind that count, in their order: after one place and up to another."""
    found = rated_games(snapshot, kind.name, after, until, most)
    return [finish for entry in found if (finish := entry.finish)]


def _set_until(transaction: Transaction, kind: Kind, place: Place) -> None:
    transaction.send(
        "INSERT INTO ratings_until (kind, ended, board) VALUES (?, ?, ?)"
        " ON CONFLICT (kind) DO UPDATE SET ended = excluded.ended, board = excluded.board",
        kind.name,
        *place,
    )


def _take_back(transaction: Transaction, kind: Kind, step: Step) -> None:
    """Let a player have achieved what they had before a game, their last one."""
    remove_step(transaction, kind, step)
    if step.before.games:
        write_standings(transaction, kind, step.size, [step.before])
    else:
        remove_standing(transaction, kind, step.key)


def _begin(
    snapshot: Snapshot, kind: Kind, place: Place | None, games: Iterable[Finish]
) -> _Counting:
    """Return what the players of some games had achieved up to a place, or up to the last one."""
    counting = _Counting()
    for key in {(size_class(game.grid), userid) for game in games for userid in (game.x, game.o)}:
        later = standing_after(snapshot, kind, key, place) if place else None
        standing = later or find_standing(snapshot, kind, key)
        if standing:
            counting.standings.setdefault(key[0], {})[key[1]] = standing
    return counting
