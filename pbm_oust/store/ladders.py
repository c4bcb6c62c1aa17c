"""Ladders in the database: who stands where, kept beside what has led to that.

Who joins and who leaves is kept here alone; challenges are what the histories of their boards say.
The rungs stand as they do after the latest event: each one goes on where the one before has left
off. If an event comes or changes behind which others stand already, all are gone through anew. What
is too much for one transaction waits for the next sweep, which goes on with it in parts, and lets
idle players sink.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import partial

from msgspec import Struct

from pbm_oust.board import Game, Summary, Terms, notation
from pbm_oust.board.history import read_header
from pbm_oust.rules import KINDS, Grid, How, Kind, parse_grid
from pbm_oust.store.database import (
    ALL_ROWS,
    Database,
    Row,
    Snapshot,
    Transaction,
    moment_of,
    seconds,
    words_list,
)
from pbm_oust.store.index import ENTRIES, BoardName, Window, read_entries
from pbm_oust.tournaments.ladder import (
    ENDS,
    IDLE,
    MOST_REACH,
    PAUSE,
    Challenge,
    Event,
    Ladder,
    LadderStep,
    Outlook,
    Rung,
    fold,
)

MOST_AT_ONCE = 100
"""How many steps of a ladder are done while others wait to write."""
_LOOKED_AT = 3 * MOST_REACH
"""How many players above are looked at, with those who are passed over."""
_GAP = 2**32
"""What lies between two rungs that nobody has climbed in between."""
_NEAR = 50
"""How many rungs are spread out where no room is left between two, at first."""
_LAST_BOARD = 2**40
"""Stands behind all boards of a second."""
_BEFORE_ALL = (0, 0, 0)

_Place = tuple[int, int, int]
"""Where an event stands: its second, board and number."""
_BOARDS = "SELECT board, challenger, defender, began, ended, how FROM ladder_boards WHERE kind = ?"
_DEFENDED_BY = "AND ended IS NULL AND defender IN (SELECT value FROM json_each(?))"
_CHALLENGED_BY = "AND ended IS NULL AND challenger IN (SELECT value FROM json_each(?))"


class LadderPlace(Struct, frozen=True):
    """A player on a ladder, and their place."""

    userid: str
    place: int
    playing: int
    """On how many boards of the ladder they play."""


class Climb(Struct, frozen=True):
    """What the end of a challenge does to a ladder."""

    challenger: str
    defender: str
    how: LadderStep
    """How it ended: WIN, HOLD or VOID."""
    before: int | None
    """The place of the challenger before that; None for who has left the ladder."""
    place: int | None
    """The place of the defender before that, which the challenger takes if they climb."""

    @property
    def is_climbed(self) -> bool:
        """Whether the challenger takes that place."""
        return self.how is LadderStep.WIN and bool(
            self.before and self.place and self.place < self.before
        )


# What happens


def join(transaction: Transaction, kind: str, userid: str, now: datetime) -> None:
    """Let a player join a ladder, at the bottom."""
    _note_step(transaction, kind, userid, LadderStep.JOIN, now)


def leave(transaction: Transaction, kind: str, userid: str, now: datetime) -> None:
    """Let a player leave a ladder."""
    _note_step(transaction, kind, userid, LadderStep.LEAVE, now)


def depart(transaction: Transaction, userid: str, now: datetime) -> None:
    """Let a player leave all ladders; nothing is kept of one who has not played there."""
    for kind in ladders_of(transaction, userid):
        leave(transaction, kind, userid, now)
    played = "SELECT 1 FROM ladder_boards WHERE challenger = ? UNION ALL "
    played += "SELECT 1 FROM ladder_boards WHERE defender = ? LIMIT 1"
    if not transaction.row(played, userid, userid):
        transaction.run("DELETE FROM ladder_steps WHERE userid = ?", userid)


def rename(transaction: Transaction, old: str, new: str) -> None:
    """Give a player another userid on all ladders, as their boards have it already.

    Where one has played whose userid that is, all that happened is gone through anew.
    """
    for kind in KINDS:
        if _has_been_on(transaction, kind, old) and _has_been_on(transaction, kind, new):
            _start_anew(transaction, kind)
    transaction.run("UPDATE ladder_steps SET userid = ? WHERE userid = ?", new, old)
    transaction.run("UPDATE rungs SET userid = ? WHERE userid = ?", new, old)


def _has_been_on(snapshot: Snapshot, kind: str, userid: str) -> bool:
    """Return whether a player has ever joined a ladder, or stands on it."""
    joined = "SELECT kind FROM ladder_steps WHERE userid = ? UNION "
    joined += "SELECT kind FROM rungs WHERE userid = ?"
    return (kind,) in snapshot.rows(joined, userid, userid)


def challenge_of(said: Summary, data: bytes) -> Challenge:
    """Return the challenge that a history of a ladder's board tells of.

    `said` is what it says by the rules. The challenger is the one who owned x as it began.
    """
    header = read_header(data)
    how = _how(said, header.x) if said.result else None
    ended = said.latest if said.result else None
    return Challenge(said.board, header.x, header.o, header.started, ended, how)


def _how(said: Summary, challenger: str) -> LadderStep:
    """Return how a challenge has ended."""
    if said.result and said.result.how is How.VOID:
        return LadderStep.VOID
    return LadderStep.WIN if said.winner == challenger else LadderStep.HOLD


def note_board(
    transaction: Transaction,
    name: BoardName,
    challenge: Challenge | None,
    *,
    is_renamed: bool = False,
) -> None:
    """Note what the history of a board says of a ladder now; None if it says nothing of that.

    To be called by whoever writes the row of a board, after writing it. If it says something else
    than it did, all is gone through anew, unless only a userid is another one.
    """
    row = transaction.row(f"{_BOARDS} AND board = ?", *name)
    before = _challenge(row) if row else None
    if before == challenge:
        return
    transaction.run("DELETE FROM ladder_boards WHERE kind = ? AND board = ?", *name)
    if challenge:
        transaction.run(
            "INSERT INTO ladder_boards (kind, board, challenger, defender, began, ended, how) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(name.kind, challenge.board, challenge.challenger, challenge.defender),
            seconds(challenge.began),
            seconds(challenge.ended) if challenge.ended else None,
            challenge.how.value if challenge.how else None,
        )
    said, says = (set(each.events()) if each else set() for each in (before, challenge))
    changed = [_place_of(event) for event in said ^ says]
    if not is_renamed and min(changed) <= position(transaction, name.kind):
        _start_anew(transaction, name.kind)


def catch_up(transaction: Transaction, kind: str, now: datetime | None = None) -> bool:
    """Let the rungs follow what has happened, and idle players sink who should have until now.

    Returns whether more is left to be done.
    """
    left = MOST_AT_ONCE
    for event in _events(transaction, kind, left):
        left -= _sink(transaction, kind, event.at, left)
        if left <= 0:
            return True
        _do(transaction, kind, event)
        _keep_position(transaction, kind, _place_of(event))
        left -= 1
    return left <= 0 or bool(now and _sink(transaction, kind, now, left) >= left)


def count_waiting(database: Database, now: datetime) -> None:
    """Let all rungs follow what has happened until now.

    It is done in parts, so that nobody else waits for all of it. Raises DatabaseFault.
    """
    with database.read_latest() as snapshot:
        behind = [kind for kind in KINDS if is_due(snapshot, kind, now)]
    for kind in behind:
        while database.write(partial(catch_up, kind=kind, now=now)):
            pass


def is_behind(snapshot: Snapshot, kind: str) -> bool:
    """Return whether something has happened that the rungs do not follow yet."""
    return bool(_events(snapshot, kind, 1))


def is_due(snapshot: Snapshot, kind: str, now: datetime) -> bool:
    """Return whether something has happened until now that the rungs do not follow yet.

    That somebody should have sunk counts as well.
    """
    return is_behind(snapshot, kind) or _idle(snapshot, kind, now) is not None


def _note_step(
    transaction: Transaction, kind: str, userid: str, step: LadderStep, now: datetime
) -> None:
    """Note that a player joins or leaves, behind all that has happened."""
    catch_up(transaction, kind, now)
    latest = transaction.row(
        "SELECT at, board, number FROM ladder_steps WHERE kind = ? "
        "ORDER BY at DESC, board DESC, number DESC LIMIT 1",
        kind,
    )
    places = (seconds(now), 0, 0), latest or _BEFORE_ALL, position(transaction, kind)
    at, board, number = max(places)
    transaction.run(
        "INSERT INTO ladder_steps (kind, at, board, number, userid, step) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        *(kind, at, board, number + 1, userid, step.value),
    )
    catch_up(transaction, kind, now)


def _start_anew(transaction: Transaction, kind: str) -> None:
    """Let all that happened on a ladder be gone through anew."""
    transaction.run("DELETE FROM rungs WHERE kind = ?", kind)
    _keep_position(transaction, kind, _BEFORE_ALL)


def _do(transaction: Transaction, kind: str, event: Event) -> None:
    """Let the rungs follow an event, as `Ladder.after` does."""
    userid, two = event.userid, (event.userid, event.defender)
    at, step = seconds(event.at), LadderStep(event.step)
    if step is LadderStep.JOIN:
        _add(transaction, kind, userid, event)
    elif step is LadderStep.LEAVE:
        transaction.run("DELETE FROM rungs WHERE kind = ? AND userid = ?", kind, userid)
    elif step is LadderStep.BEGIN:
        for each in reversed(two):
            _add(transaction, kind, each, event)
        _play(transaction, kind, two, 1)
    else:
        _play(transaction, kind, two, -1)
        if step is not LadderStep.VOID:
            transaction.run(
                "UPDATE rungs SET since = ? WHERE kind = ? AND userid IN (?, ?)", at, kind, *two
            )
        if step is LadderStep.WIN:
            _climb(transaction, kind, *two)


def _add(transaction: Transaction, kind: str, userid: str, event: Event) -> None:
    """Put a player at the bottom, unless they are on the ladder."""
    begun, ended = _around(_place_of(event))
    playing = transaction.number(
        "SELECT count(*) FROM ladder_boards WHERE (challenger = ? OR defender = ?) AND kind = ? "
        "AND (began, board) < (?, ?) AND (ended IS NULL OR (ended, board) > (?, ?))",
        *(userid, userid, kind, *begun, *ended),
    )
    transaction.run(
        "INSERT INTO rungs (kind, userid, rank, since, playing) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        *(kind, userid, _bottom(transaction, kind), seconds(event.at), playing),
    )


def _play(transaction: Transaction, kind: str, two: tuple[str, str], number: int) -> None:
    """Let two players play on a board more or less."""
    transaction.run(
        "UPDATE rungs SET playing = playing + ? WHERE kind = ? AND userid IN (?, ?)",
        *(number, kind, *two),
    )


def _climb(transaction: Transaction, kind: str, challenger: str, defender: str) -> None:
    """Let a challenger take the place of a defender above."""
    here, there = (_rank(transaction, kind, each) for each in (challenger, defender))
    if here is None or there is None or here < there:
        return
    rank = _room_above(transaction, kind, there)
    if rank is None:
        _spread(transaction, kind, there)
        rank = _room_above(transaction, kind, _rank(transaction, kind, defender) or 0)
    _move(transaction, kind, challenger, rank or 0)


def _room_above(snapshot: Snapshot, kind: str, rank: int) -> int | None:
    """Return a rank between a rung and the one above it; None if there is none."""
    row = snapshot.row(
        "SELECT rank FROM rungs WHERE kind = ? AND rank < ? ORDER BY rank DESC LIMIT 1", kind, rank
    )
    if row is None:
        return rank - _GAP
    middle: int = (row[0] + rank) // 2
    return middle if row[0] < middle else None


def _spread(transaction: Transaction, kind: str, rank: int, near: int = _NEAR) -> None:
    """Make room above a rung: spread it and those near above it out, below the one above them."""
    rows = transaction.rows(
        "SELECT rank, userid FROM rungs WHERE kind = ? AND rank <= ? ORDER BY rank DESC LIMIT ?",
        *(kind, rank, near + 1),
    )
    is_top = len(rows) <= near
    top = rows[-1][0] - len(rows) * _GAP if is_top else rows[-1][0]
    moved = rows if is_top else rows[:-1]
    gap = (rank - top) // len(moved)
    if gap < 2:
        _spread(transaction, kind, rank, 2 * near)
        return
    for nth, (_, userid) in enumerate(moved):
        _move(transaction, kind, userid, rank - nth * gap)


def _move(transaction: Transaction, kind: str, userid: str, rank: int) -> None:
    transaction.run("UPDATE rungs SET rank = ? WHERE kind = ? AND userid = ?", rank, kind, userid)


def _sink(transaction: Transaction, kind: str, before: datetime, most: int) -> int:
    """Let idle players sink, at most so many, one after the other; return how many have sunk."""
    for done in range(most):
        idle = _idle(transaction, kind, before)
        if idle is None:
            return done
        userid, since = idle
        sinks = since + int(IDLE.total_seconds())
        transaction.run(
            "UPDATE rungs SET rank = ?, since = ? WHERE kind = ? AND userid = ?",
            *(_bottom(transaction, kind), sinks, kind, userid),
        )
        place = sinks, _LAST_BOARD, 0
        _keep_position(transaction, kind, max(place, position(transaction, kind)))
    return most


def _idle(snapshot: Snapshot, kind: str, before: datetime) -> tuple[str, int] | None:
    """Return who sinks next, and since when they have been idle; None if that is not before."""
    row = snapshot.row(
        "SELECT userid, since FROM rungs WHERE kind = ? AND playing = 0 AND since < ? "
        "ORDER BY since, rank LIMIT 1",
        *(kind, seconds(before - IDLE)),
    )
    return (row[0], row[1]) if row else None


def _rank(snapshot: Snapshot, kind: str, userid: str) -> int | None:
    row = snapshot.row("SELECT rank FROM rungs WHERE kind = ? AND userid = ?", kind, userid)
    return row[0] if row else None


def _bottom(snapshot: Snapshot, kind: str) -> int:
    """Return a rank below all others."""
    return _GAP + snapshot.number("SELECT max(rank) FROM rungs WHERE kind = ?", kind)


# Events, and how far the rungs have come


def position(snapshot: Snapshot, kind: str) -> _Place:
    """Return the place of the event after which the rungs stand."""
    row = snapshot.row("SELECT at, board, number FROM ladders WHERE kind = ?", kind)
    return (row[0], row[1], row[2]) if row else _BEFORE_ALL


def _keep_position(transaction: Transaction, kind: str, place: _Place) -> None:
    transaction.run(
        "INSERT INTO ladders (kind, at, board, number) VALUES (?, ?, ?, ?) ON CONFLICT (kind) "
        "DO UPDATE SET at = excluded.at, board = excluded.board, number = excluded.number",
        *(kind, *place),
    )


def _events(snapshot: Snapshot, kind: str, most: int) -> list[Event]:
    """Return the events that the rungs do not follow yet, in their order, at most so many."""
    return _events_after(snapshot, kind, position(snapshot, kind), most)


def _events_after(snapshot: Snapshot, kind: str, place: _Place, most: int) -> list[Event]:
    steps = snapshot.rows(
        "SELECT at, board, number, userid, step FROM ladder_steps "
        "WHERE kind = ? AND (at, board, number) > (?, ?, ?) ORDER BY at, board, number LIMIT ?",
        *(kind, *place, most),
    )
    begun = snapshot.rows(
        f"{_BOARDS} AND (began, board) > (?, ?) ORDER BY began, board LIMIT ?",
        *(kind, *place[:2], most),
    )
    ended = snapshot.rows(
        f"{_BOARDS} AND (ended, board) > (?, ?) ORDER BY ended, board LIMIT ?",
        *(kind, *_around(place)[1], most),
    )
    found = {event for row in (*begun, *ended) for event in _challenge(row).events()}
    found |= {
        Event(moment_of(at), board, number, step, userid)
        for at, board, number, userid, step in steps
    }
    return sorted(event for event in found if _place_of(event) > place)[:most]


def _around(place: _Place) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return what the second and board is below that of challenges that began before a place.

    And what it is above that of those that ended after it.
    """
    at, board, number = place
    return (at, board + (number > 0)), (at, board - (number < ENDS))


def _place_of(event: Event) -> _Place:
    return seconds(event.at), event.board, event.number


def _challenge(row: Row) -> Challenge:
    board, challenger, defender, began, ended, how = row
    return Challenge(
        *(board, challenger, defender, moment_of(began)),
        moment_of(ended) if ended is not None else None,
        LadderStep(how) if how else None,
    )


# How it stands


def in_play(snapshot: Snapshot, kind: str, userids: Iterable[str]) -> list[Challenge]:
    """Return the challenges in play of some players, in the order of their boards."""
    players = words_list(userids)
    rows = snapshot.rows(f"{_BOARDS} {_DEFENDED_BY}", kind, players)
    rows += snapshot.rows(f"{_BOARDS} {_CHALLENGED_BY}", kind, players)
    return sorted({_challenge(row) for row in rows}, key=lambda each: each.board)


def results(snapshot: Snapshot, kind: str, most: int) -> list[Summary]:
    """Return the boards of a ladder whose games have ended, the latest first."""
    return read_entries(
        snapshot,
        f"{ENTRIES} ladder_boards l JOIN boards b USING (kind, board) WHERE l.kind = ? "
        "AND l.ended IS NOT NULL AND b.state = 'over' ORDER BY l.ended DESC, l.board DESC LIMIT ?",
        *(kind, most),
    )


def ladders_of(snapshot: Snapshot, userid: str) -> list[str]:
    """Return the kinds on whose ladders a player stands."""
    rows = snapshot.rows("SELECT kind FROM rungs WHERE userid = ? ORDER BY kind", userid)
    return [kind for (kind,) in rows]


def size(snapshot: Snapshot, kind: str) -> int:
    """Return how many players are on a ladder."""
    return snapshot.number("SELECT count(*) FROM rungs WHERE kind = ?", kind)


def places(snapshot: Snapshot, kind: str, part: Window) -> list[LadderPlace]:
    """Return a part of a ladder, from the top."""
    rows = snapshot.rows(
        "SELECT userid, playing FROM rungs WHERE kind = ? ORDER BY rank LIMIT ? OFFSET ?",
        *(kind, part.most, part.skipped),
    )
    return [
        LadderPlace(userid, place, playing)
        for place, (userid, playing) in enumerate(rows, part.skipped + 1)
    ]


def place_of(snapshot: Snapshot, kind: str, userid: str) -> int | None:
    """Return the place of a player on a ladder, from 1; None for who is not there."""
    rank = _rank(snapshot, kind, userid)
    if rank is None:
        return None
    return snapshot.number("SELECT count(*) FROM rungs WHERE kind = ? AND rank <= ?", kind, rank)


def outlook(snapshot: Snapshot, kind: str, userid: str, now: datetime) -> Outlook:
    """Return what decides whom a player may challenge."""
    place, players = place_of(snapshot, kind, userid), size(snapshot, kind)
    if place is None:
        return Outlook(userid, None, players)
    rows = snapshot.rows(
        "SELECT userid FROM rungs WHERE kind = ? AND rank < ? ORDER BY rank DESC LIMIT ?",
        *(kind, _rank(snapshot, kind, userid), _LOOKED_AT),
    )
    above = [each for (each,) in rows]
    challenges = snapshot.rows(
        f"{_BOARDS} AND challenger = ? AND began > ?", kind, userid, seconds(now - PAUSE)
    )
    challenges += snapshot.rows(
        f"{_BOARDS} {_DEFENDED_BY}",
        *(kind, words_list(above)),
    )
    found = {challenge.board: challenge for challenge in map(_challenge, challenges)}
    return Outlook(userid, place, players, above, tuple(found.values()))


def climb_by(snapshot: Snapshot, game: Game) -> Climb | None:
    """Return what the end of a game does to the ladder; None if it is no game of that.

    Its end need not be written. None too as long as the ladder does not follow all that happened.
    """
    kind = game.header.kind.name
    row = snapshot.row(f"{_BOARDS} AND board = ?", kind, game.header.board)
    if row is None or is_behind(snapshot, kind):
        return None
    challenger, defender = game.header.x, game.header.o
    places = (place_of(snapshot, kind, each) for each in (challenger, defender))
    return Climb(challenger, defender, _how(game.summary, challenger), *places)


def wrong(snapshot: Snapshot, kind: str, now: datetime) -> list[str]:
    """Return who is kept otherwise on a ladder than all that happened gives, in order.

    What the rungs do not follow yet is no fault of theirs.
    """
    place = position(snapshot, kind)
    events = [event for event in all_events(snapshot, kind) if _place_of(event) <= place]
    given = fold(events)
    rows = snapshot.rows(
        "SELECT userid, since, playing FROM rungs WHERE kind = ? ORDER BY rank", kind
    )
    kept = Ladder(tuple(Rung(userid, moment_of(since)) for userid, since, _ in rows), given.open)
    stands, should = (_told(ladder.at(now)) for ladder in (kept, given))
    boards = Counter(userid for two in given.open for userid in two)
    plays = {userid for userid, _, playing in rows if playing != boards[userid]}
    return sorted(plays | {userid for userid, _, _ in stands ^ should})


def _told(ladder: Ladder) -> set[tuple[str, int, datetime]]:
    return {(each.userid, nth, each.since) for nth, each in enumerate(ladder.rungs)}


def all_events(snapshot: Snapshot, kind: str) -> list[Event]:
    """Return all that happened on a ladder, in order."""
    return _events_after(snapshot, kind, _BEFORE_ALL, ALL_ROWS)


# How its boards begin


def terms_of(snapshot: Snapshot, kind: Kind) -> tuple[Grid, Terms]:
    """Return the grid and the terms of the boards of a ladder."""
    row = snapshot.row("SELECT grid, terms FROM ladders WHERE kind = ?", kind.name)
    grid, terms = row or (None, None)
    return (
        parse_grid(grid) if grid else kind.default_grid,
        notation.parse_terms(terms) if terms else Terms(binding=True),
    )


def set_terms(transaction: Transaction, kind: Kind, grid: Grid, terms: Terms) -> None:
    """Let the boards of a ladder begin like this from now on."""
    transaction.run(
        "INSERT INTO ladders (kind, grid, terms) VALUES (?, ?, ?) ON CONFLICT (kind) "
        "DO UPDATE SET grid = excluded.grid, terms = excluded.terms",
        *(kind.name, str(grid), notation.format_terms(terms)),
    )
