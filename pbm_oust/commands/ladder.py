"""The commands about ladders: ladder, ladder join, ladder leave and ladder challenge."""

from collections.abc import Sequence
from enum import Enum
from functools import partial
from itertools import islice

from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.vacations import away_at
from pbm_oust.board import Header, Terms
from pbm_oust.grammar import values
from pbm_oust.grammar.form import AnsweredBy, Command, Cost, Form
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Rest
from pbm_oust.play.context import Context, Look, Outcome, answered, done
from pbm_oust.play.notices import PAGE, BoardNotice, Notice, Page, Reader, part_of
from pbm_oust.play.starting import start_board
from pbm_oust.play.unit_of_work import ForAnybody, ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.robot.levels import HOUSE
from pbm_oust.rules import Grid, Kind
from pbm_oust.store import ladders
from pbm_oust.store.accounts import is_there
from pbm_oust.store.index import Source
from pbm_oust.store.ladders import LadderPlace
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
    """The deeds that a letter about a ladder tells of."""

    SHOWN = "shown"
    JOINED = "joined"
    LEFT = "left"


class LadderNotice(Notice, frozen=True):
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
    is_thanked: bool
    """Whether it answers thanks or congratulations."""

    def ask(self) -> Ask | None:
        """Return that an answer is about the ladder."""
        userid = self.reader.userid
        return Ask.numbered(Topic.LADDER, self.kind.name, 1, userid) if userid else None


class LadderBoardNotice(BoardNotice, frozen=True, kw_only=True):
    """A board begins by a challenge on the ladder."""

    place: int
    """The place of the player who is challenged, which the challenger takes by winning."""


def is_absent(on: Look, userid: str) -> bool:
    """Return whether a player is passed over on a ladder.

    They are away, have signed off, or do not play here any more.
    """
    account = on.account_if_any(userid)
    if account is None or not is_there(account) or (userid in HOUSE and not on.has_house):
        return True
    return away_at(account.vacations, on.now) is not None


def show_ladder(on: Context, kind: Kind, page: int = 1, *, is_shown: bool = False) -> Outcome:
    """Show a ladder from the top, or a page of it, and whom its reader may challenge."""
    return answered(_notice(on, kind, Did.SHOWN, on.as_owner(on.asker()), page))


def join(on: Context, kind: Kind) -> Outcome:
    """Let a player join a ladder, at the bottom; who is there stays where they are."""
    if not ladders.place_of(on.snapshot, kind.name, on.player.userid):
        ladders.join(on.transaction, kind.name, on.player.userid, on.now)
    return done([_notice(on, kind, Did.JOINED, on.reader_at(on.own))])


def leave(on: Context, kind: Kind) -> Outcome:
    """Let a player leave a ladder; their games go on."""
    if not ladders.place_of(on.snapshot, kind.name, on.player.userid):
        raise NotAllowed(NotOnLadder(kind))
    ladders.leave(on.transaction, kind.name, on.player.userid, on.now)
    return done([_notice(on, kind, Did.LEFT, on.reader_at(on.own))])


def challenge(on: Context, kind: Kind, other: str) -> Outcome:
    """Start a board for the place of somebody above, and show it to both players."""
    name, userid = kind.name, on.player.userid
    if ladders.catch_up(on.transaction, name, on.now):
        raise NotAllowed(LadderIsBehind(kind))
    outlook = ladders.outlook(on.snapshot, name, userid, on.now)
    place = outlook.ladder.place_of(other)
    hindrance = outlook.hindrance(other, partial(is_absent, on))
    if hindrance is Hindrance.NOT_ON_LADDER:
        raise NotAllowed(NotOnLadder(kind))
    if hindrance or place is None:
        why = hindrance or Hindrance.OTHER_NOT_ON_LADDER
        raise NotAllowed(CannotChallenge(kind, other, why, reach(outlook.size)), other)
    grid, terms = ladders.terms_of(on.snapshot, kind)
    header = Header(kind, on.next_number(kind), grid, userid, other, terms, on.now)
    make = partial(LadderBoardNotice, challenger=userid, place=place)
    return start_board(on, header, source=Source(SOURCE, place), make=make)


def _notice(on: Look, kind: Kind, did: Did, reader: Reader, number: int = 1) -> LadderNotice:
    snapshot, most = on.snapshot, on.room.lines
    outlook = ladders.outlook(snapshot, kind.name, reader.userid or "", on.now)
    rows = ladders.places(snapshot, kind.name, part_of(number, most))
    page = Page(number, rows, outlook.size, most)
    absent = partial(is_absent, on)
    grid, terms = ladders.terms_of(snapshot, kind)
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
        ladders.is_behind(snapshot, kind.name),
        on.request.is_thanks,
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


_ANSWERS = {Topic.LADDER: AnsweredBy.NAME, Topic.PLAY: AnsweredBy.NAME}
LADDER = Form(
    "ladder",
    rest=values.only_word("show", "is_shown"),
    options=(PAGE,),
    answers={Topic.LADDER: AnsweredBy.NAME},
    thanked_on=Topic.LADDER,
    cost=Cost(work=2),
    run=ForAnybody(show_ladder),
)
JOIN = Form("ladder join", values.OWN, answers=_ANSWERS, run=ForPlayer(join))
LEAVE = Form("ladder leave", values.OWN, answers=_ANSWERS, run=ForPlayer(leave))
CHALLENGE = Form(
    "ladder challenge",
    values.OWN,
    Rest(("other",), ("USERID2",), _read_other, lambda other: [other]),
    answers=_ANSWERS,
    cost=Cost(boards=1),
    instead=_to_join,
    is_against=True,
    run=ForPlayer(challenge),
)
FORMS: tuple[Form[ForPlayer | ForAnybody], ...] = (LADDER, JOIN, LEAVE, CHALLENGE)
