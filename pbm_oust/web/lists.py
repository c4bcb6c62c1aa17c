"""Lists: the front page, boards in play and over, searching, players, ratings and standings."""

import re
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from itertools import islice
from typing import TypeVar

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.account import bare_userid
from pbm_oust.board import Game, Summary
from pbm_oust.board.formats import summary_fields
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.board.puzzle import puzzle_of_day
from pbm_oust.commands.begin import whole_example
from pbm_oust.grammar.grids import read_grid
from pbm_oust.grammar.values import Filter
from pbm_oust.play.context import Look
from pbm_oust.play.finding import (
    BoardSearch,
    ResultSought,
    SearchPage,
    Sought,
    find_latest,
)
from pbm_oust.play.finding import search as look_for
from pbm_oust.play.notices import LAST_PAGE, MOST_LISTED, Page, part_of
from pbm_oust.play.starting import open_seeks
from pbm_oust.play.tournaments import cups_going_on
from pbm_oust.render.html import frames_of
from pbm_oust.render.svg import film_svg
from pbm_oust.rules import KINDS, Grid, How, Kind, Shape
from pbm_oust.rules.grid import BadGrid
from pbm_oust.store.index import Mark, Window
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked, number_in
from pbm_oust.web.boards import picture
from pbm_oust.web.ground import HTML, Ground, Templates, ground_of, json_page, source_of
from pbm_oust.web.play import cells_of

E = TypeVar("E", bound=Enum)

MOST_ON_FRONT = 12
"""How many boards, results and challenges the page shows."""
MOST_SIFTED = 4 * MOST_ON_FRONT
"""How many boards that are over the page looks at, to show results of games that were played."""
MOST_FILMED = 150
"""How many records a game has at most that plays itself there."""
MOST_CUPS = 3
"""How many tournaments of each game the front page shows that go on."""


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
    with ground.work.reading() as on:
        active, ended = find_latest(on, BoardSearch(kinds), part), latest_results(on, kinds)
        seeks = open_seeks(on, kinds)[:MOST_ON_FRONT]
        cups, daily = cups_going_on(on, kinds, MOST_CUPS), puzzle_of_day(on.now.date())
        latest = (on.game_if_any(each.kind, each.board) for each in active.boards)
        game = next((each for each in latest if each and each.position.occupied), None)
        short = (each for each in ended if each.records <= MOST_FILMED)
        played = (on.game_if_any(each.kind, each.board) for each in short)
        game = game or next((each for each in played if each and has_taken(each)), None)
    shown = game or whole_example()
    if shown.result:
        made_from = "film", game and (game.name, game.latest), templates.language
        drawn = ground.cache.get(made_from, lambda: _film(shown, templates)).content.decode()
    else:
        drawn = picture(shown, templates.translator)
    posed = daily and picture(daily.game, templates.translator, "", "d")
    given = {"active": active, "ended": ended, "seeks": seeks, "cups": cups}
    given |= {"daily": daily, "posed": posed}
    return templates.fill("front.html", shown=game, picture=drawn, **given)


def _film(game: Game, templates: Templates) -> str:
    """Return a game that is over as a picture of all its positions."""
    translator, kind = templates.translator, game.header.kind
    title = translator.gettext("A game of %(title)s, stone by stone", title=kind.title)
    return film_svg(list(frames_of(game)), title, translator.gettext, "b")


def latest_results(on: Look, kinds: Sequence[Kind]) -> list[Summary]:
    """Return the boards that ended last, without those that were left before anything was taken.

    It looks at so many of them at most, and at the records of none that is longer than it can be
    without a capture.
    """
    found = find_latest(on, BoardSearch(kinds, (), Filter.INACTIVE), Window(MOST_SIFTED)).boards
    return list(islice((each for each in found if _is_played(on, each)), MOST_ON_FRONT))


def _is_played(on: Look, board: Summary) -> bool:
    """Return whether a game that is over was played to its end, or far enough."""
    is_left = board.result and board.result.how in (How.RESIGN, How.VOID)
    if not is_left or board.records > board.grid.cells.bit_count():
        return True
    game = on.game_if_any(board.kind, board.board)
    return game is not None and has_taken(game)


def has_taken(game: Game) -> bool:
    """Return whether stones have come off the board of a game."""
    actions = (record.action for record in game.records)
    return any(done.took for each in actions if isinstance(each, tuple) for done in each)


class Chosen(Struct, frozen=True):
    """The choice in the form above a list of boards."""

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
        """The query of the address that chooses the same of the whole list, without its page."""
        given = {"game": self.kind.name if self.kind else "", "player": self.player}
        return {name: value for name, value in given.items() if value}


def page_asked(request: Request) -> int:
    """Return the number of the page of a list; the first if none is named. Raises HTTPException."""
    number = number_in(request.query_params.get("page", "1"), len(str(LAST_PAGE)))
    if not number:
        raise HTTPException(404)
    return number


def chosen_in(request: Request) -> Chosen:
    """Return the choice in the form above a list of boards. Raises HTTPException.

    The boards of all games together have one page, with those on which something happened last.
    """
    game, player = (request.query_params.get(name, "").strip() for name in ("game", "player"))
    player = bare_userid(player)
    kind, page = kind_asked(game) if game else None, page_asked(request)
    if (page > 1 and not kind) or len(player) > LONGEST_USERID:
        raise HTTPException(404)
    return Chosen(kind, player, page)


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
    search = BoardSearch(chosen.kinds, userids, wanted)
    found = ground.work.look(lambda on: find_latest(on, search, part_of(chosen.page, MOST_LISTED)))
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
    """The search that a form asks for, with the words that cannot be searched for."""

    typed: Mapping[str, str]
    """The values of its fields, by their names."""
    sought: Sought
    faults: frozenset[str]
    """The names of fields that hold something else."""
    after: Mark | None
    """Behind which board the search goes on."""

    def address(self, path: str, mark: Mark | None = None) -> str:
        """Return the address of the answer, from the latest board on or behind another one."""
        after = {"after": f"{mark.kind},{mark.board},{mark.latest}"} if mark else {}
        return addresses.asking(path, {**self.typed, **after})


def _question(request: Request) -> Question:
    """Return the search that a form asks for. Raises HTTPException."""
    names = ("game", "which", "player", "opponent", "result", "size", "opening")
    given = {name: request.query_params.get(name, "").strip() for name in names}
    typed = {name: value for name, value in given.items() if value}
    kinds = [kind_asked(given["game"])] if given["game"] else list(KINDS.values())
    players = tuple(bare_userid(given[name]) for name in ("player", "opponent") if given[name])
    result, which = _member(ResultSought, given["result"]), _member(Filter, given["which"])
    opening, grids = cells_of(given["opening"]), _grids(given["size"])
    faults = {
        "size": given["size"] and not grids,
        "opening": given["opening"] and not 0 < len(opening) <= LONGEST_OPENING,
        "player": result in (ResultSought.WON, ResultSought.LOST) and not given["player"],
    }
    sought = Sought(kinds, which or Filter.ALL, players, result, grids, opening)
    wrong = frozenset(name for name, is_wrong in faults.items() if is_wrong)
    return Question(typed, sought, wrong, _mark(request.query_params.get("after", "")))


def _member(of: type[E], word: str) -> E | None:
    """Return the value that a word of a form stands for; None for no word. Raises HTTPException."""
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
                grids.append(read_grid(size, shape, is_sure=True))
    return tuple(grids)


async def _found(request: Request, question: Question) -> SearchPage | None:
    """Search, while others go on; None if it cannot be searched for."""
    if question.faults:
        return None
    ground, asked = ground_of(request), (question.sought, MOST_FOUND, question.after)
    look = partial(ground.work.look, lambda on: look_for(on, *asked))
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
    return json_page(request, told)
