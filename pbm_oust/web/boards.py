"""The pages of one board: as it is, as it was after each of its records, and as files."""

import subprocess  # it draws in a process of its own  # nosec B404
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from hashlib import sha256
from html import escape
from typing import TypeVar

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pbm_oust.board import Game, Header, Record, Terms
from pbm_oust.board.formats import in_format
from pbm_oust.board.header import NO_BOARD
from pbm_oust.board.notation import format_wish
from pbm_oust.board.sheet import Sheet
from pbm_oust.languages import ENGLISH
from pbm_oust.letters.templates import text_templates
from pbm_oust.letters.translator import Translator
from pbm_oust.play.telling import gone_from
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.html import COLOURS, INK, WOOD, Marks, marks_of
from pbm_oust.render.svg import Place, layout_of
from pbm_oust.render.text import cells_text
from pbm_oust.render.visible import visible_line
from pbm_oust.robot.analysis import Analysis, placed_in
from pbm_oust.robot.turning import TurningPoint, explained
from pbm_oust.rules import Grid, Kind, Position, Side, taken
from pbm_oust.store.analyses import kept
from pbm_oust.store.boards import Board, started_in
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, Source
from pbm_oust.store.open_boards import read_board
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import find
from pbm_oust.tournaments.cup import SOURCE, Cup
from pbm_oust.tournaments.ladder import SOURCE as LADDER
from pbm_oust.web import addresses
from pbm_oust.web.ground import (
    CHECKED,
    ELSEWHERE,
    HTML,
    LATER,
    SOURCES,
    Ground,
    Made,
    Templates,
    ground_of,
    source_of,
)
from pbm_oust.web.live import Looker, TooManyWatch, Watched

T = TypeVar("T")

MOST_LISTED = 400
"""How many records a page lists; of a longer game, those around the position."""
PNG_WIDTH = 800
"""How many pixels wide a picture of a board is."""
_OVER = "public, max-age=300"
"""Says how long a browser may keep the page of a game that is over."""
_PAST = "public, max-age=86400"
"""Says how long it may keep a picture of what has been."""
_SHARES = 0.0, 1.0
SVG, _EVENTS = "image/svg+xml", "text/event-stream"


MEDIA_TYPES = {"sgf": "application/x-go-sgf; charset=utf-8", "json": "application/json"}
"""By the formats that a game can be had in, which are the endings of paths."""


@dataclass(frozen=True)
class View:
    """A board after one of its records, as a path asks for it."""

    ground: Ground
    board: Board
    asked: int | None
    """The number of the record; None for the latest, whichever that is."""

    @property
    def latest(self) -> Game:
        """The game as it is."""
        return self.board.game

    @cached_property
    def game(self) -> Game:
        """The game as it was after the record."""
        return self.latest if self.asked is None else self.latest.after(self.asked)

    @property
    def name(self) -> str:
        """The board's name."""
        return self.latest.name

    @property
    def number(self) -> int:
        """The number of the record; 0 before the first."""
        return self.count if self.asked is None else self.asked

    @property
    def count(self) -> int:
        """How many records the game has."""
        return len(self.latest.records)

    @property
    def is_now(self) -> bool:
        """Whether this is the board as it is."""
        return self.number == self.count

    @property
    def path(self) -> str:
        """Where the page is."""
        return addresses.of_board(self.name, self.asked)

    def path_after(self, number: int) -> str:
        """Return where the page of the board after another record is."""
        return addresses.of_board(self.name, None if number == self.count else number)

    @property
    def listed(self) -> tuple[Record, ...]:
        """The records that the page lists."""
        start = max(0, min(self.number - MOST_LISTED // 2, self.count - MOST_LISTED))
        return self.latest.records[start : start + MOST_LISTED]

    @property
    def keeping(self) -> str:
        """How long a browser may keep a picture of the board."""
        return CHECKED if self.asked is None and not self.latest.result else _PAST

    def made_from(self, *more: Hashable) -> Hashable:
        """Return what tells a response apart from all others."""
        return self.name, self.asked, sha256(self.board.data).digest(), *more


def board_asked(request: Request) -> Board:
    """Return the board that a path names. Raises HTTPException if there is none."""
    given = request.path_params
    try:
        return read_board(ground_of(request).home, given["kind"], given["board"])
    except NotAllowed:
        raise HTTPException(404) from None


def _view(request: Request) -> View:
    """Return what a path asks for. Raises HTTPException if it is not there."""
    board, number = board_asked(request), request.path_params.get("number")
    if number is not None and number > len(board.game.records):
        raise HTTPException(404)
    return View(ground_of(request), board, number)


_NO_TIME = datetime(2026, 11, 20, tzinfo=UTC)
"""When everything happens on a board that nobody has started."""


def first_board(kind: Kind, grid: Grid, x: str = Side.X.value, o: str = Side.O.value) -> Game:
    """Return a game that nobody has started, before its first placement."""
    return Game.start(Header(kind, NO_BOARD, grid, x, o, Terms(swap=False, rated=False), _NO_TIME))


def _judged(analysis: Analysis, view: View) -> Mapping[str, object]:
    """Return what a page tells of an analysis, with the best turns from a record on."""
    game, number = view.latest, view.number
    points = explained(game, analysis)
    turning = [point.number for point in points]
    rates = [evaluation.x_wins for evaluation in analysis.evaluations]
    return {
        "evaluations": analysis.evaluations,
        "turning_points": turning,
        "points": [(point, _stepping(view.name, point)) for point in points],
        "line": [format_wish(wish) for wish in analysis.evaluations[number].line],
        "curve": curve_svg(rates, _SHARES, place=number, rings=turning, leads=view.path_after),
    }


def _stepping(name: str, point: TurningPoint) -> str:
    """Return where one steps through what would have been better; empty if no address says it."""
    cells = placed_in(point.better)
    path = addresses.of_exploring(addresses.of_board(name, point.number - 1))
    begun = {"at": "1"} if len(cells) > 1 else {}
    return addresses.asking(addresses.of_line(path, cells), begun) if cells else ""


async def page(request: Request) -> Response:
    """Answer with the page of a board.

    As long as nothing is written to the database, a page that was made need not be made again.
    """
    ground, given = ground_of(request), request.path_params
    templates = ground.templates_for(request)
    name = BoardName(given["kind"].name, given["board"])
    asked = name, given.get("number"), templates.language
    state = ground.home.database.moment(), _minute(ground.clock())
    made = ground.cache.find(asked, state)
    if made is None:
        made = await _in_turn(request, partial(_page, request, templates))
        ground.cache.put(asked, made, state)
    return made.answer(request, HTML, templates.headers(made.keeping))


def _page(request: Request, templates: Templates) -> Made:
    """Return the page of a board, all of which is of one moment."""
    ground = ground_of(request)
    with ground.home.database.read():
        view = _view(request)
        game = view.latest
        seats = beside(game, ground)
        gone = gone_from(game, ground.work)
        belongs = belongs_to(view.board, ground.home)
        analysis = kept(ground.home, game)
    judged = _judged(analysis, view) if analysis else None
    svg = _drawn(view, templates).content.decode()
    content = templates.fill(
        "board.html",
        view=view,
        picture=svg,
        beside=seats,
        gone=gone,
        judged=judged,
        belongs=belongs,
        formats=MEDIA_TYPES,
        sides=Side,
    )
    return Made(content.encode(), _OVER if game.result else CHECKED)


def belongs_to(board: Board, home: Home) -> tuple[Source, Cup | None] | None:
    """Return to which section of a tournament a board belongs, or to which place of the ladder.

    None if it belongs to neither.
    """
    _, source = started_in(board.data)
    if source and source.word == LADDER:
        return source, None
    if not source or source.word != SOURCE:
        return None
    cup = home.ask(find, board.name.kind, source.number)
    return (source, cup) if cup else None


def beside(game: Game, ground: Ground) -> Mapping[str, object]:
    """Return what stands beside the players of a board: their ratings, and the clock that runs."""
    header, clock = game.header, None if game.result else ground.work.clock_of(game)
    ratings = ground.home.ask(standings_on, header.kind, header.grid, (game.x, game.o))
    return {"ratings": ratings, "clock": clock, "now": ground.clock()}


async def embed(request: Request) -> Response:
    """Answer with a board as it is, for a frame on a page of others."""
    view = _view(request)
    svg = _drawn(view, view.ground.templates_for(request)).content.decode()
    page = view.ground.page(request, "embed", game=view.latest, picture=svg)
    page.headers["Content-Security-Policy"] = f"{SOURCES}; frame-ancestors *"
    page.headers.update(ELSEWHERE)
    return page


async def svg(request: Request) -> Response:
    """Answer with a picture of a board."""
    view = _view(request)
    templates = view.ground.templates_for(request)
    made = await _in_turn(request, partial(_drawn, view, templates))
    return made.answer(request, SVG, {**templates.headers(view.keeping), **ELSEWHERE})


async def png(request: Request) -> Response:
    """Answer with a picture of a board for programs that know no SVG."""
    view = _view(request)
    ground, made_from = view.ground, view.made_from("png")
    made = ground.cache.find(made_from)
    if made is None:
        svg = await _in_turn(request, partial(_drawn, view, ground.templates_for(request)))
        draw = partial(png_of, svg.content.decode(), PNG_WIDTH)
        made = Made(await ground.drawing.do_for(source_of(request), draw))
        ground.cache.put(made_from, made)
    return made.answer(request, "image/png", {"Cache-Control": view.keeping, **ELSEWHERE})


_DRAWS = """\
import sys, resvg_py
svg, width = sys.stdin.buffer.read().decode(), int(sys.argv[1])
picture = resvg_py.svg_to_bytes(svg_string=svg, width=width, skip_system_fonts=True)
sys.stdout.buffer.write(picture)
"""


def png_of(svg: str, width: int) -> bytes:
    """Return a picture so many pixels wide, for previews in chats, which show no SVG.

    Its words need no font, and none is looked for. A process of its own draws it, as all threads of
    this one would stand still meanwhile.
    """
    drawing = [sys.executable, "-c", _DRAWS, str(width)]
    drawn = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
        drawing, input=svg.encode(), stdout=subprocess.PIPE, check=True
    )
    return drawn.stdout


async def file(request: Request) -> Response:
    """Answer with a game in one of the formats."""
    view, ending = _view(request), request.url.path.rpartition(".")[2]
    made = view.ground.cache.get(
        view.made_from(ending), lambda: in_format(ending, Sheet(view.latest))
    )
    name = f"{view.name.replace(' ', '-')}.{ending}"
    headers = {
        "Cache-Control": _OVER if view.latest.result else CHECKED,
        "Content-Disposition": f'inline; filename="{name}"',
    }
    return made.answer(request, MEDIA_TYPES[ending], headers)


async def events(request: Request) -> Response:
    """Answer with the number of records of a board, each time that it changes."""
    return news(request, _view(request).board.name, Looker(source_of(request)))


def news(request: Request, name: Watched, looker: Looker) -> Response:
    """Answer with events that tell the state of what is looked at, as long as somebody looks."""
    headers = {"Cache-Control": CHECKED, "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(None, 200, headers, _EVENTS)
    try:
        stream = ground_of(request).live.events(name, looker)
    except TooManyWatch:
        return Response(None, 503, LATER)
    return StreamingResponse(stream, 200, headers, _EVENTS)


async def _in_turn(request: Request, make: Callable[[], T]) -> T:
    """Return what is made of a board. Raises HTTPException if too many wait for past positions.

    The records before one are replayed, which may take long: others go on meanwhile.
    """
    if "number" not in request.path_params:
        return make()
    return await ground_of(request).replaying.do_for(source_of(request), make)


def _drawn(view: View, templates: Templates) -> Made:
    """Return the picture of a board as SVG, drawn once for its page and for itself."""
    made_from = view.made_from(templates.language, "svg")
    return view.ground.cache.get(made_from, lambda: picture(view.game, templates.translator))


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


def picture(game: Game, translator: Translator, title: str = "", prefix: str = "b") -> str:
    """Return a board as SVG, with a title of its own unless one is given.

    The prefix tells it from other boards on the same page.
    """
    words = translator.gettext
    title = title or words("%(board)s after #%(number)s", board=game.name, number=len(game.records))
    return board_svg(game.position, marks_of(game), title, translator, prefix=prefix)


CURVE_WIDTH, CURVE_HEIGHT = 320, 96
_EDGE = 8
_MOST_LINKED = 80
"""How many places of a curve are links: more would be narrower than the tip of a pointer."""
_LEAST = 1.0
"""What the highest and the lowest number are taken to be apart at least."""


def curve_svg(
    numbers: Sequence[float],
    scale: tuple[float, float] | None = None,
    *,
    place: int = -1,
    rings: Iterable[int] = (),
    leads: Callable[[int], str] | None = None,
) -> str:
    """Return numbers as an SVG element: a line from left to right, with a dot and rings on places.

    A scale has the numbers at the lower and the upper edge, with a line halfway; without one, the
    line fills the picture. The dot is on the last number unless another place is named. `leads`
    says where to go from each place; where they are many, some lead to one nearby.
    """
    high = max(numbers)
    low, high = scale or (min(*numbers, high - _LEAST), high)
    step = (CURVE_WIDTH - 2 * _EDGE) / max(len(numbers) - 1, 1)
    every = -(-len(numbers) // _MOST_LINKED)
    reach = every * step
    places = [
        (
            f"{_EDGE + nth * step:.1f}",
            f"{_EDGE + (CURVE_HEIGHT - 2 * _EDGE) * (high - number) / (high - low):.1f}",
        )
        for nth, number in enumerate(numbers)
    ]
    return _svg(
        "curve",
        size=(CURVE_WIDTH, CURVE_HEIGHT),
        points=map(",".join, places),
        halfway=f"M{_EDGE} {CURVE_HEIGHT / 2:g}H{CURVE_WIDTH - _EDGE}" if scale else "",
        rings=[places[each] for each in rings],
        dot=places[place],
        links=[
            (leads(nth), f"{_EDGE + nth * step - reach / 2:.1f}")
            for nth in range(0, len(numbers), every)
            if leads
        ],
        reach=f"{reach:.1f}",
    )


@cache
def _drawings() -> Environment:
    """Return the templates of pictures. They need no font, no style sheet and no script."""
    drawings = text_templates(Translator(ENGLISH))
    drawings.filters["xml"] = lambda text: escape(visible_line(text))
    return drawings


def _svg(name: str, **given: object) -> str:
    return _drawings().get_template(f"web/{name}.svg").render(given)


def board_svg(
    position: Position,
    marks: Marks,
    title: str,
    translator: Translator,
    *,
    taps: Callable[[str], str] | None = None,
    prefix: str = "b",
    is_task: bool = False,
) -> str:
    """Return a position as an SVG element, on one line, that also says in words what it shows.

    x is dark and o is light, so no colour is needed to tell them apart. With taps, each placement
    is a link to the address that taps returns for the name of its cell; if it is a task where to
    place, each free cell is one, and all look alike. All ids begin with the prefix, a word: boards
    on one page need different ones.
    """
    grid, layout, words = position.grid, layout_of(position.grid), translator.gettext
    stones = {side.value: position.stones(side) for side in Side}
    placements, capturing = (position.placements(), position.capturing()) if taps else (0, 0)
    if taps and is_task:
        placements, capturing = grid.cells & ~position.occupied, 0
    said = [
        f"{side}: {cells_text(grid, own) or words('no stones')}" for side, own in stones.items()
    ]
    if marks.latest:
        said.append(words("Latest, ringed: %(cells)s", cells=cells_text(grid, marks.latest)))
    if marks.taken:
        cells = cells_text(grid, marks.taken)
        said.append(words("Off the board in this turn, dashed: %(cells)s", cells=cells))
    if marks.pointed:
        said.append(words("Pointed out: %(cells)s", cells=cells_text(grid, marks.pointed)))

    def places(cells: int) -> list[Place]:
        return [layout.places[cell] for cell in grid.each(cells)]

    def label(cell: int) -> str:
        name = grid.format_cell(cell)
        if not cell & capturing:
            return name
        after = position.place(cell)
        facts = {
            "number": taken(position, after).bit_count(),
            "group": grid.flood(cell, after.stones(position.to_move)).bit_count(),
        }
        return name + translator.gettext(" takes %(number)s, in a group of %(group)s", **facts)

    return _svg(
        "board",
        layout=layout,
        title=title,
        description=". ".join(said),
        prefix=prefix,
        wood=WOOD,
        ink=INK,
        colours={side.value: colour for side, colour in COLOURS.items()},
        stones={side: places(own) for side, own in stones.items()},
        latest={side: places(own & marks.latest) for side, own in stones.items()},
        taken=places(marks.taken & ~position.occupied | marks.pointed),
        to_move=position.to_move.value,
        placements=[
            (cell & capturing, grid.format_cell(cell), label(cell), *place)
            for cell, place in layout.places.items()
            if cell & placements
        ],
        taps=taps,
    )
