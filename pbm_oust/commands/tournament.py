"""The commands about tournaments: tournaments, enter, withdraw, table; and cup, to announce one."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec import structs

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.items import to_the_second
from pbm_oust.board import Terms
from pbm_oust.commands.challenge import OPTIONS, usable_grid
from pbm_oust.commands.show import ANY_GAMES
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Command, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.play.authentication import note_charges
from pbm_oust.play.context import Context, Outcome, answered, done
from pbm_oust.play.notices import MOST_LISTED, Notice
from pbm_oust.play.tournaments import announce, cancel, entering, notices_of, table_of, take_out
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules import KINDS, Grid, Kind
from pbm_oust.store import tournaments
from pbm_oust.store.index import Window, count_finished
from pbm_oust.store.limits import Charge, Counted
from pbm_oust.tournaments.cup import ENDED, GOING_ON, Cup, CupNews, Entry, Out, State

HEADING = Heading.TOURNAMENTS

MOST_GAMES = 999
"""The most games at once that a player may name as they enter."""


class NoSuchTournament(NotAllowedReason, frozen=True):
    """There is no tournament of this number."""

    kind: Kind
    number: int


class NotOpen(NotAllowedReason, frozen=True):
    """A tournament has begun, is over or was cancelled, so nobody can enter it."""

    cup: Cup


class NotEntered(NotAllowedReason, frozen=True):
    """The player does not take part in the tournament."""

    cup: Cup


class NoSuchSection(NotAllowedReason, frozen=True):
    """The latest round of a tournament has no section of this number."""

    cup: Cup
    section: int


class EnteredNotice(Notice, frozen=True):
    """A player takes part in a tournament, or does not any more."""

    cup: Cup
    is_in: bool
    count: int
    """How many players take part now."""
    most: int | None = None
    """On how many boards of it the player plays at once; None for any number."""

    @property
    def kind(self) -> Kind:
        """The game that is played."""
        return KINDS[self.cup.kind]

    def ask(self) -> Ask | None:
        """Return that an answer is about the tournament."""
        return entering(self.cup, self.reader.userid)


class TournamentsNotice(Notice, frozen=True):
    """The tournaments that players may enter, those that run, and the latest that are over."""

    kinds_asked: tuple[Kind, ...]
    cups: tuple[tuple[Cup, int], ...]
    """Each with the number of those who take part, or did."""


def show_tournaments(on: Context, kinds: tuple[Kind, ...] = ()) -> Outcome:
    """List the tournaments of some games, or of all."""
    asked = kinds or tuple(KINDS.values())
    found = [
        cup
        for kind in asked
        for states, most in ((GOING_ON, MOST_LISTED), (ENDED, _MOST_ENDED))
        for cup in tournaments.cups(on.snapshot, kind.name, states, Window(most))
    ]
    counted = tuple((cup, tournaments.count_entries(on.snapshot, cup)) for cup in found)
    return answered(TournamentsNotice(on.asker(), asked, counted[: on.room.lines]))


_MOST_ENDED = 5


def enter(on: Context, kind: Kind, number: int, most: int | None = None) -> Outcome:
    """Let a player take part in a tournament, or change on how many of its boards at once."""
    cup = _found(on, kind, number)
    if cup.state is not State.OPEN:
        raise NotAllowed(NotOpen(cup))
    entry = _entry(on, cup) or Entry(on.player.userid, on.now)
    tournaments.enter(on.transaction, cup, structs.replace(entry, most=most))
    count = tournaments.count_entries(on.snapshot, cup)
    return done([EnteredNotice(on.reader_at(on.own), cup, is_in=True, count=count, most=most)])


def withdraw(on: Context, kind: Kind, number: int) -> Outcome:
    """Take a player out of a tournament; they resign the games there that they have begun."""
    cup = _found(on, kind, number)
    known = _entry(on, cup)
    if known is None or known.out:
        raise NotAllowed(NotEntered(cup))
    if cup.state not in GOING_ON:
        raise NotAllowed(NotOpen(cup))
    take_out(on, cup, known, Out.WITHDRAWN)
    count = tournaments.count_entries(on.snapshot, cup)
    return done([EnteredNotice(on.reader_at(on.own), cup, is_in=False, count=count)])


class CupsOff(NotAllowedReason, frozen=True):
    """Players cannot announce tournaments: the operator has settled so."""


class TooFewGames(NotAllowedReason, frozen=True):
    """The player has too few games that are over to announce a tournament."""

    games: int
    least: int


class CupGoingOn(NotAllowedReason, frozen=True):
    """A tournament that the player has announced is not over yet."""

    cup: Cup


class TooManyCups(NotAllowedReason, frozen=True):
    """The player has announced a tournament a short time ago."""

    days: int


class BadStart(NotAllowedReason, frozen=True):
    """A tournament cannot start in so many days."""

    most: int


class NotOrganiser(NotAllowedReason, frozen=True):
    """Somebody else has announced the tournament."""

    cup: Cup


LEAST_FINISHED = 10
"""The least number of games of an organiser that are over."""
USUAL_DAYS, MOST_DAYS = 7, 28
"""In how many days a tournament starts that a player announces."""


def announce_cup(
    on: Context, kind: Kind, days: int | None = None, grid: Grid | None = None, **terms: Any
) -> Outcome:
    """Open a tournament of a player, which starts in some days. Raises NotAllowed."""
    userid, days = on.player.userid, USUAL_DAYS if days is None else days
    if not on.home.configured.cups_by_players:
        raise NotAllowed(CupsOff())
    if not 1 <= days <= MOST_DAYS:
        raise NotAllowed(BadStart(MOST_DAYS), str(days))
    finished = count_finished(on.snapshot, userid, LEAST_FINISHED)
    if finished < LEAST_FINISHED:
        raise NotAllowed(TooFewGames(finished, LEAST_FINISHED))
    if cup := tournaments.going_on_of(on.snapshot, userid):
        raise NotAllowed(CupGoingOn(cup))
    if on.number_counted(Counted.CUPS, userid):
        raise NotAllowed(TooManyCups(Counted.CUPS.within.days))
    usable, starts = usable_grid(kind, grid), to_the_second(on.now + timedelta(days=days))
    note_charges(on, [Charge(Counted.CUPS, userid)])
    cup = announce(on, kind, usable, Terms(**terms, binding=True), starts, organiser=userid)
    return done([*notices_of(on, cup, CupNews.SHOWN, [on.reader_at(on.own)], ())])


def cancel_cup(on: Context, kind: Kind, number: int) -> Outcome:
    """Call a tournament off that the player has announced, before it begins. Raises NotAllowed."""
    cup = _found(on, kind, number)
    if cup.organiser != on.player.userid:
        raise NotAllowed(NotOrganiser(cup))
    if cup.state is not State.OPEN:
        raise NotAllowed(NotOpen(cup))
    cancel(on, cup)
    gone = structs.replace(cup, state=State.CANCELLED)
    return done([*notices_of(on, gone, CupNews.CANCELLED, [on.reader_at(on.own)], ())])


def show_table(on: Context, kind: Kind, number: int, section: int | None = None) -> Outcome:
    """Show how the players of a section stand: the reader's own, or the first."""
    cup, reader = _found(on, kind, number), on.asker()
    found = tournaments.section_of(on.snapshot, cup, reader.userid or "")
    if section or not found:
        at = cup.kind, cup.number, cup.round, section or 1
        found = tournaments.section_at(on.snapshot, at)
    if section and not found:
        raise NotAllowed(NoSuchSection(cup, section))
    tables = (table_of(on, found, cup),) if found else ()
    is_thanked = on.request.is_thanks
    return answered(*notices_of(on, cup, CupNews.SHOWN, [reader], tables, is_thanked=is_thanked))


def _found(on: Context, kind: Kind, number: int) -> Cup:
    """Return a tournament. Raises NotAllowed if there is none."""
    cup = tournaments.find(on.snapshot, kind.name, number)
    if cup is None:
        raise NotAllowed(NoSuchTournament(kind, number), str(number))
    return cup


def _entry(on: Context, cup: Cup) -> Entry | None:
    userid = on.player.userid
    return tournaments.entries_of(on.snapshot, cup.kind, cup.number, [userid]).get(userid)


def _all_tournaments(command: Command, refusal: Refusal) -> Command | None:
    """Return the list of tournaments, if there is no such one or nobody can enter it any more."""
    is_wrong = isinstance(refusal.reason, NoSuchTournament | NotOpen)
    return TOURNAMENTS.command(kinds=(command["kind"],)) if is_wrong else None


def _read_one(words: Sequence[str]) -> int | None:
    return next(map(values.read_number, values.at_most_one(words)), None)


def _one_number(sets: str, place: str) -> Rest:
    """Return a number that may follow the parameters."""
    return Rest(
        (sets,),
        (f"[{place}]",),
        _read_one,
        lambda number: [] if number is None else [str(number)],
        least=0,
    )


_ANSWERS = {Topic.TOURNAMENT: AnsweredBy.NAME}
TOURNAMENTS = Form(
    "tournaments",
    rest=ANY_GAMES,
    is_of_kind=False,
    cost=Cost(work=2),
    run=ForAnybody(show_tournaments),
)
ENTER = Form(
    "enter",
    (values.NUMBERED, *values.OWN),
    _one_number("most", "GAMES"),
    answers=_ANSWERS,
    instead=_all_tournaments,
    run=ForPlayer(enter),
)
WITHDRAW = Form(
    "withdraw",
    (values.NUMBERED, *values.OWN),
    answers=_ANSWERS,
    instead=_all_tournaments,
    run=ForPlayer(withdraw),
)
TABLE = Form(
    "table",
    (values.NUMBERED,),
    _one_number("section", "SECTION"),
    answers=_ANSWERS,
    thanked_on=Topic.TOURNAMENT,
    cost=Cost(work=2),
    instead=_all_tournaments,
    run=ForAnybody(show_table),
)
ANNOUNCE = Form(
    "cup announce",
    values.OWN,
    _one_number("days", "DAYS"),
    options=OPTIONS,
    cost=Cost(work=2),
    run=ForPlayer(announce_cup),
)
CANCEL = Form(
    "cup cancel",
    (values.NUMBERED, *values.OWN),
    answers=_ANSWERS,
    instead=_all_tournaments,
    run=ForPlayer(cancel_cup),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (
    TOURNAMENTS,
    ENTER,
    WITHDRAW,
    TABLE,
    ANNOUNCE,
    CANCEL,
)
