"""Feeds of a board, of a player and of all results, in Atom.

Their entries have addresses that are true everywhere, so there are none without `web_address`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from lxml import etree
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.game import Game, Summary
from pbm_oust.board.record import Record
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.index import Part
from pbm_oust.store.open_boards import has_played, read_game
from pbm_oust.web import addresses
from pbm_oust.web.addresses import player_asked
from pbm_oust.web.cache import answer, headers_in, made_of
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.templates import Templates

MEDIA_TYPE = "application/atom+xml"
_SPACE = "http://www.w3.org/2005/Atom"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that has happened."""

    address: str
    """Where it is seen; no two entries have the same one."""
    title: str
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Entries about one thing, the latest first."""

    title: str
    page: str
    """The address of the page that says the same."""
    address: str
    """The address of the feed itself."""
    language: str
    began: datetime
    """When the feed says that it was changed while it has no entries."""
    entries: Sequence[Entry]


def format_feed(feed: Feed) -> bytes:
    """Return a feed as XML."""
    root = etree.fromstring(f'<feed xmlns="{_SPACE}"/>')
    root.set(_LANGUAGE, feed.language)
    _add(root, "id", feed.address)
    _add(root, "title", feed.title)
    _add(root, "updated", _time(max((each.at for each in feed.entries), default=feed.began)))
    _add(root, "link", rel="self", type=MEDIA_TYPE, href=feed.address)
    _add(root, "link", rel="alternate", type="text/html", href=feed.page)
    _add(_add(root, "author"), "name", "pbm_oust")
    for entry in feed.entries:
        part = _add(root, "entry")
        _add(part, "id", entry.address)
        _add(part, "title", entry.title)
        _add(part, "updated", _time(entry.at))
        _add(part, "link", rel="alternate", type="text/html", href=entry.address)
        _add(part, "content", entry.text, type="text")
    return etree.tostring(root, xml_declaration=True, encoding="utf-8")


def _add(
    parent: etree._Element, name: str, text: str | None = None, **attributes: str
) -> etree._Element:
    """Add an element to another one, and return it."""
    added = etree.SubElement(parent, f"{{{_SPACE}}}{name}", attributes)
    added.text = text
    return added


def _time(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


MOST_ENTRIES = 50
"""How many entries a feed has at most; the oldest are left out."""
_NEVER = datetime.fromtimestamp(0, UTC)
"""When a feed says that it was changed if nothing has happened yet."""


async def board(request: Request) -> Response:
    """Answer with a feed of a board, with an entry for each record."""
    ground, given = _ground(request), request.path_params
    try:
        game = read_game(ground.home, given["kind"], given["board"])
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
    if not has_played(userid, ground.home):
        raise HTTPException(404)
    entries = _entries(Wish(list(KINDS.values()), (userid,), Filter.ALL), request)
    return _feed(request, userid, addresses.of_player(userid), entries)


async def results(request: Request) -> Response:
    """Answer with a feed of the boards that are over."""
    ground = _ground(request)
    title = ground.templates_for(request).translator.gettext("Boards that are over")
    entries = _entries(Wish(list(KINDS.values()), (), Filter.INACTIVE), request)
    return _feed(request, title, addresses.HISTORY, entries)


def _ground(request: Request) -> Ground:
    """Return the ground of a request. Raises HTTPException if it has no address."""
    ground = ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    return ground


def _entries(wish: Wish, request: Request) -> list[Entry]:
    """Return an entry for each of some boards, that with the latest record first."""
    ground = ground_of(request)
    found = find_latest(ground.work, wish, Part(MOST_ENTRIES))
    templates = ground.templates_for(request)
    return [_of_board(each, ground, templates) for each in found.boards]


def _of_board(summary: Summary, ground: Ground, templates: Templates) -> Entry:
    """Return an entry for the latest record of a board."""
    words = templates.translator.gettext
    if summary.result:
        text = templates.words.outcome(summary)
    else:
        text = words("%(userid)s is to move.", userid=summary.to_move)
    address = addresses.of_board(summary.name, summary.records)
    title = f"{summary.name} #{summary.records}: {summary.x} - {summary.o}"
    return Entry(ground.base + address, title, summary.latest, text)


def _of_record(game: Game, record: Record, ground: Ground, templates: Templates) -> Entry:
    """Return an entry for a record of a game."""
    action = f"{record.by} {templates.translator.action(record.action)}"
    address = ground.base + addresses.of_board(game.name, record.number)
    return Entry(address, f"{game.name} #{record.number}: {action}", record.at, action)


def _feed(
    request: Request, title: str, path: str, entries: Sequence[Entry], began: datetime = _NEVER
) -> Response:
    """Answer with the feed that belongs to the page at a path."""
    ground = ground_of(request)
    language = ground.templates_for(request).language
    page, address = f"{ground.base}{path}", f"{ground.base}{addresses.of_feed(path)}"
    made = made_of(format_feed(Feed(title, page, address, language.code, began, entries)))
    return answer(request, made, MEDIA_TYPE, headers_in(language))
