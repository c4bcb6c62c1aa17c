"""The application: the page for each path, and the layers that a request passes before its page.

The layers are the log, safety, and addresses with marks behind them. The log has a line for each
request, which names nobody and tells no secret. Much of an address may be a proof: the link to a
board, a link to sign in, or one of these misspelt. So the log tells of a path only its pattern, and
the games and numbers in it.
"""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from html import unescape
from http import HTTPMethod
from urllib.parse import quote, unquote_plus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pbm_oust.refusal import NotAllowed
from pbm_oust.render.entry import LogEntry
from pbm_oust.rules import Kind
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.ladders import DamagedLadder
from pbm_oust.store.tallies import Tallied, Tallies
from pbm_oust.store.tournaments import DamagedTournament
from pbm_oust.store.upkeep import SILENT, Trouble, described, find_trouble
from pbm_oust.tournaments.cup import SOURCE
from pbm_oust.web import (
    addresses,
    boards,
    explore,
    feeds,
    helping,
    joining,
    ladders,
    lists,
    me,
    play,
    players,
    puzzles,
    sign_in,
    site,
    tournaments,
)
from pbm_oust.web.ground import FOUND, KEPT_SECRET, SOURCES, Ground, ground_of, json_page
from pbm_oust.web.live import Watched
from pbm_oust.web.sign_in import NotSignedIn, sent_to_sign_in
from pbm_oust.web.speaking import Speaking

Handler = Callable[[Request], Awaitable[Response]]

_FOR_EVER = "public, max-age=31536000, immutable"
FRESH_SECONDS = 2.0
"""For how long an answer about our health is given again."""
PATIENCE = 3.0
"""Seconds to wait for that answer."""


async def _static(request: Request) -> Response:
    """Answer with the style sheet or the script, which never change under their names."""
    if request.url.path not in FOUND:
        raise HTTPException(404)
    made, media_type = FOUND[request.url.path]
    return made.response(request, media_type, {"Cache-Control": _FOR_EVER})


async def _missing(request: Request, error: Exception) -> Response:
    """Answer that there is no such page, or that it cannot be asked for so."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    headers = error.headers if isinstance(error, HTTPException) else None
    ground = ground_of(request)
    page = ground.page(request, "missing", status, answered=status)
    page.headers.update(headers or {})
    return page


async def _stranger(request: Request, error: Exception) -> Response:
    """Send somebody who is not signed in to where they can sign in."""
    return sent_to_sign_in(request)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer that a fault of ours keeps a page from being there; the log has it."""
    return ground_of(request).page(request, "broken", 500)


async def _damaged(request: Request, error: Exception) -> Response:
    """Answer that a board, a tournament or a ladder cannot be read at present."""
    is_board = isinstance(error, DamagedHistory)
    if isinstance(error, NotAllowed):
        if not isinstance(error.reason, DamagedTournament | DamagedLadder):
            raise error
        log.error("%s", error.reason)
    return ground_of(request).page(request, "damaged", 503, is_board=is_board)


async def _gone(_request: Request, _error: Exception) -> Response:
    """Answer nobody: a form has broken off, because its sender has left or was cut off."""
    return Response(None, 400)


class Health:
    """The latest look at the health of a home, for one event loop; all who ask share it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._look: asyncio.Future[Trouble | None] | None = None
        self._ends = 0.0
        """Until when the latest look is fresh."""

    async def trouble(self) -> Trouble | None:
        """Return the trouble for which no mail should come at present; None if nothing is wrong."""
        if self._look is None or (self._look.done() and time.monotonic() > self._ends):
            self._look = asyncio.ensure_future(asyncio.to_thread(find_trouble, self._home))
            self._look.add_done_callback(self._end)
        try:
            async with asyncio.timeout(PATIENCE):
                return await asyncio.shield(self._look)
        except TimeoutError:
            return SILENT

    def _end(self, _look: asyncio.Future[Trouble | None]) -> None:
        self._ends = time.monotonic() + FRESH_SECONDS


async def healthz(request: Request) -> Response:
    """Answer with 200 if mail can be taken, and with 503 and the reason if not."""
    trouble = await request.app.state.health.trouble()
    status, headers = 503 if trouble else 200, {"Cache-Control": "no-store"}
    return JSONResponse(described(trouble), status, headers)


def _form(path: str, look: Handler, act: Handler) -> tuple[Route, Route]:
    """Return the routes of a page with forms that are sent to its own address."""
    return Route(path, look, methods=["GET"]), Route(path, act, methods=["POST"])


def _read(page: Handler) -> Handler:
    """Return a page of a board that is read before, in its turn if it is long."""

    async def answer(request: Request) -> Response:
        kind, number = request.path_params["kind"], request.path_params["board"]
        await ground_of(request).read_first(kind, number, request)
        return await page(request)

    return answer


def _json(asked: Callable[[Request], tournaments.CupView | ladders.LadderView]) -> Handler:
    """Return a page with the fields of a view as JSON."""

    async def answer(request: Request) -> Response:
        return json_page(request, asked(request).fields())

    return answer


def _news(path: str, watched: Callable[[Request], Watched]) -> tuple[Route, Route]:
    """Return the routes of events about what a page shows, for anybody and for a player."""

    async def tell(request: Request) -> Response:
        return boards.news(request, watched(request))

    async def tell_player(request: Request) -> Response:
        userid = sign_in.player_of(request).userid
        return boards.news(request, watched(request), userid)

    own = addresses.of_events(f"{addresses.MINE}{path}")
    return Route(addresses.of_events(path), tell), Route(own, tell_player, methods=["GET"])


_BOARD, _GRID, _LINE = "/{kind:kind}/{board:number}", "/{kind:kind}/{grid:grid}", "{line:line}"
_LADDER = addresses.of_ladder("{kind:kind}")
_CUP = f"/{{kind:kind}}/{SOURCE}/{{board:number}}"
ROUTES = (
    Route(addresses.FRONT, lists.front),
    Route(_BOARD, boards.page),
    Route(f"{_BOARD}.svg", _read(boards.svg)),
    Route(f"{_BOARD}.png", _read(boards.png)),
    *(Route(f"{_BOARD}.{ending}", boards.file) for ending in boards.MEDIA_TYPES),
    *_news(_BOARD, boards.watched),
    Route(f"{_BOARD}/embed", _read(boards.embed)),
    Route(f"{_BOARD}/{{number:number}}", boards.page),
    Route(f"{_BOARD}/{{number:number}}.svg", _read(boards.svg)),
    Route(f"{_BOARD}/{{number:number}}.png", _read(boards.png)),
    *_form(
        f"{addresses.of_exploring(f'{_BOARD}/{{number:number}}')}{_LINE}",
        _read(explore.from_board),
        _read(explore.plan),
    ),
    Route(addresses.of_exploring(_BOARD), _read(explore.from_latest)),
    Route(addresses.EXPLORE, explore.begin),
    Route(f"{addresses.EXPLORE}{_GRID}{_LINE}.json", explore.as_json),
    Route(f"{addresses.EXPLORE}{_GRID}{_LINE}", explore.from_start),
    Route(addresses.TRY, explore.choose),
    Route(f"{addresses.TRY}{_GRID}{_LINE}", explore.attempt),
    Route(addresses.of_calendar("{name}"), feeds.calendar),
    Route(addresses.of_feed(addresses.HISTORY), feeds.results),
    Route(addresses.of_feed(addresses.of_player("{userid}")), feeds.player),
    Route(addresses.of_feed(_BOARD), _read(feeds.board)),
    Route(_CUP, tournaments.page),
    Route(f"{_CUP}.json", _json(tournaments.asked)),
    Route(f"{_CUP}/{{number:number}}", tournaments.page),
    Route(f"{_CUP}/{{number:number}}.json", _json(tournaments.asked)),
    *_news(_CUP, tournaments.watched),
    Route(addresses.of_feed(_CUP), feeds.tournament),
    Route(_LADDER, ladders.page),
    Route(f"{_LADDER}.json", _json(ladders.asked)),
    *_news(_LADDER, ladders.watched),
    Route(addresses.of_feed(_LADDER), feeds.ladder),
    Route(addresses.TOURNAMENTS, tournaments.all_cups),
    Route(addresses.TOURNAMENTS_JSON, tournaments.all_as_json),
    Route(addresses.BOARDS, lists.boards),
    Route(addresses.HISTORY, lists.history),
    Route(addresses.SEARCH, lists.search),
    Route(addresses.FOUND, lists.found),
    Route(addresses.PLAYERS, players.players),
    Route(addresses.PLAYERS_JSON, players.as_json),
    Route(addresses.of_player("{userid}"), players.player),
    Route(addresses.of_standings("{kind}"), players.standings),
    Route(addresses.of_ratings("{userid}", "{kind}"), players.ratings),
    Route(addresses.of_rules("{kind}"), helping.rules),
    Route(addresses.of_advice("{kind}"), helping.advice),
    Route(addresses.of_puzzles("{kind:kind}"), puzzles.puzzles),
    *_form(addresses.of_puzzle("{kind:kind}", "{number:number}"), puzzles.puzzle, puzzles.answer),
    Route(addresses.of_puzzle("{kind:kind}", "{number:number}.svg"), puzzles.svg),
    Route(addresses.HELP, helping.overview),
    Route(addresses.of_help("{subject}"), helping.subject),
    *_form(addresses.of_playing("{tag}"), play.look, play.act),
    Route(addresses.of_events(addresses.of_playing("{tag}")), play.events, methods=["GET"]),
    *_form(
        f"{addresses.of_exploring(addresses.of_playing('{tag}'))}{_LINE}",
        explore.from_link,
        explore.plan_by_link,
    ),
    *_form(f"{addresses.OFF}/{{tag}}", sign_in.look_at_unsubscribing, sign_in.unsubscribe),
    *_form(f"{addresses.JOIN}/{{tag}}", joining.look, joining.take),
    *_form(f"{addresses.CODE}/{{code}}", sign_in.look_at_code, sign_in.bring),
    *_form(addresses.SIGN_IN, sign_in.look_at_form, sign_in.ask_for_link),
    Route(addresses.SIGN_OUT, sign_in.sign_out, methods=["POST"]),
    *_form(addresses.SIGN_UP, sign_in.look_at_sign_up, sign_in.sign_up),
    *_form(addresses.CHALLENGE, me.look_at_challenge, me.challenge),
    *_form(addresses.SETTINGS, me.look_at_settings, me.change_settings),
    Route(addresses.ANNOUNCE, me.look_at_announcing, methods=["GET"]),
    Route(addresses.MINE, me.mine, methods=["GET"]),
    Route(addresses.NEXT, me.next_board, methods=["GET"]),
    Route(addresses.NEWS, me.events, methods=["GET"]),
    Route(addresses.SEEKS, me.seeks, methods=["GET"]),
    Route(addresses.COMMAND, me.look_at_command, methods=["GET"]),
    Route(addresses.DO, me.do, methods=["POST"]),
    *_form(f"{addresses.MINE}{_BOARD}", _read(me.look), _read(me.act)),
    Route(f"{addresses.MINE}{_CUP}", tournaments.look, methods=["GET"]),
    Route(f"{addresses.MINE}{_LADDER}", ladders.look, methods=["GET"]),
    Route(addresses.ROBOTS, site.robots),
    Route(addresses.SECURITY, site.security),
    Route(addresses.FAVICON, site.favicon),
    Route(addresses.SCHEMAS, site.schemas),
    Route(addresses.HEALTH, healthz),
    Route("/static/{name:path}", _static),
)


log = logging.getLogger("pbm_oust")

_METHODS = frozenset(method.value for method in HTTPMethod)
_NOTHING = "-"
_ENDS = "-_"
"""With which signs the address of a page can end, besides letters and digits. Others come from the
text around a link: the ends of sentences, brackets and quotes of any script."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HEADERS = [
    (b"content-security-policy", f"{SOURCES}; frame-ancestors 'none'".encode()),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
"""Said with every response that says nothing else of these."""


class Safe:
    """An application whose responses all carry these headers.

    A request is refused if others may see its end elsewhere: what follows it could be another
    request to one of us, and its body to the other (RFC 9112, section 6.1). It refuses control
    characters in addresses, so that no page meets one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                others = [each for each in _HEADERS if each[0] not in own]
                message["headers"] = [*message["headers"], *others]
            await send(message)

        if _has_doubtful_end(scope) or _steers(scope):
            refused = Response("Bad Request", 400, {"Connection": "close"})
            await refused(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)


def _has_doubtful_end(scope: Scope) -> bool:
    """Return whether a request says in two ways how long it is, or in one that it cannot know."""
    names = {name for name, _ in scope["headers"]}
    if b"transfer-encoding" not in names:
        return False
    return b"content-length" in names or scope["http_version"] == "1.0"


def _steers(scope: Scope) -> bool:
    """Return whether an address has a control character, in its path or behind it."""
    asked = unquote_plus(scope["query_string"].decode("latin-1"))
    return bool(_CONTROL.search(scope["path"]) or _CONTROL.search(asked))


class Trimmed:
    """An application that is asked only for addresses without marks behind them.

    Whoever looks at another one is sent to the page that was meant, before it counts as wrong.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            path, query = scope["path"], scope["query_string"].decode("latin-1")
            # Some programs take a sign along as it is in HTML: `&gt;`.
            page = _up_to_end(unescape(path), _ENDS) or "/"
            asked = _up_to_end(query, f"{_ENDS}=")
            if (page, asked) != (path, query):
                # Two slashes in front would name another host.
                start = quote("/" + page.lstrip("/\\"))
                address = f"{start}?{asked}" if asked else start
                await RedirectResponse(address, 307, KEPT_SECRET)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _up_to_end(text: str, ends: str) -> str:
    """Return a text up to its last letter or digit, or one of these signs."""
    return text.rstrip("".join(sign for sign in {*text} if not (sign.isalnum() or sign in ends)))


class Logged:
    """An application with a line in the log about each of its responses, when it has ended."""

    def __init__(self, app: ASGIApp, tallies: Tallies | None) -> None:
        """`tallies` count them."""
        self._app = app
        self._tallies = tallies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        begun = time.perf_counter()
        status, size = 500, 0

        async def send_counted(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else _NOTHING
            size = 0 if method == "HEAD" else size
            milliseconds = (time.perf_counter() - begun) * 1000
            entry = LogEntry(
                method=method,
                path=path_told(scope),
                status=status,
                bytes=size,
                ms=round(milliseconds),
            )
            log.info("%s", entry)
            if self._tallies:
                self._tallies.count(Tallied.of_status(status))


def path_told(scope: Scope) -> str:
    """Return the path of a request as the log tells it; nothing of one that no page has."""
    route = scope.get("route")
    if not isinstance(route, Route):
        return _NOTHING
    told = {name: _told(name, value) for name, value in scope["path_params"].items()}
    return route.path_format.format_map(told)


def _told(name: str, value: object) -> str:
    """Return a part of a path as the log tells it: by its name, unless it is a game or a number."""
    if isinstance(value, Kind):
        return value.name
    return str(value) if isinstance(value, int) else f"{{{name}}}"


def make_app(ground: Ground, tallies: Tallies | None = None) -> Starlette:
    """Return the application whose pages stand on a ground; `tallies` count requests."""
    app = Starlette(
        routes=list(ROUTES),
        middleware=[
            Middleware(Logged, tallies),
            *(Middleware(each) for each in (Safe, Trimmed, Speaking)),
        ],
        exception_handlers={
            HTTPException: _missing,
            NotSignedIn: _stranger,
            DamagedHistory: _damaged,
            NotAllowed: _damaged,
            ClientDisconnect: _gone,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False
    app.state.ground = ground
    app.state.health = Health(ground.home)
    return app
