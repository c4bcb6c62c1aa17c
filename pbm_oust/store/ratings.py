"""Ratings in the database: updated with each finished game.

The database keeps a standing for each game, class of sizes and player, and for each of a player's
games the standing before it, so that a game's change is known without earlier games. Games count in
the order in which they ended, those of one second by their numbers.

When a game ends or changes, games counted after it are undone in the same transaction, the latest
first, and are counted again with it. If there are many, the rest waits for the next sweep: the
place after which they come is noted, and meanwhile games that end are not counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from pbm_oust.board import Summary, ratings
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.store.database import ALL_ROWS, Database, Row, Snapshot, Transaction, words_list
from pbm_oust.store.index import ENTRIES, Window, read_entries

MOST_AT_ONCE = 100
"""The number of games counted in one transaction, while others wait to write."""
_BEFORE_ALL: ratings.SortKey = (0, 0)
_AFTER_ALL: ratings.SortKey = (2**62, 0)

_RATED = (
    "boards b WHERE b.kind = ? AND b.is_rated = 1 AND b.result <> 'draw void' "
    "AND (b.latest, b.board) > (?, ?) ORDER BY b.latest, b.board LIMIT ?"
)
_STANDINGS = "SELECT userid, rating, wins, losses, draws, worth FROM"
_STEPS_FROM = (
    "rating_steps WHERE kind = ? AND size = ? AND userid IN (SELECT value FROM json_each(?)) "
    "AND (ended, board) >= (?, ?) ORDER BY ended DESC, board DESC"
)

Key = tuple[ratings.SizeClass, str]
"""The owner of a standing: a class of sizes, and a userid."""
Changes = list[tuple[str, ratings.RatingChange]]
"""The changes of a player's rating, by the names of the games."""


class RatingStep(Struct, frozen=True):
    """A player's standing before a counted game, and its outcome."""

    place: ratings.SortKey
    outcome: int
    """1 for a win, 0 for a draw, -1 for a loss."""
    before: ratings.Standing


class Best(Struct, frozen=True):
    """A part of the list of best players in a class of sizes."""

    size: ratings.SizeClass
    standings: list[ratings.Standing]
    count: int
    """The number of players with rated games in that class."""


class Explained(Struct, frozen=True):
    """The changes of some players' ratings."""

    players: list[tuple[str, ratings.SizeClass, Changes]]
    """Changes by player and class of sizes, the latest last."""
    standings: list[tuple[ratings.SizeClass, ratings.Standing]]
    """The standings of the players in each class with games."""

    @property
    def count(self) -> int:
        """The number of all their games."""
        return sum(standing.games for _, standing in self.standings)


# Counting


def note_change(transaction: Transaction, before: Summary | None, after: Summary | None) -> None:
    """Count a game that has ended or changed, and those after it, as far as they are few.

    `before` and `after` are the summaries of the board; None if it is missing or damaged. The
    caller has written the row of the board.
    """
    changed = [game for game in (before, after) if game and game.counts]
    if before == after or not changed:
        return
    ended, board = min(map(ratings.place_of, changed))
    kind, place = changed[0].kind, (ended, board - 1)
    waiting = _waiting(transaction, kind)
    if waiting is None:
        sizes = {ratings.size_class(game.grid) for game in changed}
        place = _counted(transaction, kind, sizes, place)
    if place < (waiting or _AFTER_ALL):
        _let_wait(transaction, kind, place)


def changes_by(snapshot: Snapshot, game: Summary) -> ratings.RatedGame | None:
    """Return a game's changes of ratings, whether its board is written or not.

    None as long as games of its kind wait to be counted.
    """
    if is_counting(snapshot, game.kind):
        return None
    return ratings.count_game(game, _standings_before(snapshot, game))


def is_counting(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether games of a kind wait to be counted, so that ratings may change."""
    return _waiting(snapshot, kind) is not None


def mark(transaction: Transaction, kind: Kind) -> None:
    """Mark all games of a kind to be counted anew."""
    _let_wait(transaction, kind, _BEFORE_ALL)


def count_marked(database: Database) -> None:
    """Count the waiting games, in parts, so that nobody else waits for all of them.

    Raises DatabaseFault.
    """
    with database.read() as snapshot:
        behind = [kind for kind in KINDS.values() if is_counting(snapshot, kind)]
    for kind in behind:
        while database.write(partial(_count_waiting, kind=kind)):
            pass


def _count_waiting(transaction: Transaction, kind: Kind) -> bool:
    """Count some of the waiting games; return whether others wait."""
    place = _waiting(transaction, kind)
    if place is None:
        return False
    place = _counted(transaction, kind, ratings.SizeClass, place)
    _let_wait(transaction, kind, place)
    return place != _AFTER_ALL


def _waiting(snapshot: Snapshot, kind: Kind) -> ratings.SortKey | None:
    """Return the place after which games of a kind wait to be counted, or None."""
    row = snapshot.row("SELECT ended, board FROM rating_marks WHERE kind = ?", kind.name)
    return (row[0], row[1]) if row else None


def _let_wait(transaction: Transaction, kind: Kind, place: ratings.SortKey) -> None:
    """Set the place after which games of a kind wait to be counted."""
    if place == _AFTER_ALL:
        transaction.run("DELETE FROM rating_marks WHERE kind = ?", kind.name)
        return
    transaction.run(
        "INSERT INTO rating_marks (kind, ended, board) VALUES (?, ?, ?) ON CONFLICT (kind) "
        "DO UPDATE SET ended = excluded.ended, board = excluded.board",
        *(kind.name, *place),
    )


def _counted(
    transaction: Transaction, kind: Kind, sizes: Iterable[ratings.SizeClass], after: ratings.SortKey
) -> ratings.SortKey:
    """Count some games of these classes anew after a place; return the place that is reached.

    First, those that were counted after it are undone, which may be all there is time for.
    """
    if [size for size in sizes if _undo(transaction, kind, size, after)]:
        return after
    if after == _BEFORE_ALL:  # what comes of no game is gone then, too
        transaction.run("DELETE FROM ratings WHERE kind = ?", kind.name)
        transaction.run("DELETE FROM rating_classes WHERE kind = ?", kind.name)
    games = finished_games(transaction, kind, after, MOST_AT_ONCE)
    for size in sizes:
        ours = [game for game in games if ratings.size_class(game.grid) is size]
        _count(transaction, kind, size, ours)
    return ratings.place_of(games[-1]) if len(games) == MOST_AT_ONCE else _AFTER_ALL


def _undo(
    transaction: Transaction, kind: Kind, size: ratings.SizeClass, after: ratings.SortKey
) -> bool:
    """Undo the latest games of a class after a place; return whether others remain."""
    steps = _steps(transaction, kind, size, after, 2 * MOST_AT_ONCE)
    if steps:
        transaction.run_all(
            "DELETE FROM rating_steps "
            "WHERE kind = ? AND size = ? AND userid = ? AND ended = ? AND board = ?",
            [(kind.name, size.value, step.before.userid, *step.place) for step in steps],
        )
        before = {step.before.userid: step.before for step in steps}
        _keep(transaction, kind, size, before, len(before))
    return len(steps) == 2 * MOST_AT_ONCE


def _count(
    transaction: Transaction, kind: Kind, size: ratings.SizeClass, games: Sequence[Summary]
) -> None:
    """Count games of a class that come after all counted ones."""
    if not games:
        return
    userids = {userid for game in games for userid in (game.x, game.o)}
    standings = _standings(transaction, kind, size, userids)
    known = len(standings)
    steps = [step for game in games for step in _steps_of(ratings.count_game(game, standings))]
    transaction.run_all(
        "INSERT INTO rating_steps (kind, size, ended, board, outcome, userid, rating, wins, "
        "losses, draws, worth) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (kind.name, size.value, *step.place, step.outcome, *_cells(step.before))
            for step in steps
        ],
    )
    _keep(transaction, kind, size, standings, known)


def _keep(
    transaction: Transaction,
    kind: Kind,
    size: ratings.SizeClass,
    standings: Mapping[str, ratings.Standing],
    known: int,
) -> None:
    """Write the standings of some players in a class; `known` is how many had one."""
    delete = (
        "DELETE FROM ratings WHERE kind = ? AND size = ? "
        "AND userid IN (SELECT value FROM json_each(?))"
    )
    there = 0
    if known:
        there = transaction.run(delete, kind.name, size.value, words_list(standings))
    rows = [(kind.name, size.value, *_cells(each)) for each in standings.values() if each.games]
    transaction.run_all(
        "INSERT INTO ratings (kind, size, userid, rating, wins, losses, draws, worth) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    if len(rows) != there:
        transaction.run(
            "INSERT INTO rating_classes AS c (kind, size, players) VALUES (?, ?, ?) "
            "ON CONFLICT (kind, size) DO UPDATE SET players = c.players + excluded.players",
            *(kind.name, size.value, len(rows) - there),
        )


# What is kept, and what the games give


def finished_games(
    snapshot: Snapshot, kind: Kind, after: ratings.SortKey = _BEFORE_ALL, most: int = ALL_ROWS
) -> list[Summary]:
    """Return rated, finished games of a kind, in order, at most `most` after a place."""
    return read_entries(snapshot, f"{ENTRIES} {_RATED}", kind.name, *after, most)


def wrongly_rated(snapshot: Snapshot, kind: Kind) -> list[Key]:
    """Return the owners of standings that differ from those computed anew, in order."""
    tables = {table.size: table for table in ratings.rate(finished_games(snapshot, kind))}
    wrong = list[Key]()
    for size in ratings.SizeClass:
        table, kept = tables.get(size, ratings.Table(kind, size)), _standings(snapshot, kind, size)
        steps = {step for game in table.games for step in _steps_of(game)}
        others = steps.symmetric_difference(_steps(snapshot, kind, size))
        userids = {step.before.userid for step in others} | {
            userid
            for userid in table.standings.keys() | kept.keys()
            if table.standings.get(userid) != kept.get(userid)
        }
        wrong += [(size, userid) for userid in sorted(userids)]
    return wrong


def _steps_of(game: ratings.RatedGame) -> list[RatingStep]:
    place = ratings.place_of(game.game)
    return [RatingStep(place, change.outcome, change.before) for change in (game.x, game.o)]


def _steps(
    snapshot: Snapshot,
    kind: Kind,
    size: ratings.SizeClass,
    after: ratings.SortKey = _BEFORE_ALL,
    most: int = ALL_ROWS,
) -> list[RatingStep]:
    """Return steps after a place, at most `most`, the latest first."""
    rows = snapshot.rows(
        "SELECT ended, board, outcome, userid, rating, wins, losses, draws, worth "
        "FROM rating_steps WHERE kind = ? AND size = ? AND (ended, board) > (?, ?) "
        "ORDER BY ended DESC, board DESC LIMIT ?",
        *(kind.name, size.value, *after, most),
    )
    return [
        RatingStep((ended, board), outcome, ratings.Standing(*before))
        for ended, board, outcome, *before in rows
    ]


def _standings_before(snapshot: Snapshot, game: Summary) -> dict[str, ratings.Standing]:
    """Return the standings of a game's players before it, as far as they have any."""
    size, players = ratings.size_class(game.grid), (game.x, game.o)
    rows = snapshot.rows(
        f"{_STANDINGS} {_STEPS_FROM}",
        *(game.kind.name, size.value, words_list(players), *ratings.place_of(game)),
    )
    # The last one of a player counts.
    first_steps = {row[0]: ratings.Standing(*row) for row in rows}
    return _standings(snapshot, game.kind, size, players) | first_steps


def _standings(
    snapshot: Snapshot, kind: Kind, size: ratings.SizeClass, userids: Iterable[str] | None = None
) -> dict[str, ratings.Standing]:
    """Return the standings of some players in a class, or of all."""
    statement, values = f"{_STANDINGS} ratings WHERE kind = ? AND size = ?", [kind.name, size.value]
    if userids is not None:
        statement += " AND userid IN (SELECT value FROM json_each(?))"
        values.append(words_list(userids))
    return {row[0]: ratings.Standing(*row) for row in snapshot.rows(statement, *values)}


def _cells(standing: ratings.Standing) -> tuple[str, float, int, int, int, float]:
    """Return the columns of a standing, from the userid on."""
    counts = standing.wins, standing.losses, standing.draws
    return standing.userid, standing.rating, *counts, standing.worth


# Lists of what is kept


def standings_of(snapshot: Snapshot, kind: Kind) -> list[ratings.Table]:
    """Return the standings of a kind, without the games that led to them."""
    tables = (
        ratings.Table(kind, size, _standings(snapshot, kind, size)) for size in ratings.SizeClass
    )
    return [table for table in tables if table.standings]


def standings_on(
    snapshot: Snapshot, kind: Kind, grid: Grid, userids: Iterable[str]
) -> dict[str, ratings.Standing]:
    """Return the standings of some players in a grid's class, as far as they have any."""
    return _standings(snapshot, kind, ratings.size_class(grid), userids)


def best_players(snapshot: Snapshot, kind: Kind, part: Window) -> list[Best]:
    """Return the same part of the standings in each class of sizes, the highest rating first."""
    statement = "SELECT size, players FROM rating_classes WHERE kind = ?"
    counts = {
        ratings.SizeClass(size): number for size, number in snapshot.rows(statement, kind.name)
    }
    best = list[Best]()
    for size in ratings.SizeClass:
        if not counts.get(size):
            continue
        rows = snapshot.rows(
            f"{_STANDINGS} ratings WHERE kind = ? AND size = ? "
            "ORDER BY rating DESC, userid LIMIT ? OFFSET ?",
            *(kind.name, size.value, part.most, part.skipped),
        )
        best.append(Best(size, [ratings.Standing(*row) for row in rows], counts[size]))
    return best


def usual_standings(
    snapshot: Snapshot, kind: Kind, userids: Sequence[str]
) -> dict[str, ratings.Standing]:
    """Return the standing of each player in the class that they have played most."""
    found = dict[str, ratings.Standing]()
    for size in ratings.SizeClass:
        for userid, standing in _standings(snapshot, kind, size, userids).items():
            if userid not in found or standing.games > found[userid].games:
                found[userid] = standing
    return found


def explain(snapshot: Snapshot, kind: Kind, userids: Sequence[str], part: Window) -> Explained:
    """Return a part of the changes of some players' ratings.

    Players and classes of sizes come in turn, each with the latest games first.
    """
    classes = {size: _standings(snapshot, kind, size, userids) for size in ratings.SizeClass}
    found = Explained([], [])
    most, skipped = part.most, part.skipped
    for userid in dict.fromkeys(userids):
        for size, standings in classes.items():
            if userid not in standings:
                continue
            found.standings.append((size, standings[userid]))
            taken = min(most, max(0, standings[userid].games - skipped))
            if taken:
                changes = _latest_changes(snapshot, kind, size, userid, Window(taken, skipped))
                found.players.append((userid, size, changes[::-1]))
            most, skipped = most - taken, max(0, skipped - standings[userid].games)
    return found


def _latest_changes(
    snapshot: Snapshot, kind: Kind, size: ratings.SizeClass, userid: str, part: Window
) -> Changes:
    """Return the changes of a player's rating, the latest first."""
    rows = snapshot.rows(
        "SELECT s.board, s.outcome, s.userid, s.rating, s.wins, s.losses, s.draws, s.worth, "
        "other.userid, other.rating, other.wins, other.losses, other.draws, other.worth "
        "FROM rating_steps s JOIN rating_steps other "
        "ON other.kind = s.kind AND other.size = s.size "
        "AND other.ended = s.ended AND other.board = s.board AND other.userid = ("
        "SELECT p.userid FROM rating_steps p WHERE p.kind = s.kind AND p.size = s.size "
        "AND p.ended = s.ended AND p.board = s.board AND p.userid <> s.userid) "
        "WHERE s.kind = ? AND s.size = ? AND s.userid = ? "
        "ORDER BY s.ended DESC, s.board DESC LIMIT ? OFFSET ?",
        *(kind.name, size.value, userid, part.most, part.skipped),
    )
    return [_change(kind, row) for row in rows]


def _change(kind: Kind, row: Row) -> tuple[str, ratings.RatingChange]:
    board, outcome, *standings = row
    before, other = ratings.Standing(*standings[:6]), ratings.Standing(*standings[6:])
    return f"{kind.name} {board}", ratings.change_by(before, other, outcome)
