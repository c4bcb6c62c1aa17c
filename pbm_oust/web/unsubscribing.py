"""Ending letters of one sort by the link in their head, without signing in.

Mail programs send a form there by themselves (RFC 8058), so that any form will do; looking only
shows a button that does the same.
"""

import secrets

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import BROADCASTS, DIGEST, Unsubscribing
from pbm_oust.play.request import Request as Asked
from pbm_oust.web import addresses
from pbm_oust.web.answers import answer_page
from pbm_oust.web.carrying import carry_out
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.proofs import proved, proved_by_tag
from pbm_oust.web.sources import source_of


async def look(request: Request) -> Response:
    """Answer with what a link ends, and a button that does it."""
    asked, ground = await _asked(request), ground_of(request)
    language = settings_of(ground.work.account(asked.userid)).language
    page = ground.page(
        request,
        "unsubscribe",
        templates=ground.templates_in(language),
        userid=asked.userid,
        board="" if asked.what in (BROADCASTS, DIGEST) else asked.what,
        is_digest=asked.what == DIGEST,
    )
    page.headers.update(KEPT_SECRET)
    return page


async def end(request: Request) -> Response:
    """End what a link ends, and say so."""
    asked, ground = await _asked(request), ground_of(request)
    account = ground.work.account(asked.userid)
    language = settings_of(account).language
    told = Asked(
        line="",
        chat="",
        sender=next(iter(account.addresses), ""),
        identity=f"web off {secrets.token_hex(8)}",
        source=source_of(request),
        language=language,
        reply=asked,
    )
    carried = await carry_out(told, ground)
    return answer_page(request, carried, ground.templates_in(language), back=addresses.FRONT)


async def _asked(request: Request) -> Unsubscribing:
    """Return what a link ends. Raises HTTPException if it proves nothing."""
    found = proved_by_tag(request.path_params["tag"], ground_of(request))
    return await proved(found if isinstance(found, Unsubscribing) else None, request)


_LINK = f"{addresses.OFF}/{{tag}}"
ROUTES = (Route(_LINK, look, methods=["GET"]), Route(_LINK, end, methods=["POST"]))
