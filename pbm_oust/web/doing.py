"""What players who are signed in have done: each form of their pages is a command of the table."""

from collections.abc import Callable, Mapping, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.settings import settings_of
from pbm_oust.letters.layout import Block
from pbm_oust.play.request import Request as Asked
from pbm_oust.refusal import Refusal
from pbm_oust.web import addresses
from pbm_oust.web.answers import answer_page
from pbm_oust.web.carrying import carry_out, reason_of, said
from pbm_oust.web.forms import text_in
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.lines import line_of
from pbm_oust.web.sessions import ONCE, SignedIn
from pbm_oust.web.sources import source_of

_LONGEST_ONCE = 64


Again = Callable[[Sequence[Block]], Response]
"""Shows the page of a form once more, with why it was refused and what was typed."""


async def done(
    player: SignedIn, form: Mapping[str, str], request: Request, back: str, again: Again
) -> Response:
    """Carry out the command of a player's form, and show what came of it.

    `back` is where the answer leads back to. What is refused is shown `again`. Raises
    HTTPException.
    """
    ground = ground_of(request)
    try:
        asked = _asked(player, form, request)
    except Refusal as refusal:
        return again(reason_of(refusal, ground.work.player(player.account), ground))
    carried = await carry_out(asked, ground)
    if carried.is_refused:
        is_line = bool(form.get("line"))
        return again(list(said(carried.told, ground, is_line=is_line)))
    board = carried.handled.board
    if carried.is_done and board:
        return RedirectResponse(f"{addresses.of_own_board(board)}?done", 303, KEPT_SECRET)
    # The command may have changed the language, or removed the account.
    account = ground.work.account_if_any(player.userid) or player.account
    templates = ground.templates_in(settings_of(account).language)
    return answer_page(request, carried, templates, back=back)


def _asked(player: SignedIn, form: Mapping[str, str], request: Request) -> Asked:
    """Return the request of a mail that says the same.

    Raises HTTPException for no command, and Refusal for a field that is not what it is for.
    """
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
