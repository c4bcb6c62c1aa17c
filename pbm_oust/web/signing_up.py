"""Making an account: the same command as by mail, so the address is proved by a code."""

import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.web import addresses
from pbm_oust.web.answers import answer_page
from pbm_oust.web.asked import asked_by_stranger
from pbm_oust.web.carrying import carry_out
from pbm_oust.web.forms import form_of
from pbm_oust.web.ground import ground_of
from pbm_oust.web.lines import line_of


async def look(request: Request) -> Response:
    """Answer with the form of an account."""
    return ground_of(request).page(request, "sign_up")


async def sign_up(request: Request) -> Response:
    """Ask for the account in a form, and say what comes next."""
    form, ground = await form_of(request), ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    if not form.get("rest", "").strip():
        return RedirectResponse(addresses.SIGN_UP, 303)
    line = line_of("signup", form)
    carried = await carry_out(asked_by_stranger(request, secrets.token_hex(8), line), ground)
    return answer_page(request, carried, ground.templates_for(request), back=addresses.SIGN_UP)


ROUTES = (
    Route(addresses.SIGN_UP, look, methods=["GET"]),
    Route(addresses.SIGN_UP, sign_up, methods=["POST"]),
)
