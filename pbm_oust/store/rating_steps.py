"""What players had achieved before each game that has been counted for ratings.

So what a game did can be told without counting those before it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pbm_oust.board.ratings import Change, RatedGame, SizeClass, Standing, count_game, size_class
from pbm_oust.rules.position import Kind
from pbm_oust.store.board_pages import Part
from pbm_oust.store.board_queries import ENTRIES, read_entries
from pbm_oust.store.columns import seconds
from pbm_oust.store.connections import Snapshot, Transaction


@dataclass(frozen=True, slots=True)
class Step:
    """What one of its players had achieved before a game."""

    size: SizeClass
    ended: int
    board: int
    before: Standing


def steps_of(game: RatedGame) -> tuple[Step, Step]:
    """Return the steps of both players of a game."""
    size, ended, board = size_class(game.game.grid), seconds(game.game.ended), game.game.board
    return (
        Step(size, ended, board, game.x.before),
        Step(size, ended, board, game.o.before),
    )


def write_steps(transaction: Transaction, kind: Kind, steps: Iterable[Step]) -> None:
    """Keep the steps of some games of a kind."""
    for step in steps:
        before = step.before
        transaction.run(
            "INSERT OR REPLACE INTO rating_steps "
            "(kind, userid, size, ended, board, rating, wins, losses, draws, worth)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            kind.name,
            before.userid,
            step.size.value,
            step.ended,
            step.board,
            before.rating,
            before.wins,
            before.losses,
            before.draws,
            before.worth,
        )


def forget_steps(transaction: Transaction, kind: Kind, userid: str | None = None) -> None:
    """Remove the steps of a kind: those of a player, or all."""
    if userid is None:
        transaction.run("DELETE FROM rating_steps WHERE kind = ?", kind.name)
    else:
        transaction.run("DELETE FROM rating_steps WHERE kind = ? AND userid = ?", kind.name, userid)


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
        place = seconds(finish.ended), finish.board
        players = (finish.x, finish.o)
        before = {each: _before(snapshot, kind, each, size, place) for each in players}
        change = count_game(finish, before).change_of(userid)
        found += [(finish.name, change)] if change else []
    return found


def all_steps(snapshot: Snapshot, kind: Kind) -> set[Step]:
    """Return all steps of a kind."""
    rows = snapshot.rows(
        "SELECT size, ended, board, userid, rating, wins, losses, draws, worth "
        "FROM rating_steps WHERE kind = ?",
        kind.name,
    )
    return {
        Step(SizeClass(size), ended, board, Standing(*before))
        for size, ended, board, *before in rows
    }


def _before(
    snapshot: Snapshot, kind: Kind, userid: str, size: SizeClass, place: tuple[int, int]
) -> Standing:
    row = snapshot.row(
        "SELECT userid, rating, wins, losses, draws, worth FROM rating_steps "
        "WHERE kind = ? AND userid = ? AND size = ? AND ended = ? AND board = ?",
        kind.name,
        userid,
        size.value,
        *place,
    )
    return Standing(*row) if row else Standing(userid)
