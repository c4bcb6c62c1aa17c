"""The turn of the side to move: since when, and what its player has used up before. Pure.

A turn begins with the record that gives it to a player, and again with each record of their own
that leaves it with them. Time belongs to players: a swap takes it along, and whoever takes over a
side begins afresh. What is said about a board without moving on it changes nothing, nor does a move
that its player takes back.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from operator import attrgetter

from pbm_oust.accounts.vacations import DAY, Absence, present
from pbm_oust.board.game import Game, redo
from pbm_oust.board.record import Deed, Record, Ruling, Verb
from dataclasses import dataclass, replace
from pbm_oust.rules.position import Side

Absences = Mapping[str, Sequence[Absence]]
"""The vacations of players in order, by userid."""
_Times = Mapping[str, timedelta]
"""Times by userid; players without any are left out."""
_Span = tuple[str, datetime, datetime]
"""The player to move, and the time between two records."""
_NOT_PLAIN = (Deed.ACCEPT, Deed.RETRACT)
_RULED_NOT_PLAIN = (Verb.ADOPT, Verb.UNDO)
_MOMENT = attrgetter("at")


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn of the side to move."""

    record: int
    """The number of the record that gave it to its player; 0 for the start of the board."""
    began: datetime
    used: _Times
    """What each player used up before it, if that is limited."""
    granted: _Times = field(default_factory=dict)
    """How much more total time the operator has given each player, if that is limited."""


def turn_of(game: Game, absences: Absences) -> Turn:
    """Return the turn of the side to move."""
    latest = None if game.header.terms.totaltime else _latest_turn(game)
    return latest or _plain_turn(game, absences) or _replayed_turn(game, absences)


def extension_of(record: Record) -> tuple[Side | None, timedelta]:
    """Return which side got more time by a record, and how much; None and nothing for others."""
    action = record.action
    if isinstance(action, Ruling) and action.verb is Verb.EXTEND:
        return action.side, action.days * DAY
    return None, timedelta()


def _is_plain(record: Record) -> bool:
    """Return whether a record leaves the moves before it where they are, and the sides too."""
    action = record.action
    if isinstance(action, Ruling):
        return action.verb not in _RULED_NOT_PLAIN
    return action not in _NOT_PLAIN


def _latest_turn(game: Game) -> Turn | None:
    """Return the turn of the side to move without what was used up before, from the last records.

    None for a board on which a move was taken back or a side handed over after the latest move.
    """
    for record in reversed(game.records):
        if record.is_playing:
            return Turn(record.number, record.at, {})
        if not _is_plain(record):
            return None
    return Turn(0, game.header.started, {})


@dataclass(frozen=True, slots=True)
class _Spent:
    """How long the turns of the players were, as the records tell it without the rules."""

    x: str
    o: str
    latest: datetime
    """When the latest move was made, or the board was started."""
    times: _Times
    """The time between each move of a player and the move before it, taken together."""
    granted: _Times
    is_plain: bool = True
    """Whether the records tell it: no move was taken back, and no side was handed over."""


def _spend(spent: _Spent, record: Record) -> _Spent:
    """Return how long the turns were with one more record."""
    if not _is_plain(record):
        return replace(spent, is_plain=False)
    x, o = spent.x, spent.o
    side, time = extension_of(record)
    if side:
        player = x if side is Side.X else o
        return replace(spent, granted=_with(spent.granted, player, time))
    if not record.is_playing:
        return spent
    player = x if record.side is Side.X else o
    # What a wrong clock has added to the turn before is taken off again.
    counted = player if record.at >= spent.latest else x if player == o else o
    times = _with(spent.times, counted, record.at - spent.latest)
    if record.action is Deed.SWAP:
        x, o = o, x
    return _Spent(x, o, record.at, times, spent.granted, spent.is_plain)


def _with(times: _Times, player: str, more: timedelta) -> _Times:
    return {**times, player: times.get(player, timedelta()) + more}


def _plain_turn(game: Game, absences: Absences) -> Turn | None:
    """Return the turn of the side to move, which the records tell without the rules.

    None for a board on which a move was taken back or a side handed over.
    """
    header = game.header
    spent = game.records.folded(_Spent(header.x, header.o, header.started, {}, {}), _spend)
    if not spent.is_plain:
        return None
    used = {
        player: time - sum(_absent(game, player, absences.get(player, ())), timedelta())
        for player, time in spent.times.items()
    }
    used = {player: time for player, time in used.items() if time}
    latest = game.line[-1] if game.line else None
    began = (latest.number, latest.at) if latest else (0, header.started)
    return Turn(*began, used, spent.granted)


def _absent(game: Game, player: str, absences: Sequence[Absence]) -> Iterator[timedelta]:
    """Yield the parts of a player's turns that were spent away; the turns are those of `line`."""
    line, started = game.line, game.header.started
    for absence in absences:
        for nth in range(bisect_right(line, absence.start, key=_MOMENT), len(line)):
            since, until = line[nth - 1].at if nth else started, line[nth].at
            if since >= absence.end:
                break
            side = game.owned_now(line[nth])
            if side and game.owner(side) == player and since < until:
                yield min(until, absence.end) - max(since, absence.start)


def _replayed_turn(game: Game, absences: Absences) -> Turn:
    """Return the turn of the side to move, from all records of a board and the rules."""
    state, began = Game.start(game.header), (0, game.header.started)
    turns: list[tuple[int, datetime]] = []
    spans: list[_Span] = []
    granted: _Times = {}
    for record in game.records:
        spans.append((state.player_to_move, state.latest, record.at))
        state = redo(state, record)
        this = (record.number, record.at)
        if record.is_playing:
            turns.append(began)
            began = this
            continue
        undone, turns = turns[len(state.line) :], turns[: len(state.line)]
        adopted = _adopted(record)
        if undone:
            began = undone[0] if record.action is Deed.RETRACT else this
        if adopted:
            spans = [span for span in spans if span[0] != adopted]
            granted = {player: time for player, time in granted.items() if player != adopted}
        side, time = extension_of(record)
        if side:
            granted = _with(granted, state.owner(side), time)
        if adopted == state.player_to_move:
            began = this
    return Turn(*began, _used(spans, began[1], absences), granted)


def _used(spans: Iterable[_Span], until: datetime, absences: Absences) -> dict[str, timedelta]:
    """Return how much time each player has used up in spans that end before a moment."""
    used: dict[str, timedelta] = {}
    for player, since, end in spans:
        if since <= end <= until:
            time = present(absences.get(player, ()), since, end)
            used[player] = used.get(player, timedelta()) + time
    return {player: time for player, time in used.items() if time}


def _adopted(record: Record) -> str:
    """Return the userid that took over a side by a record; empty where none did."""
    action = record.action
    return action.userid if isinstance(action, Ruling) else ""
