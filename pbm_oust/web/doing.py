"""What players who are signed in have done: each form of their pages is a command of the table."""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.settings import settings_of
from pbm_oust.play.request import Request as Asked
from pbm_oust.web import addresses
from pbm_oust.web.answers import answer_page
from pbm_oust.web.carrying import carry_out
from pbm_oust.web.forms import text_in
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.lines import line_of
from pbm_oust.web.sessions import ONCE, SignedIn, form_of_player
from pbm_oust.web.sources import source_of

_LONGEST_ONCE = 64


async def do(request: Request) -> Response:
    """Carry out the command in a form, and show what came of it."""
    player, form = await form_of_player(request)
    back = addresses.SETTINGS if form.get("back") == addresses.SETTINGS else addresses.MINE
    return await done(player, form, request, back)


async def done(player: SignedIn, form: Mapping[str, str], request: Request, back: str) -> Response:
    """Carry out the command of a player's form, and show what came of it.

    `back` is where the answer leads back to. Raises HTTPException.
    """
    ground = ground_of(request)
    carried = await carry_out(_asked(player, form, request), ground)
    board = carried.handled.board
    if carried.is_done and board:
        return RedirectResponse(f"{addresses.of_own_board(board)}?done", 303, KEPT_SECRET)
    # The command may have changed the language, or removed the account.
    account = ground.work.account_if_any(player.userid) or player.account
    templates = ground.templates_in(settings_of(account).language)
    return answer_page(request, carried, templates, back=back)


def _asked(player: SignedIn, form: Mapping[str, str], request: Request) -> Asked:
    """Return the request of a mail that says the same. Raises HTTPException for no command."""
    try:
        line = form.get("line", "") or line_of(form.get("command", ""), form, player.userid)
    except KeyError:
        raise HTTPException(400) from None
    once = form.get(ONCE, "")[:_LONGEST_ONCE]
    return Asked(
        line=" ".join(line.split()),
        chat=text_in(form),
        sender=player.address,
        identity=f"web {player.session.name} {once}",
        source=source_of(request),
        language=player.language,
        signed_in=player.userid,
    )


ROUTES = (Route(addresses.DO, do, methods=["POST"]),)
