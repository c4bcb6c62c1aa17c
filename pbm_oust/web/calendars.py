"""The deadlines of a player as a calendar, at an address that is a proof.

A calendar has an event for each board that waits for the player. Its entries have addresses that
are true everywhere, so there is none without `web_address`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import icalendar
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.account import Account, disabled_since
from pbm_oust.accounts.clock import turn_of
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import format_calendar as calendar_name
from pbm_oust.accounts.tags import is_token, parse_calendar
from pbm_oust.board.game import Game
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_games
from pbm_oust.play.notices import Reader
from pbm_oust.rules.kinds import KINDS
from pbm_oust.web import addresses
from pbm_oust.web.cache import KEPT_SECRET, answer, made_of
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.links import proved

MEDIA_TYPE = "text/calendar; charset=utf-8"
REFRESHED = timedelta(hours=1)
"""How often programs are asked to look."""
SHOWN = timedelta(hours=1)
"""How long an event is; it ends at the deadline."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a player must have done something."""

    uid: str
    """What tells it from all others, wherever they come from."""
    title: str
    text: str
    address: str
    """Where it is seen what is to be done."""
    at: datetime
    since: datetime
    """When there was last any news about it."""
    sequence: int
    """A number that is higher whenever it has moved or says something else."""


def format_calendar(title: str, deadlines: Sequence[Deadline]) -> bytes:
    """Return a calendar with deadlines, as programs read it."""
    calendar = icalendar.Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//pbm_oust//EN")
    calendar.add("method", "PUBLISH")
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)  # what most programs read instead
    calendar.add("refresh-interval", REFRESHED, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", icalendar.vDuration(REFRESHED))
    for each in deadlines:
        calendar.add_component(_event(each))
    if not deadlines:
        calendar.add_component(_utc())  # a calendar has one component at least (RFC 5545, 3.6)
    written: bytes = calendar.to_ical()
    return written


def _event(deadline: Deadline) -> icalendar.Event:
    event = icalendar.Event()
    event.add("uid", deadline.uid)
    event.add("dtstamp", deadline.since)
    event.add("last-modified", deadline.since)
    event.add("sequence", deadline.sequence)
    event.add("dtstart", deadline.at - SHOWN)
    event.add("dtend", deadline.at)
    event.add("summary", deadline.title)
    event.add("description", deadline.text)
    event.add("url", deadline.address)
    event.add("transp", "TRANSPARENT")  # nobody is busy because of it
    return event


def _utc() -> icalendar.Timezone:
    """Return the time zone in which all times here are; it shows nothing."""
    standard = icalendar.TimezoneStandard()
    standard.add("dtstart", datetime(1970, 1, 1))
    standard.add("tzoffsetfrom", timedelta())
    standard.add("tzoffsetto", timedelta())
    standard.add("tzname", "UTC")
    zone = icalendar.Timezone()
    zone.add("tzid", "Etc/UTC")
    zone.add_component(standard)
    return zone


MOST_DEADLINES = 500
"""How many boards a calendar has at most; it has those with the latest records."""
_PRIVATE = {**KEPT_SECRET, "Cache-Control": "private, no-cache"}
"""Says that only who asks keeps it, and asks each time whether it has changed."""


def calendar_address(account: Account, ground: Ground) -> str:
    """Return where programs find the calendar of a player; empty if the pages have no address."""
    name = calendar_name(ground.home.key(), account)
    return f"{ground.base}{addresses.of_calendar(name)}" if ground.base else ""


async def calendar(request: Request) -> Response:
    """Answer with the calendar of a player."""
    ground = ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    account = await proved(_owner(request.path_params["name"], ground), request)
    with ground.home.database.read():
        content = _written(account, ground)
    return answer(request, made_of(content), MEDIA_TYPE, dict(_PRIVATE))


def _owner(name: str, ground: Ground) -> Account | None:
    """Return whose calendar a name proves that somebody may see; None if it proves nothing."""
    parsed = parse_calendar(name)
    if parsed is None:
        return None
    calendar, token = parsed
    account = ground.work.account_if_any(calendar.userid)
    if account is None or disabled_since(account):
        return None
    return account if is_token(token, ground.home.key(), account, calendar) else None


def _written(account: Account, ground: Ground) -> bytes:
    """Return the calendar of a player."""
    wish = Wish(list(KINDS.values()), (account.userid,), Filter.NEXT)
    found = find_games(ground.work, wish, MOST_DEADLINES).boards
    deadlines = [_deadline(game, account, ground) for game in found]
    words = ground.templates_in(settings_of(account).language).translator
    title = words.gettext("Deadlines of %(userid)s", userid=account.userid)
    return format_calendar(title, deadlines)


def _deadline(game: Game, account: Account, ground: Ground) -> Deadline:
    """Return until when a player must move."""
    settings = settings_of(account)
    templates = ground.templates_in(settings.language)
    other = game.opponent_of(account.userid)
    reader = Reader((), account.userid, settings=settings)
    clock, players = ground.work.clock_of(game), {game.x, game.o}
    accounts = filter(None, map(ground.work.account_if_any, players))
    changes = [each.changed for each in accounts if each.changed]
    # An account that is changed in the second of a record is changed after that.
    later = max([game.latest, *(changed + timedelta(seconds=1) for changed in changes)])
    turn = turn_of(game, {}).record + 1  # stays the same while a reminder or an offer comes
    return Deadline(
        f"{game.name.replace(' ', '.')}.{turn}@{urlsplit(ground.base).hostname}",
        templates.translator.gettext(
            "%(board)s: your turn against %(other)s", board=game.name, other=other
        ),
        templates.words.until(game, clock, reader),
        f"{ground.base}{addresses.of_board(game.name)}",
        clock.deadline,
        max([game.latest, *changes]),
        int(later.timestamp()) + game.next_number,
    )
