"""Links that are proofs, and ending letters of one sort by such a link.

Guesses are counted for who makes them. Mail programs send a form by themselves to the link in the
head of a letter (RFC 8058), so that any form will do there; looking only shows a button that does
the same.
"""

import secrets
from functools import partial
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import BROADCASTS, DIGEST, Answered, Claim, Unsubscribing, parse_tag
from pbm_oust.play.authentication import spend_once, verify
from pbm_oust.play.request import Request as Asked
from pbm_oust.store.limits import Charge, Counted, end_of_limit
from pbm_oust.web import addresses
from pbm_oust.web.forms import answer_page, carry_out
from pbm_oust.web.ground import Ground, ground_of, source_of

Proved = TypeVar("Proved")


async def proved(found: Proved | None, request: Request) -> Proved:
    """Return what the link of a request has been found to prove.

    Raises HTTPException if that is nothing: 410, or 429 if too many such links have come from the
    same host or network. A link that proves something works however many did not.
    """
    if found is not None:
        return found
    work = ground_of(request).work
    charge = Charge(Counted.WRONG_LINKS, source_of(request))
    if await run_in_threadpool(work.retried, partial(spend_once, charge)):
        raise HTTPException(410)
    now = work.now()
    ends = work.home.ask(end_of_limit, charge, work.limits, now) or now
    raise HTTPException(429, headers={"Retry-After": str(int((ends - now).total_seconds()) + 1)})


def proved_by_tag(text: str, ground: Ground) -> Answered | None:
    """Return what a link proves that ends with the tag of an address of ours; None if nothing."""
    local, _, host = ground.address.rpartition("@")
    tag = parse_tag(f"{local}+{text}@{host}", ground.address)
    return verify(tag, ground.work) if isinstance(tag, Claim) else None


async def look_at_unsubscribing(request: Request) -> Response:
    """Answer with what a link ends, and a button that does it."""
    asked, ground = await _unsubscribing(request), ground_of(request)
    language = settings_of(ground.work.account(asked.userid)).language
    return ground.secret_page(
        language,
        "unsubscribe",
        userid=asked.userid,
        board="" if asked.what in (BROADCASTS, DIGEST) else asked.what,
        is_digest=asked.what == DIGEST,
    )


async def unsubscribe(request: Request) -> Response:
    """End what a link ends, and say so."""
    asked, ground = await _unsubscribing(request), ground_of(request)
    account = ground.work.account(asked.userid)
    language = settings_of(account).language
    told = Asked(
        line="",
        chat="",
        sender=account.first_address,
        identity=f"web off {secrets.token_hex(8)}",
        source=source_of(request),
        language=language,
        reply=asked,
    )
    carried = await carry_out(told, ground)
    return answer_page(request, carried, language, back=addresses.FRONT)


async def _unsubscribing(request: Request) -> Unsubscribing:
    """Return what a link ends. Raises HTTPException if it proves nothing."""
    found = proved_by_tag(request.path_params["tag"], ground_of(request))
    return await proved(found if isinstance(found, Unsubscribing) else None, request)
