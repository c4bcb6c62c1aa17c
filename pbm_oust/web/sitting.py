"""A board as the page shows it on which one of its players plays: looking at it, and acting."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import Reply
from pbm_oust.board.game import Game
from pbm_oust.board.record import WISHED
from pbm_oust.letters.layout import Block, Paragraph
from pbm_oust.play.request import Request as Asked
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web.carrying import carry_out, said
from pbm_oust.web.choices import Choices
from pbm_oust.web.forms import kept_from, text_in
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.kept import KEPT_SECRET
from pbm_oust.web.positions import drawn
from pbm_oust.web.sources import source_of
from pbm_oust.web.turns import Turn, cells_of, turn_of

_ASKED_TWICE = ("resign", "decline")
"""What a page asks once more about before it is done."""
_DEEDS = {deed.value for deed in WISHED}


@dataclass(frozen=True, slots=True)
class Papers:
    """What lies before a player who is signed in, and only they see."""

    note: str
    plans: tuple[str, ...]
    """What they have queued that still waits."""
    hidden: Mapping[str, str]
    """What a form about them carries without showing it."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player who sits at a board: what their forms may do there, and where these go."""

    reply: Reply
    path: str
    hidden: Mapping[str, str] = field(default_factory=dict)
    """What each form carries without showing it."""
    papers: Papers | None = None
    """What lies before the player, if they are signed in."""


def look_at(sitting: Sitting, request: Request) -> Response:
    """Answer with the board of a player, after the placements that have been tapped."""
    query, game = request.query_params, _game(sitting, ground_of(request))
    turn, ask = turn_of(game, query.get("turn", "")), query.get("ask", "")
    asks = ask if ask in _ASKED_TWICE else ""
    return _page(sitting, request, game, turn, asks=asks, is_done="done" in query)


async def act_at(sitting: Sitting, form: Mapping[str, str], request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    ground, wish = ground_of(request), _wish(form)
    if not wish:
        return RedirectResponse(sitting.path, 303, KEPT_SECRET)
    carried = await carry_out(_asked(wish, sitting.reply, ground, request), ground)
    if carried.is_done:
        return RedirectResponse(f"{sitting.path}?done", 303, KEPT_SECRET)
    return again_at(sitting, form, request, list(said(carried.told, ground)))


def again_at(
    sitting: Sitting, form: Mapping[str, str], request: Request, told: Sequence[Block]
) -> Response:
    """Return the page of a sitting with why a form was refused, and with what was typed."""
    game = _game(sitting, ground_of(request))
    return _page(sitting, request, game, turn_of(game, form.get("turn", "")), told=told, form=form)


def _game(sitting: Sitting, ground: Ground) -> Game:
    """Return the game of a sitting. Raises HTTPException if it is gone."""
    game = game_if_any(ground.home, KINDS[sitting.reply.kind], sitting.reply.board)
    if game is None:
        raise HTTPException(410)
    return game


def _page(
    sitting: Sitting,
    request: Request,
    game: Game,
    turn: Turn,
    *,
    asks: str = "",
    told: Sequence[Block] = (),
    form: Mapping[str, str] = MappingProxyType({}),
    is_done: bool = False,
) -> Response:
    """Return the page of a sitting."""
    ground, reply = ground_of(request), sitting.reply
    choices = Choices(game, turn, reply.userid, game.meets_guard(reply.number))
    language = settings_of(ground.work.account(reply.userid)).language
    templates = ground.templates_in(language)
    title = templates.translator.gettext("Board %(name)s", name=game.name)

    def tap(cell: str) -> str:
        return f"?turn={turn.text_with(cell)}#board"

    taps = tap if choices.can_place else None
    page = ground.page(
        request,
        "play",
        templates=templates,
        picture=drawn(turn.position, turn.marks, title, templates.translator, taps=taps),
        game=game,
        turn=turn,
        choices=choices,
        sitting=sitting,
        asks=asks,
        is_done=is_done,
        answers=[block for block in told if isinstance(block, Paragraph)],
        kept=kept_from(form, form.get("command") or form.get("deed", "")),
    )
    page.headers.update(KEPT_SECRET)
    return page


def _wish(form: Mapping[str, str]) -> str:
    """Return what an answer by mail would say that asks for the same; empty if for nothing."""
    deed, cells = form.get("deed", ""), cells_of(form.get("turn", ""))
    text = text_in(form)
    if deed == "turn" and cells:
        return f"{','.join(cells)}\n{text}"
    if deed in _DEEDS:
        return f"{deed}\n{text}"
    return f"chat\n{text}" if deed == "chat" and text else ""


def _asked(wish: str, reply: Reply, ground: Ground, request: Request) -> Asked:
    """Return the request of a mail that says the same in answer to a letter."""
    account = ground.work.account(reply.userid)
    digest = hashlib.sha256("\0".join((*reply.parts(), wish)).encode()).hexdigest()
    return Asked(
        line="",
        chat=wish,
        sender=next(iter(account.addresses), ""),
        identity=f"web {digest}",
        source=source_of(request),
        reply=reply,
    )
