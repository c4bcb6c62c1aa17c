"""Making an account: the same command as by mail, so the address is proved by a code."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.settings import USUAL
from pbm_oust.letters.layout import Block
from pbm_oust.play.notices import Reader
from pbm_oust.refusal import Refusal
from pbm_oust.web import addresses
from pbm_oust.web.answers import answer_page
from pbm_oust.web.asked import asked_by_stranger
from pbm_oust.web.carrying import carry_out, reason_of, said
from pbm_oust.web.forms import form_of, kept_from
from pbm_oust.web.ground import ground_of
from pbm_oust.web.lines import line_of


async def look(request: Request) -> Response:
    """Answer with the form of an account."""
    return _page(request, {})


def _page(request: Request, form: Mapping[str, str], refused: Sequence[Block] = ()) -> Response:
    """Return the form, with why it was refused, and with what was typed."""
    kept = kept_from(form, "signup")
    return ground_of(request).page(request, "sign_up", refused=refused, kept=kept)


async def sign_up(request: Request) -> Response:
    """Ask for the account in a form, and say what comes next."""
    form, ground = await form_of(request), ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    if not form.get("rest", "").strip():
        return RedirectResponse(addresses.SIGN_UP, 303)
    asked = asked_by_stranger(request, secrets.token_hex(8))
    try:
        asked = replace(asked, line=line_of("signup", form))
    except Refusal as refusal:
        reader = Reader((), settings=replace(USUAL, language=asked.language))
        return _page(request, form, reason_of(refusal, reader, ground))
    carried = await carry_out(asked, ground)
    if carried.is_refused:
        return _page(request, form, list(said(carried.told, ground)))
    return answer_page(request, carried, ground.templates_for(request), back=addresses.SIGN_UP)


ROUTES = (
    Route(addresses.SIGN_UP, look, methods=["GET"]),
    Route(addresses.SIGN_UP, sign_up, methods=["POST"]),
)
