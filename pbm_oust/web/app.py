"""The application: which page answers which path."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.rules import KINDS
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.home import Home
from pbm_oust.store.upkeep import SILENT, Trouble, described, find_trouble
from pbm_oust.web import addresses, boards, feeds, helping, lists, me, play, sign_in
from pbm_oust.web.ground import FOUND, KEPT_SECRET, Ground, ground_of
from pbm_oust.web.middleware import Logged, Safe, Trimmed
from pbm_oust.web.sign_in import NotSignedIn

Handler = Callable[[Request], Awaitable[Response]]

_FOR_EVER = "public, max-age=31536000, immutable"
FRESH_SECONDS = 2.0
"""For how long an answer about our health is given again."""
PATIENCE = 3.0
"""Seconds to wait for that answer."""
_LEFT_ALONE = (
    *(addresses.MINE, f"{addresses.PLAY}/", f"{addresses.CODE}/"),
    *(addresses.SIGN_IN, addresses.SIGN_UP),
    *(f"/{kind}/*/" for kind in KINDS),
)
"""What robots are asked to leave alone (RFC 9309): pages of one player, and the thousands of past
positions. Calendars are not among them: some programs ask here before they fetch one."""


async def _static(request: Request) -> Response:
    """Answer with the style sheet or the script, which never change under their names."""
    if request.url.path not in FOUND:
        raise HTTPException(404)
    content, media_type = FOUND[request.url.path]
    return Response(content, 200, {"Cache-Control": _FOR_EVER}, media_type)


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
    return RedirectResponse(addresses.SIGN_IN, 303, KEPT_SECRET)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer that a fault of ours keeps a page from being there; the log has it."""
    return ground_of(request).page(request, "broken", 500)


async def _damaged(request: Request, error: Exception) -> Response:
    """Answer that a board cannot be read at present."""
    return ground_of(request).page(request, "damaged", 503)


async def _gone(_request: Request, _error: Exception) -> Response:
    """Answer nobody: a form has broken off, because its sender has left or was cut off."""
    return Response(None, 400)


async def robots(request: Request) -> Response:
    """Answer with what robots are asked."""
    text = "".join(("User-agent: *\n", *(f"Disallow: {path}\n" for path in _LEFT_ALONE)))
    return PlainTextResponse(text, headers={"Cache-Control": "public, max-age=86400"})


class Health:
    """What was found last; who asks meanwhile waits for the same look. Of one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._look: asyncio.Future[Trouble | None] | None = None
        self._ends = 0.0
        """Until when the latest look is fresh."""

    async def trouble(self) -> Trouble | None:
        """Return why no mail should come at present; None if nothing is wrong."""
        if self._look is None or (self._look.done() and time.monotonic() > self._ends):
            self._look = asyncio.ensure_future(asyncio.to_thread(find_trouble, self._home))
            self._look.add_done_callback(self._end)
        try:
            return await asyncio.wait_for(asyncio.shield(self._look), PATIENCE)
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


_BOARD = "/{kind:kind}/{board:number}"
ROUTES = (
    Route(addresses.FRONT, lists.front),
    Route(_BOARD, boards.page),
    Route(f"{_BOARD}.svg", boards.svg),
    Route(f"{_BOARD}.png", boards.png),
    *(Route(f"{_BOARD}.{ending}", boards.file) for ending in boards.FORMS),
    Route(f"{_BOARD}/events", boards.events),
    Route(f"{_BOARD}/{{number:number}}", boards.page),
    Route(f"{_BOARD}/{{number:number}}.svg", boards.svg),
    Route(f"{_BOARD}/{{number:number}}.png", boards.png),
    Route(addresses.of_calendar("{name}"), feeds.calendar),
    Route(addresses.of_feed(addresses.HISTORY), feeds.results),
    Route(addresses.of_feed(addresses.of_player("{userid}")), feeds.player),
    Route(addresses.of_feed(_BOARD), feeds.board),
    Route(addresses.BOARDS, lists.boards),
    Route(addresses.HISTORY, lists.history),
    Route(addresses.of_player("{userid}"), lists.player),
    Route(addresses.of_standings("{kind}"), lists.standings),
    Route(addresses.of_ratings("{userid}", "{kind}"), lists.ratings),
    Route(addresses.of_rules("{kind}"), helping.rules),
    Route(addresses.of_example("{kind}", "{name}", "{number}"), helping.step),
    Route(addresses.HELP, helping.overview),
    Route(addresses.of_help("{subject}"), helping.subject),
    *_form(f"{addresses.PLAY}/{{tag}}", play.look, play.act),
    *_form(f"{addresses.OFF}/{{tag}}", sign_in.look_at_unsubscribing, sign_in.unsubscribe),
    *_form(f"{addresses.CODE}/{{code}}", sign_in.look_at_code, sign_in.bring),
    *_form(addresses.SIGN_IN, sign_in.look_at_form, sign_in.ask_for_link),
    Route(addresses.SIGN_OUT, sign_in.sign_out, methods=["POST"]),
    *_form(addresses.SIGN_UP, sign_in.look_at_sign_up, sign_in.sign_up),
    *_form(addresses.CHALLENGE, me.look_at_challenge, me.challenge),
    *_form(addresses.SETTINGS, me.look_at_settings, me.settle),
    Route(addresses.MINE, me.mine, methods=["GET"]),
    Route(addresses.DO, me.do, methods=["POST"]),
    *_form(f"{addresses.MINE}{_BOARD}", me.look, me.act),
    Route(addresses.ROBOTS, robots),
    Route(addresses.HEALTH, healthz),
    Route("/static/{name:path}", _static),
)


def make_app(ground: Ground) -> Starlette:
    """Return the application whose pages stand on a ground."""
    app = Starlette(
        routes=list(ROUTES),
        middleware=[Middleware(Logged), Middleware(Safe), Middleware(Trimmed)],
        exception_handlers={
            HTTPException: _missing,
            NotSignedIn: _stranger,
            DamagedHistory: _damaged,
            ClientDisconnect: _gone,
            Exception: _broken,
        },
    )
    app.router.redirect_slashes = False
    app.state.ground = ground
    app.state.health = Health(ground.home)
    return app
