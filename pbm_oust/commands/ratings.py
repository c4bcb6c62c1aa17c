"""The commands that show ratings: the standings, and where ratings come from."""

from dataclasses import dataclass, replace

from pbm_oust.board.ratings import Change, SizeClass, Standing
from pbm_oust.grammar.form import Cost, Form, names_shown
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.values import read_userids
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import Notice
from pbm_oust.play.pages import PAGE, Page, page_of, part_of
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.position import Kind
from pbm_oust.store.ratings import best_players, explain, is_counting


@dataclass(frozen=True, slots=True)
class Standings(Command):
    """List the players of a game by their ratings."""

    kind: Kind
    page: int = 1


@dataclass(frozen=True, slots=True)
class Ratings(Command):
    """Show where the ratings of these players come from, or list all ratings."""

    kind: Kind
    userids: tuple[str, ...]
    page: int = 1


@dataclass(frozen=True, slots=True)
class StandingsNotice(Notice):
    """The players of a game by their ratings."""

    template = "standings"
    kind: Kind
    tables: tuple[tuple[SizeClass, Page[Standing]], ...]
    """A page of the players of each class of sizes."""
    longest: Page[Standing]
    """That of the class with the most players."""
    following: Standings
    """The command for the page that follows."""
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


@dataclass(frozen=True, slots=True)
class RatingsNotice(Notice):
    """The games of players, and what each did to the rating."""

    template = "ratings"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose ratings were asked for."""
    page: Page[tuple[str, SizeClass, list[tuple[str, Change]]]]
    """Userids, sizes of boards, and the names of games with the changes they made; it counts the
    games."""
    following: Ratings
    """The command for the page that follows."""
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def show_standings(command: Standings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the players of a game by their ratings."""
    number, most = command.page, work.room.lines
    found = work.home.ask(best_players, command.kind, part_of(number, most))
    pages = [(best.size, Page(number, best.standings, best.count, most)) for best in found]
    nobody: Page[Standing] = Page(number, (), 0, most)
    longest = max((page for _, page in pages), key=lambda page: page.count, default=nobody)
    notice = StandingsNotice(
        work.sender_of(request),
        command.kind,
        tuple((size, page) for size, page in pages if page.rows),
        longest,
        replace(command, page=longest.following),
        work.home.ask(is_counting, command.kind),
    )
    return work.answer(notice, request)


def show_ratings(command: Ratings, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the games of players and what each did to the rating."""
    number, most = command.page, work.room.lines
    if not command.userids:
        return show_standings(Standings(command.kind, number), request, work)
    found = work.home.ask(explain, command.kind, command.userids, part_of(number, most))
    page = Page(number, found.players, found.count, most)
    names = names_shown(command.userids, work.names_for(request))
    following = replace(command, userids=names, page=page.following)
    may_change = work.home.ask(is_counting, command.kind)
    reader = work.sender_of(request)
    notice = RatingsNotice(reader, command.kind, names, page, following, may_change)
    return work.answer(notice, request)


FORMS = (
    Form(
        "standings",
        Standings,
        options=(PAGE,),
        settled=page_of,
        heading=Heading.LOOKING,
        rank=90,
        needs_own_mail=True,
        cost=Cost(work=2),
        run=ForAnybody(show_standings),
    ),
    Form(
        "ratings",
        Ratings,
        rest=rest(("[USERID..]",), read_userids, tuple, least=0),
        options=(PAGE,),
        settled=page_of,
        heading=Heading.LOOKING,
        rank=100,
        needs_own_mail=True,
        run=ForAnybody(show_ratings),
    ),
)
