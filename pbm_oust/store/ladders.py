"""Ladders in the database: who stands where, kept beside what has led to that.

Who joins and who leaves is kept here alone; challenges are what the histories of their boards say.
A ladder is a document, which stands as it does after the latest event: the next one goes on where
the one before has left off. If an event comes or changes behind which others stand already, all
are gone through anew. What is too much for one transaction waits for the next sweep, which goes on
with it in parts, and lets idle players sink.
"""

import logging
from collections.abc import Collection
from datetime import datetime
from functools import partial

import msgspec
from msgspec import Struct, structs

from pbm_oust.board import Game, Summary, Terms, notation
from pbm_oust.board.history import read_header
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Grid, How, Kind, parse_grid
from pbm_oust.store.database import (
    ALL_ROWS,
    Database,
    Row,
    Snapshot,
    Transaction,
    moment_of,
    seconds,
)
from pbm_oust.store.index import ENTRIES, BoardName, Window, read_entries
from pbm_oust.tournaments.ladder import (
    PAUSE,
    SOURCE,
    Challenge,
    Event,
    Ladder,
    LadderStep,
    Outlook,
    fold,
)

log = logging.getLogger("pbm_oust")

MOST_AT_ONCE = 100
"""How many steps of a ladder are done while others wait to write."""
_LAST_BOARD = 2**40
"""Stands behind all boards of a second."""
_BEFORE_ALL = (0, 0, 0)
_READ = msgspec.json.Decoder(Ladder).decode

_Place = tuple[int, int, int]
"""Where an event stands: its second, board and number."""
_BOARDS = "SELECT board, challenger, defender, began, ended, how FROM ladder_boards WHERE kind = ?"


class DamagedLadder(NotAllowedReason, frozen=True):
    """The document of a ladder cannot be read, and the operator has to repair it."""

    kind: Kind
    why: str
    """What is wrong, for the operator."""

    def __str__(self) -> str:
        return f"{self.kind.name} {SOURCE} in the database is damaged: {self.why}"


class LadderPlace(Struct, frozen=True):
    """A player on a ladder, and their place."""

    userid: str
    place: int
    playing: int
    """On how many boards of the ladder they play."""
    since: datetime
    """Since when they are in this place."""

    def fields(self) -> dict[str, object]:
        """Return the place as JSON has it."""
        return {**structs.asdict(self), "since": notation.format_time(self.since)}


class Climb(Struct, frozen=True):
    """The change of a ladder at the end of a challenge."""

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
        ladder, place = _read(transaction, kind)
        steps = "SELECT userid FROM ladder_steps WHERE kind = ? AND userid IN (?, ?)"
        known = {userid for (userid,) in transaction.rows(steps, kind, old, new)} | {*ladder}
        if {old, new} <= known:
            start_anew(transaction, kind)
        elif old in known:
            _keep(transaction, kind, ladder.renamed(old, new), place)
    transaction.run("UPDATE ladder_steps SET userid = ? WHERE userid = ?", new, old)


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
        start_anew(transaction, name.kind)


def catch_up(transaction: Transaction, kind: str, now: datetime | None = None) -> bool:
    """Let a ladder follow what has happened, and idle players sink who should have until now.

    Returns whether more is left to be done.
    """
    ladder, place = _read(transaction, kind)
    events = _events_after(transaction, kind, place, MOST_AT_ONCE)
    for event in events:
        ladder, place = ladder.after(event), _place_of(event)
    is_behind = len(events) == MOST_AT_ONCE
    sunk = ladder.at(now) if now and not is_behind else ladder
    if sunk != ladder:
        moved = set(sunk.rungs).difference(ladder.rungs)
        place = max(place, *((seconds(each.since), _LAST_BOARD, 0) for each in moved))
    if events or sunk != ladder:
        _keep(transaction, kind, sunk, place)
    return is_behind


def count_waiting(database: Database, now: datetime) -> None:
    """Let all ladders follow what has happened until now.

    It is done in parts, so that nobody else waits for all of it. Raises DatabaseFault.
    """
    with database.read() as snapshot:
        behind = [kind for kind in KINDS if is_due(snapshot, kind, now)]
    for kind in behind:
        while database.write(partial(catch_up, kind=kind, now=now)):
            pass


def is_behind(snapshot: Snapshot, kind: str) -> bool:
    """Return whether something has happened that a ladder does not follow yet."""
    return bool(_events_after(snapshot, kind, _read(snapshot, kind)[1], 1))


def is_due(snapshot: Snapshot, kind: str, now: datetime) -> bool:
    """Return whether something has happened until now that a ladder does not follow yet.

    That somebody should have sunk counts as well.
    """
    ladder = read_ladder(snapshot, kind)
    return is_behind(snapshot, kind) or ladder.at(now) != ladder


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


def start_anew(transaction: Transaction, kind: str) -> None:
    """Let all that happened on a ladder be gone through anew."""
    _keep(transaction, kind, Ladder(), _BEFORE_ALL)


# Events, and how far a ladder has come


def position(snapshot: Snapshot, kind: str) -> _Place:
    """Return the place of the event after which a ladder stands."""
    row = snapshot.row("SELECT at, board, number FROM ladders WHERE kind = ?", kind)
    return (row[0], row[1], row[2]) if row else _BEFORE_ALL


def _read(snapshot: Snapshot, kind: str) -> tuple[Ladder, _Place]:
    """Return a ladder, and the place of the event after which it stands so.

    One that is damaged is gone through anew.
    """
    row = snapshot.row("SELECT document, at, board, number FROM ladders WHERE kind = ?", kind)
    document, *place = row or (None, *_BEFORE_ALL)
    if document is None:
        return Ladder(), _BEFORE_ALL
    try:
        return _READ(document), (place[0], place[1], place[2])
    except msgspec.DecodeError as error:
        log.error("the %s %s in the database is damaged: %s", kind, SOURCE, error)
        return Ladder(), _BEFORE_ALL


def _keep(transaction: Transaction, kind: str, ladder: Ladder, place: _Place) -> None:
    transaction.run(
        "INSERT INTO ladders (kind, document, at, board, number) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (kind) DO UPDATE SET document = excluded.document, at = excluded.at, "
        "board = excluded.board, number = excluded.number",
        *(kind, msgspec.json.encode(ladder).decode(), *place),
    )


def _events_after(snapshot: Snapshot, kind: str, place: _Place, most: int) -> list[Event]:
    """Return the events behind a place, in their order, at most so many."""
    steps = snapshot.rows(
        "SELECT at, board, number, userid, step FROM ladder_steps "
        "WHERE kind = ? AND (at, board, number) > (?, ?, ?) ORDER BY at, board, number LIMIT ?",
        *(kind, *place, most),
    )
    here = kind, *place[:2], most + 1  # the board there may have events before the place
    begun = snapshot.rows(
        f"{_BOARDS} AND (began, board) >= (?, ?) ORDER BY began, board LIMIT ?", *here
    )
    ended = snapshot.rows(
        f"{_BOARDS} AND (ended, board) >= (?, ?) ORDER BY ended, board LIMIT ?", *here
    )
    found = {event for row in (*begun, *ended) for event in _challenge(row).events()}
    found |= {
        Event(moment_of(at), board, number, step, userid)
        for at, board, number, userid, step in steps
    }
    return sorted(event for event in found if _place_of(event) > place)[:most]


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


def read_ladder(snapshot: Snapshot, kind: str) -> Ladder:
    """Return a ladder as it stands."""
    return _read(snapshot, kind)[0]


def in_play(snapshot: Snapshot, kind: str, userids: Collection[str]) -> list[Challenge]:
    """Return the challenges in play of some players, in the order of their boards."""
    found = read_ladder(snapshot, kind).open
    return sorted(
        (each for each in found if not {*each.players}.isdisjoint(userids)),
        key=lambda each: each.board,
    )


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
    return [kind for kind in sorted(KINDS) if userid in read_ladder(snapshot, kind)]


def size(snapshot: Snapshot, kind: str) -> int:
    """Return how many players are on a ladder."""
    return len(read_ladder(snapshot, kind).rungs)


def places(snapshot: Snapshot, kind: str, part: Window) -> list[LadderPlace]:
    """Return a part of a ladder, from the top."""
    ladder = read_ladder(snapshot, kind)
    playing, there = ladder.playing, ladder.rungs[part.skipped : part.skipped + part.most]
    return [
        LadderPlace(each.userid, place, playing[each.userid], each.placed)
        for place, each in enumerate(there, part.skipped + 1)
    ]


def place_of(snapshot: Snapshot, kind: str, userid: str) -> int | None:
    """Return the place of a player on a ladder, from 1; None for who is not there."""
    return read_ladder(snapshot, kind).place_of(userid)


def outlook(snapshot: Snapshot, kind: str, userid: str, now: datetime) -> Outlook:
    """Return what decides whom a player may challenge."""
    rows = snapshot.rows(
        "SELECT defender FROM ladder_boards WHERE challenger = ? AND kind = ? AND began > ?",
        *(userid, kind, seconds(now - PAUSE)),
    )
    recent = frozenset(defender for (defender,) in rows)
    return Outlook(userid, read_ladder(snapshot, kind), recent)


def climb_by(snapshot: Snapshot, game: Game) -> Climb | None:
    """Return what the end of a game does to the ladder; None if it is no game of that.

    Its end need not be written. None too as long as the ladder does not follow all that happened.
    """
    kind = game.header.kind.name
    row = snapshot.row(f"{_BOARDS} AND board = ?", kind, game.header.board)
    if row is None or is_behind(snapshot, kind):
        return None
    two = game.header.x, game.header.o
    places = map(read_ladder(snapshot, kind).place_of, two)
    return Climb(*two, _how(game.summary, two[0]), *places)


def wrong(snapshot: Snapshot, kind: str, now: datetime) -> list[str]:
    """Return who is kept otherwise on a ladder than all that happened gives, in order.

    What it does not follow yet is no fault.
    """
    kept, place = _read(snapshot, kind)
    given = fold(event for event in all_events(snapshot, kind) if _place_of(event) <= place)
    stands, should = (set(enumerate(each.at(now).rungs)) for each in (kept, given))
    found = {each.userid for _, each in stands ^ should}
    played = {*kept.open} ^ {*given.open}
    return sorted(found.union(*(each.players for each in played)))


def all_events(snapshot: Snapshot, kind: str) -> list[Event]:
    """Return all that happened on a ladder, in order."""
    return _events_after(snapshot, kind, _BEFORE_ALL, ALL_ROWS - 1)


# How its boards begin


def terms_of(snapshot: Snapshot, kind: Kind) -> tuple[Grid, Terms]:
    """Return the grid and the terms of the boards of a ladder. Raises NotAllowed if damaged."""
    row = snapshot.row("SELECT grid, terms FROM ladders WHERE kind = ?", kind.name)
    grid, terms = row or (None, None)
    try:
        on = parse_grid(grid) if grid else kind.default_grid
        by = notation.parse_terms(terms) if terms else Terms(binding=True)
    except ValueError as error:
        raise NotAllowed(DamagedLadder(kind, str(error))) from None
    if not kind.plays_on(on):
        raise NotAllowed(DamagedLadder(kind, f"{kind.name} is not played on {on}"))
    return on, by


def set_terms(transaction: Transaction, kind: Kind, grid: Grid, terms: Terms) -> None:
    """Let the boards of a ladder begin like this from now on."""
    transaction.run(
        "INSERT INTO ladders (kind, grid, terms) VALUES (?, ?, ?) ON CONFLICT (kind) "
        "DO UPDATE SET grid = excluded.grid, terms = excluded.terms",
        *(kind.name, str(grid), notation.format_terms(terms)),
    )
