"""The page of a player: boards in play and over, open challenges, and ratings.

It says no more than mail says to strangers, so there is one for who has boards or open challenges.
"""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.account import HOUSE
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.pages import Page
from pbm_oust.play.starting import open_seeks_of
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.open_boards import has_played
from pbm_oust.web.asked import part_with, player_asked
from pbm_oust.web.ground import ground_of
from pbm_oust.web.standings import rated


async def player(request: Request) -> Response:
    """Answer with the page of a player."""
    ground, kinds, first = ground_of(request), list(KINDS.values()), part_with(1)
    userid, work = player_asked(request.path_params["userid"]), ground.work
    seeks = open_seeks_of(userid, work)
    if not (seeks or has_played(userid, work.home)):
        raise HTTPException(404)
    active = find_latest(work, Wish(kinds, (userid,)), first)
    ended = find_latest(work, Wish(kinds, (userid,), Filter.INACTIVE), first)
    return ground.page(
        request,
        "player",
        userid=userid,
        is_house=userid in HOUSE,
        seeks=seeks,
        active=Page(1, active.boards, active.count),
        ended=Page(1, ended.boards, ended.count),
        damaged=active.damaged,
        rated=[each for kind in kinds if (each := rated(userid, kind, 1, work)).page.count],
    )


ROUTES = (Route("/players/{userid}", player),)
