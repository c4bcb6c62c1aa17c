"""Signing in by a link that comes by mail, and signing out."""

import asyncio
import secrets
from contextlib import suppress

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.account import disabled_since
from pbm_oust.accounts.address import is_same_address, parse_address
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.verification import Pending, Purpose
from pbm_oust.play.authentication import spend
from pbm_oust.play.request import Request as Asked
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.play.verification import Asked as Mailed
from pbm_oust.play.verification import ask, spend_time_for_a_code
from pbm_oust.refusal import NotAllowed
from pbm_oust.store.limits import Charge, Counted
from pbm_oust.web import addresses, sessions
from pbm_oust.web.asked import asked_by_stranger
from pbm_oust.web.forms import form_of
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET

ANSWER_SECONDS = 0.25
"""When each address is answered, so that the time does not say whether a player has it."""
MOST_LINKS = 5
"""How many links a form has mailed, where several players share an address."""


async def look(request: Request) -> Response:
    """Answer with the form that asks for an address."""
    if sessions.player_if_any(request):
        return RedirectResponse(addresses.MINE, 303, KEPT_SECRET)
    return _page(request)


async def ask_for_link(request: Request) -> Response:
    """Mail a link to the address in a form, if a player has it; the answer does not say so."""
    form, ground = await form_of(request), ground_of(request)
    if not ground.base:
        raise HTTPException(404)
    typed = form.get("address", "").strip()
    try:
        address = parse_address(typed)
    except ValueError:
        return _page(request, "wrong", typed=typed)
    asked, is_mailed = asked_by_stranger(request, secrets.token_hex(8)), False
    answered = asyncio.create_task(asyncio.sleep(ANSWER_SECONDS))
    with suppress(NotAllowed):
        is_mailed = await run_in_threadpool(_mail_links, address, asked, ground)
    await answered
    if not is_mailed:
        return _page(request, "often", 429)
    return _page(request, "mailed")


async def sign_out(request: Request) -> Response:
    """End a session."""
    player, _ = await sessions.form_of_player(request)
    return await run_in_threadpool(sessions.end, player, request)


def _page(request: Request, told: str = "", status: int = 200, typed: str = "") -> Response:
    """Return the form; `told` is what came of it: `wrong`, `often` or `mailed`."""
    page = ground_of(request).page(request, "sign_in", status, told=told, typed=typed)
    page.headers.update(KEPT_SECRET)
    return page


def _mail_links(address: str, asked: Asked, ground: Ground) -> bool:
    """Mail a link for each player who has an address; return whether the limits let one go.

    Where there is no such player, as much is done and counted. Raises NotAllowed at a limit.
    """

    def deed(work: UnitOfWork) -> bool:
        spend([Charge(Counted.ANSWERS, asked.sender)], work)
        accounts = [each for each in work.home.accounts_at(address) if not disabled_since(each)]
        done = list[Mailed]()
        for account in accounts[:MOST_LINKS]:
            own = next(each for each in account.addresses if is_same_address(each, address))
            language, now = settings_of(account).language, work.now()
            pending = Pending(
                Purpose.SIGN_IN, account.userid, own, now, asked.identity, language=language
            )
            done.append(ask(pending, [own], asked, work))
        if not accounts:
            done.append(spend_time_for_a_code(asked, work, address, Purpose.SIGN_IN))
        return Mailed.MAILED in done

    return ground.work.retried(deed)


ROUTES = (
    Route(addresses.SIGN_IN, look, methods=["GET"]),
    Route(addresses.SIGN_IN, ask_for_link, methods=["POST"]),
    Route(addresses.SIGN_OUT, sign_out, methods=["POST"]),
)
