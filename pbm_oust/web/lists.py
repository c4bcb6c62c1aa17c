"""Lists of boards: those in play, and those that are over."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.pages import Page
from pbm_oust.web import addresses
from pbm_oust.web.asked import chosen_in, part_with, there
from pbm_oust.web.ground import ground_of


async def boards(request: Request) -> Response:
    """Answer with boards in play."""
    return _listed(request, addresses.BOARDS, Filter.ACTIVE)


async def history(request: Request) -> Response:
    """Answer with boards that are over, the latest first."""
    return _listed(request, addresses.HISTORY, Filter.INACTIVE)


def _listed(request: Request, path: str, wanted: Filter) -> Response:
    ground, chosen = ground_of(request), chosen_in(request)
    userids = (chosen.player,) if chosen.player else ()
    wish = Wish(chosen.kinds, userids, wanted)
    found = find_latest(ground.work, wish, part_with(chosen.page))
    page = Page(chosen.page, found.boards, found.count)
    there(page)
    return ground.page(
        request,
        "boards",
        path=path,
        is_past=wanted is Filter.INACTIVE,
        chosen=chosen,
        page=page,
        damaged=found.damaged,
    )


ROUTES = (Route(addresses.BOARDS, boards), Route(addresses.HISTORY, history))
