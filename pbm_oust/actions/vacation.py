"""Vacations: announced, ended, listed. The opponents are told."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pbm_oust.absence import (
    ALLOWANCE,
    DAY,
    Absence,
    absences_of,
    away_at,
    days_left,
    overlapping,
    with_absences,
    without_later,
)
from pbm_oust.actions.desk import Desk
from pbm_oust.actions.renaming import active_games
from pbm_oust.actions.request import Action, Actor, Handled, Request
from pbm_oust.commands.vacation import Ask, Leave, Vacation
from pbm_oust.game import Game
from pbm_oust.notices import Told
from pbm_oust.players import Account
from pbm_oust.refusal import Barred, NotAllowed
from pbm_oust.settings import settings_of

FARTHEST = 365
"""How many days ahead a vacation may begin at most."""


def vacation(command: Vacation, actor: Actor, request: Request, desk: Desk) -> Handled:
    """Announce a vacation or end those announced, and tell the opponents; or list them."""
    now, asked = desk.now(), command.asked
    zone = settings_of(actor.account).zone
    shared = _shared_boards(actor.userid, desk)

    def change(account: Account) -> Account:
        absences = absences_of(account)
        if isinstance(asked, Leave):
            return with_absences(account, (*absences, _announced(asked, absences, zone, now)))
        kept = without_later(absences, now)
        if kept == absences:
            raise NotAllowed(Barred.NO_VACATION)
        return with_absences(account, kept)

    def tell(account: Account) -> tuple[Told, list[Told]]:
        to_come = tuple(each for each in absences_of(account) if each.end > now)
        reached = [
            (desk.player(desk.account(userid)), games)
            for userid, games in shared.items()
            if desk.has_account(userid)
        ]
        facts = {"userid": account.userid, "absences": to_come, "now": now}
        notices = [Told(reader, "away", facts | {"games": games}) for reader, games in reached]
        facts |= {
            "left": [(year, days_left(absences_of(account), year)) for year in _years(now)],
            "told": [reader.userid for reader, _ in reached],
            "is_away": away_at(to_come, now) is not None,
            "is_listed": asked is Ask.LIST,
        }
        return Told(desk.player_at(account, request), "vacation", facts), notices

    if asked is Ask.LIST:
        listed, _ = tell(actor.account)
        return desk.answer(listed, request)
    return desk.change_account(change, tell, actor, request, Handled("changed a vacation"))


def _announced(
    asked: Leave, absences: tuple[Absence, ...], zone: ZoneInfo, now: datetime
) -> Absence:
    """Return the vacation that is asked for. Raises NotAllowed.

    It begins with its first day in the player's time zone, or at once where that is today.
    """
    today, day = now.astimezone(zone).date(), asked.first.isoformat()
    if asked.first < today:
        raise NotAllowed(Barred.VACATION_PAST, day, today=today.isoformat(), zone=zone)
    if asked.first > today + timedelta(days=FARTHEST):
        raise NotAllowed(Barred.VACATION_FAR, day, most=FARTHEST)
    midnight = datetime.combine(asked.first, time(), zone).astimezone(UTC)
    start = max(midnight, now)
    left = days_left(absences, start.year)
    if asked.days > left:
        facts = {"allowance": ALLOWANCE, "year": start.year, "left": left}
        raise NotAllowed(Barred.VACATION_TOO_LONG, str(asked.days), **facts)
    absence = Absence(start, start + asked.days * DAY)
    other = overlapping(absences, absence)
    if other:
        raise NotAllowed(Barred.VACATION_OVERLAPS, day, other=other, zone=zone)
    return absence


def _years(now: datetime) -> tuple[int, int]:
    """Return the years in which a vacation may begin."""
    return (now.year, now.year + 1)


def _shared_boards(userid: str, desk: Desk) -> dict[str, list[Game]]:
    """Return the boards of a player that go on, by opponent."""
    shared: dict[str, list[Game]] = {}
    for game in active_games(userid, desk.home):
        opponent = game.o if game.x == userid else game.x
        shared.setdefault(opponent, []).append(game)
    return shared


SIGNED: dict[type, Action] = {Vacation: vacation}
