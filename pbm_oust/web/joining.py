"""The page to which the link of an invitation leads: the board as it will be, and a form.

Whoever gives an address there gets a letter, and the game begins when that is answered.
"""

from collections.abc import Mapping
from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.address import parse_address
from pbm_oust.board import Game
from pbm_oust.commands.account import UseridTaken
from pbm_oust.commands.invite import Offer, TooManyInvitations, offer_by_link, take_link
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Cost
from pbm_oust.play.authentication import charge_stranger
from pbm_oust.play.context import Context, Look
from pbm_oust.play.performed import Performed
from pbm_oust.refusal import NotAllowed, Unreadable
from pbm_oust.web import forms
from pbm_oust.web.boards import picture
from pbm_oust.web.ground import ground_of
from pbm_oust.web.sign_in import asked_by_stranger, claim_of, name_refused, proved
from pbm_oust.web.speaking import language_asked

_YOU = "x"
"""What stands on the board for whoever comes."""


async def look(request: Request) -> Response:
    """Answer with the board of an invitation, and the form."""
    return _page(request, await _offered(request), {})


async def take(request: Request) -> Response:
    """Mail the letter that begins the board to the address in the form, and say what comes next.

    The page is the same whether or not that address has an account, or wants such letters.
    """
    offer, form = await _offered(request), await forms.form_of(request)
    ground, claim = ground_of(request), claim_of(request.path_params["tag"], ground_of(request))
    wanted, typed = form.get("userid", "").strip(), form.get("address", "").strip()
    try:
        address = parse_address(typed)
    except ValueError:
        return _page(request, offer, form, fault="address")
    try:
        userid = values.read_new_userid(wanted) if wanted else ""
    except Unreadable:
        return _page(request, offer, form, fault="userid")

    def deed(on: Context) -> None:
        found = offer_by_link(on, claim) if claim else None
        if found is None:
            return
        charge_stranger(on, Cost(codes=1))
        Performed(take_link(on, found, address, userid), on, "invite").settle(ground.work.write)

    asked = asked_by_stranger(request)
    try:
        refused = partial(name_refused, userid) if userid else None
        if refused and (taken := await run_in_threadpool(ground.work.change, refused, asked)):
            raise taken
        await run_in_threadpool(ground.work.change, deed, asked)
    except NotAllowed as refusal:
        reason = refusal.reason
        if isinstance(reason, UseridTaken):
            return _page(request, offer, form, fault="userid", free=reason.free)
        is_full = isinstance(reason, TooManyInvitations)
        return _page(request, offer, form, told="full" if is_full else "often", status=429)
    return _page(request, offer, {}, told="mailed")


def _page(
    request: Request,
    offer: Offer,
    form: Mapping[str, str],
    *,
    fault: str = "",
    free: str = "",
    told: str = "",
    status: int = 200,
) -> Response:
    """Return the page; `fault` is the field at fault, and `told` what came of the form."""
    ground, language = ground_of(request), language_asked(request)
    inviter, invitation = offer
    game = Game.start(invitation.header(1, _YOU, inviter.userid, invitation.at))
    svg = picture(game, ground.templates_in(language).translator, game.header.kind.title)
    return ground.secret_page(
        request,
        language,
        "join",
        status,
        inviter=inviter.userid,
        game=game,
        svg=svg,
        form=form,
        fault=fault,
        free=free,
        told=told,
    )


async def _offered(request: Request) -> Offer:
    """Return the invitation of a link. Raises HTTPException if it is not open, or no link."""
    claim = claim_of(request.path_params["tag"], ground_of(request))

    def ask(on: Look) -> Offer | None:
        return offer_by_link(on, claim) if claim else None

    return await proved(ground_of(request).work.look(ask), request)
