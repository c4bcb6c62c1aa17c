"""What robots are asked to leave alone: pages of one player, and the thousands of past positions.

Calendars are not among them: some programs ask here before they fetch one.

Source: RFC 9309.
"""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pbm_oust.rules.kinds import KINDS
from pbm_oust.web import addresses

_OF_ONE_PLAYER = (
    addresses.MINE,
    f"{addresses.PLAY}/",
    f"{addresses.CODE}/",
    addresses.SIGN_IN,
    addresses.SIGN_UP,
)
_LEFT_ALONE = (*_OF_ONE_PLAYER, *(f"/{kind}/*/" for kind in KINDS))
_TEXT = "".join(("User-agent: *\n", *(f"Disallow: {path}\n" for path in _LEFT_ALONE)))


async def robots(request: Request) -> Response:
    """Answer with what robots are asked."""
    return PlainTextResponse(_TEXT, headers={"Cache-Control": "public, max-age=86400"})


ROUTES = (Route(addresses.ROBOTS, robots),)
