"""The pages of one board: as it is, as it was after each of its records, and as files."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pbm_oust.accounts.clock import Clock
from pbm_oust.board.formats.sgf import format_sgf
from pbm_oust.board.formats.sheet import Sheet
from pbm_oust.board.formats.structured import format_structured
from pbm_oust.board.game import Game
from pbm_oust.play.telling import gone_from
from pbm_oust.refusal import NotAllowed
from pbm_oust.robot.analysis import kept_text, read_analysis
from pbm_oust.rules.position import Kind
from pbm_oust.store.boards import Board
from pbm_oust.store.index import BoardName
from pbm_oust.store.open_boards import read_board
from pbm_oust.web import paths
from pbm_oust.web.drawing import TooManyWait
from pbm_oust.web.fresh import Page
from pbm_oust.web.ground import Ground, ground_of
from pbm_oust.web.judged import judged_at
from pbm_oust.web.kept import CHECKED, HTML, Made, answer, headers_in
from pbm_oust.web.live import TooManyWatch
from pbm_oust.web.positions import View, picture, view_of
from pbm_oust.web.sources import source_of
from pbm_oust.web.templates import Templates

T = TypeVar("T")

_OVER = "public, max-age=300"
"""Says how long a browser may keep the page of a game that is over."""
_PAST = "public, max-age=86400"
"""Says how long it may keep a picture of what has been."""
_LATER = {"Retry-After": "60"}
_SVG, _EVENTS = "image/svg+xml", "text/event-stream"


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a game can be had."""

    title: str
    media_type: str
    write: Callable[[Sheet], str]


FORMS: Mapping[str, Form] = {
    "sgf": Form("SGF", "application/x-go-sgf; charset=utf-8", format_sgf),
    "json": Form("JSON", "application/json", format_structured),
}
"""By the ending of the path."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a path asks for."""

    ground: Ground
    board: Board
    number: int | None
    """Of the record after which the board is shown; None for the latest, whichever that is."""

    @property
    def game(self) -> Game:
        """The game as it is."""
        return self.board.game

    @property
    def keeping(self) -> str:
        """How long a browser may keep a picture of the board."""
        return CHECKED if self.number is None and not self.game.result else _PAST

    def view(self) -> View:
        """Return the board as it is to be shown."""
        return view_of(self.game, self.number)

    def made_from(self, *more: Hashable) -> Hashable:
        """Return what tells a response apart from all others."""
        return self.game.name, self.number, sha256(self.board.data).digest(), *more


def _asked(request: Request) -> _Asked:
    """Return what a path asks for. Raises HTTPException if it is not there."""
    ground, given = ground_of(request), request.path_params
    kind: Kind = given["kind"]
    number: int | None = given.get("number")
    try:
        board = read_board(ground.home, kind, given["board"])
    except NotAllowed:
        raise HTTPException(404) from None
    if number is not None and number > len(board.game.records):
        raise HTTPException(404)
    return _Asked(ground, board, number)


async def page(request: Request) -> Response:
    """Answer with the page of a board."""
    ground, given = ground_of(request), request.path_params
    templates = ground.templates_for(request)
    name = BoardName(given["kind"].name, given["board"])
    asked = name, given.get("number"), templates.language
    state = ground.fresh.state(ground.clock())
    found = ground.fresh.find(asked, state)
    if found is None:
        made = await _in_turn(request, partial(_page, request, templates))
        found = ground.fresh.keep(asked, state, made)
    return answer(request, found.made, HTML, headers_in(templates.language, found.keeping))


def _page(request: Request, templates: Templates) -> Page:
    """Return the page of a board, all of which is of one moment."""
    ground = ground_of(request)
    with ground.home.database.read():
        asked = _asked(request)
        game = asked.game
        clock, gone = clock_of(game, ground), gone_from(game, ground.work)
        kept = kept_text(ground.home, game)

    def written() -> str:
        drawn, view = _drawn(asked, templates).content.decode(), asked.view()
        analysis = read_analysis(kept, game)
        judged = judged_at(game, analysis, view.number) if analysis else None
        given = {"picture": drawn, "clock": clock, "gone": gone, "judged": judged}
        return templates.fill("board", view=view, **given, forms=FORMS)

    made_from = asked.made_from(templates.language, shown_of(clock), gone, kept, "page")
    return Page(ground.kept.get(made_from, written), _OVER if game.result else CHECKED)


async def svg(request: Request) -> Response:
    """Answer with a picture of a board."""
    asked = _asked(request)
    templates = asked.ground.templates_for(request)
    headers = headers_in(templates.language, asked.keeping)
    drawn = await _in_turn(request, partial(_drawn, asked, templates))
    return answer(request, drawn, _SVG, headers)


async def png(request: Request) -> Response:
    """Answer with a picture of a board for programs that know no SVG."""
    asked = _asked(request)
    ground, made_from = asked.ground, asked.made_from("png")
    made = ground.kept.find(made_from)
    if made is None:
        drawn = await _in_turn(request, partial(_drawn, asked, ground.templates_for(request)))
        try:
            png = await ground.drawing.png(drawn.content.decode(), source_of(request))
        except TooManyWait:
            raise HTTPException(503, headers=_LATER) from None
        made = ground.kept.keep(made_from, png)
    return answer(request, made, "image/png", {"Cache-Control": asked.keeping})


async def file(request: Request) -> Response:
    """Answer with a game in one of the forms."""
    asked, ending = _asked(request), request.url.path.rpartition(".")[2]
    form = FORMS[ending]
    made = asked.ground.kept.get(
        asked.made_from(ending), lambda: f"{form.write(Sheet(asked.game)).rstrip()}\n"
    )
    name = f"{asked.game.name.replace(' ', '-')}.{ending}"
    headers = {
        "Cache-Control": _OVER if asked.game.result else CHECKED,
        "Content-Disposition": f'inline; filename="{name}"',
    }
    return answer(request, made, form.media_type, headers)


async def events(request: Request) -> Response:
    """Answer with the number of records of a board, each time that it changes."""
    asked = _asked(request)
    header = asked.game.header
    headers = {"Cache-Control": CHECKED, "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(None, 200, headers, _EVENTS)
    try:
        name = BoardName(header.kind.name, header.board)
        stream = asked.ground.live.events(name, source_of(request))
    except TooManyWatch:
        return Response(None, 503, _LATER)
    return StreamingResponse(stream, 200, headers, _EVENTS)


async def _in_turn(request: Request, make: Callable[[], T]) -> T:
    """Return what is made of a board. Raises HTTPException if too many wait for past positions.

    The records before one are replayed, which may take long: others go on meanwhile.
    """
    if "number" not in request.path_params:
        return make()
    replaying = ground_of(request).replaying
    try:
        async with replaying.of(source_of(request)):
            return await replaying.do(make)
    except TooManyWait:
        raise HTTPException(503, headers=_LATER) from None


def _drawn(asked: _Asked, templates: Templates) -> Made:
    """Return the picture of a board as SVG, drawn once for its page and for itself."""
    made_from = asked.made_from(templates.language, "svg")
    return asked.ground.kept.get(made_from, lambda: picture(asked.view(), templates.translator))


def clock_of(game: Game, ground: Ground) -> Clock | None:
    """Return the clock of a board; None if the game is over."""
    return None if game.result else ground.work.clock_of(game)


def shown_of(clock: Clock | None) -> Hashable:
    """Return what a page shows of a clock; the rest may change with every second."""
    if clock is None:
        return None
    return _minute(clock.deadline), clock.away, clock.used.days, clock.total


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


paths.register()
_BOARD = "/{kind:kind}/{board:number}"
ROUTES = (
    Route(_BOARD, page),
    Route(f"{_BOARD}.svg", svg),
    Route(f"{_BOARD}.png", png),
    *(Route(f"{_BOARD}.{ending}", file) for ending in FORMS),
    Route(f"{_BOARD}/events", events),
    Route(f"{_BOARD}/{{number:number}}", page),
    Route(f"{_BOARD}/{{number:number}}.svg", svg),
    Route(f"{_BOARD}/{{number:number}}.png", png),
)
