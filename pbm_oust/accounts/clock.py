"""Turns and clocks: the beginning of a turn, and the time of its player. Pure."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from enum import Enum
from operator import attrgetter

from msgspec import Struct, structs

from pbm_oust.accounts.vacations import DAY, Absence, away_at, due, present
from pbm_oust.board import Deed, Game, Record, Ruling, Verb
from pbm_oust.rules import Side

Absences = Mapping[str, Sequence[Absence]]
"""The vacations of players in order, by userid."""
_Times = Mapping[str, timedelta]
"""Times by userid; players without any are left out."""
_Span = tuple[str, datetime, datetime]
"""The player to move, and the times of two successive records."""
_NOT_PLAIN = (Deed.ACCEPT, Deed.RETRACT)
_RULED_NOT_PLAIN = (Verb.ADOPT, Verb.UNDO)
_MOMENT = attrgetter("at")


class CurrentTurn(Struct, frozen=True):
    """The turn of the side to move."""

    record: int
    """The number of the record that began the turn; 0 for the start of the board."""
    began: datetime
    used: _Times
    """The time that each player had used up before it, if total time is limited."""
    granted: _Times = {}
    """The total time that the operator has added for each player, if it is limited."""


def turn_of(game: Game, absences: Absences) -> CurrentTurn:
    """Return the turn of the side to move."""
    latest = None if game.header.terms.totaltime else _latest_turn(game)
    return latest or _plain_turn(game, absences) or _replayed_turn(game, absences)


def extension_of(record: Record) -> tuple[Side | None, timedelta]:
    """Return the side and the time of an extension by the operator; None and 0 for others."""
    action = record.action
    if isinstance(action, Ruling) and action.verb is Verb.EXTEND:
        return action.side, action.days * DAY
    return None, timedelta()


def _is_plain(record: Record) -> bool:
    """Return whether a record takes back no move and hands over no side."""
    action = record.action
    if isinstance(action, Ruling):
        return action.verb not in _RULED_NOT_PLAIN
    return action not in _NOT_PLAIN


def _latest_turn(game: Game) -> CurrentTurn | None:
    """Return the turn of the side to move, without times used before, from the last records.

    None for a board on which a move was taken back or a side handed over after the latest move.
    """
    for record in reversed(game.records):
        if record.is_playing:
            return CurrentTurn(record.number, record.at, {})
        if not _is_plain(record):
            return None
    return CurrentTurn(0, game.header.started, {})


class _Spent(Struct, frozen=True):
    """The length of the players' turns, by the records without the rules."""

    x: str
    o: str
    latest: datetime
    """The time of the latest move, or of the start."""
    times: _Times
    """The total time between each player's moves and the moves before them."""
    granted: _Times
    is_plain: bool = True
    """Whether the records suffice: no move was taken back, and no side was handed over."""


def _spend(spent: _Spent, record: Record) -> _Spent:
    """Return the lengths of turns with one more record."""
    if not _is_plain(record):
        return structs.replace(spent, is_plain=False)
    x, o = spent.x, spent.o
    side, time = extension_of(record)
    if side:
        player = x if side is Side.X else o
        return structs.replace(spent, granted=_with(spent.granted, player, time))
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


def _plain_turn(game: Game, absences: Absences) -> CurrentTurn | None:
    """Return the turn of the side to move, by the records without the rules.

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
    return CurrentTurn(*began, used, spent.granted)


def _absent(game: Game, player: str, absences: Sequence[Absence]) -> Iterator[timedelta]:
    """Yield the vacation times within a player's turns; the turns are those of `line`."""
    line, started = game.line, game.header.started
    for absence in absences:
        for nth in range(bisect_right(line, absence.start, key=_MOMENT), len(line)):
            since, until = line[nth - 1].at if nth else started, line[nth].at
            if since >= absence.end:
                break
            side = game.owned_now(line[nth])
            if side and game.owner(side) == player and since < until:
                yield min(until, absence.end) - max(since, absence.start)


def _replayed_turn(game: Game, absences: Absences) -> CurrentTurn:
    """Return the turn of the side to move, by replaying all records."""
    state, began = Game.start(game.header), (0, game.header.started)
    turns: list[tuple[int, datetime]] = []
    spans: list[_Span] = []
    granted: _Times = {}
    for record in game.records:
        spans.append((state.player_to_move, state.latest, record.at))
        state = state.redo(record)
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
    return CurrentTurn(*began, _used(spans, began[1], absences), granted)


def _used(spans: Iterable[_Span], until: datetime, absences: Absences) -> dict[str, timedelta]:
    """Return the time used by each player in spans that end before a moment."""
    used: dict[str, timedelta] = {}
    for player, since, end in spans:
        if since <= end <= until:
            time = present(absences.get(player, ()), since, end)
            used[player] = used.get(player, timedelta()) + time
    return {player: time for player, time in used.items() if time}


def _adopted(record: Record) -> str:
    """Return the userid that took over a side by a record; empty for other records."""
    action = record.action
    return action.userid if isinstance(action, Ruling) else ""


GRACE = DAY
"""The least time between the reminder and the end of a game, and between the end of a vacation of a
day or more and that."""
LAST_REMINDER_FROM = 4 * DAY
"""The shortest time after a reminder for which there is a second one."""
_NO_TIME = timedelta()


def three_quarters(span: timedelta) -> timedelta:
    """Return the part of a limited time that passes before the reminder."""
    return span * 3 / 4


class TimeLimit(Enum):
    """The option that sets the deadline of a turn."""

    FORFEIT = "forfeittime"
    MOVE = "maxtime"
    TOTAL = "totaltime"


class Clock(Struct, frozen=True):
    """The state of a player's time in a turn, at a moment."""

    player: str
    side: Side
    began: datetime
    """The beginning of the turn."""
    used: timedelta
    """The total time used by the player, this turn included."""
    total: timedelta
    """The total time of the player, extensions included; 0 if there is none."""
    reminders: tuple[datetime, ...]
    """The times of the reminders in this turn."""
    last_from: datetime | None
    """Since when the time before a last reminder counts; None before the first one, and after the
    last."""
    next_reminder: datetime | None
    """The time of the next reminder; None if there will be none."""
    deadline: datetime
    """The time at which the game is lost. Before the first reminder: if that comes in time."""
    limit: TimeLimit
    """The option that sets the deadline."""
    away: Absence | None
    """The current vacation of the player."""

    def ruling_due(self, now: datetime) -> Ruling | None:
        """Return the ruling that the clock demands now, or None.

        Nothing is done while the player is away, and no game ends without a reminder.
        """
        if self.away:
            return None
        if now >= self.deadline:
            return Ruling(Verb.FORFEIT, self.side)
        if self.next_reminder and now >= self.next_reminder:
            return Ruling(Verb.REMIND, self.side)
        return None


class _Told(Struct, frozen=True):
    """Reminders and extensions of a turn."""

    reminders: tuple[datetime, ...]
    last_from: datetime | None
    """As in the clock."""
    early: timedelta
    """The extension by the operator before the first reminder."""
    late: timedelta
    """The extension by the operator after it."""


_NOTHING_TOLD = _Told((), None, _NO_TIME, _NO_TIME)


def read_clock(game: Game, absences: Absences, now: datetime) -> Clock:
    """Return the clock of a board that is not over. `absences` are those of its players in order.

    A turn that begins later than now was begun by a wrong clock. It counts from now, and a reminder
    is due at once, from which the deadline counts. A reminder that is later than now, or than
    what follows it, was sent by a wrong clock and does not count.

    Raises ValueError for a board that is over.
    """
    if game.result:
        raise ValueError(f"{game.name} is over")
    player, terms = game.player_to_move, game.header.terms
    away = absences.get(player, ())
    turn = turn_of(game, absences)
    told = _told(game, turn, now)
    used = turn.used.get(player, _NO_TIME)
    total = _NO_TIME
    limits = list[tuple[TimeLimit, timedelta]]()
    if terms.maxtime:
        limits.append((TimeLimit.MOVE, terms.maxtime * DAY + told.early + told.late))
    if terms.totaltime:
        total = terms.totaltime * DAY + turn.granted.get(player, _NO_TIME)
        limits.append((TimeLimit.TOTAL, max(total - used, _NO_TIME)))
    until_reminder = terms.nagtime * DAY + told.early
    for _, span in limits:
        until_reminder = min(until_reminder, max(min(three_quarters(span), span - GRACE), _NO_TIME))
    began = min(turn.began, now)
    due_first = now if began < turn.began else due(away, began, until_reminder)
    first = told.reminders[0] if told.reminders else max(due_first, now)
    deadline, limit = due(away, first, terms.forfeittime * DAY + told.late), TimeLimit.FORFEIT
    for each, span in reversed(limits):
        end = due(away, began, span)
        if end <= deadline:
            deadline, limit = end, each
    deadline = max(deadline, due(away, first, GRACE))
    for absence in away:
        is_long = absence.end - absence.start >= GRACE
        if is_long and began < absence.end and absence.start < deadline:
            deadline = max(deadline, due(away, absence.end, GRACE))
    last = _last_reminder(told.last_from, deadline, away) if told.last_from else None
    return Clock(
        player=player,
        side=game.to_move,
        began=began,
        used=used + present(away, began, now),
        total=total,
        reminders=told.reminders,
        last_from=told.last_from,
        next_reminder=last if told.reminders else due_first,
        deadline=deadline,
        limit=limit,
        away=away_at(away, now),
    )


def _last_reminder(
    since: datetime, deadline: datetime, absences: Sequence[Absence]
) -> datetime | None:
    span = present(absences, since, deadline)
    return due(absences, since, three_quarters(span)) if span >= LAST_REMINDER_FROM else None


def _told(game: Game, turn: CurrentTurn, now: datetime) -> _Told:
    """Return the reminders and extensions of the current turn until now."""
    since = game.records[turn.record :]
    if not since:
        return _NOTHING_TOLD
    reminder = Ruling(Verb.REMIND, game.to_move)
    reminders = [record for record in _in_time(since, now) if record.action == reminder]
    extensions = [record for record in since if extension_of(record)[0] is game.to_move]
    first = reminders[0].number if reminders else game.next_number
    late = [record for record in extensions if record.number > first]
    latest = [*reminders[:1], *late][-1:]
    is_last_due = bool(latest) and reminders[-1].number <= latest[0].number
    return _Told(
        reminders=tuple(record.at for record in reminders),
        last_from=latest[0].at if is_last_due else None,
        early=_given(record for record in extensions if record.number < first),
        late=_given(late),
    )


def _in_time(records: Sequence[Record], now: datetime) -> list[Record]:
    """Return the records that are not later than now, or than a following record."""
    found = list[Record]()
    for record in reversed(records):
        if record.at <= now:
            now = record.at
            found.append(record)
    return found[::-1]


def _given(extensions: Iterable[Record]) -> timedelta:
    return sum((extension_of(record)[1] for record in extensions), _NO_TIME)


def earliest_ruling(game: Game) -> datetime | None:
    """Return the earliest moment of a reminder or loss, whatever vacations there are.

    None for a board that is over. Vacations only make a clock later, with one exception: those
    before a reminder can leave so much time behind it that there is a second one.
    """
    if game.result:
        return None
    clock = read_clock(game, {}, game.latest)
    if not clock.reminders:
        return clock.next_reminder
    if clock.last_from:
        return min(clock.deadline, clock.last_from + three_quarters(LAST_REMINDER_FROM))
    return clock.deadline
