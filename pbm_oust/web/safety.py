"""What every response says for the safety of whoever looks, and which requests are taken at all."""

import re
from urllib.parse import unquote_plus

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Said with every response."""


_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


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
                message["headers"] = [*message["headers"], *_RAW]
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
