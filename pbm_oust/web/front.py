"""The front page: boards in play, the latest results, open challenges, and how to begin."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.seeks import open_seeks
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.board_pages import Part
from pbm_oust.web.ground import ground_of

MOST_LISTED = 20
"""How many boards, results and challenges the page lists."""
LATE = timedelta(days=30)


async def front(request: Request) -> Response:
    """Answer with the front page."""
    ground, kinds, part = ground_of(request), list(KINDS.values()), Part(MOST_LISTED)
    late = ground.clock() - LATE
    active = find_latest(ground.work, Wish(kinds), part)
    ended = find_latest(ground.work, Wish(kinds, (), Filter.INACTIVE, late), part)
    return ground.page(
        request,
        "front",
        active=active,
        ended=ended,
        seeks=open_seeks(kinds, ground.work)[:MOST_LISTED],
    )


ROUTES = (Route("/", front),)
