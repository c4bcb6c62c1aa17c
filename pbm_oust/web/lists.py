"""Lists: the front page, boards in play and over, players with their ratings, and standings."""

import time

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.accounts.account import HOUSE
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.grammar.values import Filter
from pbm_oust.play.finding import Wish, find_latest
from pbm_oust.play.notices import LAST_PAGE, MOST_LISTED, Page, part_of
from pbm_oust.play.starting import open_seeks, open_seeks_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.index import Window
from pbm_oust.store.open_boards import game_if_any, has_played
from pbm_oust.store.ratings import best_players, explain, is_counting
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked, number_in, player_asked
from pbm_oust.web.boards import curve_svg, first_board, picture
from pbm_oust.web.ground import HTML, Ground, Templates, ground_of

MOST_ON_FRONT = 12
"""How many boards, results and challenges the page shows."""


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
        boards = [*active.boards, *ended.boards]
        latest = (game_if_any(ground.home, each.kind, each.board) for each in boards)
        game = next(filter(None, latest), None)
    shown = game or first_board(kinds[0], kinds[0].default_grid)
    svg = picture(shown, templates.translator)
    given = {"active": active, "ended": ended, "seeks": seeks}
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
    """Answer with the page of a player."""
    ground, kinds, first = ground_of(request), list(KINDS.values()), part_of(1, MOST_LISTED)
    userid, work = player_asked(request.path_params["userid"]), ground.work
    seeks = open_seeks_of(userid, work)
    if not (seeks or has_played(userid, work.home)):
        raise HTTPException(404)
    active = find_latest(work, Wish(kinds, (userid,)), first)
    ended = find_latest(work, Wish(kinds, (userid,), Filter.INACTIVE), first)
    return ground.page(
        request,
        "player",
        userid=userid,
        is_house=userid in HOUSE,
        seeks=seeks,
        active=Page(1, active.boards, active.count),
        ended=Page(1, ended.boards, ended.count),
        damaged=active.damaged,
        rated=[each for kind in kinds if (each := rated(userid, kind, 1, work)).page.count],
    )
