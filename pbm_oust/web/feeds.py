"""Feeds of a board, of a player and of all results, in Atom; and the deadlines of a player.

The deadlines are a calendar at an address that is a proof, with an event for each board that waits
for the player. All entries have addresses that are true everywhere, so there are none without
`web_address`.
"""

import hmac
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import icalendar
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.clock import turn_of
from pbm_oust.accounts.tags import format_calendar as calendar_name
from pbm_oust.board import Game, Record, Summary
from pbm_oust.board.notation import USERID, format_time
from pbm_oust.grammar.values import Filter
from pbm_oust.play.context import Look
from pbm_oust.play.finding import BoardSearch, find_games, find_latest
from pbm_oust.play.notices import Reader
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules import KINDS
from pbm_oust.store import ladders, tournaments
from pbm_oust.store.index import Window, has_played
from pbm_oust.web import addresses
from pbm_oust.web.addresses import player_asked
from pbm_oust.web.ground import KEPT_SECRET, Ground, Made, Templates, ground_of, source_of
from pbm_oust.web.sign_in import proved
from pbm_oust.web.tournaments import cup_in

MEDIA_TYPE = "application/atom+xml"


class FeedEntry(Struct, frozen=True):
    """Something that has happened."""

    address: str
    """Where it is seen; no two entries have the same one."""
    title: str
    at: datetime
    text: str


MOST_ENTRIES = 50
"""How many entries a feed has at most; the oldest are left out."""
_NEVER = datetime.fromtimestamp(0, UTC)
"""When a feed says that it was changed if nothing has happened yet."""


async def board(request: Request) -> Response:
    """Answer with a feed of a board, with an entry for each record."""
    ground, given = _ground(request), request.path_params
    try:
        game = ground.work.look(lambda on: on.game(given["kind"], given["board"]))
    except NotAllowed:
        raise HTTPException(404) from None
    templates = ground.templates_for(request)
    entries = [
        _of_record(game, record, ground, templates)
        for record in reversed(game.records[-MOST_ENTRIES:])
    ]
    title = f"{game.name}: {game.x} - {game.o}"
    path = addresses.of_board(game.name)
    return _feed(request, title, path, entries, game.header.started)


async def player(request: Request) -> Response:
    """Answer with a feed of a player, with an entry for the latest record of each board."""
    ground, userid = _ground(request), player_asked(request.path_params["userid"])
    search = BoardSearch(list(KINDS.values()), (userid,), Filter.ALL)
    with ground.work.reading() as on:
        if not has_played(on.snapshot, userid):
            raise HTTPException(404)
        found = find_latest(on, search, Window(MOST_ENTRIES)).boards
    return _feed(request, userid, addresses.of_player(userid), _of_boards(found, request))


async def results(request: Request) -> Response:
    """Answer with a feed of the boards that are over."""
    ground = _ground(request)
    title = ground.templates_for(request).translator.gettext("Boards that are over")
    search = BoardSearch(list(KINDS.values()), (), Filter.INACTIVE)
    found = ground.work.look(lambda on: find_latest(on, search, Window(MOST_ENTRIES)))
    entries = _of_boards(found.boards, request)
    return _feed(request, title, addresses.HISTORY, entries)


async def tournament(request: Request) -> Response:
    """Answer with a feed of a tournament, with an entry for each game of it that is over."""
    ground = _ground(request)
    with ground.work.reading() as on:
        cup = cup_in(on, request)
        found = tournaments.results(on.snapshot, cup, MOST_ENTRIES)
    entries = _of_boards(found, request)
    return _feed(request, cup.title, addresses.of_tournament(cup.name), entries)


async def ladder(request: Request) -> Response:
    """Answer with a feed of the ladder of a game, with an entry for each game that is over."""
    ground, kind = _ground(request), request.path_params["kind"]
    entries = _of_boards(ground.home.ask(ladders.results, kind.name, MOST_ENTRIES), request)
    title = ground.templates_for(request).translator.gettext(
        "Ladder of %(title)s", title=kind.title
    )
    return _feed(request, title, addresses.of_ladder(kind.name), entries)


def _ground(request: Request) -> Ground:
    """Return the ground of a request. Raises HTTPException if it has no address."""
    ground = ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    return ground


def _of_boards(boards: Iterable[Summary], request: Request) -> list[FeedEntry]:
    """Return an entry for each of some boards, in their order."""
    ground = ground_of(request)
    templates = ground.templates_for(request)
    return [_of_board(each, ground, templates) for each in boards]


def _of_board(summary: Summary, ground: Ground, templates: Templates) -> FeedEntry:
    """Return an entry for the latest record of a board."""
    words = templates.translator.gettext
    if summary.result:
        text = templates.words.outcome(summary)
    else:
        text = words("%(userid)s is to move.", userid=summary.to_move)
    address = addresses.of_board(summary.name, summary.records)
    title = f"{summary.name} #{summary.records}: {summary.x} - {summary.o}"
    return FeedEntry(ground.base + address, title, summary.latest, text)


def _of_record(game: Game, record: Record, ground: Ground, templates: Templates) -> FeedEntry:
    """Return an entry for a record of a game."""
    action = f"{record.by} {templates.translator.action(record.action)}"
    address = ground.base + addresses.of_board(game.name, record.number)
    return FeedEntry(address, f"{game.name} #{record.number}: {action}", record.at, action)


def _feed(
    request: Request, title: str, path: str, entries: Sequence[FeedEntry], began: datetime = _NEVER
) -> Response:
    """Answer with the feed that belongs to the page at a path, the latest entry first.

    A feed without entries says that it was changed when it `began`.
    """
    templates = ground_of(request).templates_for(request)
    updated = max((each.at for each in entries), default=began)
    given = {"title": title, "path": path, "entries": entries, "updated": updated}
    content = templates.fill("feed.atom", **given, time_text=format_time)
    return Made(content.encode()).answer(request, MEDIA_TYPE, templates.headers())


CALENDAR_TYPE = "text/calendar; charset=utf-8"
REFRESHED = timedelta(hours=1)
"""How often programs are asked to look."""
SHOWN = timedelta(hours=1)
"""How long an event is; it ends at the deadline."""
MOST_DEADLINES = 500
"""How many boards a calendar has at most; it has those with the latest records."""
_PRIVATE = {**KEPT_SECRET, "Cache-Control": "private, no-cache"}
"""Headers by which only the reader keeps it, and asks each time whether it has changed."""


def calendar_address(account: Account, ground: Ground) -> str:
    """Return the address of the calendar of a player; empty if the pages have no address."""
    name = calendar_name(ground.home.key(), account)
    return f"{ground.base}{addresses.of_calendar(name)}" if ground.base else ""


async def calendar(request: Request) -> Response:
    """Answer with the calendar of a player."""
    ground = _ground(request)
    account = await proved(_owner(request.path_params["name"], ground), request)

    def write() -> bytes:
        with ground.work.reading() as on:
            content: bytes = _calendar(on, account, ground).to_ical()
        return content

    content = await ground.replaying.do_for(source_of(request), write)
    return Made(content).answer(request, CALENDAR_TYPE, _PRIVATE)


def _owner(name: str, ground: Ground) -> Account | None:
    """Return whose calendar a name proves that somebody may see; None if it proves nothing."""
    userid = name.partition(".")[0]
    account = ground.work.account_if_any(userid) if USERID.fullmatch(userid) else None
    if account is None or account.disabled_since:
        return None
    key, said = ground.home.key(), name.encode("utf-8", "replace")
    rights = (calendar_name(key, each).encode() for each in account.proving)
    return account if any(hmac.compare_digest(right, said) for right in rights) else None


def _calendar(on: Look, account: Account, ground: Ground) -> icalendar.Calendar:
    """Return the calendar of a player."""
    words = ground.templates_in(account.all_settings.language).translator
    title = words.gettext("Deadlines of %(userid)s", userid=account.userid)
    calendar = icalendar.Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//pbm_oust//EN")
    calendar.add("method", "PUBLISH")
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)  # what most programs read instead
    calendar.add("refresh-interval", REFRESHED, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", icalendar.vDuration(REFRESHED))
    search = BoardSearch(list(KINDS.values()), (account.userid,), Filter.NEXT)
    found = find_games(on, search, MOST_DEADLINES).boards
    for game in found:
        calendar.add_component(_event(on, game, account, ground))
    if not found:
        # A calendar has one component at least (RFC 5545, 3.6); this one shows nothing.
        calendar.add_component(icalendar.Timezone.from_tzid("Etc/UTC"))
    return calendar


def _event(on: Look, game: Game, account: Account, ground: Ground) -> icalendar.Event:
    """Return until when a player must move."""
    settings = account.all_settings
    templates = ground.templates_in(settings.language)
    other = game.opponent_of(account.userid)
    clock = on.clock_of(game)
    changes = [each.changed for each in on.players_of(game) if each.changed]
    changed = max([game.latest, *changes])
    # An account that is changed in the second of a record is changed after that.
    later = max([game.latest, *(each + timedelta(seconds=1) for each in changes)])
    turn = turn_of(game, {}).record + 1  # stays the same while a reminder or an offer comes
    translator = templates.translator
    event = icalendar.Event()
    event.add("uid", f"{game.name.replace(' ', '.')}.{turn}@{urlsplit(ground.base).hostname}")
    event.add("dtstamp", changed)
    event.add("last-modified", changed)
    # Higher whenever it has moved or says something else.
    event.add("sequence", int(later.timestamp()) + game.next_number)
    event.add("dtstart", clock.deadline - SHOWN)
    event.add("dtend", clock.deadline)
    event.add(
        "summary",
        translator.gettext("%(board)s: your turn against %(other)s", board=game.name, other=other),
    )
    reader = Reader((), account.userid, settings=settings)
    event.add("description", templates.words.until(game, clock, reader))
    event.add("url", f"{ground.base}{addresses.of_board(game.name)}")
    event.add("transp", "TRANSPARENT")  # nobody is busy because of it
    return event
