"""Playing by a link: what a letter's answer may do on a board, as a page with buttons.

The last part of the link is what stands behind the `+` of the letter's reply address, and is worth
the same: one record of one board, for one player, until their next password. Looking changes
nothing; a form is carried out as the same words in an answer by mail are, once however often it is
sent.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.tags import AnswerPurpose, Reply
from pbm_oust.web import addresses
from pbm_oust.web.forms import form_of
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.proofs import proved, proved_by_tag
from pbm_oust.web.sitting import Sitting, act_at, look_at


async def look(request: Request) -> Response:
    """Answer with the board of a link, after the placements that have been tapped."""
    return look_at(await _sitting(request), request)


async def act(request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    return await act_at(await _sitting(request), await form_of(request), request)


async def _sitting(request: Request) -> Sitting:
    """Return where a link lets its player sit. Raises HTTPException if it proves nothing."""
    found = _reply_in(request.path_params["tag"], ground_of(request))
    return Sitting(await proved(found, request), request.url.path)


def _reply_in(text: str, ground: Ground) -> Reply | None:
    """Return what a link proves; None if that is nothing."""
    reply = proved_by_tag(text, ground)
    return reply if isinstance(reply, Reply) and reply.purpose is AnswerPurpose.PLAY else None


_LINK = f"{addresses.PLAY}/{{tag}}"
ROUTES = (Route(_LINK, look, methods=["GET"]), Route(_LINK, act, methods=["POST"]))
