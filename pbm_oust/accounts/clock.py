"""How long players have for their turns, from the records of a board and their vacations. Pure.

A turn begins with the record that gives it to a player, and again with each record of their own
that leaves it with them. Time belongs to players: a swap takes it along, and whoever takes over a
side begins afresh. What is said about a board without moving on it changes nothing, nor does a move
that its player takes back.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from operator import attrgetter

from pbm_oust.accounts.vacations import DAY, Absence, away_at, due, present
from pbm_oust.board.game import Game, redo
from pbm_oust.board.record import Deed, Record, Ruling, Verb
from pbm_oust.frozen import frozen
from pbm_oust.rules.position import Side

GRACE = DAY
"""The least time between the reminder and the end of a game."""
LAST_REMINDER_FROM = 4 * DAY
"""How long the time behind a reminder is at least that there is a second one."""


def three_quarters(span: timedelta) -> timedelta:
    """Return how much of a limited time passes before its reminder."""
    return span * 3 / 4


_Absences = Mapping[str, Sequence[Absence]]
"""The vacations of players in order, by userid."""
_Span = tuple[str, datetime, datetime]
"""The player to move, and the time between two records."""
_NOT_PLAIN = (Deed.ACCEPT, Deed.RETRACT)
"""What can take a move back."""
_MOMENT = attrgetter("at")


class Limit(Enum):
    """What sets the deadline of a turn, by the name of the option."""

    FORFEIT = "forfeittime"
    MOVE = "maxtime"
    TOTAL = "totaltime"


@frozen
class Clock:
    """The time of the player to move, as it stands at a moment."""

    player: str
    side: Side
    began: datetime
    """When the turn began."""
    used: timedelta
    """How much of the total time, if there is one, the player has used up, this turn with it."""
    reminders: tuple[datetime, ...]
    """When the player was reminded in this turn."""
    next_reminder: datetime | None
    """When the next reminder is due; None where there will be none."""
    deadline: datetime
    """When the game is lost. Without a reminder yet: as it will be if that comes in time."""
    limit: Limit
    """What sets the deadline."""
    away: Absence | None
    """The vacation of the player at this moment."""


@frozen
class _Turn:
    """The turn of the side to move."""

    record: int
    """The number of the record that gave it to its player; 0 for the start of the board."""
    began: datetime
    used: Mapping[str, timedelta]
    """What each player used up before it, if that is limited; not those who used nothing."""


def read_clock(game: Game, absences: Mapping[str, Sequence[Absence]], now: datetime) -> Clock:
    """Return the clock of a board that is not over. `absences` are those of its players in order.

    Raises ValueError for a board that is over.
    """
    if game.result:
        raise ValueError(f"{game.name} is over")
    player, terms = game.player_to_move, game.header.terms
    away = absences.get(player, ())
    turn = _turn_of(game, absences)
    used = turn.used.get(player, timedelta())
    spans = {
        Limit.MOVE: terms.maxtime * DAY if terms.maxtime else None,
        Limit.TOTAL: max(terms.totaltime * DAY - used, 0 * DAY) if terms.totaltime else None,
    }
    limits = {limit: span for limit, span in spans.items() if span is not None}
    reminded_after = (
        max(min(three_quarters(span), span - GRACE), 0 * DAY) for span in limits.values()
    )
    until_reminder = min([terms.nagtime * DAY, *reminded_after])
    due_first = due(away, turn.began, until_reminder)
    reminders = tuple(_reminders(game, turn.record))
    first = reminders[0] if reminders else max(due_first, now)
    ends = {limit: due(away, turn.began, span) for limit, span in limits.items()}
    ends[Limit.FORFEIT] = due(away, first, terms.forfeittime * DAY)
    limit = min(ends, key=lambda each: ends[each])
    deadline = max(ends[limit], due(away, first, GRACE))
    return Clock(
        player=player,
        side=game.to_move,
        began=turn.began,
        used=used + present(away, turn.began, max(now, turn.began)),
        reminders=reminders,
        next_reminder=_next_reminder(reminders, due_first, deadline, away),
        deadline=deadline,
        limit=limit,
        away=away_at(away, now),
    )


def ruling_due(game: Game, clock: Clock, now: datetime) -> Ruling | None:
    """Return what the server has to do to a board by its clock, as it is now, or None.

    Nothing is done while the player is away, and no game ends without a reminder.
    """
    if clock.away:
        return None
    if clock.reminders and now >= clock.deadline:
        return Ruling(Verb.FORFEIT, clock.side)
    if clock.next_reminder and now >= clock.next_reminder:
        return Ruling(Verb.REMIND, clock.side)
    return None


def _next_reminder(
    reminders: tuple[datetime, ...],
    due_first: datetime,
    deadline: datetime,
    absences: Sequence[Absence],
) -> datetime | None:
    if not reminders:
        return due_first
    span = present(absences, reminders[0], deadline)
    if len(reminders) > 1 or span < LAST_REMINDER_FROM:
        return None
    return due(absences, reminders[0], three_quarters(span))


def _reminders(game: Game, since: int) -> Iterator[datetime]:
    """Yield when the side to move was reminded behind a record."""
    reminder = Ruling(Verb.REMIND, game.to_move)
    return (record.at for record in game.records[since:] if record.action == reminder)


def _turn_of(game: Game, absences: _Absences) -> _Turn:
    """Return the turn of the side to move."""
    latest = None if game.header.terms.totaltime else _latest_turn(game)
    return latest or _plain_turn(game, absences) or _replayed_turn(game, absences)


def _latest_turn(game: Game) -> _Turn | None:
    """Return the turn of the side to move without what was used up before, from the last records.

    None for a board on which a move was taken back or a side handed over after the latest move.
    """
    for record in reversed(game.records):
        if record.is_playing:
            return _Turn(record.number, record.at, {})
        if record.action in _NOT_PLAIN or _adopted(record):
            return None
    return _Turn(0, game.header.started, {})


@frozen
class _Spent:
    """How long the turns of the players were, as the records tell it without the rules."""

    x: str
    o: str
    latest: datetime
    """When the latest move was made, or the board was started."""
    times: Mapping[str, timedelta]
    """The time between each move of a player and the move before it, taken together."""
    is_plain: bool = True
    """Whether the records tell it: no move was taken back, and no side was handed over."""


def _spend(spent: _Spent, record: Record) -> _Spent:
    """Return how long the turns were with one more record."""
    if record.action in _NOT_PLAIN or _adopted(record):
        return replace(spent, is_plain=False)
    if not record.is_playing:
        return spent
    x, o = spent.x, spent.o
    player = x if record.side is Side.X else o
    time = spent.times.get(player, timedelta()) + record.at - spent.latest
    if record.action is Deed.SWAP:
        x, o = o, x
    return _Spent(x, o, record.at, {**spent.times, player: time}, spent.is_plain)


def _plain_turn(game: Game, absences: _Absences) -> _Turn | None:
    """Return the turn of the side to move, which the records tell without the rules.

    None for a board on which a move was taken back or a side handed over.
    """
    header = game.header
    spent = game.records.folded(_Spent(header.x, header.o, header.started, {}), _spend)
    if not spent.is_plain:
        return None
    used = {
        player: time - sum(_absent(game, player, absences.get(player, ())), timedelta())
        for player, time in spent.times.items()
    }
    used = {player: time for player, time in used.items() if time}
    latest = game.line[-1] if game.line else None
    return _Turn(latest.number, latest.at, used) if latest else _Turn(0, header.started, used)


def _absent(game: Game, player: str, absences: Sequence[Absence]) -> Iterator[timedelta]:
    """Yield the parts of a player's turns that were spent away; the turns are those of `line`."""
    line, started = game.line, game.header.started
    for absence in absences:
        for nth in range(bisect_right(line, absence.start, key=_MOMENT), len(line)):
            since, until = line[nth - 1].at if nth else started, line[nth].at
            if since >= absence.end:
                break
            side = game.owned_now(line[nth])
            if side and game.owner(side) == player:
                yield min(until, absence.end) - max(since, absence.start)


def _replayed_turn(game: Game, absences: _Absences) -> _Turn:
    """Return the turn of the side to move, from all records of a board and the rules."""
    state, began = Game.start(game.header), (0, game.header.started)
    turns: list[tuple[int, datetime]] = []
    spans: list[_Span] = []
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
        if adopted == state.player_to_move:
            began = this
    return _Turn(*began, _used(spans, began[1], absences))


def _used(spans: Iterable[_Span], until: datetime, absences: _Absences) -> dict[str, timedelta]:
    """Return how much time each player has used up in spans that end before a moment."""
    used: dict[str, timedelta] = {}
    for player, since, end in spans:
        if end <= until:
            time = present(absences.get(player, ()), since, end)
            used[player] = used.get(player, timedelta()) + time
    return {player: time for player, time in used.items() if time}


def _adopted(record: Record) -> str:
    """Return the userid that took over a side by a record; empty where none did."""
    action = record.action
    return action.userid if isinstance(action, Ruling) else ""


def earliest_ruling(game: Game) -> datetime | None:
    """Return the moment before which nothing is due on a board, whatever vacations there are.

    None for a board that is over. Vacations only make a clock later, with one exception: those
    before a reminder can leave so much time behind it that there is a second one.
    """
    if game.result:
        return None
    clock = read_clock(game, {}, game.latest)
    if not clock.reminders:
        return clock.next_reminder
    if len(clock.reminders) == 1:
        return min(clock.deadline, clock.reminders[0] + three_quarters(LAST_REMINDER_FROM))
    return clock.deadline
