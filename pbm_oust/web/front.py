"""The front page: boards in play, the latest results, open challenges, and how to begin."""

import time
from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.starting import open_seeks
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.index import Part
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import HTML, answer, headers_in
from pbm_oust.web.templates import Templates

MOST_LISTED = 20
"""How many boards, results and challenges the page lists."""
LATE = timedelta(days=30)


async def front(request: Request) -> Response:
    """Answer with the front page, which is at most a second old."""
    ground = ground_of(request)
    templates = ground.templates_for(request)
    made_from = "front", templates.language, int(time.monotonic())
    made = ground.kept.get(made_from, lambda: _written(ground, templates))
    return answer(request, made, HTML, headers_in(templates.language))


def _written(ground: Ground, templates: Templates) -> str:
    """Return the page, all of which is of one moment."""
    kinds, part = list(KINDS.values()), Part(MOST_LISTED)
    late = ground.clock() - LATE
    with ground.home.database.read():
        active = find_latest(ground.work, Wish(kinds), part)
        ended = find_latest(ground.work, Wish(kinds, (), Filter.INACTIVE, late), part)
        seeks = open_seeks(kinds, ground.work)[:MOST_LISTED]
    return templates.fill("front", active=active, ended=ended, seeks=seeks)


ROUTES = (Route("/", front),)
