"""What stands in a path for a game, a board and a record, in exactly one way.

What mail programs take along behind a link leads to the page without it.
"""

from html import unescape
from urllib.parse import quote

from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.web.kept import KEPT_SECRET

_ENDS = "-_"
"""With which signs the address of a page can end, besides letters and digits. Others come from the
text around a link: the ends of sentences, brackets and quotes of any script."""


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
