"""What stands in a path for a game, a board and a record, in exactly one way.

What mail programs take along behind a link leads to the page without it.
"""

from urllib.parse import quote

from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.web.kept import KEPT_SECRET

_MARKS = "./,;:!?*'\"()<>[]{}\u2019\u201d\u00bb\u203a\u2026\u3002\uff09\u00a0 "
"""With what no address of a page ends: the ends of sentences, brackets and quotes."""


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
            meant = query.rstrip(_MARKS) if query else path.rstrip(_MARKS) or "/"
            if meant != (query or path):
                # Two slashes in front would name another host.
                start = quote("/" + (path if query else meant).lstrip("/\\"))
                address = f"{start}?{meant}" if query and meant else start
                await RedirectResponse(address, 307, KEPT_SECRET)(scope, receive, send)
                return
        await self._app(scope, receive, send)


class KindConvertor(Convertor[Kind]):
    """The name of a game."""

    regex = "|".join(KINDS)

    def convert(self, value: str) -> Kind:
        """Return the game with a name."""
        return KINDS[value]

    def to_string(self, value: Kind) -> str:
        """Return the name of a game."""
        return value.name


class NumberConvertor(Convertor[int]):
    """A number of at most nine digits, without leading zeros."""

    regex = "0|[1-9][0-9]{0,8}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the digits."""
        return str(value)


def register() -> None:
    """Let paths of routes say `{kind:kind}` and `{board:number}`."""
    register_url_convertor("kind", KindConvertor())
    register_url_convertor("number", NumberConvertor())
