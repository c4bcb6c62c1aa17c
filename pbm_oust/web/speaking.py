"""The language of a page for somebody who is not signed in: chosen on a page, or their browser's.

The link of a language adds `?lang=fr` to the address of a page. That sets a cookie, and leads to
the page itself.
"""

from datetime import timedelta
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pbm_oust.languages import ENGLISH, LANGUAGES, Language
from pbm_oust.mail.reading.headers import ours_among
from pbm_oust.web.addresses import LANGUAGE

VARY = "Accept-Language, Cookie"
"""The headers of a request that decide about a language (RFC 9110, section 12.5.5)."""
_LASTS = timedelta(days=365)
_LONGEST = 200
"""How many characters of a header are read."""


def language_asked(request: Request) -> Language:
    """Return the language that was chosen on a page, or else the one that the browser asks for."""
    if chosen := LANGUAGES.get(request.cookies.get(LANGUAGE, "")):
        return chosen
    return ours_among(request.headers.get("accept-language", "")[:_LONGEST]) or ENGLISH


class Speaking:
    """An application that keeps the language in an address, and leads to the page without it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        is_look = scope["type"] == "http" and scope["method"] == "GET"
        asked = scope["query_string"].decode("latin-1") if is_look else ""
        code = QueryParams(asked).get(LANGUAGE, "")
        if code not in LANGUAGES:
            await self._app(scope, receive, send)
            return
        others = [each for each in parse_qsl(asked, keep_blank_values=True) if each[0] != LANGUAGE]
        # Two slashes in front would name another host.
        path = quote("/" + scope["path"].lstrip("/\\"))
        page = RedirectResponse(f"{path}?{urlencode(others)}" if others else path, 303)
        page.headers["Cache-Control"] = "no-store"
        lasts = int(_LASTS.total_seconds())
        page.set_cookie(LANGUAGE, code, max_age=lasts, path="/", httponly=True, samesite="lax")
        await page(scope, receive, send)
