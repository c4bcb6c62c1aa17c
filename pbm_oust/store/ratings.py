"""Ratings in the database, so that they need not be computed from all games.

They are made from the index of boards: the games of a kind up to some game have been counted, and
what was so before each of them is kept as the steps of its players. Games
that ended later are counted when they are asked for. If the index changes for a game that has been
counted, triggers of the tables note that, and all are counted anew.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from pbm_oust.board.ratings import (
    Finish,
    RatedGame,
    SizeClass,
    Standing,
    Table,
    count_game,
    place_of,
    size_class,
)
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_queries import rated_games
from pbm_oust.store.columns import seconds
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.database import Database
from pbm_oust.store.rating_steps import Step, all_steps, forget_steps, steps_of, write_steps

MOST_AT_ONCE = 200
"""How many games are counted while others wait to write."""
STEPS_AT_ONCE = 1000
"""How many steps are written while others wait to write."""

_Key = tuple[SizeClass, str]


@dataclass(frozen=True, slots=True)
class _Until:
    """Up to which game all have been counted."""

    place: tuple[int, int] | None
    """The second in which it ended and its number; None if all have to be counted anew."""
    changes: int


@dataclass(slots=True)
class _Counted:
    """Standings of one kind, and the games counted for them beyond what was stored."""

    kind: Kind
    standings: dict[SizeClass, dict[str, Standing]] = field(default_factory=dict)
    changed: set[_Key] = field(default_factory=set)
    steps: list[Step] = field(default_factory=list)

    def count(self, game: Finish) -> RatedGame:
        size = size_class(game.grid)
        self.changed |= {(size, game.x), (size, game.o)}
        rated = count_game(game, self.standings.setdefault(size, {}))
        self.steps += steps_of(rated)
        return rated


def changes_by(snapshot: Snapshot, game: Finish) -> RatedGame:
    """Return what a game does to the ratings of its players; the index does not have it yet."""
    until = _until(snapshot, game.kind).place
    base = until if until and until < _place(game) else None
    found = games_after(snapshot, game.kind, base)
    before = [each for each in found if place_of(each) < place_of(game)]
    counted = _stored(snapshot, game.kind, base, [*before, game])
    for each in before:
        counted.count(each)
    return counted.count(game)


def standings_of(snapshot: Snapshot, kind: Kind) -> list[Table]:
    """Return the standings of a kind, without the games that led to them."""
    found = _up_to_date(snapshot, kind, _until(snapshot, kind).place).standings
    return [Table(kind, size, found[size]) for size in SizeClass if size in found]


def is_up_to_date(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether all games of a kind that are over have been counted."""
    place = _until(snapshot, kind).place
    return place is not None and not games_after(snapshot, kind, place)


def are_right(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether ratings and steps are those that all games give, counted from the first."""
    base, anew = _until(snapshot, kind).place, _up_to_date(snapshot, kind, None)
    found = _up_to_date(snapshot, kind, base)
    kept = all_steps(snapshot, kind) if base else set[Step]()
    return found.standings == anew.standings and kept.union(found.steps) == set(anew.steps)


def forget_ratings(transaction: Transaction, kind: Kind) -> None:
    """Let all games of a kind be counted anew."""
    transaction.run(
        "UPDATE ratings_until SET ended = NULL, changes = changes + 1 WHERE kind = ?", kind.name
    )


def forget_player(transaction: Transaction, kind: Kind, userid: str) -> None:
    """Remove the ratings of a player; all games of the kind are then counted anew."""
    forget_steps(transaction, kind, userid)
    remove = "DELETE FROM ratings WHERE kind = ? AND size = ? AND userid = ?"
    if sum(transaction.run(remove, kind.name, size.value, userid) for size in SizeClass):
        forget_ratings(transaction, kind)


def catch_up(transaction: Transaction, kind: Kind) -> None:
    """Count the games that have ended since; if there are too many, leave that to `count_all`."""
    base = _until(transaction, kind).place
    games = games_after(transaction, kind, base)
    if len(games) <= MOST_AT_ONCE:
        counted = _stored(transaction, kind, base, games)
        for game in games:
            counted.count(game)
        if base is None:
            forget_steps(transaction, kind)
        write_steps(transaction, kind, counted.steps)
        _write(transaction, counted, base)


def count_all(database: Database, kind: Kind) -> bool:
    """Count all games of a kind; return False if others have changed them meanwhile.

    Raises DatabaseFault.
    """
    with database.read() as snapshot:
        until = _until(snapshot, kind)
        if until.place and not games_after(snapshot, kind, until.place):
            return True
        counted = _up_to_date(snapshot, kind, until.place)

    def write(first: int, transaction: Transaction) -> bool:
        if _until(transaction, kind) != until:
            return False
        if first == 0 and until.place is None:
            forget_steps(transaction, kind)
        write_steps(transaction, kind, counted.steps[first : first + STEPS_AT_ONCE])
        if first + STEPS_AT_ONCE >= len(counted.steps):
            _write(transaction, counted, until.place)
        return True

    firsts = range(0, max(1, len(counted.steps)), STEPS_AT_ONCE)
    return all(database.write(partial(write, first)) for first in firsts)


def _until(snapshot: Snapshot, kind: Kind) -> _Until:
    row = snapshot.row("SELECT ended, board, changes FROM ratings_until WHERE kind = ?", kind.name)
    ended, board, changes = row or (None, None, 0)
    return _Until(None if ended is None else (ended, board), changes)


def _up_to_date(snapshot: Snapshot, kind: Kind, base: tuple[int, int] | None) -> _Counted:
    """Return all standings, and count what has ended since."""
    counted = _Counted(kind)
    if base:
        for size, *row in snapshot.rows(
            "SELECT size, userid, rating, wins, losses, draws, worth FROM ratings WHERE kind = ?",
            kind.name,
        ):
            counted.standings.setdefault(SizeClass(size), {})[row[0]] = Standing(*row)
    for game in games_after(snapshot, kind, base):
        counted.count(game)
    return counted


def _stored(
    snapshot: Snapshot, kind: Kind, base: tuple[int, int] | None, games: Iterable[Finish]
) -> _Counted:
    """Return the stored standings of those who played some games; none if all are counted anew."""
    counted = _Counted(kind)
    played = {(size_class(game.grid), userid) for game in games for userid in (game.x, game.o)}
    for size, userid in played if base else ():
        row = snapshot.row(
            "SELECT userid, rating, wins, losses, draws, worth FROM ratings "
            "WHERE kind = ? AND size = ? AND userid = ?",
            kind.name,
            size.value,
            userid,
        )
        if row:
            counted.standings.setdefault(size, {})[userid] = Standing(*row)
    return counted


def games_after(snapshot: Snapshot, kind: Kind, base: tuple[int, int] | None) -> list[Finish]:
    """Return the games of a kind that count, after one at some place in their order, or all."""
    found = rated_games(snapshot, kind.name, base or (0, 0))
    return [finish for entry in found if (finish := entry.finish)]


def _write(transaction: Transaction, counted: _Counted, base: tuple[int, int] | None) -> None:
    """Write what was counted after what is stored, or in its place if all was counted anew."""
    kind = counted.kind.name
    if base is None:
        transaction.run("DELETE FROM ratings WHERE kind = ?", kind)
    for size, userid in sorted(counted.changed, key=lambda key: (key[0].value, key[1])):
        each = counted.standings[size][userid]
        transaction.run(
            "INSERT INTO ratings (kind, size, userid, rating, wins, losses, draws, worth) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET rating = excluded.rating, "
            "wins = excluded.wins, losses = excluded.losses, draws = excluded.draws, "
            "worth = excluded.worth",
            kind,
            size.value,
            userid,
            each.rating,
            each.wins,
            each.losses,
            each.draws,
            each.worth,
        )
    if counted.steps:
        last = counted.steps[-1]
        transaction.run(
            "INSERT INTO ratings_until (kind, ended, board, changes) VALUES (?, ?, ?, 0) "
            "ON CONFLICT DO UPDATE SET ended = excluded.ended, board = excluded.board",
            kind,
            last.ended,
            last.board,
        )


def _place(game: Finish) -> tuple[int, int]:
    return seconds(game.ended), game.board
