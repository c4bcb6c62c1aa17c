"""The commands about ladders: ladder, ladder join, ladder leave and ladder challenge."""

from collections.abc import Sequence
from enum import Enum
from functools import partial
from itertools import islice

from pbm_oust.accounts.tags import Climbing
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board import Header, Terms
from pbm_oust.grammar import values
from pbm_oust.grammar.form import Command, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.play.notices import PAGE, BoardNotice, OutcomeNotice, Page, Reader, part_of
from pbm_oust.play.request import Actor, Handled, Outcome
from pbm_oust.play.starting import answered_again, write_board
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer, UnitOfWork, as_owner
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import Grid, Kind
from pbm_oust.store import ladders
from pbm_oust.store.accounts import is_there
from pbm_oust.store.index import Source
from pbm_oust.store.ladders import LadderPlace
from pbm_oust.store.open_boards import next_number
from pbm_oust.tournaments.ladder import SOURCE, Hindrance, reach

HEADING = Heading.TOURNAMENTS

_MOST_NAMED = 5
"""How many of those whom a player may challenge a letter names."""


class NotOnLadder(NotAllowedReason, frozen=True):
    """The player is not on the ladder."""

    kind: Kind


class LadderIsBehind(NotAllowedReason, frozen=True):
    """The ladder is gone through anew, and nobody can challenge anybody meanwhile."""

    kind: Kind


class CannotChallenge(NotAllowedReason, frozen=True):
    """Another player cannot be challenged on the ladder now."""

    kind: Kind
    userid: str
    """The other player."""
    hindrance: Hindrance
    reach: int
    """How many places above one may challenge."""


class Did(Enum):
    """What a letter about a ladder answers."""

    SHOWN = "shown"
    JOINED = "joined"
    LEFT = "left"


class LadderNotice(OutcomeNotice, frozen=True):
    """A ladder, and whom its reader may challenge."""

    kind: Kind
    did: Did
    page: Page[LadderPlace]
    following: Command
    """The command for the next page."""
    grid: Grid
    terms: Terms
    place: int | None
    """The place of the reader; None for who is not on it."""
    others: tuple[str, ...]
    """Whom the reader may challenge, the nearest first."""
    absent: frozenset[str]
    """Those on the page who are passed over."""
    is_behind: bool
    """Whether it is gone through anew."""

    def answer(self) -> Climbing | None:
        """Return that an answer is about the ladder."""
        return Climbing(self.reader.userid, self.kind.name, 1) if self.reader.userid else None


class LadderBoardNotice(BoardNotice, frozen=True, kw_only=True):
    """A board begins by a challenge on the ladder."""

    place: int
    """The place of the player who is challenged, which the challenger takes by winning."""


def is_absent(work: UnitOfWork, userid: str) -> bool:
    """Return whether a player is passed over on a ladder.

    They are away, have signed off, or do not play here any more.
    """
    account = work.account_if_any(userid)
    if account is None or not is_there(account) or (userid in HOUSE and not work.has_house):
        return True
    return away_at(account.vacations, work.now()) is not None


def show_ladder(work: UnitOfWork, kind: Kind, page: int = 1, *, is_shown: bool = False) -> Handled:
    """Show a ladder from the top, or a page of it, and whom its reader may challenge."""
    return work.answer(_notice(kind, Did.SHOWN, as_owner(work.sender(), work.home), work, page))


def join(actor: Actor, work: UnitOfWork, kind: Kind) -> Handled:
    """Let a player join a ladder, at the bottom; who is there stays where they are."""
    is_on = work.home.ask(ladders.place_of, kind.name, actor.userid)
    if not (is_on or work.was_done(actor.userid)):
        work.home.do(ladders.join, kind.name, actor.userid, work.now())
    done = _notice(kind, Did.JOINED, work.player_at(actor.account), work)
    return work.do_once([], done, actor, Handled(Outcome.DONE))


def leave(actor: Actor, work: UnitOfWork, kind: Kind) -> Handled:
    """Let a player leave a ladder; their games go on."""
    if not work.was_done(actor.userid):
        if not work.home.ask(ladders.place_of, kind.name, actor.userid):
            raise NotAllowed(NotOnLadder(kind))
        work.home.do(ladders.leave, kind.name, actor.userid, work.now())
    done = _notice(kind, Did.LEFT, work.player_at(actor.account), work)
    return work.do_once([], done, actor, Handled(Outcome.DONE))


def challenge(actor: Actor, work: UnitOfWork, kind: Kind, other: str) -> Handled:
    """Start a board for the place of somebody above, and show it to both players."""
    done_before = answered_again(actor, work)
    if done_before:
        return done_before
    home, name = work.home, kind.name
    follow = partial(ladders.catch_up, kind=name, now=work.now())
    if home.database.write(follow):
        raise NotAllowed(LadderIsBehind(kind))
    outlook = home.ask(ladders.outlook, name, actor.userid, work.now())
    place = home.ask(ladders.place_of, name, other)
    hindrance = outlook.hindrance(other, place, partial(is_absent, work))
    if hindrance is Hindrance.NOT_ON_LADDER:
        raise NotAllowed(NotOnLadder(kind))
    if hindrance or place is None:
        why = hindrance or Hindrance.OTHER_NOT_ON_LADDER
        raise NotAllowed(CannotChallenge(kind, other, why, reach(outlook.size)), other)
    grid, terms = home.ask(ladders.terms_of, kind)
    number = next_number(home, kind)
    header = Header(kind, number, grid, actor.userid, other, terms, work.now())
    make = partial(LadderBoardNotice, challenger=actor.userid, place=place)
    return write_board(header, actor, work, source=Source(SOURCE, place), make=make)


def _notice(
    kind: Kind, did: Did, reader: Reader, work: UnitOfWork, number: int = 1
) -> LadderNotice:
    home, most = work.home, work.room.lines
    outlook = home.ask(ladders.outlook, kind.name, reader.userid or "", work.now())
    rows = home.ask(ladders.places, kind.name, part_of(number, most))
    page = Page(number, rows, outlook.size, most)
    absent = partial(is_absent, work)
    grid, terms = home.ask(ladders.terms_of, kind)
    return LadderNotice(
        reader,
        kind,
        did,
        page,
        LADDER.command(kind=kind, page=page.following),
        grid,
        terms,
        outlook.place,
        tuple(islice(outlook.free(absent), _MOST_NAMED)),
        frozenset(filter(absent, (each.userid for each in rows))),
        home.ask(ladders.is_behind, kind.name),
    )


def _the_ladder(command: Command, refusal: Refusal) -> Command | None:
    """Return what shows the ladder, if somebody cannot be challenged there."""
    is_wrong = isinstance(refusal.reason, CannotChallenge)
    return LADDER.command(kind=command["kind"]) if is_wrong else None


def _to_join(command: Command, refusal: Refusal) -> Command | None:
    """Return the command to join a ladder, for who is not there."""
    is_wrong = isinstance(refusal.reason, NotOnLadder)
    who = {name: command[name] for name in ("kind", "userid", "password") if command.knows(name)}
    return JOIN.command(**who) if is_wrong else _the_ladder(command, refusal)


def _read_other(words: Sequence[str]) -> str:
    return values.read_userid(*values.at_most_one(words))


LADDER = Form(
    "ladder",
    rest=values.only_word("show", "is_shown"),
    options=(PAGE,),
    cost=Cost(work=2),
    run=ForAnybody(show_ladder),
)
JOIN = Form("ladder join", values.OWN, by_letter=True, run=ForPlayer(join))
LEAVE = Form("ladder leave", values.OWN, by_letter=True, run=ForPlayer(leave))
CHALLENGE = Form(
    "ladder challenge",
    values.OWN,
    Rest(("other",), ("USERID2",), _read_other, lambda other: [other]),
    by_letter=True,
    cost=Cost(boards=1),
    instead=_to_join,
    run=ForPlayer(challenge),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (LADDER, JOIN, LEAVE, CHALLENGE)
