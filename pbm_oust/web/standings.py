"""The standings of a game, and how the ratings of its players came about."""

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pbm_oust.board.ratings import Change, SizeClass, Standing
from pbm_oust.play.pages import Page
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.render.svg import curve_svg
from pbm_oust.rules.position import Kind
from pbm_oust.store.ratings import best_players, explain, is_counting
from pbm_oust.web.asked import kind_asked, page_asked, part_with, player_asked, there
from pbm_oust.web.ground import ground_of


@dataclass(frozen=True, slots=True)
class Explained:
    """What rated games of one game did to the rating of a player, for one class of sizes."""

    size: SizeClass
    changes: tuple[tuple[str, Change], ...]
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


@dataclass(frozen=True, slots=True)
class Rated:
    """The ratings of a player in one game, and a page of the games that led to them."""

    kind: Kind
    standings: tuple[tuple[SizeClass, Standing], ...]
    page: Page[Explained]
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def rated(userid: str, kind: Kind, number: int, work: UnitOfWork) -> Rated:
    """Return the ratings of a player in a game, and a page of the games that led to them."""
    found = work.home.ask(explain, kind, [userid], part_with(number))
    explained = [Explained(size, tuple(changes)) for _, size, changes in found.players]
    page = Page(number, explained, found.count)
    return Rated(kind, tuple(found.standings), page, work.home.ask(is_counting, kind))


async def standings(request: Request) -> Response:
    """Answer with a page of the players of a game by their ratings."""
    ground, number = ground_of(request), page_asked(request)
    kind = kind_asked(request.path_params["kind"])
    best = ground.work.home.ask(best_players, kind, part_with(number))
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


ROUTES = (
    Route("/standings/{kind}", standings),
    Route("/players/{userid}/ratings/{kind}", ratings),
)
