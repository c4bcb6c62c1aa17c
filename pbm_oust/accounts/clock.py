"""How long players have for their turns, from the records of a board and their vacations. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import Enum

from pbm_oust.accounts.turns import Absences, Turn, extension_of, turn_of
from pbm_oust.accounts.vacations import DAY, Absence, away_at, due, present
from pbm_oust.board.game import Game
from pbm_oust.board.record import Record, Ruling, Verb
from dataclasses import dataclass
from pbm_oust.rules.position import Side

GRACE = DAY
"""The least time between the reminder and the end of a game."""
LAST_REMINDER_FROM = 4 * DAY
"""How long the time behind a reminder is at least that there is a second one."""
_NO_TIME = timedelta()


def three_quarters(span: timedelta) -> timedelta:
    """Return how much of a limited time passes before its reminder."""
    return span * 3 / 4


class Limit(Enum):
    """What sets the deadline of a turn, by the name of the option."""

    FORFEIT = "forfeittime"
    MOVE = "maxtime"
    TOTAL = "totaltime"


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of the player to move, as it stands at a moment."""

    player: str
    side: Side
    began: datetime
    """When the turn began."""
    used: timedelta
    """How much of the total time, if there is one, the player has used up, this turn with it."""
    total: timedelta
    """The total time of the player, with what the operator has added; 0 if there is none."""
    reminders: tuple[datetime, ...]
    """When the player was reminded in this turn."""
    last_from: datetime | None
    """Since when the time before a last reminder counts; None before the first one, and after the
    last."""
    next_reminder: datetime | None
    """When the next reminder is due; None where there will be none."""
    deadline: datetime
    """When the game is lost. Without a reminder yet: as it will be if that comes in time."""
    limit: Limit
    """What sets the deadline."""
    away: Absence | None
    """The vacation of the player at this moment."""


@dataclass(frozen=True, slots=True)
class _Told:
    """What the player to move was told in a turn by the server and its operator."""

    reminders: tuple[datetime, ...]
    last_from: datetime | None
    """As in the clock."""
    early: timedelta
    """How much more time the operator gave before the first reminder."""
    late: timedelta
    """How much more time the operator gave after it."""


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
    limits = list[tuple[Limit, timedelta]]()
    if terms.maxtime:
        limits.append((Limit.MOVE, terms.maxtime * DAY + told.early + told.late))
    if terms.totaltime:
        total = terms.totaltime * DAY + turn.granted.get(player, _NO_TIME)
        limits.append((Limit.TOTAL, max(total - used, _NO_TIME)))
    reminded_after = [max(min(three_quarters(span), span - GRACE), _NO_TIME) for _, span in limits]
    until_reminder = min([terms.nagtime * DAY + told.early, *reminded_after])
    began = min(turn.began, now)
    due_first = now if began < turn.began else due(away, began, until_reminder)
    first = told.reminders[0] if told.reminders else max(due_first, now)
    ends = [(due(away, began, span), limit) for limit, span in limits]
    ends.append((due(away, first, terms.forfeittime * DAY + told.late), Limit.FORFEIT))
    end, limit = min(ends, key=lambda each: each[0])
    deadline = max(end, due(away, first, GRACE))
    last = _last_reminder(told.last_from, deadline, away)
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


def _last_reminder(
    since: datetime | None, deadline: datetime, absences: Sequence[Absence]
) -> datetime | None:
    span = present(absences, since, deadline) if since else _NO_TIME
    if since is None or span < LAST_REMINDER_FROM:
        return None
    return due(absences, since, three_quarters(span))


def _told(game: Game, turn: Turn, now: datetime) -> _Told:
    """Return what the side to move was told until now, behind the record that gave it the turn."""
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
    """Return the records that are not later than now, or than what follows them."""
    found = list[Record]()
    for record in reversed(records):
        if record.at <= now:
            now = record.at
            found.append(record)
    return found[::-1]


def _given(extensions: Iterable[Record]) -> timedelta:
    return sum((extension_of(record)[1] for record in extensions), _NO_TIME)


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
    if clock.last_from:
        return min(clock.deadline, clock.last_from + three_quarters(LAST_REMINDER_FROM))
    return clock.deadline
