"""The commands with lists: games, list, history, standings and ratings. Nothing changes."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import structs

from pbm_oust.accounts.items import Seek
from pbm_oust.accounts.tags import Joining, SheetReply
from pbm_oust.board import Summary
from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Cost, Form, names_shown
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.vocabulary import find_word
from pbm_oust.play.finding import Found, Wish, find_boards, find_latest
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import PAGE, Notice, Page, page_of, part_of, sheet_of
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.starting import open_seeks
from pbm_oust.play.unit_of_work import UnitOfWork, as_owner
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import best_players, explain, is_counting


class Games(Command, frozen=True):
    """List the boards of these players, or of everybody, that pass the filter."""

    kind: Kind
    userids: tuple[str, ...]
    filter: values.Filter
    page: int = 1


class Listing(Command, frozen=True):
    """List the boards of these games, or of all, that go on or ended lately."""

    kinds: tuple[str, ...]


class Past(Command, frozen=True):
    """List the finished boards of these players, or of everybody, with their results."""

    kind: Kind
    userids: tuple[str, ...]
    page: int = 1


class GamesNotice(Notice, frozen=True):
    """A list of boards."""

    template = "games"
    kind: Kind
    asked_for: str
    """Whose boards were asked for, and with which filter: `alice bob active`."""
    page: Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    following: Games
    """The command for the page that follows."""

    def listed(self) -> int:
        """Return the number of boards."""
        return len(self.page.rows)

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards of its reader."""
        return sheet_of(self.page.rows, self.reader.account)


class ListNotice(Notice, frozen=True):
    """A list of active boards, open challenges, and boards that ended lately."""

    template = "list"
    kinds_asked: tuple[Kind, ...]
    active: Page[Summary]
    seeks: tuple[tuple[Seek, str], ...]
    """Open challenges with the userids of those who made them."""
    seeks_left_out: int
    """The number of open challenges that are not listed."""
    ended: Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    has_house: bool
    """Whether the house plays here."""

    def answer(self) -> SheetReply | None:
        """Return that an answer plays on the boards of its reader."""
        return sheet_of(self.active.rows, self.reader.account)

    def offers(self) -> tuple[Joining, ...]:
        """Return the open challenges that its reader may join: those of others."""
        userid = self.reader.account.userid if self.reader.account else None
        return tuple(
            Joining(userid, seek.kind, seek.number)
            for seek, seeker in self.seeks
            if userid and seeker != userid
        )


class HistoryNotice(Notice, frozen=True):
    """A list of finished boards, the latest first."""

    template = "history"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose boards were asked for; empty for everybody."""
    page: Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    following: Past
    """The command for the page that follows."""

    def listed(self) -> int:
        """Return the number of boards."""
        return len(self.page.rows)


def _read_kinds(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(find_word(word, KINDS) for word in words))


LATE = timedelta(days=30)
"""How long finished boards are listed beside active ones."""


def list_games(command: Games, request: Request, work: UnitOfWork) -> Handled:
    """Answer with a list of boards."""
    most, userids = work.room.lines, command.userids
    wish = Wish([command.kind], userids, command.filter)
    found = find_boards(work, wish, part_of(command.page, most))
    page = _page(command.page, found, most)
    names = names_shown(userids, work.names_for(request))
    notice = GamesNotice(
        as_owner(work.sender_of(request), work.home, userids),
        command.kind,
        " ".join((*names, command.filter.value)),
        page,
        found.damaged,
        structs.replace(command, userids=names, page=page.following),
    )
    return work.answer(notice, request)


def list_all(command: Listing, request: Request, work: UnitOfWork) -> Handled:
    """Answer with the boards that go on and those that ended lately."""
    kinds = [KINDS[name] for name in command.kinds] or list(KINDS.values())
    late, most = work.now() - LATE, work.room.lines
    active = find_boards(work, Wish(kinds), Window(most))
    ended = find_boards(work, Wish(kinds, (), values.Filter.INACTIVE, late), Window(most))
    seeks = open_seeks(kinds, work)
    notice = ListNotice(
        as_owner(work.sender_of(request), work.home),
        tuple(kinds),
        _page(1, active, most),
        tuple(seeks[:most]),
        len(seeks[most:]),
        _page(1, ended, most),
        active.damaged,
        work.has_house,
    )
    return work.answer(notice, request)


def list_past(command: Past, request: Request, work: UnitOfWork) -> Handled:
    """Answer with finished boards and their results, the latest first."""
    most, userids = work.room.lines, command.userids
    wish = Wish([command.kind], userids, values.Filter.INACTIVE)
    found = find_latest(work, wish, part_of(command.page, most))
    page = _page(command.page, found, most)
    names = names_shown(userids, work.names_for(request))
    notice = HistoryNotice(
        work.sender_of(request),
        command.kind,
        names,
        page,
        found.damaged,
        structs.replace(command, userids=names, page=page.following),
    )
    return work.answer(notice, request)


def _page(number: int, found: Found[Summary], most: int) -> Page[Summary]:
    return Page(number, found.boards, found.count, most)


class Standings(Command, frozen=True):
    """List the players of a game by their ratings."""

    kind: Kind
    page: int = 1


class Ratings(Command, frozen=True):
    """Show where the ratings of these players come from, or list all ratings."""

    kind: Kind
    userids: tuple[str, ...]
    page: int = 1


class StandingsNotice(Notice, frozen=True):
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


class RatingsNotice(Notice, frozen=True):
    """The games of players, and what each did to the rating."""

    template = "ratings"
    kind: Kind
    userids: tuple[str, ...]
    """The players whose ratings were asked for."""
    page: Page[tuple[str, SizeClass, list[tuple[str, RatingChange]]]]
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
        structs.replace(command, page=longest.following),
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
    following = structs.replace(command, userids=names, page=page.following)
    may_change = work.home.ask(is_counting, command.kind)
    reader = work.sender_of(request)
    notice = RatingsNotice(reader, command.kind, names, page, following, may_change)
    return work.answer(notice, request)


FORMS = (
    Form(
        "games",
        Games,
        rest=rest(
            (f"[USERID..] [{values.FILTERS}]",),
            values.read_userids_and_filter,
            values.write_userids_and_filter,
            least=0,
            fills=2,
            fixed=values.FILTER_WORDS,
        ),
        options=(PAGE,),
        settled=page_of,
        heading=Heading.LOOKING,
        rank=20,
        cost=Cost(work=2),
        run=ForAnybody(list_games),
    ),
    Form(
        "history",
        Past,
        rest=rest(("[USERID..]",), values.read_userids, tuple, least=0),
        options=(PAGE,),
        settled=page_of,
        heading=Heading.LOOKING,
        rank=80,
        cost=Cost(work=2),
        run=ForAnybody(list_past),
    ),
    Form(
        "list",
        Listing,
        rest=rest(("[GAME..]",), _read_kinds, tuple, least=0),
        heading=Heading.LOOKING,
        rank=10,
        needs_own_mail=True,
        cost=Cost(work=2),
        run=ForAnybody(list_all),
    ),
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
        rest=rest(("[USERID..]",), values.read_userids, tuple, least=0),
        options=(PAGE,),
        settled=page_of,
        heading=Heading.LOOKING,
        rank=100,
        needs_own_mail=True,
        run=ForAnybody(show_ratings),
    ),
)
