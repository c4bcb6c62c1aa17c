"""Starting a board: challenging a player, or letting anybody join."""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.accounts.account import HOUSE
from pbm_oust.board.header import Terms
from pbm_oust.letters.layout import Block
from pbm_oust.rules.grid import format_size
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.web import addresses
from pbm_oust.web.doing import done
from pbm_oust.web.forms import kept_from
from pbm_oust.web.ground import ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.sessions import SignedIn, form_of_player, player_of


async def look(request: Request) -> Response:
    """Answer with a form for each game."""
    return _page(request, player_of(request), {})


def _page(
    request: Request, player: SignedIn, form: Mapping[str, str], refused: Sequence[Block] = ()
) -> Response:
    """Return the forms; one that was refused has what was typed."""
    ground = ground_of(request)
    page = ground.page(
        request,
        "challenge",
        templates=ground.templates_in(player.language),
        player=player,
        opponent=request.query_params.get("opponent", ""),
        usual=Terms(),
        has_house=ground.work.has_house,
        refused=refused,
        kept=kept_from(form, form.get("kind", "")),
        sizes={kind.name: list(_sizes(kind)) for kind in KINDS.values()},
    )
    page.headers.update(KEPT_SECRET)
    return page


async def challenge(request: Request) -> Response:
    """Challenge the player in a form or, if there is none, let anybody join."""
    player, form = await form_of_player(request)
    again = partial(_page, request, player, form)
    return await done(player, _command(player, form), request, addresses.CHALLENGE, again)


def _sizes(kind: Kind) -> Iterator[tuple[str, str, str]]:
    """Yield the option for each shape of grid that a game has, the shape, and the usual size."""
    for shape, grid in kind.defaults.items():
        name = "size" if shape is kind.own_shape else shape.value
        yield name, shape.value, format_size(grid)


def _command(player: SignedIn, form: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of the command that a form asks for."""
    opponent, side = form.get("opponent", "").strip(), form.get("side", "")
    is_house = "".join(opponent.split()).lower() in HOUSE
    opponent = "".join(opponent.split()) if is_house else opponent
    if opponent:
        pair = (player.userid, opponent)
        is_second = side == Side.O.value or (not side and secrets.randbelow(2))
        x, o = pair[::-1] if is_second else pair
        return {**form, "command": "challenge", "userid1": x, "userid2": o}
    sides = {f"option.{side}": "on"} if side in {each.value for each in Side} else {}
    return {**form, "command": "seek", **sides}


ROUTES = (
    Route(addresses.CHALLENGE, look, methods=["GET"]),
    Route(addresses.CHALLENGE, challenge, methods=["POST"]),
)
