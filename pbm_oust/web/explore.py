"""Looking ahead: what comes of placements in an address, alone or against the house.

Nothing is kept: all that was placed stands in the address, which can be shared. From a position of
a board, or from an empty one, both sides place in turn. On a board to try, the house answers.
"""

import subprocess  # the house thinks in a process of its own  # nosec B404
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from pbm_oust.board import Deed, Game, Place, Record, Variation, Wish, variation_of
from pbm_oust.play.notices import MOST_LISTED
from pbm_oust.play.starting import open_seeks
from pbm_oust.refusal import NotAllowed
from pbm_oust.render.html import marks_of
from pbm_oust.robot.player import LEVELS
from pbm_oust.rules import KINDS, Grid, Kind, Side
from pbm_oust.service.house import kept
from pbm_oust.store.open_boards import read_game
from pbm_oust.web import addresses
from pbm_oust.web.boards import board_svg, first_board, picture
from pbm_oust.web.ground import LATER, Made, ground_of, source_of
from pbm_oust.web.play import cells_of

GUEST, HOUSE = "guest", LEVELS[0].userid
"""Who plays on a board to try."""
SECONDS = 0.3
"""How long the house thinks about a turn there."""
PATIENCE = 20.0
"""How many seconds it may take altogether, on a machine that is busy with mail."""
_THINKS = """\
import os, sys
from pbm_oust.robot.player import answer
os.nice(10)
sys.stdout.write(answer(*sys.argv[1:]))
"""
"""What it does in a process of its own, which steps back behind those who take mail."""


class Exploring(Struct, frozen=True):
    """A line that somebody looks at, and the position of it that is shown."""

    path: str
    """Where the page is, without what has been placed."""
    line: Variation
    at: int
    """How many of the placements are shown."""
    is_cut: bool = False
    """Whether the address names more, which cannot be placed."""
    query: Mapping[str, str] = field(default_factory=dict)
    """What the address says besides."""

    @property
    def game(self) -> Game:
        """The game as it would be."""
        return self.line.games[self.at]

    @property
    def last(self) -> int:
        """How many placements the line has."""
        return len(self.line.games) - 1

    @property
    def steps(self) -> list[tuple[int, Record]]:
        """What is done in the line, each with the number of placements up to it."""
        found, number = [], 0
        for record in self.line.records:
            number += isinstance(record.action, tuple)
            found.append((number, record))
        return found

    def address(self, at: int) -> str:
        """Return where the position after so many placements of the line is."""
        asked = {**self.query, "moves": ",".join(self.line.cells)} if self.last else self.query
        shown = {"at": str(at)} if at < self.last else {}
        return addresses.asking(self.path, {**asked, **shown})

    def placing(self, *cells: str) -> str:
        """Return where the position is after more placements, in place of what is not shown.

        It is what follows the path: a large board has hundreds of these links.
        """
        moves = ",".join((*self.line.cells[: self.at], *cells))
        return addresses.asking("", {**self.query, "moves": moves})


async def _explored(
    request: Request, begin: Callable[[], Game], query: Mapping[str, str] = MappingProxyType({})
) -> Exploring:
    """Return the line in an address, as far as it can be placed after a game.

    Raises HTTPException if too many wait for past positions.
    """
    given = request.query_params
    moves, at = given.get("moves", ""), addresses.number_in(given.get("at", ""))
    cells, count = cells_of(moves), len(moves.split(",")) if moves else 0
    line = await ground_of(request).replaying.do_for(
        source_of(request), lambda: variation_of(begin(), cells)
    )
    last = len(line.games) - 1
    shown, is_cut = last if at is None else min(at, last), last < max(len(cells), count)
    return Exploring(request.url.path, line, shown, is_cut, query)


def _empty(kind: Kind, grid: Grid, *owners: str) -> Game:
    """Return a game before its first placement. Raises HTTPException if it is not played there."""
    if not kind.plays_on(grid):
        raise HTTPException(404)
    return first_board(kind, grid, *owners)


async def from_board(request: Request) -> Response:
    """Answer with what comes of placements after a record of a board."""
    ground, given = ground_of(request), request.path_params
    number: int = given["number"]
    try:
        game = read_game(ground.home, given["kind"], given["board"])
    except NotAllowed:
        raise HTTPException(404) from None
    if number > len(game.records):
        raise HTTPException(404)
    exploring = await _explored(request, lambda: game.after(number))
    analysis = kept(ground.home, game)
    evaluation = analysis.evaluations[number] if analysis else None
    best = _placed_in(evaluation.line) if evaluation else ()
    return _page(
        request, exploring, board=game.name, number=number, evaluation=evaluation, best=best
    )


async def from_start(request: Request) -> Response:
    """Answer with what comes of placements on an empty board."""
    given = request.path_params
    start = partial(_empty, given["kind"], given["grid"])
    return _page(request, await _explored(request, start))


async def choose(request: Request) -> Response:
    """Answer with the boards that can be tried, and the open challenges."""
    ground = ground_of(request)
    translator = ground.templates_for(request).translator
    boards = []
    for nth, (kind, grid) in enumerate(_first_grids()):
        title = f"{kind.title}, {translator.grid_text(grid)}"
        svg = picture(first_board(kind, grid), translator, title, f"b{nth}")
        boards.append((kind, grid, svg))
    seeks = open_seeks(KINDS.values(), ground.work)[:MOST_LISTED]
    return ground.page(request, "try", house=HOUSE, grids=boards, seeks=seeks)


async def attempt(request: Request) -> Response:
    """Answer with a game against the house, once it has placed where it is its turn."""
    ground, given = ground_of(request), request.path_params
    kind, grid = given["kind"], given["grid"]
    if grid not in kind.first_grids:
        raise HTTPException(404)
    is_second = request.query_params.get("side") == Side.O.value
    owners = (HOUSE, GUEST) if is_second else (GUEST, HOUSE)
    query = {"side": Side.O.value} if is_second else {}
    exploring = await _explored(request, partial(_empty, kind, grid, *owners), query)
    if exploring.at < exploring.last or not _waits_for_house(exploring.game):
        return _page(request, exploring, side=Side.O if is_second else Side.X)
    asked = kind.name, str(grid), ",".join(exploring.line.cells)
    made = ground.cache.find(asked)
    if made is None:
        turn = await ground.thinking.do_for(source_of(request), partial(house_turn, *asked))
        made = ground.cache.put(asked, Made(turn))
    answered = exploring.placing(*cells_of(made.content.decode()))
    return RedirectResponse(f"{exploring.path}{answered}", 303)


def _first_grids() -> list[tuple[Kind, Grid]]:
    return [(kind, grid) for kind in KINDS.values() for grid in kind.first_grids]


def _placed_in(line: Iterable[Wish]) -> list[str]:
    """Return what is placed in a line until sides are swapped, which no address can say."""
    kept = takewhile(lambda wish: wish is not Deed.SWAP, line)
    return [cell for wish in kept if isinstance(wish, Place) for cell in wish.cells]


def _waits_for_house(game: Game) -> bool:
    return not game.result and game.player_to_move == HOUSE


def house_turn(kind: str, grid: str, cells: str, patience: float = PATIENCE) -> bytes:
    """Return the turn of the house. Raises HTTPException if it takes too long.

    A search would keep all threads of this process waiting.
    """
    thinking = [sys.executable, "-c", _THINKS, kind, grid, cells, str(SECONDS)]
    try:
        thought = subprocess.run(  # noqa: S603 - the words are ours # nosec B603
            thinking, stdout=subprocess.PIPE, check=True, timeout=patience
        )
    except subprocess.TimeoutExpired:
        raise HTTPException(503, headers=LATER) from None
    return thought.stdout.strip()


def _page(request: Request, exploring: Exploring, **given: object) -> Response:
    """Return the page of a position, where a point can be chosen if somebody may place."""
    ground, game = ground_of(request), exploring.game
    translator = ground.templates_for(request).translator
    title = translator.gettext("After placement %(number)s", number=exploring.at)
    is_open = not game.result and not (given.get("side") and _waits_for_house(game))
    unsaid: dict[str, Any] = dict.fromkeys(("board", "number", "evaluation", "best", "side"))
    return ground.page(
        request,
        "explore",
        exploring=exploring,
        game=game,
        kind=game.header.kind,
        picture=board_svg(
            game.position,
            marks_of(game),
            title,
            translator,
            taps=exploring.placing if is_open else None,
        ),
        sides=Side,
        guest=GUEST,
        house=HOUSE,
        grids=_first_grids(),
        **(unsaid | given),
    )
