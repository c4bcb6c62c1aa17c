"""The commands with lists: games, list, history, standings and ratings. Nothing changes."""

from collections.abc import Sequence
from datetime import timedelta

from pbm_oust.accounts.items import Seek
from pbm_oust.accounts.tags import Joining, SheetReply
from pbm_oust.board import Summary
from pbm_oust.board.ratings import RatingChange, SizeClass, Standing
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Command, Cost, Form, names_shown
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.vocabulary import find_word
from pbm_oust.play.finding import Found, Wish, find_boards, find_latest
from pbm_oust.play.forms import ForAnybody
from pbm_oust.play.notices import PAGE, Notice, Page, part_of, sheet_of
from pbm_oust.play.request import Handled, Request
from pbm_oust.play.starting import open_seeks
from pbm_oust.play.unit_of_work import UnitOfWork, as_owner
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store.index import Window
from pbm_oust.store.ratings import best_players, explain, is_counting


class GamesNotice(Notice, frozen=True):
    """A list of boards."""

    template = "games"
    kind: Kind
    asked_for: str
    """Whose boards were asked for, and with which filter: `alice bob active`."""
    page: Page[Summary]
    damaged: tuple[str, ...]
    """The names of boards that cannot be read."""
    following: Command
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
    following: Command
    """The command for the page that follows."""

    def listed(self) -> int:
        """Return the number of boards."""
        return len(self.page.rows)


def _read_kinds(words: Sequence[str]) -> tuple[Kind, ...]:
    return tuple(KINDS[name] for name in dict.fromkeys(find_word(word, KINDS) for word in words))


def _write_kinds(kinds: tuple[Kind, ...]) -> list[str]:
    return [kind.name for kind in kinds]


LATE = timedelta(days=30)
"""How long finished boards are listed beside active ones."""


def list_games(
    request: Request,
    work: UnitOfWork,
    kind: Kind,
    userids: tuple[str, ...],
    which: values.Filter,
    page: int = 1,
) -> Handled:
    """List the boards of these players, or of everybody, that pass the filter."""
    most = work.room.lines
    found = find_boards(work, Wish([kind], userids, which), part_of(page, most))
    shown = _page(page, found, most)
    names = names_shown(userids, work.names_for(request))
    notice = GamesNotice(
        as_owner(work.sender_of(request), work.home, userids),
        kind,
        " ".join((*names, which.value)),
        shown,
        found.damaged,
        GAMES.command(kind=kind, userids=names, which=which, page=shown.following),
    )
    return work.answer(notice, request)


def list_all(request: Request, work: UnitOfWork, kinds: tuple[Kind, ...]) -> Handled:
    """List the boards of these games, or of all, that go on or ended lately."""
    kinds = kinds or tuple(KINDS.values())
    late, most = work.now() - LATE, work.room.lines
    active = find_boards(work, Wish(kinds), Window(most))
    ended = find_boards(work, Wish(kinds, (), values.Filter.INACTIVE, late), Window(most))
    seeks = open_seeks(kinds, work)
    notice = ListNotice(
        as_owner(work.sender_of(request), work.home),
        kinds,
        _page(1, active, most),
        tuple(seeks[:most]),
        len(seeks[most:]),
        _page(1, ended, most),
        active.damaged,
        work.has_house,
    )
    return work.answer(notice, request)


def list_past(
    request: Request, work: UnitOfWork, kind: Kind, userids: tuple[str, ...], page: int = 1
) -> Handled:
    """List finished boards of these players, or of everybody, with results, the latest first."""
    most = work.room.lines
    found = find_latest(work, Wish([kind], userids, values.Filter.INACTIVE), part_of(page, most))
    shown = _page(page, found, most)
    names = names_shown(userids, work.names_for(request))
    following = HISTORY.command(kind=kind, userids=names, page=shown.following)
    reader = work.sender_of(request)
    notice = HistoryNotice(reader, kind, names, shown, found.damaged, following)
    return work.answer(notice, request)


def _page(number: int, found: Found[Summary], most: int) -> Page[Summary]:
    return Page(number, found.boards, found.count, most)


class StandingsNotice(Notice, frozen=True):
    """The players of a game by their ratings."""

    template = "standings"
    kind: Kind
    tables: tuple[tuple[SizeClass, Page[Standing]], ...]
    """A page of the players of each class of sizes."""
    longest: Page[Standing]
    """That of the class with the most players."""
    following: Command
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
    following: Command
    """The command for the page that follows."""
    is_counting: bool
    """Whether games are being counted, so that ratings may change."""


def show_standings(request: Request, work: UnitOfWork, kind: Kind, page: int = 1) -> Handled:
    """List the players of a game by their ratings."""
    most = work.room.lines
    found = work.home.ask(best_players, kind, part_of(page, most))
    pages = [(best.size, Page(page, best.standings, best.count, most)) for best in found]
    nobody: Page[Standing] = Page(page, (), 0, most)
    longest = max((each for _, each in pages), key=lambda each: each.count, default=nobody)
    notice = StandingsNotice(
        work.sender_of(request),
        kind,
        tuple((size, each) for size, each in pages if each.rows),
        longest,
        STANDINGS.command(kind=kind, page=longest.following),
        work.home.ask(is_counting, kind),
    )
    return work.answer(notice, request)


def show_ratings(
    request: Request, work: UnitOfWork, kind: Kind, userids: tuple[str, ...], page: int = 1
) -> Handled:
    """Show where the ratings of these players come from, or list all ratings."""
    most = work.room.lines
    if not userids:
        return show_standings(request, work, kind, page)
    found = work.home.ask(explain, kind, userids, part_of(page, most))
    shown = Page(page, found.players, found.count, most)
    names = names_shown(userids, work.names_for(request))
    following = RATINGS.command(kind=kind, userids=names, page=shown.following)
    may_change = work.home.ask(is_counting, kind)
    reader = work.sender_of(request)
    notice = RatingsNotice(reader, kind, names, shown, following, may_change)
    return work.answer(notice, request)


GAMES = Form(
    "games",
    rest=rest(
        ("userids", "which"),
        (f"[USERID..] [{values.FILTERS}]",),
        values.read_userids_and_filter,
        values.write_userids_and_filter,
        least=0,
        fixed=values.FILTER_WORDS,
    ),
    options=(PAGE,),
    heading=Heading.LOOKING,
    rank=20,
    cost=Cost(work=2),
    run=ForAnybody(list_games),
)
LIST = Form(
    "list",
    rest=rest(("kinds",), ("[GAME..]",), _read_kinds, _write_kinds, least=0),
    heading=Heading.LOOKING,
    rank=10,
    is_of_kind=False,
    needs_own_mail=True,
    cost=Cost(work=2),
    run=ForAnybody(list_all),
)
HISTORY = Form(
    "history",
    rest=rest(("userids",), ("[USERID..]",), values.read_userids, tuple, least=0),
    options=(PAGE,),
    heading=Heading.LOOKING,
    rank=80,
    cost=Cost(work=2),
    run=ForAnybody(list_past),
)
STANDINGS = Form(
    "standings",
    options=(PAGE,),
    heading=Heading.LOOKING,
    rank=90,
    needs_own_mail=True,
    cost=Cost(work=2),
    run=ForAnybody(show_standings),
)
RATINGS = Form(
    "ratings",
    rest=HISTORY.rest,
    options=(PAGE,),
    heading=Heading.LOOKING,
    rank=100,
    needs_own_mail=True,
    run=ForAnybody(show_ratings),
)
FORMS = (GAMES, LIST, HISTORY, STANDINGS, RATINGS)
