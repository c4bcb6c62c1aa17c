"""Playing by a link: what a letter's answer may do on a board, as a page with buttons.

The last part of the link is what stands behind the `+` of the letter's reply address, and is worth
the same: one record of one board, for one player, until their next password. Looking changes
nothing; a form is carried out as the same words in an answer by mail are, once however often it is
sent.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pbm_oust.accounts.answered import Purpose, Reply
from pbm_oust.accounts.settings import settings_of
from pbm_oust.accounts.tags import Claim, parse_tag
from pbm_oust.board.game import Game
from pbm_oust.board.placing import taken_in_turn
from pbm_oust.board.record import Deed
from pbm_oust.frozen import frozen
from pbm_oust.grammar.cells import cells_in, parts_of
from pbm_oust.grammar.words import fold
from pbm_oust.letters.layout import Paragraph
from pbm_oust.letters.words import words_in
from pbm_oust.play.authentication import verify
from pbm_oust.play.notices import BoardNotice, Notice
from pbm_oust.play.outcome import Handled, Outcome
from pbm_oust.play.request import Request as Asked
from pbm_oust.render.html import Marks
from pbm_oust.render.svg import Labels, board_svg
from pbm_oust.rules.grid import NoSuchCell
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import IllegalPlacement, Position, taken
from pbm_oust.service.service import handle
from pbm_oust.store.letters import Draft
from pbm_oust.store.open_boards import game_if_any
from pbm_oust.web.ground import Ground, ground_of

LARGEST_FORM = 64 * 1024
"""The most bytes of a form."""
_MOST_FIELDS = 8
_LONGEST_TURN = 2000
"""How many characters of a turn are read: 625 cells have room."""
_KEPT_SECRET = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
"""Said with every page whose address is a proof."""
_FROM_HERE = ("same-origin", "none", "")
"""What browsers say about where a form comes from that is one of ours."""
_DEEDS = {
    deed.value
    for deed in (
        Deed.PASS,
        Deed.SWAP,
        Deed.RESIGN,
        Deed.PROPOSE,
        Deed.UNDO,
        Deed.ACCEPT,
        Deed.REJECT,
    )
}


@frozen
class Turn:
    """A turn as far as it has been put together."""

    cells: tuple[str, ...]
    position: Position
    """The position after these placements."""
    marks: Marks

    @property
    def is_whole(self) -> bool:
        """Whether another placement cannot follow."""
        return bool(self.cells) and not (self.position.is_mid_turn and not self.position.result)


async def look(request: Request) -> Response:
    """Answer with the board of a link, after the placements that have been tapped."""
    ground, reply = ground_of(request), _proved(request)
    game = _game(reply, ground)
    turn = turn_of(game, _cells(request.query_params.get("turn", "")))
    ask = request.query_params.get("ask", "")
    asks = ask if ask == Deed.RESIGN.value else ""
    return _page(request, reply, game, turn, asks=asks, done="done" in request.query_params)


async def act(request: Request) -> Response:
    """Carry a form out, and show what came of it."""
    if request.headers.get("sec-fetch-site", "") not in _FROM_HERE:
        raise HTTPException(403)
    ground, reply = ground_of(request), _proved(request)
    form = await _form(request)
    said = _said(form)
    if not said:
        return RedirectResponse(request.url.path, 303, _KEPT_SECRET)
    handled, told = await run_in_threadpool(_carry_out, said, reply, ground, request)
    if handled.outcome in (Outcome.DONE, Outcome.DONE_BEFORE, Outcome.DONE_IN_PART):
        return RedirectResponse(f"{request.url.path}?done", 303, _KEPT_SECRET)
    game = _game(reply, ground)
    return _page(request, reply, game, turn_of(game, ()), told=told)


def turn_of(game: Game, cells: tuple[str, ...]) -> Turn:
    """Return the longest beginning of some placements that can be made, as a turn."""
    grid, position = game.header.grid, game.position
    placed, gone = list[str](), 0
    for cell in cells:
        if placed and not position.is_mid_turn:
            break
        try:
            following = position.place(grid.parse_cell(cell))
        except (NoSuchCell, IllegalPlacement):
            break
        gone |= taken(position, following)
        position = following
        placed.append(cell)
    if not placed:
        return Turn((), position, Marks(game.latest_stones(), taken_in_turn(game)))
    latest = sum(map(grid.parse_cell, placed))
    return Turn(tuple(placed), position, Marks(latest, gone))


def _proved(request: Request) -> Reply:
    """Return what the link of a request proves. Raises HTTPException if it proves nothing."""
    ground = ground_of(request)
    local, _, host = ground.address.rpartition("@")
    tag = parse_tag(f"{local}+{request.path_params['tag']}@{host}", ground.address)
    reply = verify(tag, ground.work) if isinstance(tag, Claim) else None
    if not isinstance(reply, Reply) or reply.purpose is not Purpose.PLAY:
        raise HTTPException(410)
    return reply


def _game(reply: Reply, ground: Ground) -> Game:
    """Return the game of a link. Raises HTTPException if it is gone."""
    game = game_if_any(ground.home, KINDS[reply.kind], reply.board)
    if game is None:
        raise HTTPException(410)
    return game


def _page(
    request: Request,
    reply: Reply,
    game: Game,
    turn: Turn,
    *,
    asks: str = "",
    told: Sequence[Notice] = (),
    done: bool = False,
) -> Response:
    """Return the page of a link."""
    ground, path = ground_of(request), request.url.path
    is_current = game.meets_guard(reply.number)
    is_mine = is_current and not game.result and game.player_to_move == reply.userid
    cells = ",".join(turn.cells)

    def tap(cell: str) -> str:
        return f"?turn={','.join([*turn.cells, cell])}#board"

    language = settings_of(ground.work.account(reply.userid)).language
    templates = ground.templates_in(language)
    gettext = templates.translator.gettext
    labels = Labels(
        gettext("Board %(name)s", name=game.name),
        gettext("x: %(x)s, o: %(o)s", x=game.x, o=game.o),
        gettext(", captures"),
    )
    can_place = is_mine and not turn.is_whole
    page = ground.page(
        request,
        "play",
        templates=templates,
        picture=board_svg(turn.position, turn.marks, labels, taps=tap if can_place else None),
        game=game,
        turn=turn,
        cells=cells,
        reader=reply.userid,
        path=path,
        is_current=is_current,
        is_mine=is_mine,
        can_place=can_place,
        asks=asks,
        done=done,
        paragraphs=[part for notice in told for part in _paragraphs(notice, ground)],
    )
    page.headers.update(_KEPT_SECRET)
    return page


def _paragraphs(notice: Notice, ground: Ground) -> Iterator[Paragraph]:
    """Yield what a notice says above the board that it shows."""
    written = words_in(notice.reader.settings.language, ground.address).of(notice)
    for block in written.blocks:
        if not isinstance(block, Paragraph):
            return
        yield block


async def _form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form. Raises HTTPException if it is too large, or is none."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_FORM:
            raise HTTPException(413)
    try:
        found = parse_qs(body.decode(), strict_parsing=bool(body), max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise HTTPException(400) from None
    return {name: values[0] for name, values in found.items()}


def _said(form: Mapping[str, str]) -> str:
    """Return what an answer by mail would say that asks for the same; empty if for nothing."""
    deed, cells = form.get("deed", ""), _cells(form.get("turn", ""))
    text = form.get("text", "").replace("\r\n", "\n").strip()
    if deed == "turn" and cells:
        return f"{','.join(cells)}\n{text}"
    if deed in _DEEDS:
        return f"{deed}\n{text}"
    return f"chat\n{text}" if deed == "chat" and text else ""


def _carry_out(
    said: str, reply: Reply, ground: Ground, request: Request
) -> tuple[Handled, list[Notice]]:
    """Carry out what an answer to the letter of a link says; return what is told on the page.

    Refusals are told there and not by mail; all else goes by mail as ever.
    """
    told: list[Notice] = []
    work = ground.work

    def write(notice: Notice, asked: Asked) -> list[Draft]:
        if notice.reader.asked and not isinstance(notice, BoardNotice):
            told.append(notice)
            return []
        return work.write(notice, asked)

    account = work.account(reply.userid)
    digest = hashlib.sha256("\0".join((*reply.parts(), said)).encode()).hexdigest()
    asked = Asked(
        line="",
        chat=said,
        sender=next(iter(account.addresses), ""),
        identity=f"web {digest}",
        source=request.client.host if request.client else "",
        reply=reply,
    )
    return handle(asked, replace(work, write=write)), told


def _cells(text: str) -> tuple[str, ...]:
    """Return the cells of a turn as a page has them; none if that is no list of cells."""
    parts = parts_of(fold(text[:_LONGEST_TURN]))
    return tuple(cell.upper() for part in parts for cell in cells_in(part))


ROUTES = (
    Route("/play/{tag}", look, methods=["GET"]),
    Route("/play/{tag}", act, methods=["POST"]),
)
