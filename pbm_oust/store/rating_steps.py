"""What players had achieved before each game that has been counted for ratings.

So what a game did can be told without counting those before it, and games can be taken back.
"""

from collections.abc import Iterable

from pbm_oust.board.ratings import (
    Change,
    Finish,
    RatedGame,
    SizeClass,
    Standing,
    count_game,
    size_class,
)
from pbm_oust.frozen import frozen
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Part
from pbm_oust.store.board_queries import ENTRIES, Place, read_entries
from pbm_oust.store.columns import seconds
from pbm_oust.store.connections import Snapshot, Transaction, Value
from pbm_oust.store.standings import STANDINGS, Key, read_standings, values_of

_STEPS = "SELECT size, ended, board, userid, rating, wins, losses, draws, worth FROM"
"""The beginning of a statement whose rows `_read` reads."""


@frozen
class Step:
    """What one of its players had achieved before a game."""

    size: SizeClass
    place: Place
    """Where the game stands in the order of games."""
    before: Standing

    @property
    def key(self) -> Key:
        """Whose step it is."""
        return self.size, self.before.userid


def place_of(game: Finish) -> Place:
    """Return where a game stands in the order of games."""
    return seconds(game.ended), game.board


def just_before(place: Place) -> Place:
    """Return the place before which all games are that come before a place."""
    ended, board = place
    return ended, board - 1


def steps_of(game: RatedGame) -> tuple[Step, Step]:
    """Return the steps of both players of a game."""
    size, place = size_class(game.game.grid), place_of(game.game)
    return Step(size, place, game.x.before), Step(size, place, game.o.before)


def write_steps(transaction: Transaction, kind: Kind, steps: Iterable[Step]) -> None:
    """Keep the steps of some games of a kind."""
    for step in steps:
        transaction.send(
            "INSERT INTO rating_steps "
            "(kind, size, ended, board, userid, rating, wins, losses, draws, worth) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, userid, size, ended, board) "
            "DO UPDATE SET rating = excluded.rating, wins = excluded.wins, "
            "losses = excluded.losses, draws = excluded.draws, worth = excluded.worth",
            kind.name,
            step.size.value,
            *step.place,
            *values_of(step.before),
        )


def remove_step(transaction: Transaction, kind: Kind, step: Step) -> None:
    """Remove a step."""
    transaction.send(
        "DELETE FROM rating_steps "
        "WHERE kind = ? AND userid = ? AND size = ? AND ended = ? AND board = ?",
        kind.name,
        step.before.userid,
        step.size.value,
        *step.place,
    )


def remove_steps(transaction: Transaction, kind: Kind) -> None:
    """Remove all steps of a kind."""
    transaction.send("DELETE FROM rating_steps WHERE kind = ?", kind.name)


def steps_after(snapshot: Snapshot, kind: Kind, place: Place, most: int) -> list[Step]:
    """Return steps of games after a place, those of the latest games first."""
    statement = (
        f"{_STEPS} rating_steps WHERE kind = ? AND (ended, board) > (?, ?) "
        "ORDER BY ended DESC, board DESC LIMIT ?"
    )
    return _read(snapshot, statement, kind.name, *place, most)


def steps_of_player(snapshot: Snapshot, kind: Kind, userid: str) -> list[Step]:
    """Return all steps of a player."""
    statement = f"{_STEPS} rating_steps WHERE kind = ? AND userid = ?"
    return _read(snapshot, statement, kind.name, userid)


def standing_after(snapshot: Snapshot, kind: Kind, key: Key, place: Place) -> Standing | None:
    """Return what a player had achieved before the first game after a place that was counted.

    None if no such game was.
    """
    size, userid = key
    statement = (
        f"{STANDINGS} rating_steps WHERE kind = ? AND userid = ? AND size = ? "
        "AND (ended, board) > (?, ?) ORDER BY ended, board LIMIT 1"
    )
    return read_standings(snapshot, statement, kind.name, userid, size.value, *place).get(key)


def count_steps(snapshot: Snapshot, kind: Kind, userid: str) -> dict[SizeClass, int]:
    """Return how many games of a player have been counted, by the class of sizes."""
    rows = snapshot.rows(
        "SELECT size, count(*) FROM rating_steps WHERE kind = ? AND userid = ? GROUP BY size",
        kind.name,
        userid,
    )
    found = {SizeClass(size): count for size, count in rows}
    return {size: found[size] for size in SizeClass if size in found}


def latest_changes(
    snapshot: Snapshot, kind: Kind, userid: str, size: SizeClass, part: Part
) -> list[tuple[str, Change]]:
    """Return what games did to the rating of a player, by their names, the latest game first."""
    entries = read_entries(
        snapshot,
        f"{ENTRIES} rating_steps s CROSS JOIN boards b USING (kind, board) "
        "WHERE s.kind = ? AND s.userid = ? AND s.size = ? "
        "ORDER BY s.ended DESC, s.board DESC LIMIT ? OFFSET ?",
        kind.name,
        userid,
        size.value,
        part.most,
        part.skipped,
    )
    found = list[tuple[str, Change]]()
    for finish in (entry.finish for entry in entries):
        if finish is None:
            continue
        before = just_before(place_of(finish))
        standings = {
            each: standing_after(snapshot, kind, (size, each), before) or Standing(each)
            for each in (finish.x, finish.o)
        }
        change = count_game(finish, standings).change_of(userid)
        found += [(finish.name, change)] if change else []
    return found


def _read(snapshot: Snapshot, statement: str, *values: Value) -> list[Step]:
    rows = snapshot.rows(statement, *values)
    return [
        Step(SizeClass(size), (ended, board), Standing(*before))
        for size, ended, board, *before in rows
    ]
