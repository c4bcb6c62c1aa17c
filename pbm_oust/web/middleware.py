"""What every request passes before its page: the log, safety, and addresses with marks behind them.

The log has a line for each request, which tells neither who asked nor any secret. Much of an
address may be a proof: the link to a board, a link to sign in, or one of these misspelt. So of a
path only what cannot be one is told: the pattern that it has, and games and numbers in it.
"""

import logging
import re
import time
from html import unescape
from http import HTTPMethod
from urllib.parse import quote, unquote_plus

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pbm_oust.rules import Kind
from pbm_oust.web.ground import KEPT_SECRET

log = logging.getLogger("pbm_oust")

_METHODS = frozenset(method.value for method in HTTPMethod)
_NOTHING = "-"
_ENDS = "-_"
"""With which signs the address of a page can end, besides letters and digits. Others come from the
text around a link: the ends of sentences, brackets and quotes of any script."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HEADERS = [
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        b"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
"""Said with every response."""


class Safe:
    """An application whose responses all carry these headers.

    It refuses a request whose end others may see elsewhere: what follows it could be another
    request to one of us, and its body to the other (RFC 9112, section 6.1). It refuses control
    characters in addresses, so that no page meets one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
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

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

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
            log.info(
                "method=%s path=%s status=%d bytes=%d ms=%.0f",
                *(method, path_told(scope), status, size, milliseconds),
            )


def path_told(scope: Scope) -> str:
    """Return what the log tells of the path of a request; nothing of one that no page has."""
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
