"""Files that programs ask any site for: robots.txt, security.txt, favicon.ico; and our schemas."""

import struct
from datetime import timedelta
from functools import cache, partial
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from pbm_oust.board.notation import format_time
from pbm_oust.languages import LANGUAGES
from pbm_oust.rules import KINDS
from pbm_oust.tournaments.cup import SOURCE
from pbm_oust.web import addresses
from pbm_oust.web.boards import png_of
from pbm_oust.web.ground import FOUND, STATIC, Made, ground_of, source_of

_A_DAY = {"Cache-Control": "public, max-age=86400"}
_LEFT_ALONE = (
    *(addresses.MINE, f"{addresses.PLAY}/", f"{addresses.CODE}/"),
    *(addresses.SIGN_IN, addresses.SIGN_UP, addresses.SEARCH),
    *(f"{addresses.TRY}/", f"{addresses.EXPLORE}/"),
    *(f"/{kind}/*/" for kind in KINDS),
)
_ALLOWED = tuple(f"/{kind}/{SOURCE}/" for kind in KINDS)
"""The paths for robots (RFC 9309), who leave pages of one player and thousands of past positions
alone. Calendars are not among them: some programs ask here before they fetch one."""


async def robots(request: Request) -> Response:
    """Answer with what robots are asked."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in _LEFT_ALONE)]
    lines += (f"Allow: {path}" for path in _ALLOWED)
    return _lines(lines)


HOLDS = timedelta(days=180)
"""How long what security.txt says holds; RFC 9116 wants less than a year."""


async def security(request: Request) -> Response:
    """Answer with whom to tell of a weakness (RFC 9116): the postmaster of our address.

    Every host that takes mail has one (RFC 5321, section 4.5.1), and a person reads that mail.
    """
    ground = ground_of(request)
    ends = format_time((ground.clock() + HOLDS).replace(hour=0, minute=0, second=0, microsecond=0))
    lines = [f"Contact: mailto:postmaster@{ground.address.rpartition('@')[2]}", f"Expires: {ends}"]
    lines.append(f"Preferred-Languages: {', '.join(sorted(LANGUAGES))}")
    if ground.base:
        lines.append(f"Canonical: {ground.base}{addresses.SECURITY}")
    return _lines(lines)


ICON_PIXELS = 32


async def favicon(request: Request) -> Response:
    """Answer with our icon as programs want it that know no SVG: a PNG within an ICO."""
    ground, key = ground_of(request), addresses.FAVICON
    made = ground.cache.find(key)
    if made is None:
        svg = FOUND[STATIC["icon.svg"]][0].content.decode()
        png = await ground.drawing.do_for(source_of(request), partial(png_of, svg, ICON_PIXELS))
        made = ground.cache.put(key, Made(_ico(png)))
    return made.answer(request, "image/x-icon", _A_DAY)


def _ico(png: bytes) -> bytes:
    """Return an ICO with one picture: its head, an entry of sixteen bytes, and the PNG."""
    head = struct.pack("<HHH", 0, 1, 1)
    entry = struct.pack("<BBBBHHII", ICON_PIXELS, ICON_PIXELS, 0, 0, 1, 32, len(png), 22)
    return head + entry + png


async def schemas(request: Request) -> Response:
    """Answer with the schemas of our JSON, as docs/formats.md describes them."""
    return _schemas().answer(request, "application/schema+json", _A_DAY)


@cache
def _schemas() -> Made:
    return Made(files("pbm_oust.documents").joinpath("schemas.json").read_bytes())


def _lines(lines: list[str]) -> Response:
    return PlainTextResponse("".join(f"{line}\n" for line in lines), headers=_A_DAY)
