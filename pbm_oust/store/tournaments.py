"""Tournaments in the database: cups, their entries, and the players of each section.

The boards of a cup have it as their source, in a remark of the history: results are read there, and
nowhere else. A section is due at its start, after each of its games, and from time to time while
games wait for players to have room.
"""

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from enum import Enum
from functools import cache

import msgspec

from pbm_oust.board import Summary
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.database import (
    ALL_ROWS,
    Row,
    Snapshot,
    Transaction,
    moment_of,
    seconds,
    selection,
    words_list,
)
from pbm_oust.store.faults import ValueDamaged
from pbm_oust.store.index import ENTRIES, BoardName, Source, Window, read_entries
from pbm_oust.tournaments.cup import GOING_ON, SOURCE, Cup, Entry, Out, State

log = logging.getLogger("pbm_oust")

_CUPS = "SELECT kind, number, state, document FROM tournaments WHERE"
_ENTRY = (
    "SELECT kind, number, userid, at, most, out, why FROM entries WHERE kind = ? AND number = ?"
)
_AT_ONCE = 0
"""The due time of a section after an event."""
_READ = msgspec.json.Decoder(Cup).decode
_WHOLE = Window(ALL_ROWS)
_SECTIONS = (
    "SELECT kind, number, round, section, state, userid, has_won FROM sections "
    "JOIN section_players USING (kind, number, round, section)"
)


class DamagedTournament(NotAllowedReason, frozen=True):
    """A tournament with unreadable rows, which the operator has to repair."""

    kind: Kind
    number: int
    why: str
    """The fault in words for the operator."""

    def __str__(self) -> str:
        return f"{self.kind.name} {SOURCE} {self.number} in the database is damaged: {self.why}"


class Progress(Enum):
    """The state of a section."""

    DRAWN = "drawn"
    """The players are not yet told of its beginning."""
    BEGUN = "begun"
    OVER = "over"


class Section(msgspec.Struct, frozen=True):
    """Players who play each other in a round of a cup."""

    kind: str
    number: int
    round: int
    section: int
    """The number in the round, from 1."""
    players: tuple[str, ...]
    """The players, the strongest first."""
    progress: Progress = Progress.DRAWN
    winners: tuple[str, ...] = ()
    """The winners at its end."""

    @property
    def key(self) -> tuple[str, int, int, int]:
        """The game, the cup, the round and the section."""
        return self.kind, self.number, self.round, self.section

    @property
    def is_over(self) -> bool:
        """Whether all its games have been played."""
        return self.progress is Progress.OVER

    @property
    def source(self) -> Source:
        """The source of its boards."""
        return Source(SOURCE, self.number, self.round, self.section)


# Cups


def find(snapshot: Snapshot, kind: str, number: int) -> Cup | None:
    """Return a cup, or None. Raises NotAllowed if it is damaged."""
    row = snapshot.row(f"{_CUPS} kind = ? AND number = ?", kind, number)
    return _cup(row) if row else None


def whole(snapshot: Snapshot, kind: str, number: int) -> Cup | None:
    """Return a cup; None if it is missing or damaged."""
    row = snapshot.row(f"{_CUPS} kind = ? AND number = ?", kind, number)
    return next(_whole([row]), None) if row else None


def cup_of_board(snapshot: Snapshot, kind: str, board: int) -> tuple[Cup | None, int]:
    """Return the cup to which the game of a board belongs, and its round; None and 0 for others."""
    search = "SELECT source_number, round FROM boards WHERE kind = ? AND board = ? AND source = ?"
    row = snapshot.row(search, kind, board, SOURCE)
    return (whole(snapshot, kind, row[0]), row[1]) if row else (None, 0)


def cups(snapshot: Snapshot, kind: str, states: Iterable[State], part: Window) -> list[Cup]:
    """Return cups of a game in some states, the latest first, without damaged ones."""
    rows = [
        row
        for state in states
        for row in snapshot.rows(
            f"{_CUPS} kind = ? AND state = ? ORDER BY number DESC LIMIT ?",
            *(kind, state.value, part.skipped + part.most),
        )
    ]
    rows.sort(key=lambda row: -row[1])
    return [*_whole(rows[part.skipped : part.skipped + part.most])]


def damage(snapshot: Snapshot) -> list[DamagedTournament]:
    """Return all damage in the rows of tournaments."""
    found = list[DamagedTournament]()
    rows = (row for kind in KINDS for row in snapshot.rows(f"{_CUPS} kind = ?", kind))
    for row in rows:
        try:
            cup = _cup(row)
            entries(snapshot, cup.kind, cup.number)
        except NotAllowed as refusal:
            if isinstance(refusal.reason, DamagedTournament):
                found.append(refusal.reason)
    return found


def _whole(rows: Iterable[Row]) -> Iterator[Cup]:
    """Yield the cups in some rows; damaged ones are logged."""
    for row in rows:
        try:
            yield _cup(row)
        except NotAllowed as refusal:
            _note_damage(str(refusal.reason))


@cache
def _note_damage(said: str) -> None:
    """Log damage, once in a process."""
    log.error("%s", said)


def _cup(row: Row) -> Cup:
    """Return the cup in a row. Raises NotAllowed if it is damaged."""
    kind, number, state, document = row
    try:
        cup = _READ(document)
    except (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError) as error:
        raise _damaged(kind, number, error.__cause__ or error) from None
    if (cup.kind, cup.number, cup.state.value) != (kind, number, state):
        said = f"{cup.name}, {cup.state.value}"
        raise _damaged(kind, number, f"it says that it is {said}, and its row says {state}")
    if not KINDS[kind].plays_on(cup.grid):
        raise _damaged(kind, number, f"{kind} is not played on {cup.grid}")
    return cup


def _damaged(kind: str, number: int, why: object) -> NotAllowed:
    return NotAllowed(DamagedTournament(KINDS[kind], number, str(why)))


def count_cups(snapshot: Snapshot, kind: str, states: Iterable[State]) -> int:
    """Return the number of cups of a game in some states."""
    return sum(
        snapshot.number(
            "SELECT count(*) FROM tournaments WHERE kind = ? AND state = ?", kind, state.value
        )
        for state in states
    )


def next_number(snapshot: Snapshot, kind: str) -> int:
    """Return the number for the next tournament of a game."""
    return 1 + snapshot.number("SELECT max(number) FROM tournaments WHERE kind = ?", kind)


def keep(transaction: Transaction, cup: Cup, due: datetime | None = None) -> None:
    """Write a cup, new or known; `due` is the time of the next look at it."""
    transaction.run(
        "INSERT INTO tournaments (kind, number, document, state, due, organiser) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (kind, number) DO UPDATE "
        "SET document = excluded.document, state = excluded.state, due = excluded.due, "
        "organiser = excluded.organiser",
        *(cup.kind, cup.number, msgspec.json.encode(cup).decode(), cup.state.value),
        seconds(due) if due else None,
        cup.organiser,
    )


def going_on_of(snapshot: Snapshot, organiser: str) -> Cup | None:
    """Return a cup that a player has announced and that is not over, or None."""
    rows = (
        snapshot.row(f"{_CUPS} organiser = ? AND state = ? LIMIT 1", organiser, state.value)
        for state in GOING_ON
    )
    return next(_whole(filter(None, rows)), None)


def due_cups(snapshot: Snapshot, now: datetime) -> list[tuple[str, int]]:
    """Return the kinds and numbers of the cups with something due."""
    at = seconds(now)
    rows = [
        *snapshot.rows("SELECT kind, number FROM tournaments WHERE due <= ?", at),
        *snapshot.rows("SELECT kind, number FROM sections WHERE due <= ?", at),
    ]
    return sorted({(kind, number) for kind, number in rows})


# Who takes part


def entries(snapshot: Snapshot, kind: str, number: int, part: Window = _WHOLE) -> list[Entry]:
    """Return the players in a cup, including former ones, in the order of entering."""
    search = f"{_ENTRY} ORDER BY at, userid LIMIT ? OFFSET ?"
    rows = snapshot.rows(search, kind, number, part.most, part.skipped)
    return [_entry(row) for row in rows]


def entries_of(
    snapshot: Snapshot, kind: str, number: int, userids: Sequence[str]
) -> dict[str, Entry]:
    """Return the entries of some players."""
    some = "userid IN (SELECT value FROM json_each(?))"
    rows = snapshot.rows(f"{_ENTRY} AND {some}", kind, number, words_list(userids))
    return {each.userid: each for each in map(_entry, rows)}


def entered_after(snapshot: Snapshot, cup: Cup, userid: str, most: int) -> list[str]:
    """Return the next userids in a cup, including former players, in order."""
    rows = snapshot.rows(
        "SELECT userid FROM entries WHERE kind = ? AND number = ? AND userid > ? "
        "ORDER BY userid LIMIT ?",
        *(cup.kind, cup.number, userid, most),
    )
    return [userid for (userid,) in rows]


def count_entries(snapshot: Snapshot, cup: Cup) -> int:
    """Return the number of players in a cup, including those who are out of it."""
    return snapshot.number(
        "SELECT count(*) FROM entries WHERE kind = ? AND number = ?", cup.kind, cup.number
    )


def enter(transaction: Transaction, cup: Cup, entry: Entry) -> None:
    """Add an entry to a cup, or replace it."""
    transaction.run(
        "INSERT INTO entries (kind, number, userid, at, most, out, why) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, number, userid) DO UPDATE "
        "SET at = excluded.at, most = excluded.most, out = excluded.out, why = excluded.why",
        *(cup.kind, cup.number, entry.userid, seconds(entry.at), entry.most),
        seconds(entry.out) if entry.out else None,
        entry.why.value if entry.why else None,
    )


def leave(transaction: Transaction, cup: Cup, userid: str) -> None:
    """Remove an entry from a cup."""
    transaction.run(
        "DELETE FROM entries WHERE kind = ? AND number = ? AND userid = ?",
        *(cup.kind, cup.number, userid),
    )


def entered_by(snapshot: Snapshot, userid: str) -> list[tuple[str, int]]:
    """Return the kinds and numbers of a player's cups, the latest first."""
    rows = snapshot.rows(
        "SELECT kind, number FROM entries WHERE userid = ? ORDER BY number DESC, kind", userid
    )
    return [(kind, number) for kind, number in rows]


def rename(transaction: Transaction, old: str, new: str) -> None:
    """Change a player's userid in all tournaments. Two who have become one enter once."""
    _replace_in_cups(transaction, old, new)
    transaction.run(
        "DELETE FROM entries WHERE userid = ? AND EXISTS (SELECT 1 FROM entries other "
        "WHERE other.kind = entries.kind AND other.number = entries.number AND other.userid = ?)",
        *(old, new),
    )
    transaction.run("UPDATE entries SET userid = ? WHERE userid = ?", new, old)
    transaction.run("UPDATE section_players SET userid = ? WHERE userid = ?", new, old)


def forget(transaction: Transaction, userid: str) -> None:
    """Remove a player from all tournaments."""
    _replace_in_cups(transaction, userid)
    transaction.run("DELETE FROM entries WHERE userid = ?", userid)
    transaction.run("DELETE FROM section_players WHERE userid = ?", userid)


def _replace_in_cups(transaction: Transaction, old: str, *new: str) -> None:
    """Replace the userid of an organiser and a winner in all cups, or remove it."""
    organised = "SELECT kind, number FROM tournaments WHERE organiser = ?"
    for kind, number in transaction.rows(organised, old):
        cup = whole(transaction, kind, number)
        if cup:
            changed = msgspec.structs.replace(cup, organiser=next(iter(new), None))
            transaction.run(
                "UPDATE tournaments SET document = ?, organiser = ? WHERE kind = ? AND number = ?",
                *(msgspec.json.encode(changed).decode(), changed.organiser, kind, number),
            )
    for kind, number in entered_by(transaction, old):
        cup = whole(transaction, kind, number)
        if cup and old in cup.winners:
            others = (each for each in cup.winners if each != old)
            winners = tuple(dict.fromkeys((*others, *new)))
            document = msgspec.json.encode(msgspec.structs.replace(cup, winners=winners)).decode()
            transaction.run(
                "UPDATE tournaments SET document = ? WHERE kind = ? AND number = ?",
                *(document, kind, number),
            )


def _entry(row: Row) -> Entry:
    """Return the entry in a row. Raises NotAllowed if it is damaged."""
    kind, number, userid, at, most, out, why = row
    try:
        since = moment_of(out) if out is not None else None
        return Entry(userid, moment_of(at), most, since, Out(why) if why else None)
    except (ValueError, ValueDamaged) as error:
        raise _damaged(kind, number, f"the entry of {userid}: {error}") from None


# Sections


class Round(msgspec.Struct, frozen=True):
    """The state of a round of a cup."""

    number: int
    sections: int
    """The number of sections."""
    over: int
    """The number of finished sections."""
    players: int
    """The number of players in the largest section."""


def rounds(snapshot: Snapshot, cup: Cup) -> list[Round]:
    """Return the rounds of a cup that have begun, in order."""
    rows = snapshot.rows(
        "SELECT round, count(DISTINCT section), "
        "count(DISTINCT CASE WHEN state = 'over' THEN section END), max(place) FROM sections "
        "JOIN section_players USING (kind, number, round, section) "
        "WHERE kind = ? AND number = ? GROUP BY round ORDER BY round",
        *(cup.kind, cup.number),
    )
    return [Round(*row) for row in rows]


def sections(
    snapshot: Snapshot, kind: str, number: int, round_: int, part: Window = _WHOLE
) -> list[Section]:
    """Return the sections of a round of a cup, in order."""
    rows = snapshot.rows(
        f"{_SECTIONS} WHERE kind = ? AND number = ? AND round = ? AND section > ? AND section <= ? "
        "ORDER BY section, place",
        *(kind, number, round_, part.skipped, part.skipped + part.most),
    )
    return _sections(rows)


def section_at(snapshot: Snapshot, key: tuple[str, int, int, int]) -> Section | None:
    """Return a section, or None."""
    is_it = "kind = ? AND number = ? AND round = ? AND section = ?"
    rows = snapshot.rows(f"{_SECTIONS} WHERE {is_it} ORDER BY place", *key)
    return next(iter(_sections(rows)), None)


def count_sections(snapshot: Snapshot, cup: Cup) -> int:
    """Return the number of sections in the latest round of a cup."""
    return snapshot.number(
        "SELECT count(*) FROM sections WHERE kind = ? AND number = ? AND round = ?",
        *(cup.kind, cup.number, cup.round),
    )


def draw(transaction: Transaction, cup: Cup, drawn: Iterable[Sequence[str]], now: datetime) -> None:
    """Write the sections of the latest round of a cup, due at once."""
    begun = list(enumerate(drawn, 1))
    at = cup.kind, cup.number, cup.round
    transaction.run_all(
        "INSERT INTO sections (kind, number, round, section, due) VALUES (?, ?, ?, ?, ?)",
        [(*at, section, seconds(now)) for section, _ in begun],
    )
    transaction.run_all(
        "INSERT INTO section_players (kind, number, round, section, place, userid) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        [
            (*at, section, place, userid)
            for section, players in begun
            for place, userid in enumerate(players, 1)
        ],
    )


def due_section(snapshot: Snapshot, cup: Cup, now: datetime) -> Section | None:
    """Return the section of a cup that has been due for longest, or None."""
    row = snapshot.row(
        "SELECT round, section FROM sections WHERE kind = ? AND number = ? AND due <= ? "
        "ORDER BY due, section LIMIT 1",
        *(cup.kind, cup.number, seconds(now)),
    )
    return section_at(snapshot, (cup.kind, cup.number, *row)) if row else None


def is_round_over(snapshot: Snapshot, cup: Cup) -> bool:
    """Return whether the latest round of a cup is finished."""
    row = snapshot.row(
        "SELECT 1 FROM sections WHERE kind = ? AND number = ? AND round = ? AND state <> ? LIMIT 1",
        *(cup.kind, cup.number, cup.round, Progress.OVER.value),
    )
    return row is None


def winners_of_round(snapshot: Snapshot, cup: Cup, round_: int) -> list[str]:
    """Return the winners of all sections in a round of a cup, in order of sections."""
    rows = snapshot.rows(
        "SELECT userid FROM section_players "
        "WHERE kind = ? AND number = ? AND round = ? AND has_won = 1 ORDER BY section, place",
        *(cup.kind, cup.number, round_),
    )
    return [userid for (userid,) in rows]


def let_wait(
    transaction: Transaction, section: Section, due: datetime | None, progress: Progress
) -> None:
    """Set the time of the next look at a section, and its progress."""
    transaction.run(
        "UPDATE sections SET due = ?, state = ? "
        "WHERE kind = ? AND number = ? AND round = ? AND section = ?",
        *(seconds(due) if due else None, progress.value, *section.key),
    )


def end_section(transaction: Transaction, section: Section, winners: Collection[str]) -> None:
    """Mark a section as finished, with its winners."""
    let_wait(transaction, section, None, Progress.OVER)
    transaction.run_all(
        "UPDATE section_players SET has_won = ? "
        "WHERE kind = ? AND number = ? AND round = ? AND section = ? AND userid = ?",
        [(int(userid in winners), *section.key, userid) for userid in section.players],
    )


def look_at_all(transaction: Transaction, cup: Cup, now: datetime) -> None:
    """Mark all unfinished sections in the latest round of a cup as due."""
    transaction.run(
        "UPDATE sections SET due = ? WHERE kind = ? AND number = ? AND round = ? AND state <> ?",
        *(seconds(now), cup.kind, cup.number, cup.round, Progress.OVER.value),
    )


def note_absence(transaction: Transaction, userid: str) -> None:
    """Mark all sections of a player who no longer plays as due."""
    transaction.run(
        "UPDATE sections SET due = ? WHERE state <> ? AND (kind, number, round, section) IN "
        "(SELECT kind, number, round, section FROM section_players WHERE userid = ?)",
        *(_AT_ONCE, Progress.OVER.value, userid),
    )


def section_of(snapshot: Snapshot, cup: Cup, userid: str) -> Section | None:
    """Return a player's section in the latest round of a cup, or None."""
    row = snapshot.row(
        "SELECT section FROM section_players "
        "WHERE userid = ? AND kind = ? AND number = ? AND round = ?",
        *(userid, cup.kind, cup.number, cup.round),
    )
    return section_at(snapshot, (cup.kind, cup.number, cup.round, *row)) if row else None


def finals_of(snapshot: Snapshot, userid: str, most: int) -> list[Cup]:
    """Return the latest finished cups with a player in the last round."""
    rows = snapshot.rows(
        "SELECT kind, number, state, document FROM section_players p "
        "JOIN tournaments t USING (kind, number) "
        "WHERE userid = ? AND state = 'over' AND round = (SELECT max(s.round) FROM sections s "
        "WHERE s.kind = t.kind AND s.number = t.number) ORDER BY number DESC, kind LIMIT ?",
        *(userid, most),
    )
    return [*_whole(rows)]


def progress_of(snapshot: Snapshot, kind: str, number: int) -> Row | None:
    """Return a value that changes when a game of a cup begins or ends, and with each entry.

    None if there is no such cup.
    """
    ours = "FROM boards WHERE kind = t.kind AND source = ? AND source_number = t.number"
    ours += " AND round >= 1"  # so that the planner takes the index of sources
    entered = "FROM entries e WHERE e.kind = t.kind AND e.number = t.number"
    counted = (
        f"(SELECT count(*) {ours})",
        f"(SELECT count(*) FILTER (WHERE boards.state = 'over') {ours})",
        f"(SELECT count(*) {entered})",
        f"(SELECT count(out) {entered})",
    )
    columns = ("state", *counted)
    search = selection("tournaments t WHERE kind = ? AND number = ?", columns)
    return snapshot.row(search, SOURCE, SOURCE, kind, number)


_OF_CUP = (
    "boards s JOIN boards b USING (kind, board) "
    "WHERE s.kind = ? AND s.source = ? AND s.source_number = ?"
)
"""The boards `b` of a cup, joined so that the planner takes the index of sources.

The order by `+b.latest` keeps it from going through all boards in that order.
"""
_OF_SECTION = f"{_OF_CUP} AND s.round = ? AND s.section = ?"


def results(snapshot: Snapshot, cup: Cup, most: int) -> list[Summary]:
    """Return the finished boards of a cup, the latest first."""
    return read_entries(
        snapshot,
        f"{ENTRIES} {_OF_CUP} AND b.state = 'over' ORDER BY +b.latest DESC, b.board DESC LIMIT ?",
        *(cup.kind, SOURCE, cup.number, most),
    )


def note_end(transaction: Transaction, kind: str, source: Source) -> None:
    """Mark the section with this source as due, after a game has ended or changed."""
    transaction.run(
        "UPDATE sections SET due = ? WHERE kind = ? AND number = ? AND round = ? AND section = ?",
        *(_AT_ONCE, kind, source.number, source.round, source.section),
    )


def boards_of(snapshot: Snapshot, section: Section) -> list[Summary]:
    """Return the boards of a section in order, without damaged ones."""
    return read_entries(
        snapshot,
        f"{ENTRIES} {_OF_SECTION} AND b.state <> 'damaged' ORDER BY b.board",
        *(section.kind, SOURCE, *section.key[1:]),
    )


def boards_outside_sections(snapshot: Snapshot, cup: Cup) -> list[BoardName]:
    """Return boards whose source is a cup, but none of its sections."""
    rows = snapshot.rows(
        "SELECT kind, board FROM boards b WHERE kind = ? AND source = ? AND source_number = ? "
        "AND NOT EXISTS (SELECT 1 FROM sections s WHERE s.kind = b.kind AND "
        "s.number = b.source_number AND s.round = b.round AND s.section = b.section) "
        "ORDER BY board",
        *(cup.kind, SOURCE, cup.number),
    )
    return [BoardName(*row) for row in rows]


def has_damaged(snapshot: Snapshot, section: Section) -> bool:
    """Return whether a board of a section is damaged, so that its players are unknown."""
    row = snapshot.row(
        selection(f"{_OF_SECTION} AND b.state = 'damaged' LIMIT 1", "1"),
        *(section.kind, SOURCE, *section.key[1:]),
    )
    return row is not None


def count_in_play(snapshot: Snapshot, cup: Cup, userid: str) -> int:
    """Return the number of a player's active boards in a cup."""
    return snapshot.number(
        "SELECT count(*) FROM board_userids u JOIN boards b USING (kind, board) "
        "WHERE u.userid = ? AND u.state = 'active' AND u.is_owner = 1 "
        "AND b.kind = ? AND b.source = ? AND b.source_number = ?",
        *(userid, cup.kind, SOURCE, cup.number),
    )


def _sections(rows: Iterable[Row]) -> list[Section]:
    found: dict[tuple[str, int, int, int], tuple[str, dict[str, int]]] = {}
    for kind, number, round_, section, state, userid, has_won in rows:
        key = kind, number, round_, section
        found.setdefault(key, (state, {}))[1][userid] = has_won
    return [
        Section(
            *key,
            players=tuple(players),
            progress=Progress(state),
            winners=tuple(userid for userid, has_won in players.items() if has_won),
        )
        for key, (state, players) in found.items()
    ]
