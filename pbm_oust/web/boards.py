"""The pages of one board: as it is, as it was after each of its records, and as files."""

import subprocess  # it draws in a process of its own  # nosec B404
import sys
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial, reduce
from hashlib import sha256
from operator import attrgetter, or_
from typing import TypeVar

from msgspec import Struct, structs
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from pbm_oust.board import Game, Header, Record, Ruling, Terms
from pbm_oust.board.formats import in_format
from pbm_oust.board.header import NO_BOARD
from pbm_oust.board.notation import format_wish
from pbm_oust.board.sheet import Sheet
from pbm_oust.letters.translator import Translator
from pbm_oust.play.context import Look
from pbm_oust.play.telling import gone_from
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.html import marks_of
from pbm_oust.render.svg import board_svg, curve_svg
from pbm_oust.robot.analysis import Analysis, placed_in
from pbm_oust.robot.turning import TurningPoint, explained
from pbm_oust.rules import Grid, Kind, Side
from pbm_oust.store.analyses import kept
from pbm_oust.store.boards import Board, started_in
from pbm_oust.store.index import BoardName, Source, find_entry
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import whole
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

MOST_LISTED = 200
"""How many rows the list of moves has; of a longer game, those around the position."""
PNG_WIDTH = 800
"""How many pixels wide a picture of a board is."""
_OVER = "public, max-age=300"
"""The time for which a browser may keep the page of a game that is over."""
_PAST = "public, max-age=86400"
"""The time for which it may keep a picture of a past position."""
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
        """The number of records of the game."""
        return len(self.latest.records)

    @property
    def is_now(self) -> bool:
        """Whether this is the board as it is."""
        return self.number == self.count

    @property
    def path(self) -> str:
        """The path of the page."""
        return addresses.of_board(self.name, self.asked)

    def path_after(self, number: int) -> str:
        """Return the path of the page of the board after another record."""
        return addresses.of_board(self.name, None if number == self.count else number)

    @property
    def rows(self) -> Sequence["Row"]:
        """The list of moves, as far as the page has it."""
        return rows_around(self.number, enumerate(self.latest.records, 1))

    @property
    def keeping(self) -> str:
        """The time for which a browser may keep a picture of the board."""
        return CHECKED if self.asked is None and not self.latest.result else _PAST

    def made_from(self, *more: Hashable) -> Hashable:
        """Return the key of a response in the cache."""
        return self.name, self.asked, sha256(self.board.data).digest(), *more


class Row(Struct):
    """A row of a list of moves: a turn of x, and the turn of o that follows it."""

    number: int
    turns: Mapping[Side, list[tuple[int, Record]]]
    """By the side: its records, each with the number of the position after it."""

    @property
    def last(self) -> int:
        """The number of the position after the row."""
        return (self.turns[Side.O] or self.turns[Side.X])[-1][0]


def rows_around(number: int, records: Iterable[tuple[int, Record]]) -> Sequence[Row]:
    """Return the list of moves around a position; each record has the number of the one after it.

    What the server and its operator do stands with the side that it is about.
    """
    rows, side = list[Row](), Side.O
    for after, record in records:
        about = record.action.side if isinstance(record.action, Ruling) else None
        before, side = side, record.side or about or side
        if not rows or (before, side) == (Side.O, Side.X):
            rows.append(Row(len(rows) + 1, {Side.X: [], Side.O: []}))
        rows[-1].turns[side].append((after, record))
    shown = bisect_left(rows, number, key=attrgetter("last"))
    start = max(0, min(shown - MOST_LISTED // 2, len(rows) - MOST_LISTED))
    return rows[start : start + MOST_LISTED]


def board_asked(request: Request) -> Board:
    """Return the board that a path names. Raises HTTPException if there is none."""
    return ground_of(request).work.look(lambda on: board_in(on, request))


def board_in(on: Look, request: Request) -> Board:
    """Return the board that a path names, as it is at a moment. Raises HTTPException likewise."""
    given = request.path_params
    try:
        return on.board(given["kind"], given["board"])
    except NotAllowed:
        raise HTTPException(404) from None


def _view(request: Request, board: Board) -> View:
    """Return the position of a board that a path names. Raises HTTPException if it is not there."""
    number = request.path_params.get("number")
    if number is not None and number > len(board.game.records):
        raise HTTPException(404)
    return View(ground_of(request), board, number)


_NO_TIME = datetime(2026, 11, 20, tzinfo=UTC)
"""When everything happens on a board that nobody has started."""


def first_board(kind: Kind, grid: Grid, x: str = Side.X.value, o: str = Side.O.value) -> Game:
    """Return a game that nobody has started, before its first placement."""
    return Game.start(Header(kind, NO_BOARD, grid, x, o, Terms(swap=False, rated=False), _NO_TIME))


def judged(
    analysis: Analysis,
    game: Game,
    number: int,
    address: Callable[[int], str],
    translator: Translator,
) -> Mapping[str, object]:
    """Return an analysis for a page, with the best turns from a record on.

    `address` returns where the page shows the board after another record.
    """
    points = explained(game, analysis)
    numbers = {point.number for point in points}
    pasts = {nth: past for nth, past in enumerate(game.each_after(0)) if nth in numbers}
    turning = [point.number for point in points]
    rates = [evaluation.x_wins for evaluation in analysis.evaluations]
    return {
        "evaluations": analysis.evaluations,
        "turning_points": turning,
        "points": [
            (point, _stepping(game.name, point), _turned(pasts[point.number], point, translator))
            for point in points
        ],
        "line": [format_wish(wish) for wish in analysis.evaluations[number].line],
        "curve": curve_svg(rates, _SHARES, place=number, rings=turning, leads=address),
    }


def _turned(game: Game, point: TurningPoint, translator: Translator) -> str:
    """Return a board as it was after a turning point as SVG, with the better turn pointed out."""
    cells = (game.header.grid.parse_cell(cell) for cell in placed_in(point.better[:1]))
    marks = structs.replace(marks_of(game), pointed=reduce(or_, cells, 0))
    title = translator.gettext("Board %(name)s", name=game.name)
    return board_svg(game.position, marks, title, translator.gettext, prefix=f"t{point.number}")


def _stepping(name: str, point: TurningPoint) -> str:
    """Return the address of the better turns at a turning point; empty if no address says them."""
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
    made = await _cached(request, asked, state, partial(_page, request, templates))
    return made.answer(request, HTML, templates.headers(made.keeping))


def _page(request: Request, templates: Templates) -> Made:
    """Return the page of a board, all of which is of one moment."""
    ground = ground_of(request)
    with ground.work.reading() as on:
        view = _view(request, board_in(on, request))
        game = view.latest
        seats, gone, belongs = beside(on, game), gone_from(on, game), belongs_to(on, view.board)
        analysis = kept(on.snapshot, game)
    svg = _drawn(view, templates).content.decode()
    content = templates.fill(
        "board.html",
        view=view,
        picture=svg,
        beside=seats,
        gone=gone,
        judged=judged(analysis, game, view.number, view.path_after, templates.translator)
        if analysis
        else None,
        belongs=belongs,
        formats=MEDIA_TYPES,
    )
    return Made(content.encode(), _OVER if game.result else CHECKED)


def belongs_to(on: Look, board: Board) -> tuple[Source, Cup | None] | None:
    """Return the section of a tournament, or the place of the ladder, to which a board belongs.

    A board that belongs to neither has none.
    """
    _, source = started_in(board.data)
    if source and source.word == LADDER:
        return source, None
    if not source or source.word != SOURCE:
        return None
    cup = whole(on.snapshot, board.name.kind, source.number)
    return (source, cup) if cup else None


def beside(on: Look, game: Game) -> Mapping[str, object]:
    """Return the ratings of the players of a board, and the clock that runs."""
    header, clock = game.header, None if game.result else on.clock_of(game)
    ratings = standings_on(on.snapshot, header.kind, header.grid, (game.x, game.o))
    return {"ratings": ratings, "clock": clock, "now": on.now}


async def embed(request: Request) -> Response:
    """Answer with a board as it is, for a frame on a page of others."""
    view = _view(request, board_asked(request))
    svg = _drawn(view, view.ground.templates_for(request)).content.decode()
    page = view.ground.page(request, "embed", game=view.latest, picture=svg)
    page.headers["Content-Security-Policy"] = f"{SOURCES}; frame-ancestors *"
    page.headers.update(ELSEWHERE)
    return page


async def svg(request: Request) -> Response:
    """Answer with a picture of a board."""
    view = _view(request, board_asked(request))
    templates = view.ground.templates_for(request)
    made = await _in_turn(request, partial(_drawn, view, templates))
    return made.answer(request, SVG, {**templates.headers(view.keeping), **ELSEWHERE})


async def png(request: Request) -> Response:
    """Answer with a picture of a board for programs that know no SVG."""
    view = _view(request, board_asked(request))
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
    """Answer with a game in one of the formats, which is written once for each record."""
    ground, given = ground_of(request), request.path_params
    name, ending = BoardName(given["kind"].name, given["board"]), _ending(request)
    version = ground.home.ask(ground.home.boards.version, name)
    made = await _cached(request, (name, ending), version, partial(_file, request))
    headers = {
        "Cache-Control": made.keeping,
        "Content-Disposition": f'inline; filename="{str(name).replace(" ", "-")}.{ending}"',
    }
    return made.answer(request, MEDIA_TYPES[ending], headers)


def _file(request: Request) -> Made:
    """Return a game in the format that a path ends with."""
    game = board_asked(request).game
    content = in_format(_ending(request), Sheet(game))
    return Made(content.encode(), _OVER if game.result else CHECKED)


def _ending(request: Request) -> str:
    return request.url.path.rpartition(".")[2]


def watched(request: Request) -> BoardName:
    """Return the name of the board of a path. Raises HTTPException if there is no such board."""
    given = request.path_params
    name = BoardName(given["kind"].name, given["board"])
    if ground_of(request).home.ask(find_entry, name) is None:
        raise HTTPException(404)
    return name


def news(request: Request, name: Watched, userid: str = "") -> Response:
    """Answer with events that tell the state of what is looked at, as long as somebody looks.

    `userid` is the player whose own page it is, if it is one.
    """
    headers = {"Cache-Control": CHECKED, "X-Accel-Buffering": "no"}
    if request.method == "HEAD":
        return Response(None, 200, headers, _EVENTS)
    try:
        stream = ground_of(request).live.events(name, Looker(source_of(request), userid))
    except TooManyWatch:
        return Response(None, 503, LATER)
    return StreamingResponse(stream, 200, headers, _EVENTS)


async def _in_turn(request: Request, make: Callable[[], T]) -> T:
    """Make something of a board, in its turn if the board is long or the position past.

    To go through all its records may take long: others go on meanwhile. Raises HTTPException if too
    many wait for such work.
    """
    ground, given = ground_of(request), request.path_params
    name = BoardName(given["kind"].name, given["board"])
    if "number" not in given and not ground.home.ask(ground.home.boards.is_long, name):
        return make()
    return await ground.replaying.do_for(source_of(request), make)


async def _cached(
    request: Request, key: Hashable, state: Hashable, make: Callable[[], Made]
) -> Made:
    """Return a response from the cache, or make it in its turn and keep it for this state.

    Somebody else may have made it meanwhile. Raises HTTPException as `_in_turn` does.
    """
    cache = ground_of(request).cache

    def found_or_made() -> Made:
        return cache.find(key, state) or cache.put(key, make(), state)

    found = cache.find(key, state)
    return found if found is not None else await _in_turn(request, found_or_made)


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
    moves = game.latest_two_turns
    return board_svg(game.position, marks_of(game), title, words, prefix=prefix, moves=moves)
