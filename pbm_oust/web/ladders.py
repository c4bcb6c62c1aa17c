"""The page of the ladder of a game: its players in order, and their challenges."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board import Terms
from pbm_oust.board.notation import format_terms
from pbm_oust.board.ratings import Standing
from pbm_oust.commands.ladder import is_absent
from pbm_oust.play.context import Look
from pbm_oust.play.notices import MOST_LISTED, Page, part_of
from pbm_oust.rules import Grid, Kind
from pbm_oust.store import ladders
from pbm_oust.store.ladders import LadderPlace
from pbm_oust.store.players import days_of
from pbm_oust.store.ratings import standings_on
from pbm_oust.tournaments.ladder import Challenge
from pbm_oust.web import addresses
from pbm_oust.web.forms import Mistake
from pbm_oust.web.ground import ground_of
from pbm_oust.web.lists import page_asked, there
from pbm_oust.web.live import state_of
from pbm_oust.web.sign_in import SignedIn, player_of, player_page


class LadderView(Struct, frozen=True):
    """A page of a ladder, all of one moment."""

    kind: Kind
    page: Page[LadderPlace]
    playing: Sequence[Challenge]
    """The challenges in play of those on the page."""
    grid: Grid
    terms: Terms
    ratings: Mapping[str, Standing]
    """The ratings of those on the page, for boards of that size."""
    days: Mapping[str, date]
    """The days of their latest games."""
    is_behind: bool
    """Whether the ladder is gone through anew, so that places may change."""
    state: str | None
    """The state that the page has, until there is news."""

    def boards_of(self) -> Mapping[str, Sequence[Challenge]]:
        """Return the challenges in play by the userids of both players."""
        found = defaultdict[str, list[Challenge]](list)
        for each in self.playing:
            found[each.challenger].append(each)
            found[each.defender].append(each)
        return found

    def fields(self) -> dict[str, object]:
        """Return the page as JSON, with the address of the next page, if there is one."""
        path, number = addresses.of_ladder(self.kind.name, ".json"), self.page.number
        return {
            "kind": self.kind.name,
            "grid": str(self.grid),
            "terms": format_terms(self.terms),
            "players": [each.fields() for each in self.page.rows],
            "boards": [
                {"board": each.board, "challenger": each.challenger, "defender": each.defender}
                for each in self.playing
            ],
            "further": addresses.asking(path, {}, number + 1) if number < self.page.last else None,
        }


def _view(on: Look, kind: Kind, number: int = 1) -> LadderView:
    """Return a page of a ladder. Raises HTTPException if it has fewer."""
    snapshot, name = on.snapshot, kind.name
    rows = ladders.places(snapshot, name, part_of(number, MOST_LISTED))
    page = Page(number, rows, ladders.size(snapshot, name))
    there(page)
    userids = [each.userid for each in rows]
    grid, terms = ladders.terms_of(snapshot, kind)
    return LadderView(
        kind,
        page,
        ladders.in_play(snapshot, name, userids),
        grid,
        terms,
        standings_on(snapshot, kind, grid, userids),
        days_of(snapshot, userids),
        ladders.is_behind(snapshot, name),
        state_of(snapshot, (name, None)),
    )


def asked(request: Request) -> LadderView:
    """Return the page of a ladder that a path names. Raises HTTPException if there is none."""
    kind: Kind = request.path_params["kind"]
    number = page_asked(request)
    return ground_of(request).work.look(lambda on: _view(on, kind, number))


async def page(request: Request) -> Response:
    """Answer with a page of a ladder."""
    return ground_of(request).page(request, "ladder", view=asked(request))


def watched(request: Request) -> tuple[str, None]:
    """Return the ladder that a path names."""
    return request.path_params["kind"].name, None


async def look(request: Request) -> Response:
    """Answer with a ladder as its player sees it, who may join, leave and challenge."""
    return own_page(request, player_of(request), request.path_params["kind"], {})


def own_page(
    request: Request,
    player: SignedIn,
    kind: Kind,
    form: Mapping[str, str],
    fault: Mistake | None = None,
) -> Response:
    """Return the part of a ladder around a player, and the players whom they may challenge.

    If a form was refused, `fault` says why.
    """
    ground = ground_of(request)
    with ground.work.reading() as on:
        outlook = ladders.outlook(on.snapshot, kind.name, player.userid, on.now)
        view = _view(on, kind, 1 + ((outlook.place or 1) - 1) // MOST_LISTED)
        free = list(outlook.free(partial(is_absent, on)))
    return player_page(
        request,
        player,
        "ladder",
        form,
        fault,
        view=view,
        place=outlook.place,
        free=free,
    )
