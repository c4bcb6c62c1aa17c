"""Codes that were mailed, and come back by a page: it says what one is for, its button does it."""

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.verification import Pending, Purpose, name_of
from pbm_oust.commands.verify import Verify
from pbm_oust.letters.layout import Block
from pbm_oust.play.request import Request as Asked
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.service.table import format_command
from pbm_oust.store.message_keys import KeyOutcome, settle_key
from pbm_oust.store.verifications import find_verification, forget_verification
from pbm_oust.web import addresses, sessions
from pbm_oust.web.answers import answer_page
from pbm_oust.web.carrying import carry_out, said
from pbm_oust.web.forms import form_of
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.proofs import proved
from pbm_oust.web.sources import source_of

_SIGNING_IN = Purpose.SIGNUP, Purpose.FORGOT
"""Whoever brings one of these back is signed in, too: it proves as much as one for that."""


async def look(request: Request) -> Response:
    """Answer with what a code is for, and a button that does it."""
    return _page(request, await _proved(request))


def _page(request: Request, pending: Pending, refused: Sequence[Block] = ()) -> Response:
    """Return what a code is for, with its button, and why that was refused, if it was."""
    ground = ground_of(request)
    templates = ground.templates_in(pending.language)
    page = ground.page(request, "code", templates=templates, pending=pending, refused=refused)
    page.headers.update(KEPT_SECRET)
    return page


async def bring(request: Request) -> Response:
    """Do what a code is for."""
    pending, form = await _proved(request), await form_of(request)
    ground, code = ground_of(request), _code_in(request)
    if pending.purpose is Purpose.SIGN_IN:
        userid = await run_in_threadpool(_sign_in, code, ground)
        if userid is None:
            raise HTTPException(410)
        return sessions.begun(userid, request)
    carried = await carry_out(_asked(code, form.get("new", ""), pending, request), ground)
    if carried.is_done and pending.purpose in _SIGNING_IN:
        return sessions.begun(pending.userid, request)
    if carried.is_refused and pending.purpose is Purpose.FORGOT:
        return _page(request, pending, list(said(carried.told, ground)))
    templates = ground.templates_in(pending.language)
    return answer_page(request, carried, templates, back=addresses.FRONT)


async def _proved(request: Request) -> Pending:
    """Return what waits for the code of a request. Raises HTTPException if nothing does."""
    return await proved(_pending(_code_in(request), ground_of(request).work), request)


def _code_in(request: Request) -> Secret:
    return Secret(request.path_params["code"].lower())


def _pending(code: Secret, work: UnitOfWork) -> Pending | None:
    """Return what waits for a code; None if nothing does any more."""
    return work.home.ask(find_verification, name_of(code), work.now())


def _sign_in(code: Secret, ground: Ground) -> str | None:
    """Use a code up that signs a player in; return their userid, or None if it is used up."""

    def deed(work: UnitOfWork) -> str | None:
        pending = _pending(code, work)
        if pending is None or not work.has_account(pending.userid):
            return None
        work.home.do(settle_key, name_of(code), KeyOutcome.DONE, work.now())
        work.home.do(forget_verification, name_of(code))
        return pending.userid

    return ground.work.retried(deed)


def _asked(code: Secret, new: str, pending: Pending, request: Request) -> Asked:
    """Return the request of a mail that brings a code back, perhaps with a new password."""
    verify = Verify(code, Secret(new.strip()) if new.strip() else None)
    return Asked(
        line=format_command(verify, mask=False),
        chat="",
        sender=pending.address,
        identity=f"web {name_of(code)}",
        source=source_of(request),
        language=pending.language,
    )


_LINK = f"{addresses.CODE}/{{code}}"
ROUTES = (Route(_LINK, look, methods=["GET"]), Route(_LINK, bring, methods=["POST"]))
