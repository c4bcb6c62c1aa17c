"""Ratings in the database: counted with each game that ends, and anew where that is not enough.

What players have achieved is kept for each kind and class of sizes, and with each of their games
what they had achieved before it, so that what a game did is told without those before it. Games
count in the order in which they ended, those of one second by their numbers.

A game that ends is counted in the transaction of its end, with the few that come after it, if any
do. If many do, as after a change of an old game, the class is marked, and counted anew from its
first game by the next sweep; until then games that end in it are not counted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pbm_oust.board.ratings import (
    Change,
    Finish,
    Place,
    RatedGame,
    SizeClass,
    Standing,
    Table,
    change_by,
    count_game,
    rate,
)
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.database import ALL_ROWS, Database, Row, Snapshot, Transaction, words_list
from pbm_oust.store.index import ENTRIES, Part, read_entries

MOST_AT_ONCE = 100
"""How many games are counted while others wait to write, or for one letter."""
_BEFORE_ALL: Place = (0, 0)
_AFTER_ALL: Place = (2**62, 0)

_RATED = (
    "boards b WHERE b.kind = ? AND b.is_rated = 1 AND b.result <> 'draw void' "
    "AND (b.latest, b.board) > (?, ?) ORDER BY b.latest, b.board LIMIT ?"
)
_IS_MARKED = (
    "SELECT EXISTS (SELECT 1 FROM rating_classes WHERE kind = ? AND size = ? "
    "AND counted < changes), EXISTS (SELECT 1 FROM"
)
"""The beginning of a statement that also says whether there are some rated boards."""
_STANDINGS = "SELECT userid, rating, wins, losses, draws, worth FROM"

Key = tuple[SizeClass, str]
"""A class of sizes, and a userid: who has a standing."""
Changes = list[tuple[str, Change]]
"""What games did to the rating of a player, by their names."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one of its players had achieved before a game that was counted."""

    place: Place
    before: Standing
    outcome: int
    """How the game ended: 1 for a win, 0 for a draw, -1 for a loss."""


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
    standings: list[tuple[SizeClass, Standing]]
    """What each player has achieved in each class with games."""

    @property
    def count(self) -> int:
        """How many games there are for all of them."""
        return sum(standing.games for _, standing in self.standings)


# Games that end, and games that change


def note_change(transaction: Transaction, before: Finish | None, after: Finish | None) -> None:
    """Count a game that has ended, or has changed, and those after it; or mark its class.

    `before` and `after` are what the row of a board said and says; None for a game that does not
    count. To be called by whoever writes that row, after writing it.
    """
    changed = [game for game in (before, after) if game]
    if before == after or not changed:
        return
    kind, place = changed[0].kind, _just_before(min(game.place for game in changed))
    for size in {game.size for game in changed}:
        is_marked, is_far_back = _look_at(transaction, kind, size, place)
        if is_far_back or (is_marked and before):
            _mark(transaction, kind, size)
        elif not is_marked:
            _count_after(transaction, kind, size, place)


def changes_by(snapshot: Snapshot, game: Finish) -> RatedGame | None:
    """Return what a game does to the ratings of its players, whether its board is written or not.

    None as long as its class is to be counted anew.
    """
    place = _just_before(game.place)
    if any(_look_at(snapshot, game.kind, game.size, place)):
        return None
    steps = _steps(snapshot, game.kind, game.size, place)
    standings = _standings(snapshot, game.kind, game.size, [game.x, game.o])
    return count_game(game, _taken_back(standings, steps))


def _look_at(snapshot: Snapshot, kind: Kind, size: SizeClass, place: Place) -> tuple[bool, bool]:
    """Return whether a class is marked, and whether too many games of the kind follow a place."""
    row = snapshot.row(
        f"{_IS_MARKED} {_RATED} OFFSET ?)",
        *(kind.name, size.value, kind.name, *place, 1, MOST_AT_ONCE),
    )
    is_marked, is_far_back = row or (False, False)
    return bool(is_marked), bool(is_far_back)


def _count_after(transaction: Transaction, kind: Kind, size: SizeClass, place: Place) -> None:
    """Count the games of a class that come after a place, whatever was counted of them."""
    steps = _steps(transaction, kind, size, place)
    games = [game for game in finished_games(transaction, kind, place) if game.size is size]
    userids = {userid for game in games for userid in (game.x, game.o)}
    kept = _standings(transaction, kind, size, userids | {step.before.userid for step in steps})
    standings = _taken_back(kept, steps)
    if steps:
        _forget_steps(transaction, kind, [size], place, _AFTER_ALL)
    _write(transaction, kind, size, [count_game(game, standings) for game in games])
    number = sum(1 for each in standings.values() if each.games) - len(kept)
    for userid, standing in standings.items():
        if kept.get(userid) != standing:
            _put_standing(transaction, kind, size, standing)
    if number:
        transaction.run(
            "INSERT INTO rating_classes AS c (kind, size, players, changes, counted) "
            "VALUES (?, ?, ?, 0, 0) ON CONFLICT (kind, size) "
            "DO UPDATE SET players = c.players + excluded.players",
            *(kind.name, size.value, number),
        )


def _taken_back(standings: Mapping[str, Standing], steps: Sequence[Step]) -> dict[str, Standing]:
    """Return what players had achieved before their games at some steps, which are in order."""
    return {**standings, **{step.before.userid: step.before for step in reversed(steps)}}


# Counting anew


def is_counting(snapshot: Snapshot, kind: Kind) -> bool:
    """Return whether classes of a kind are to be counted anew, so that ratings may change."""
    return bool(_marked(snapshot, kind))


def mark(transaction: Transaction, kind: Kind) -> None:
    """Let all games of a kind be counted anew."""
    for size in SizeClass:
        _mark(transaction, kind, size)


def count_marked(database: Database) -> None:
    """Count the classes anew that are marked, in parts, so that nobody waits for all.

    If an old game changes meanwhile, or somebody else begins to do the same, the rest is left to
    the next time. Raises DatabaseFault.
    """
    for kind in KINDS.values():
        with database.read_latest() as snapshot:
            is_behind = is_counting(snapshot, kind)
        if not is_behind:
            continue
        marks = database.write(partial(_begin, kind=kind))
        counted: dict[SizeClass, dict[str, Standing]] = {size: {} for size in marks}
        place: Place | None = _BEFORE_ALL
        while place:
            some = partial(_count_some, kind=kind, marks=marks, counted=counted, place=place)
            place, counted = database.write(some)


def _begin(transaction: Transaction, kind: Kind) -> dict[SizeClass, int]:
    """Return the marked classes, with what shows whether they have been marked since."""
    transaction.run(
        "UPDATE rating_classes SET changes = changes + 1 WHERE kind = ? AND counted < changes",
        kind.name,
    )
    return _marked(transaction, kind)


def _count_some(
    transaction: Transaction,
    kind: Kind,
    marks: dict[SizeClass, int],
    counted: dict[SizeClass, dict[str, Standing]],
    place: Place,
) -> tuple[Place | None, dict[SizeClass, dict[str, Standing]]]:
    """Count some games after a place; return up to which, and what players have achieved then.

    None instead of a place says that no more are to be counted.

    There are so many games after those that were counted that any which comes before these marks
    its class again.
    """
    if _marked(transaction, kind) != marks:
        return None, counted
    games = finished_games(transaction, kind, place, 2 * MOST_AT_ONCE)
    is_last = len(games) < 2 * MOST_AT_ONCE
    games = games if is_last else games[:MOST_AT_ONCE]
    until = _AFTER_ALL if is_last else games[-1].place
    _forget_steps(transaction, kind, marks, place, until)
    counted = {size: dict(known) for size, known in counted.items()}  # for a second try
    for size, standings in counted.items():
        rated = [count_game(game, standings) for game in games if game.size is size]
        _write(transaction, kind, size, rated)
        for userid in {change.before.userid for game in rated for change in (game.x, game.o)}:
            _put_standing(transaction, kind, size, standings[userid])
        if is_last:
            for userid in _standings(transaction, kind, size).keys() - standings.keys():
                _put_standing(transaction, kind, size, Standing(userid))
    if not is_last:
        return until, counted
    transaction.run(
        "UPDATE rating_classes SET counted = changes, players = (SELECT count(*) FROM ratings r "
        "WHERE r.kind = rating_classes.kind AND r.size = rating_classes.size) "
        "WHERE kind = ? AND counted < changes",
        kind.name,
    )
    return None, counted


def _mark(transaction: Transaction, kind: Kind, size: SizeClass) -> None:
    """Let all games of a class be counted anew, also by those who are about to have done that."""
    transaction.run(
        "INSERT INTO rating_classes AS c (kind, size, players, changes, counted) "
        "VALUES (?, ?, 0, 1, 0) ON CONFLICT (kind, size) DO UPDATE SET changes = c.changes + 1",
        *(kind.name, size.value),
    )


def _marked(snapshot: Snapshot, kind: Kind) -> dict[SizeClass, int]:
    """Return the classes that are to be counted anew, each with the number of its marks."""
    rows = snapshot.rows(
        "SELECT size, changes FROM rating_classes WHERE kind = ? AND counted < changes", kind.name
    )
    return {SizeClass(size): changes for size, changes in rows}


# What is kept, and what the games give


def finished_games(
    snapshot: Snapshot, kind: Kind, after: Place = _BEFORE_ALL, most: int = ALL_ROWS
) -> list[Finish]:
    """Return the games of a kind that count, in their order, at most so many after a place."""
    entries = read_entries(snapshot, f"{ENTRIES} {_RATED}", kind.name, *after, most)
    return [finish for entry in entries if (finish := entry.finish)]


def wrongly_rated(
    snapshot: Snapshot, kind: Kind, games: Iterable[Finish] | None = None
) -> list[Key]:
    """Return of whom something else is kept than the games of a kind give, in order.

    They are those of the index, if no others are given.
    """
    games = finished_games(snapshot, kind) if games is None else games
    tables = {table.size: table for table in rate(games)}
    wrong = list[Key]()
    for size in SizeClass:
        table, kept = tables.get(size, Table(kind, size)), _standings(snapshot, kind, size)
        steps = {step for game in table.games for step in _steps_of(game)}
        others = steps.symmetric_difference(_steps(snapshot, kind, size))
        userids = {step.before.userid for step in others} | {
            userid
            for userid in table.standings.keys() | kept.keys()
            if table.standings.get(userid) != kept.get(userid)
        }
        wrong += [(size, userid) for userid in sorted(userids)]
    return wrong


def _steps_of(game: RatedGame) -> list[Step]:
    place = game.game.place
    return [Step(place, change.before, change.outcome) for change in (game.x, game.o)]


def _steps(
    snapshot: Snapshot,
    kind: Kind,
    size: SizeClass,
    after: Place = _BEFORE_ALL,
    until: Place = _AFTER_ALL,
) -> list[Step]:
    """Return the steps after one place and up to another, in the order of the games."""
    rows = snapshot.rows(
        "SELECT ended, board, outcome, userid, rating, wins, losses, draws, worth "
        "FROM rating_steps WHERE kind = ? AND size = ? AND (ended, board) > (?, ?) "
        "AND (ended, board) <= (?, ?) ORDER BY ended, board",
        *(kind.name, size.value, *after, *until),
    )
    return [
        Step((ended, board), Standing(*before), outcome) for ended, board, outcome, *before in rows
    ]


def _standings(
    snapshot: Snapshot, kind: Kind, size: SizeClass, userids: Iterable[str] | None = None
) -> dict[str, Standing]:
    """Return what some players have achieved in a class, or all."""
    statement, values = f"{_STANDINGS} ratings WHERE kind = ? AND size = ?", [kind.name, size.value]
    if userids is not None:
        statement += " AND userid IN (SELECT value FROM json_each(?))"
        values.append(words_list(userids))
    return {row[0]: Standing(*row) for row in snapshot.rows(statement, *values)}


def _forget_steps(
    transaction: Transaction, kind: Kind, sizes: Iterable[SizeClass], after: Place, until: Place
) -> None:
    """Forget the steps of some classes after one place and up to another."""
    transaction.run(
        "DELETE FROM rating_steps WHERE kind = ? AND size IN (SELECT value FROM json_each(?)) "
        "AND (ended, board) > (?, ?) AND (ended, board) <= (?, ?)",
        *(kind.name, words_list(size.value for size in sizes), *after, *until),
    )


def _write(
    transaction: Transaction, kind: Kind, size: SizeClass, games: Iterable[RatedGame]
) -> None:
    """Write the steps of games that have none."""
    transaction.run_all(
        "INSERT INTO rating_steps (kind, size, ended, board, outcome, userid, rating, wins, "
        "losses, draws, worth) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (kind.name, size.value, *step.place, step.outcome, *_cells(step.before))
            for game in games
            for step in _steps_of(game)
        ],
    )


def _cells(standing: Standing) -> tuple[str, float, int, int, int, float]:
    """Return the columns of a standing, from the userid on."""
    counts = standing.wins, standing.losses, standing.draws
    return standing.userid, standing.rating, *counts, standing.worth


def _put_standing(
    transaction: Transaction, kind: Kind, size: SizeClass, standing: Standing
) -> None:
    """Write what a player has achieved, or forget the player, if that is nothing."""
    if not standing.games:
        delete = "DELETE FROM ratings WHERE kind = ? AND size = ? AND userid = ?"
        transaction.run(delete, kind.name, size.value, standing.userid)
        return
    transaction.run(
        "INSERT INTO ratings (kind, size, userid, rating, wins, losses, draws, worth) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, size, userid) "
        "DO UPDATE SET rating = excluded.rating, wins = excluded.wins, "
        "losses = excluded.losses, draws = excluded.draws, worth = excluded.worth",
        *(kind.name, size.value, *_cells(standing)),
    )


def _just_before(place: Place) -> Place:
    ended, board = place
    return ended, board - 1


# Lists of what is kept


def standings_of(snapshot: Snapshot, kind: Kind) -> list[Table]:
    """Return the standings of a kind, without the games that led to them."""
    tables = (Table(kind, size, _standings(snapshot, kind, size)) for size in SizeClass)
    return [table for table in tables if table.standings]


def best_players(snapshot: Snapshot, kind: Kind, part: Part) -> list[Best]:
    """Return the same part of the standings of each class of sizes, the highest rating first."""
    statement = "SELECT size, players FROM rating_classes WHERE kind = ?"
    counts = {SizeClass(size): number for size, number in snapshot.rows(statement, kind.name)}
    best = list[Best]()
    for size in SizeClass:
        if not counts.get(size):
            continue
        rows = snapshot.rows(
            f"{_STANDINGS} ratings WHERE kind = ? AND size = ? "
            "ORDER BY rating DESC, userid LIMIT ? OFFSET ?",
            *(kind.name, size.value, part.most, part.skipped),
        )
        best.append(Best(size, [Standing(*row) for row in rows], counts[size]))
    return best


def explain(snapshot: Snapshot, kind: Kind, userids: Sequence[str], part: Part) -> Explained:
    """Return a part of the games of some players.

    It goes through the players and the classes of sizes in turn, and of each takes the latest games
    first.
    """
    classes = {size: _standings(snapshot, kind, size, userids) for size in SizeClass}
    found = Explained([], [])
    most, skipped = part.most, part.skipped
    for userid in dict.fromkeys(userids):
        for size, standings in classes.items():
            if userid not in standings:
                continue
            found.standings.append((size, standings[userid]))
            taken = min(most, max(0, standings[userid].games - skipped))
            if taken:
                changes = _latest_changes(snapshot, kind, size, userid, Part(taken, skipped))
                found.players.append((userid, size, changes[::-1]))
            most, skipped = most - taken, max(0, skipped - standings[userid].games)
    return found


def _latest_changes(
    snapshot: Snapshot, kind: Kind, size: SizeClass, userid: str, part: Part
) -> Changes:
    """Return what games did to the rating of a player, the latest game first."""
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


def _change(kind: Kind, row: Row) -> tuple[str, Change]:
    board, outcome, *standings = row
    before, other = Standing(*standings[:6]), Standing(*standings[6:])
    return f"{kind.name} {board}", change_by(before, other, outcome)
