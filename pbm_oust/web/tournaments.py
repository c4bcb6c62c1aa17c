"""Pages of tournaments: a list of them, and one for each with its rounds, sections and tables.

A page shows the sections of one round, some at a time, so that it is as large in a cup of a
thousand players as in one of twenty.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from pbm_oust.board import Summary, has_counted
from pbm_oust.board.ratings import Standing
from pbm_oust.play.notices import MOST_LISTED, Page, part_of
from pbm_oust.play.tournaments import SectionTable, cups_going_on, table_of
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import tournaments
from pbm_oust.store.home import Home
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import Round, Section
from pbm_oust.tournaments.cup import ENDED, Cup, Entry, cup_fields, pairings
from pbm_oust.web import addresses, forms
from pbm_oust.web.addresses import number_in
from pbm_oust.web.boards import news
from pbm_oust.web.forms import Mistake
from pbm_oust.web.ground import CHECKED, HTML, Made, ground_of, source_of
from pbm_oust.web.lists import chosen_in, page_asked, there
from pbm_oust.web.live import Looker, state_of
from pbm_oust.web.sign_in import SignedIn, player_of

MOST_GAMES = 120
"""How many games the tables of a page have, unless one section has more."""
MOST_IN_BRACKET = 8
"""How many sections of a round the bracket shows; of a round with more, it says how many."""
MOST_IN_PLAY = 6
"""How many boards in play are shown with their pictures."""


class CupView(Struct, frozen=True):
    """A cup as a page shows it: one of its rounds, or who has entered as long as none has begun."""

    cup: Cup
    entered: int
    """How many players take part, or did."""
    state: str | None
    """What the page waits for to change."""
    rounds: Sequence[Round] = ()
    round: Round | None = None
    """The round that is shown."""
    number: int = 1
    """The number of the page, among the pages of the round."""
    tables: Sequence[SectionTable] = ()
    bracket: Sequence[tuple[Round, Sequence[Section]]] = ()
    winners: Mapping[int, Sequence[str]] = MappingProxyType({})
    """Who has won a section of each round."""
    entries: Page[Entry] | None = None
    ratings: Mapping[str, Standing] = MappingProxyType({})
    """The ratings of those who have entered."""

    @property
    def kind(self) -> Kind:
        """The game that is played."""
        return KINDS[self.cup.kind]

    @property
    def last(self) -> int:
        """The number of the last page of the round."""
        return _page_with(self.round.sections, self.cup, self.round) if self.round else 1

    @property
    def is_final(self) -> bool:
        """Whether the round that is shown has one section, and is the latest."""
        return self.round is not None and self.round == self.rounds[-1] and self.round.sections == 1

    @property
    def games(self) -> int:
        """How many games the tables have, when all have been begun."""
        return sum(len(pairings(each.section.players, self.cup.games)) for each in self.tables)

    @property
    def games_over(self) -> int:
        """How many of them have ended and count."""
        return sum(has_counted(board) for each in self.tables for board in each.boards)

    def in_play(self) -> list[Summary]:
        """Return boards of the tables on which the latest records were made."""
        boards = (board for table in self.tables for board in table.boards if not board.result)
        return sorted(boards, key=lambda each: each.latest, reverse=True)[:MOST_IN_PLAY]

    def fields(self) -> dict[str, object]:
        """Return what JSON says about it, with the address of the next page, if there is one."""
        further = None
        if self.round and self.number < self.last:
            path = addresses.of_tournament(self.cup.name, self.round.number, ".json")
            further = addresses.asking(path, {}, self.number + 1)
        return {
            **cup_fields(self.cup, self.entered),
            "entries": [each.fields() for each in self.entries.rows] if self.entries else [],
            "sections": [each.fields() for each in self.tables],
            "further": further,
        }


def _sections_on_page(cup: Cup, round_: Round) -> int:
    games = cup.games * round_.players * (round_.players - 1) // 2
    return max(1, MOST_GAMES // max(1, games))


def _page_with(section: int, cup: Cup, round_: Round) -> int:
    """Return the number of the page of a round that shows a section."""
    return 1 + (section - 1) // _sections_on_page(cup, round_)


def cup_asked(request: Request) -> Cup:
    """Return the cup that a path names. Raises HTTPException if there is none."""
    given = request.path_params
    cup = ground_of(request).home.ask(tournaments.find, given["kind"].name, given["board"])
    if cup is None:
        raise HTTPException(404)
    return cup


def _asked(request: Request) -> CupView:
    """Return what a path asks for. Raises HTTPException if it is not there."""
    section = request.query_params.get("section", "")
    given = request.path_params.get("number"), page_asked(request), number_in(section) or 0
    return _view(cup_asked(request), ground_of(request).work, *given)


def _view(
    cup: Cup, work: UnitOfWork, asked: int | None = None, page: int = 1, section: int = 0
) -> CupView:
    """Return a page of a round of a cup, or the one with a section, all of one moment.

    It is the latest round, unless one is asked for. Raises HTTPException if there is no such round,
    or no such page.
    """
    home = work.home
    with home.database.read() as snapshot:
        entered = home.ask(tournaments.count_entries, cup)
        state = state_of(snapshot, (cup.kind, cup.number))
        rounds = home.ask(tournaments.rounds, cup)
        if not rounds and asked is None:
            return _before(cup, entered, state, page, work)
        known = {each.number: each for each in rounds}
        shown = known.get(asked if asked is not None else cup.round)
        if shown is None or section > shown.sections:
            raise HTTPException(404)
        page = _page_with(section, cup, shown) if section else page
        most = _sections_on_page(cup, shown)
        part = Window(most, (page - 1) * most)
        drawn = home.ask(tournaments.sections, cup.kind, cup.number, shown.number, part)
        if not drawn:
            raise HTTPException(404)
        bracket = [(each, _in_bracket(cup, each, home)) for each in rounds]
        winners = {
            each.number: home.ask(tournaments.winners_of_round, cup, each.number)
            for each, sections in bracket
            if sections
        }
        tables = [table_of(section, cup, work) for section in drawn]
    return CupView(cup, entered, state, rounds, shown, page, tables, bracket, winners)


def _in_bracket(cup: Cup, round_: Round, home: Home) -> Sequence[Section]:
    """Return the sections of a round, unless they are too many for the bracket."""
    if round_.sections > MOST_IN_BRACKET:
        return ()
    return home.ask(tournaments.sections, cup.kind, cup.number, round_.number)


def _before(cup: Cup, entered: int, state: str | None, page: int, work: UnitOfWork) -> CupView:
    """Return a cup of which no round has begun. Raises HTTPException if there is no such page."""
    found = work.home.ask(tournaments.entries, cup.kind, cup.number, part_of(page, MOST_LISTED))
    entries = Page(page, found, entered)
    there(entries)
    userids = [each.userid for each in found]
    ratings = work.home.ask(standings_on, KINDS[cup.kind], cup.grid, userids)
    return CupView(cup, entered, state, entries=entries, ratings=ratings)


async def page(request: Request) -> Response:
    """Answer with the page of a cup: its latest round, or another one.

    As long as nothing is written to the database, a page that was made need not be made again.
    """
    ground = ground_of(request)
    templates, state = ground.templates_for(request), ground.home.database.moment()
    asked = "tournament", request.url.path, request.url.query, templates.language
    made = ground.cache.find(asked, state)
    if made is None:
        made = Made(templates.fill("tournament.html", view=_asked(request)).encode())
        ground.cache.put(asked, made, state)
    return made.answer(request, HTML, templates.headers())


async def file(request: Request) -> Response:
    """Answer with the same as JSON."""
    return JSONResponse(_asked(request).fields(), headers={"Cache-Control": CHECKED})


async def events(request: Request) -> Response:
    """Answer with what differs after a game of a cup has begun or ended, when it changes."""
    cup = cup_asked(request)
    return news(request, (cup.kind, cup.number), Looker(source_of(request)))


# The list


def _listed(request: Request) -> tuple[list[tuple[Cup, int]], Page[tuple[Cup, int]], Kind | None]:
    """Return the cups that go on, each with how many have entered, and a page of those that ended.

    Raises HTTPException if there is no such page.
    """
    chosen, home = chosen_in(request), ground_of(request).home
    with home.database.read():
        going_on = cups_going_on(chosen.kinds, MOST_LISTED, home)
        part = part_of(chosen.page, MOST_LISTED)
        ended = [
            cup
            for kind in chosen.kinds
            for cup in home.ask(tournaments.cups, kind.name, ENDED, part)
        ]
        ended.sort(key=lambda cup: cup.starts, reverse=True)
        count = sum(home.ask(tournaments.count_cups, each.name, ENDED) for each in chosen.kinds)
        rows = [(cup, home.ask(tournaments.count_entries, cup)) for cup in ended[: part.most]]
    page = Page(chosen.page, rows, count)
    there(page)
    return going_on, page, chosen.kind


async def all_cups(request: Request) -> Response:
    """Answer with a list of tournaments."""
    going_on, ended, kind = _listed(request)
    return ground_of(request).page(
        request, "tournaments", going_on=going_on, ended=ended, kind=kind
    )


async def all_as_json(request: Request) -> Response:
    """Answer with the same as JSON."""
    going_on, ended, _ = _listed(request)
    told = [cup_fields(cup, entered) for cup, entered in (*going_on, *ended.rows)]
    return JSONResponse({"tournaments": told}, headers={"Cache-Control": CHECKED})


# The page of a player, and what they have won


async def look(request: Request) -> Response:
    """Answer with a cup as its player sees it, who may enter it or withdraw."""
    return own_page(request, player_of(request), cup_asked(request), {})


def own_page(
    request: Request,
    player: SignedIn,
    cup: Cup,
    form: Mapping[str, str],
    fault: Mistake | None = None,
) -> Response:
    """Return a cup with the forms of a player; one that was refused has what was typed."""
    ground = ground_of(request)
    own = ground.home.ask(tournaments.section_of, cup, player.userid)
    entries = ground.home.ask(tournaments.entries_of, cup.kind, cup.number, [player.userid])
    return ground.secret_page(
        player.language,
        "tournament",
        view=_view(cup, ground.work, section=own.section if own else 0),
        own=own,
        player=player,
        entry=entries.get(player.userid),
        is_done="done" in request.query_params and not form,
        **forms.filled(form.get("command", ""), form, fault),
    )


async def own_events(request: Request) -> Response:
    """Answer with news of a cup at the page of a player."""
    cup, player = cup_asked(request), player_of(request)
    return news(request, (cup.kind, cup.number), Looker(player.userid, is_player=True))
