"""Lists: the front page, boards in play and over, searching, players, ratings and standings."""

import re
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import TypeVar

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pbm_oust.board.formats import summary_fields
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import (
    MOST_COUNTED,
    Ending,
    SearchPage,
    Sought,
    Wish,
    find_latest,
    results_against,
)
from pbm_oust.play.finding import search as look_for
from pbm_oust.play.notices import LAST_PAGE, MOST_LISTED, Page, part_of
from pbm_oust.play.starting import open_seeks, open_seeks_of
from pbm_oust.play.tournaments import cups_going_on, medals_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Grid, Kind, Shape, parse_size
from pbm_oust.rules.grid import BadGrid
from pbm_oust.store.index import Mark, Window
from pbm_oust.store.ladders import ladders_of, place_of
from pbm_oust.store.open_boards import game_if_any, has_played
from pbm_oust.store.ratings import best_players, explain, is_counting
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked, number_in, player_asked
from pbm_oust.web.boards import curve_svg, first_board, picture
from pbm_oust.web.ground import CHECKED, HTML, Ground, Templates, ground_of, source_of
from pbm_oust.web.play import cells_of

E = TypeVar("E", bound=Enum)

MOST_ON_FRONT = 12
"""How many boards, results and challenges the page shows, and boards that of a player."""
MOST_CUPS = 3
"""How many tournaments of each game the front page shows that go on."""
MOST_OPPONENTS = 20
"""Against how many opponents the page of a player shows results."""


async def front(request: Request) -> Response:
    """Answer with the front page, which is at most a second old."""
    ground = ground_of(request)
    templates = ground.templates_for(request)
    made_from = "front", templates.language, int(time.monotonic())
    made = ground.cache.get(made_from, lambda: _written(ground, templates))
    return made.answer(request, HTML, templates.headers())


def _written(ground: Ground, templates: Templates) -> str:
    """Return the page, all of which is of one moment."""
    kinds, part = list(KINDS.values()), Window(MOST_ON_FRONT)
    with ground.home.database.read():
        active = find_latest(ground.work, Wish(kinds), part)
        ended = find_latest(ground.work, Wish(kinds, (), Filter.INACTIVE), part)
        seeks = open_seeks(kinds, ground.work)[:MOST_ON_FRONT]
        cups = cups_going_on(kinds, MOST_CUPS, ground.home)
        boards = [*active.boards, *ended.boards]
        latest = (game_if_any(ground.home, each.kind, each.board) for each in boards)
        game = next(filter(None, latest), None)
    shown = game or first_board(kinds[0], kinds[0].default_grid)
    svg = picture(shown, templates.translator)
    given = {"active": active, "ended": ended, "seeks": seeks, "cups": cups}
    return templates.fill("front.html", shown=game, picture=svg, **given)


class Chosen(Struct, frozen=True):
    """What the form above a list of boards says."""

    kind: Kind | None
    """The game; None for all of them."""
    player: str
    """The userid of a player, who may not exist; empty for everybody."""
    page: int

    @property
    def kinds(self) -> list[Kind]:
        """The games whose boards are listed."""
        return [self.kind] if self.kind else list(KINDS.values())

    @property
    def query(self) -> dict[str, str]:
        """What the address says to choose the same of the whole list, without its page."""
        given = {"game": self.kind.name if self.kind else "", "player": self.player}
        return {name: value for name, value in given.items() if value}


def page_asked(request: Request) -> int:
    """Return the number of the page of a list; the first if none is named. Raises HTTPException."""
    number = number_in(request.query_params.get("page", "1"), len(str(LAST_PAGE)))
    if not number:
        raise HTTPException(404)
    return number


def chosen_in(request: Request) -> Chosen:
    """Return what the form above a list of boards says. Raises HTTPException.

    Of the boards of all games together there is one page, those on which something happened last.
    """
    game, player = (request.query_params.get(name, "").strip() for name in ("game", "player"))
    kind, page = kind_asked(game) if game else None, page_asked(request)
    if (page > 1 and not kind) or len(player) > LONGEST_USERID:
        raise HTTPException(404)
    return Chosen(kind, player.lower(), page)


def there(page: Page[object]) -> None:
    """Raise HTTPException if a list has fewer pages."""
    if page.is_beyond:
        raise HTTPException(404)


async def boards(request: Request) -> Response:
    """Answer with boards in play."""
    return _listed(request, addresses.BOARDS, Filter.ACTIVE)


async def history(request: Request) -> Response:
    """Answer with boards that are over, the latest first."""
    return _listed(request, addresses.HISTORY, Filter.INACTIVE)


def _listed(request: Request, path: str, wanted: Filter) -> Response:
    ground, chosen = ground_of(request), chosen_in(request)
    userids = (chosen.player,) if chosen.player else ()
    wish = Wish(chosen.kinds, userids, wanted)
    found = find_latest(ground.work, wish, part_of(chosen.page, MOST_LISTED))
    page = Page(chosen.page, found.boards, found.count)
    there(page)
    return ground.page(
        request,
        "boards",
        path=path,
        is_past=wanted is Filter.INACTIVE,
        chosen=chosen,
        page=page,
        damaged=found.damaged,
    )


# Searching

MOST_FOUND = 24
"""How many boards a page of a search shows."""
LONGEST_OPENING = 6
"""How many first placements are searched for."""
_SIZE = re.compile(r"([^\W\d_]{2,}|)([0-9].*)")
"""A size, perhaps behind the word for a shape."""


class Question(Struct, frozen=True):
    """What the form of a search says, with what cannot be searched for."""

    typed: Mapping[str, str]
    """What stands in its fields, by their names."""
    sought: Sought
    faults: frozenset[str]
    """The names of fields that hold something else."""
    after: Mark | None
    """Behind which board the search goes on."""

    def address(self, path: str, mark: Mark | None = None) -> str:
        """Return where this is answered, from the latest board on or behind another one."""
        after = {"after": f"{mark.kind},{mark.board},{mark.latest}"} if mark else {}
        return addresses.asking(path, {**self.typed, **after})


def _question(request: Request) -> Question:
    """Return what the form of a search says. Raises HTTPException."""
    names = ("game", "which", "player", "opponent", "result", "size", "opening")
    given = {name: request.query_params.get(name, "").strip() for name in names}
    typed = {name: value for name, value in given.items() if value}
    kinds = [kind_asked(given["game"])] if given["game"] else list(KINDS.values())
    players = tuple(given[name].lower() for name in ("player", "opponent") if given[name])
    result, which = _member(Ending, given["result"]), _member(Filter, given["which"])
    opening, grids = cells_of(given["opening"]), _grids(given["size"])
    faults = {
        "size": given["size"] and not grids,
        "opening": given["opening"] and not 0 < len(opening) <= LONGEST_OPENING,
        "player": result in (Ending.WON, Ending.LOST) and not given["player"],
    }
    sought = Sought(kinds, which or Filter.ALL, players, result, grids, opening)
    wrong = frozenset(name for name, is_wrong in faults.items() if is_wrong)
    return Question(typed, sought, wrong, _mark(request.query_params.get("after", "")))


def _member(of: type[E], word: str) -> E | None:
    """Return what a word of a form stands for; None for no word. Raises HTTPException."""
    try:
        return of(word) if word else None
    except ValueError:
        raise HTTPException(404) from None


def _mark(text: str) -> Mark | None:
    """Return the place that an address names, if it names one. Raises HTTPException."""
    if not text:
        return None
    kind, board, latest, *_ = *text.split(","), "", ""
    at, number = number_in(latest, 12), number_in(board)
    if at is None or number is None:
        raise HTTPException(404)
    return Mark(at, number, kind_asked(kind).name)


def _grids(text: str) -> tuple[Grid, ...]:
    """Return the grids that a size means: `9` of either shape, `hex 7` of one; none if none."""
    found, grids = _SIZE.fullmatch("".join(text.lower().split())), list[Grid]()
    if not found:
        return ()
    word, size = found.groups()
    for shape in Shape:
        # Any other word is that of squares in some language.
        if not word or (word == Shape.HEX.value) is (shape is Shape.HEX):
            with suppress(BadGrid):
                grids.append(parse_size(shape, size.replace("\N{MULTIPLICATION SIGN}", "x")))
    return tuple(grids)


async def _found(request: Request, question: Question) -> SearchPage | None:
    """Return what a search finds; None if it cannot be searched for. Others go on meanwhile."""
    if question.faults:
        return None
    ground = ground_of(request)
    look = partial(look_for, ground.work, question.sought, MOST_FOUND, question.after)
    return await ground.replaying.do_for(source_of(request), look)


async def search(request: Request) -> Response:
    """Answer with a form that searches all boards, and what it finds."""
    question = _question(request)
    searched = await _found(request, question)
    return ground_of(request).page(request, "search", question=question, searched=searched)


async def found(request: Request) -> Response:
    """Answer with what a search finds as JSON, and where it goes on."""
    question = _question(request)
    searched = await _found(request, question)
    if searched is None:
        raise HTTPException(404)
    further = searched.further and question.address(addresses.FOUND, searched.further)
    boards = [summary_fields(board) for board in searched.boards]
    told = {"boards": boards, "looked_at": searched.looked_at, "further": further}
    return JSONResponse(told, headers={"Cache-Control": CHECKED})


class RatingHistory(Struct, frozen=True):
    """What rated games of one game did to the rating of a player, for one class of sizes."""

    size: SizeClass
    changes: tuple[tuple[str, RatingChange], ...]
    """The names of the boards with what each did, the latest last."""

    @property
    def numbers(self) -> list[float]:
        """The rating before these games, if there were earlier ones, and after each."""
        first = self.changes[0][1].before
        before = [first.rating] if first.games else []
        return [*before, *(change.after.rating for _, change in self.changes)]

    @property
    def curve(self) -> str:
        """These ratings as a curve."""
        return curve_svg(self.numbers)


class Rated(Struct, frozen=True):
    """The ratings of a player in one game, and a page of the games that led to them."""

    kind: Kind
    standings: tuple[tuple[SizeClass, Standing], ...]
    page: Page[RatingHistory]
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def rated(userid: str, kind: Kind, number: int, work: UnitOfWork) -> Rated:
    """Return the ratings of a player in a game, and a page of the games that led to them."""
    found = work.home.ask(explain, kind, [userid], part_of(number, MOST_LISTED))
    explained = [RatingHistory(size, tuple(changes)) for _, size, changes in found.players]
    page = Page(number, explained, found.count)
    return Rated(kind, tuple(found.standings), page, work.home.ask(is_counting, kind))


async def standings(request: Request) -> Response:
    """Answer with a page of the players of a game by their ratings."""
    ground, number = ground_of(request), page_asked(request)
    kind = kind_asked(request.path_params["kind"])
    best = ground.work.home.ask(best_players, kind, part_of(number, MOST_LISTED))
    pages = [(each.size, Page(number, each.standings, each.count)) for each in best]
    nobody: Page[Standing] = Page(number, (), 0)
    longest = max((page for _, page in pages), key=lambda page: page.count, default=nobody)
    there(longest)
    return ground.page(
        request,
        "standings",
        kind=kind,
        tables=[(size, page) for size, page in pages if page.rows],
        page=longest,
        is_counting=ground.work.home.ask(is_counting, kind),
    )


async def ratings(request: Request) -> Response:
    """Answer with a page of what games did to the ratings of a player."""
    ground, userid = ground_of(request), player_asked(request.path_params["userid"])
    kind = kind_asked(request.path_params["kind"])
    found = rated(userid, kind, page_asked(request), ground.work)
    if not found.page.count:
        raise HTTPException(404)
    there(found.page)
    return ground.page(request, "ratings", userid=userid, rated=found)


async def player(request: Request) -> Response:
    """Answer with the page of a player, all of which is of one moment."""
    ground, kinds, first = ground_of(request), list(KINDS.values()), Window(MOST_ON_FRONT)
    userid, work = player_asked(request.path_params["userid"]), ground.work
    with work.home.database.read():
        seeks = open_seeks_of(userid, work)
        if not (seeks or has_played(userid, work.home)):
            raise HTTPException(404)
        active = find_latest(work, Wish(kinds, (userid,)), first)
        ended = find_latest(work, Wish(kinds, (userid,), Filter.INACTIVE), first)
        against = results_against(userid, work)
        known = [each for kind in kinds if (each := rated(userid, kind, 1, work)).page.count]
        medals = medals_of(userid, work)
        rungs = {
            name: work.home.ask(place_of, name, userid)
            for name in work.home.ask(ladders_of, userid)
        }
    return ground.page(
        request,
        "player",
        userid=userid,
        is_house=userid in HOUSE,
        seeks=seeks,
        active=active,
        ended=ended,
        against=against,
        most_opponents=MOST_OPPONENTS,
        counted=MOST_COUNTED,
        rated=known,
        medals=medals,
        rungs=rungs,
    )
