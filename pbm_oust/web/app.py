"""The application: which page answers which path."""

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.store.boards import DamagedHistory
from pbm_oust.web import (
    boards,
    calendars,
    challenging,
    codes,
    feeds,
    front,
    healthz,
    helping,
    lists,
    mine,
    players,
    playing,
    robots,
    rulebook,
    settling,
    signing_in,
    signing_up,
    standings,
    unsubscribing,
)
from pbm_oust.web.access import AccessLog, Logged
from pbm_oust.web.addresses import SIGN_IN
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.paths import Trimmed
from pbm_oust.web.safety import Safe
from pbm_oust.web.sessions import NotSignedIn
from pbm_oust.web.static import FOUND

_FOR_EVER = "public, max-age=31536000, immutable"


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
    return RedirectResponse(SIGN_IN, 303, KEPT_SECRET)


async def _broken(request: Request, error: Exception) -> Response:
    """Answer that a fault of ours keeps a page from being there; the log has it."""
    return ground_of(request).page(request, "broken", 500)


async def _damaged(request: Request, error: Exception) -> Response:
    """Answer that a board cannot be read at present."""
    return ground_of(request).page(request, "damaged", 503)


async def _gone(_request: Request, _error: Exception) -> Response:
    """Answer nobody: a form has broken off, because its sender has left or was cut off."""
    return Response(None, 400)


ROUTES = (
    *front.ROUTES,
    *boards.ROUTES,
    *calendars.ROUTES,
    *feeds.ROUTES,
    *lists.ROUTES,
    *players.ROUTES,
    *standings.ROUTES,
    *rulebook.ROUTES,
    *helping.ROUTES,
    *playing.ROUTES,
    *unsubscribing.ROUTES,
    *robots.ROUTES,
    *healthz.ROUTES,
    *codes.ROUTES,
    *signing_in.ROUTES,
    *signing_up.ROUTES,
    *challenging.ROUTES,
    *settling.ROUTES,
    *mine.ROUTES,
    Route("/static/{name:path}", _static),
)


def make_app(ground: Ground, log: AccessLog | None = None) -> Starlette:
    """Return the application whose pages stand on a ground; what is asked goes to a log, if any."""
    logged = [Middleware(Logged, log=log)] if log else []
    app = Starlette(
        routes=list(ROUTES),
        middleware=[*logged, Middleware(Safe), Middleware(Trimmed)],
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
    return app
