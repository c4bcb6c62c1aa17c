"""Players: who has played of late, how they stand by their ratings, and the page of each."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.grammar.values import Filter
from pbm_oust.play.context import Look
from pbm_oust.play.finding import MOST_COUNTED, BoardSearch, find_latest, results_against
from pbm_oust.play.notices import MOST_LISTED, Page, part_of
from pbm_oust.play.starting import open_seeks_of
from pbm_oust.play.tournaments import medals_of
from pbm_oust.render.svg import curve_svg
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.index import Window, has_played
from pbm_oust.store.ladders import ladders_of, place_of
from pbm_oust.store.players import Player, latest_players
from pbm_oust.store.ratings import best_players, explain, is_counting, usual_standings
from pbm_oust.store.tournaments import entered_by
from pbm_oust.web import addresses
from pbm_oust.web.addresses import kind_asked, player_asked
from pbm_oust.web.ground import ground_of, json_page
from pbm_oust.web.lists import page_asked, there

MOST_BOARDS = 12
"""How many boards the page of a player shows of those in play, and of those that are over."""
MOST_OPPONENTS = 20
"""Against how many opponents it shows results."""
RECENT = timedelta(days=90)
"""For how long after their latest game players are listed."""

_PUBLIC = (has_played, entered_by, ladders_of)
"""The marks of a player whom everybody may know, beside an open challenge."""

# Who has played of late


class PlayersView(Struct, frozen=True):
    """A page of the players who have played of late, the latest first."""

    players: list[Player]
    ratings: Sequence[tuple[Kind, Mapping[str, Standing]]]
    """Their ratings in each game, for the sizes that they have played most."""
    after: Player | None
    """The last one of the page before; None on the first."""
    further: Player | None
    """The last one of this page, if there is another."""

    def address(self, path: str, mark: Player | None = None) -> str:
        """Return the address of a page: the first, or the one behind a player."""
        return addresses.asking(path, {"after": f"{mark.day},{mark.userid}"} if mark else {})

    def fields(self) -> dict[str, object]:
        """Return the page as JSON, with the address of the next page, if there is one."""
        return {
            "players": [
                {
                    "userid": each.userid,
                    "day": each.day.isoformat(),
                    "ratings": {
                        kind.name: standings[each.userid].fields()
                        for kind, standings in self.ratings
                        if each.userid in standings
                    },
                }
                for each in self.players
            ],
            "further": self.further and self.address(addresses.PLAYERS_JSON, self.further),
        }


def asked(request: Request) -> PlayersView:
    """Return the page of players that an address asks for. Raises HTTPException."""
    after = _mark(request.query_params.get("after", ""))
    with ground_of(request).work.reading() as on:
        since = (on.now - RECENT).date()
        found = latest_players(on.snapshot, since, MOST_LISTED + 1, after)
        players = found[:MOST_LISTED]
        userids = [each.userid for each in players]
        ratings = [(each, usual_standings(on.snapshot, each, userids)) for each in KINDS.values()]
    further = players[-1] if len(found) > MOST_LISTED else None
    return PlayersView(players, ratings, after, further)


def _mark(text: str) -> Player | None:
    """Return the player behind whom a page begins, if an address names one.

    Raises HTTPException.
    """
    if not text:
        return None
    day, _, userid = text.partition(",")
    try:
        return Player(player_asked(userid), date.fromisoformat(day))
    except ValueError:
        raise HTTPException(404) from None


async def players(request: Request) -> Response:
    """Answer with a page of the players who have played of late."""
    view = asked(request)
    return ground_of(request).page(request, "players", view=view, days=RECENT.days, house=HOUSE)


async def as_json(request: Request) -> Response:
    """Answer with the same as JSON."""
    return json_page(request, asked(request).fields())


# Ratings


class RatingHistory(Struct, frozen=True):
    """The changes of a player's rating in one game, for one class of sizes."""

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
        """The ratings as a curve."""
        return curve_svg(self.numbers)


class Rated(Struct, frozen=True):
    """The ratings of a player in one game, and a page of the games that led to them."""

    kind: Kind
    standings: tuple[tuple[SizeClass, Standing], ...]
    page: Page[RatingHistory]
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def rated(on: Look, userid: str, kind: Kind, number: int) -> Rated:
    """Return the ratings of a player in a game, and a page of the games that led to them."""
    found = explain(on.snapshot, kind, [userid], part_of(number, MOST_LISTED))
    explained = [RatingHistory(size, tuple(changes)) for _, size, changes in found.players]
    page = Page(number, explained, found.count)
    return Rated(kind, tuple(found.standings), page, is_counting(on.snapshot, kind))


async def standings(request: Request) -> Response:
    """Answer with a page of the players of a game by their ratings."""
    ground, number = ground_of(request), page_asked(request)
    kind = kind_asked(request.path_params["kind"])
    with ground.work.reading() as on:
        best = best_players(on.snapshot, kind, part_of(number, MOST_LISTED))
        counts = is_counting(on.snapshot, kind)
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
        is_counting=counts,
    )


async def ratings(request: Request) -> Response:
    """Answer with a page of what games did to the ratings of a player."""
    ground, userid = ground_of(request), player_asked(request.path_params["userid"])
    kind = kind_asked(request.path_params["kind"])
    number = page_asked(request)
    found = ground.work.look(lambda on: rated(on, userid, kind, number))
    if not found.page.count:
        raise HTTPException(404)
    there(found.page)
    return ground.page(request, "ratings", userid=userid, rated=found)


# The page of each


async def player(request: Request) -> Response:
    """Answer with the page of a player, all of which is of one moment."""
    ground, kinds, first = ground_of(request), list(KINDS.values()), Window(MOST_BOARDS)
    userid = player_asked(request.path_params["userid"])
    with ground.work.reading() as on:
        seeks = open_seeks_of(on, userid)
        if not (seeks or any(each(on.snapshot, userid) for each in _PUBLIC)):
            raise HTTPException(404)
        active = find_latest(on, BoardSearch(kinds, (userid,)), first)
        ended = find_latest(on, BoardSearch(kinds, (userid,), Filter.INACTIVE), first)
        against = results_against(on, userid)
        known = [each for kind in kinds if (each := rated(on, userid, kind, 1)).page.count]
        medals = medals_of(on, userid)
        rungs = {
            name: place_of(on.snapshot, name, userid) for name in ladders_of(on.snapshot, userid)
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
