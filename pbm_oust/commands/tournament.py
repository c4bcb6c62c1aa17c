"""The commands about tournaments: tournaments, enter, withdraw and table."""

from collections.abc import Sequence

from msgspec import structs

from pbm_oust.accounts.tags import Entering
from pbm_oust.commands.show import ANY_GAMES
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Command, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.play.notices import MOST_LISTED, Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome
from pbm_oust.play.tournaments import entering, notices_of, table_of, take_out
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer, UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.rules import KINDS, Kind
from pbm_oust.store import tournaments
from pbm_oust.store.index import Window
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


class EnteredNotice(OutcomeNotice, frozen=True):
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

    def answer(self) -> Entering | None:
        """Return that an answer is about the tournament."""
        return entering(self.cup, self.reader.userid)


class TournamentsNotice(Notice, frozen=True):
    """The tournaments that players may enter, those that run, and the latest that are over."""

    kinds_asked: tuple[Kind, ...]
    cups: tuple[tuple[Cup, int], ...]
    """Each with the number of those who take part, or did."""


def show_tournaments(work: UnitOfWork, kinds: tuple[Kind, ...] = ()) -> Handled:
    """List the tournaments of some games, or of all."""
    asked = kinds or tuple(KINDS.values())
    found = [
        cup
        for kind in asked
        for states, most in ((GOING_ON, MOST_LISTED), (ENDED, _MOST_ENDED))
        for cup in work.home.ask(tournaments.cups, kind.name, states, Window(most))
    ]
    counted = tuple((cup, work.home.ask(tournaments.count_entries, cup)) for cup in found)
    return work.answer(TournamentsNotice(work.sender(), asked, counted[: work.room.lines]))


_MOST_ENDED = 5


def enter(
    actor: Actor, work: UnitOfWork, kind: Kind, number: int, most: int | None = None
) -> Handled:
    """Let a player take part in a tournament, or change on how many of its boards at once."""
    cup = _found(work, kind, number)
    if cup.state is not State.OPEN:
        raise NotAllowed(NotOpen(cup))
    known = _entry(cup, actor, work)
    count = work.home.ask(tournaments.count_entries, cup) + (known is None)
    done = EnteredNotice(work.player_at(actor.account), cup, is_in=True, count=count, most=most)
    handled = work.do_once([], done, actor, Handled(Outcome.DONE))
    if handled.outcome is Outcome.DONE:
        entry = structs.replace(known or Entry(actor.userid, work.now()), most=most)
        work.home.do(tournaments.enter, cup, entry)
    return handled


def withdraw(actor: Actor, work: UnitOfWork, kind: Kind, number: int) -> Handled:
    """Take a player out of a tournament; their open games there become void."""
    cup = _found(work, kind, number)
    known = _entry(cup, actor, work)
    if not work.was_done(actor.userid) and (known is None or known.out):
        raise NotAllowed(NotEntered(cup))
    if cup.state not in GOING_ON:
        raise NotAllowed(NotOpen(cup))
    count = work.home.ask(tournaments.count_entries, cup) - (known is not None)
    done = EnteredNotice(work.player_at(actor.account), cup, is_in=False, count=count)
    handled = work.do_once([], done, actor, Handled(Outcome.DONE))
    if handled.outcome is Outcome.DONE and known:
        take_out(cup, known, Out.WITHDRAWN, work)
    return handled


def show_table(work: UnitOfWork, kind: Kind, number: int, section: int | None = None) -> Handled:
    """Show how the players of a section stand: the reader's own, or the first."""
    cup = _found(work, kind, number)
    reader = work.sender()
    found = work.home.ask(tournaments.section_of, cup, reader.userid or "")
    if section or not found:
        found = work.home.ask(
            tournaments.section_at, (cup.kind, cup.number, cup.round, section or 1)
        )
    if section and not found:
        raise NotAllowed(NoSuchSection(cup, section))
    tables = (table_of(found, cup, work),) if found else ()
    (shown,) = notices_of(cup, CupNews.SHOWN, [reader], tables, work)
    return work.answer(shown)


def _found(work: UnitOfWork, kind: Kind, number: int) -> Cup:
    """Return a tournament. Raises NotAllowed if there is none."""
    cup = work.home.ask(tournaments.find, kind.name, number)
    if cup is None:
        raise NotAllowed(NoSuchTournament(kind, number), str(number))
    return cup


def _entry(cup: Cup, actor: Actor, work: UnitOfWork) -> Entry | None:
    found = work.home.ask(tournaments.entries_of, cup.kind, cup.number, [actor.userid])
    return found.get(actor.userid)


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
    instead=_all_tournaments,
    run=ForPlayer(enter),
)
WITHDRAW = Form(
    "withdraw", (values.NUMBERED, *values.OWN), instead=_all_tournaments, run=ForPlayer(withdraw)
)
TABLE = Form(
    "table",
    (values.NUMBERED,),
    _one_number("section", "SECTION"),
    cost=Cost(work=2),
    instead=_all_tournaments,
    run=ForAnybody(show_table),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (TOURNAMENTS, ENTER, WITHDRAW, TABLE)
