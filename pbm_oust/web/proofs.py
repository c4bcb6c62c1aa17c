"""Links that are proofs: what one proves is served, and guesses are counted for who makes them."""

from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from pbm_oust.accounts.tags import Answered, Claim, parse_tag
from pbm_oust.play.authentication import spend_once, verify
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.store.limits import Charge, Counted, end_of_limit
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.sources import source_of

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
    if await run_in_threadpool(_is_counted, charge, work):
        raise HTTPException(410)
    now = work.now()
    ends = work.home.ask(end_of_limit, charge, work.limits, now) or now
    raise HTTPException(429, headers={"Retry-After": str(int((ends - now).total_seconds()) + 1)})


def proved_by_tag(text: str, ground: Ground) -> Answered | None:
    """Return what a link proves that ends with the tag of an address of ours; None if nothing."""
    local, _, host = ground.address.rpartition("@")
    tag = parse_tag(f"{local}+{text}@{host}", ground.address)
    return verify(tag, ground.work) if isinstance(tag, Claim) else None


def _is_counted(charge: Charge, work: UnitOfWork) -> bool:
    """Return whether a wrong link is within the limit; if so, it is counted."""
    return work.retried(lambda attempt: spend_once(charge, attempt))
