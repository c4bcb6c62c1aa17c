"""Pages of tournaments: a list of them, and one for each with its rounds, sections and tables.

A page shows the sections of one round, some at a time, so that it is as large in a cup of a
thousand players as in one of twenty.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbm_oust.board import Summary, has_counted
from pbm_oust.board.ratings import Standing
from pbm_oust.play.context import Look
from pbm_oust.play.notices import MOST_LISTED, Page, part_of
from pbm_oust.play.tournaments import SectionTable, cups_going_on, table_of
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import tournaments
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import standings_on
from pbm_oust.store.tournaments import Round, Section
from pbm_oust.tournaments.cup import ENDED, Cup, Entry, cup_fields, pairings
from pbm_oust.web import addresses
from pbm_oust.web.addresses import number_in
from pbm_oust.web.forms import Mistake
from pbm_oust.web.ground import HTML, ground_of, json_page
from pbm_oust.web.lists import chosen_in, page_asked, there
from pbm_oust.web.live import state_of
from pbm_oust.web.sign_in import SignedIn, player_of, player_page

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
    """The state that the page has, until there is news."""
    rounds: Sequence[Round] = ()
    round: Round | None = None
    """The round that is shown."""
    number: int = 1
    """The number of the page, among the pages of the round."""
    tables: Sequence[SectionTable] = ()
    bracket: Sequence[tuple[Round, Sequence[Section]]] = ()
    winners: Mapping[int, Sequence[str]] = MappingProxyType({})
    """The winners of the sections of each round."""
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
        """The number of games in the tables, once all have begun."""
        return sum(len(pairings(each.section.players, self.cup.games)) for each in self.tables)

    @property
    def games_over(self) -> int:
        """The number of them that have ended and count."""
        return sum(has_counted(board) for each in self.tables for board in each.boards)

    def in_play(self) -> list[Summary]:
        """Return boards of the tables on which the latest records were made."""
        boards = (board for table in self.tables for board in table.boards if not board.result)
        return sorted(boards, key=lambda each: each.latest, reverse=True)[:MOST_IN_PLAY]

    def fields(self) -> dict[str, object]:
        """Return the page as JSON, with the address of the next page, if there is one."""
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
    return ground_of(request).work.look(lambda on: cup_in(on, request))


def cup_in(on: Look, request: Request) -> Cup:
    """Return the cup that a path names, as it is at a moment. Raises HTTPException likewise."""
    at = request.path_params["kind"].name, request.path_params["board"]
    cup = tournaments.find(on.snapshot, *at)
    if cup is None:
        raise HTTPException(404)
    return cup


def asked(request: Request) -> CupView:
    """Return the page of a cup that a path names. Raises HTTPException if there is none."""
    section = request.query_params.get("section", "")
    given = request.path_params.get("number"), page_asked(request), number_in(section) or 0
    return ground_of(request).work.look(lambda on: _view(on, cup_in(on, request), *given))


def _view(on: Look, cup: Cup, asked: int | None = None, page: int = 1, section: int = 0) -> CupView:
    """Return a page of a round of a cup, or the one with a section, all of one moment.

    Without a number, the latest round is shown. Raises HTTPException if there is no such round,
    or no such page.
    """
    entered = tournaments.count_entries(on.snapshot, cup)
    state = state_of(on.snapshot, (cup.kind, cup.number))
    rounds = tournaments.rounds(on.snapshot, cup)
    if not rounds and asked is None:
        return _before(on, cup, entered, state, page)
    known = {each.number: each for each in rounds}
    shown = known.get(asked if asked is not None else cup.round)
    if shown is None or section > shown.sections:
        raise HTTPException(404)
    page = _page_with(section, cup, shown) if section else page
    most = _sections_on_page(cup, shown)
    part = Window(most, (page - 1) * most)
    drawn = tournaments.sections(on.snapshot, cup.kind, cup.number, shown.number, part)
    if not drawn:
        raise HTTPException(404)
    bracket = [(each, _in_bracket(on, cup, each)) for each in rounds]
    winners = {
        each.number: tournaments.winners_of_round(on.snapshot, cup, each.number)
        for each, sections in bracket
        if sections
    }
    tables = [table_of(on, section, cup) for section in drawn]
    return CupView(cup, entered, state, rounds, shown, page, tables, bracket, winners)


def _in_bracket(on: Look, cup: Cup, round_: Round) -> Sequence[Section]:
    """Return the sections of a round, unless they are too many for the bracket."""
    if round_.sections > MOST_IN_BRACKET:
        return ()
    return tournaments.sections(on.snapshot, cup.kind, cup.number, round_.number)


def _before(on: Look, cup: Cup, entered: int, state: str | None, page: int) -> CupView:
    """Return a cup of which no round has begun. Raises HTTPException if there is no such page."""
    found = tournaments.entries(on.snapshot, cup.kind, cup.number, part_of(page, MOST_LISTED))
    entries = Page(page, found, entered)
    there(entries)
    userids = [each.userid for each in found]
    ratings = standings_on(on.snapshot, KINDS[cup.kind], cup.grid, userids)
    return CupView(cup, entered, state, entries=entries, ratings=ratings)


async def page(request: Request) -> Response:
    """Answer with the page of a cup: its latest round, or another one.

    As long as nothing is written to the database, a page that was made need not be made again.
    """
    ground = ground_of(request)
    templates, state = ground.templates_for(request), ground.home.database.moment()
    key = "tournament", request.url.path, request.url.query, templates.language
    made = ground.cache.get(
        key, lambda: templates.fill("tournament.html", view=asked(request)), state
    )
    return made.answer(request, HTML, templates.headers())


def watched(request: Request) -> tuple[str, int]:
    """Return the cup that a path names. Raises HTTPException if there is none."""
    cup = cup_asked(request)
    return cup.kind, cup.number


# The list


def _listed(request: Request) -> tuple[list[tuple[Cup, int]], Page[tuple[Cup, int]], Kind | None]:
    """Return the cups that go on, each with how many have entered, and a page of those that ended.

    Raises HTTPException if there is no such page.
    """
    chosen = chosen_in(request)
    with ground_of(request).work.reading() as on:
        going_on = cups_going_on(on, chosen.kinds, MOST_LISTED)
        part = part_of(chosen.page, MOST_LISTED)
        ended = [
            cup
            for kind in chosen.kinds
            for cup in tournaments.cups(on.snapshot, kind.name, ENDED, part)
        ]
        ended.sort(key=lambda cup: cup.starts, reverse=True)
        count = sum(tournaments.count_cups(on.snapshot, each.name, ENDED) for each in chosen.kinds)
        rows = [(cup, tournaments.count_entries(on.snapshot, cup)) for cup in ended[: part.most]]
    page = Page(chosen.page, rows, count)
    there(page)
    return going_on, page, chosen.kind


async def all_cups(request: Request) -> Response:
    """Answer with a list of tournaments."""
    going_on, ended, kind = _listed(request)
    return ground_of(request).page(
        request,
        "tournaments",
        going_on=going_on,
        ended=ended,
        kind=kind,
        may_announce=ground_of(request).home.configured.cups_by_players,
    )


async def all_as_json(request: Request) -> Response:
    """Answer with the same as JSON."""
    going_on, ended, _ = _listed(request)
    told = [cup_fields(cup, entered) for cup, entered in (*going_on, *ended.rows)]
    return json_page(request, {"tournaments": told})


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
    with ground.work.reading() as on:
        own = tournaments.section_of(on.snapshot, cup, player.userid)
        entries = tournaments.entries_of(on.snapshot, cup.kind, cup.number, [player.userid])
        view = _view(on, cup, section=own.section if own else 0)
    return player_page(
        request,
        player,
        "tournament",
        form,
        fault,
        view=view,
        own=own,
        entry=entries.get(player.userid),
    )
