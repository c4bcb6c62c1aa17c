"""Open challenges: making one, withdrawing it, and joining one, which starts its board.

A remark on the new board says which challenge it takes. So the one write that makes the board also
takes the challenge, whatever happens then, and a leftover line of the challenge does no harm.
"""

import hmac
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import LIFETIME, MOST_SEEKS, SOURCE, Seek
from pbm_oust.accounts.password import Secret
from pbm_oust.accounts.tags import Credential
from pbm_oust.board.header import Header, Terms
from pbm_oust.board.notation import NUMBER
from pbm_oust.commands.challenge import OPTIONS, UnusableGrid, set_by
from pbm_oust.commands.lists import Listing
from pbm_oust.grammar.form import Cost, Form
from pbm_oust.grammar.notation import Command, Heading
from pbm_oust.grammar.parts import Option, Parameter
from pbm_oust.grammar.values import OWN, BadNumber
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.starting import answered_again, open_of, write_board
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.rules.grid import Grid
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind, Side
from pbm_oust.store.accounts import next_seek_number
from pbm_oust.store.accounts import seeker as seeker_of
from pbm_oust.store.index import Source
from pbm_oust.store.open_boards import next_number, started_from


class NoSuchSeek(NotAllowedReason, frozen=True):
    """There is no such open challenge."""

    kind: Kind
    number: int
    days: int
    """The days that one stays open."""


class OwnSeek(NotAllowedReason, frozen=True):
    """A player would join their own open challenge."""


class TooManySeeks(NotAllowedReason, frozen=True):
    """The player has reached the limit of open challenges."""

    most: int
    """The limit."""


class OpenChallenge(Command, frozen=True):
    """Offer a board to whoever joins; `side` is what the seeker wants."""

    kind: Kind
    userid: str
    password: Secret
    side: Side | None
    grid: Grid
    terms: Terms


class Withdraw(Command, frozen=True):
    """Withdraw an open challenge."""

    kind: Kind
    number: int
    userid: str
    password: Secret

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of open challenges, if this one does not exist."""
        return Listing((self.kind.name,)) if isinstance(refusal.reason, NoSuchSeek) else None


class Join(Command, frozen=True):
    """Start the board that an open challenge offers."""

    kind: Kind
    number: int
    userid: str
    password: Credential

    def instead(self, refusal: Refusal) -> Command | None:
        """Return the list of open challenges, if this one cannot be joined."""
        is_wrong = isinstance(refusal.reason, NoSuchSeek | OwnSeek)
        return Listing((self.kind.name,)) if is_wrong else None


class SoughtNotice(OutcomeNotice, frozen=True):
    """An open challenge was made or withdrawn."""

    template = "sought"
    is_made: bool
    seeks: tuple[tuple[Seek, str], ...]
    """The open challenges of the reader, with the userid."""


def _seek(
    kind: Kind,
    userid: str,
    password: Secret,
    *,
    side: Side | None = None,
    grid: Grid | None = None,
    **terms: Any,
) -> OpenChallenge:
    chosen = replace(Terms(), **terms)
    return OpenChallenge(kind, userid, password, side, grid or kind.default_grid, chosen)


def _settled(command: Command) -> dict[str, object]:
    """Return what an open challenge must set by options."""
    if not isinstance(command, OpenChallenge):
        return {}
    side: dict[str, object] = {"side": command.side} if command.side else {}
    return side | set_by(command.kind, command.grid, command.terms)


def _read_number(word: str) -> int:
    if not NUMBER.fullmatch(word):
        raise Unreadable(BadNumber(), word)
    return int(word)


def _side(side: Side) -> Option[Side]:
    """Return the option that asks for a side."""

    def read(_kind: Kind, value: str | None) -> Side:
        if value is not None:
            raise ValueError("takes no value")
        return side

    def write(_kind: Kind, chosen: Side) -> str:
        return f"-{side.value}" if chosen is side else ""

    name = side.value
    return Option(name, lambda _kind: (f"-{name}",), read, write, takes="nothing", sets="side")


_NUMBER = Parameter("NUMBER", _read_number)


def seek(command: OpenChallenge, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Keep an open challenge of a player until somebody joins it."""
    kind = command.kind
    if not kind.plays_on(command.grid):
        raise NotAllowed(UnusableGrid(kind, command.grid))

    def change(account: Account) -> Account:
        kept = open_of(account, work.now())
        if len(kept) >= MOST_SEEKS:
            raise NotAllowed(TooManySeeks(MOST_SEEKS))
        number = work.home.ask(next_seek_number, kind.name)
        side, grid, terms = command.side, command.grid, command.terms
        seek = Seek.of(number, kind.name, work.now(), side, grid, terms)
        return replace(account, seeks=(*kept, seek))

    return _change(change, command, actor, request, work)


def withdraw(command: Withdraw, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Withdraw an open challenge of a player."""

    def change(account: Account) -> Account:
        seeks = open_of(account, work.now())
        kept = [each for each in seeks if not each.is_named(command.kind.name, command.number)]
        if len(kept) == len(seeks):
            raise _no_such_seek(command)
        return replace(account, seeks=tuple(kept))

    return _change(change, command, actor, request, work)


def join(command: Join, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Start the board of an open challenge, which takes it."""
    kind = command.kind
    done_before = answered_again(actor, request, work)
    if done_before:
        return done_before
    found, seeker = _find(command, work)
    if seeker.userid == actor.userid:
        raise NotAllowed(OwnSeek())
    number = next_number(work.home, kind)
    header = _header(found, number, seeker, actor, work)
    left = (each for each in seeker.seeks if each != found)
    taken = replace(seeker, seeks=tuple(left))
    source = _source(found.number)
    return write_board(header, actor, request, work, source=source, changed=[taken])


def _change(
    change: Callable[[Account], Account],
    command: OpenChallenge | Withdraw,
    actor: Actor,
    request: Request,
    work: UnitOfWork,
) -> Handled:
    """Change the challenges of a player, and tell them which are open."""
    is_made = isinstance(command, OpenChallenge)

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        named = tuple((each, account.userid) for each in open_of(account, work.now()))
        return SoughtNotice(work.player_at(account, request), is_made, named), []

    handled = Handled(Outcome.DONE)
    return work.change_account(change, tell, actor, request, handled)


def _find(command: Join, work: UnitOfWork) -> tuple[Seek, Account]:
    """Return an open challenge and its maker. Raises NotAllowed if there is none."""
    account = work.home.ask(seeker_of, command.kind.name, command.number)
    if account and not started_from(work.home, command.kind, _source(command.number)):
        for each in open_of(account, work.now()):
            if each.is_named(command.kind.name, command.number):
                return each, account
    raise _no_such_seek(command)


def _source(number: int) -> Source:
    return Source(SOURCE, number)


def _no_such_seek(command: Join | Withdraw) -> NotAllowed:
    kind, number = command.kind, command.number
    return NotAllowed(NoSuchSeek(kind, number, LIFETIME.days))


def _header(seek: Seek, number: int, seeker: Account, joiner: Actor, work: UnitOfWork) -> Header:
    """Return the header of the board that a challenge leads to."""
    side = seek.side or _lot(joiner, work)
    x, o = seeker.userid, joiner.userid
    if side is Side.O:
        x, o = o, x
    return Header(KINDS[seek.kind], number, seek.grid, x, o, seek.terms, work.now())


def _lot(joiner: Actor, work: UnitOfWork) -> Side:
    """Return the side of the seeker, drawn by a lot that nobody can foresee."""
    drawn = hmac.digest(work.home.key(), joiner.message_key.encode(), "sha256")
    return Side.O if drawn[0] % 2 else Side.X


FORMS = (
    Form(
        "seek",
        OpenChallenge,
        OWN,
        options=(*map(_side, Side), *OPTIONS),
        heading=Heading.STARTING,
        rank=20,
        build=_seek,
        settled=_settled,
        run=ForPlayer(seek),
    ),
    Form(
        "join",
        Join,
        (_NUMBER, *OWN),
        heading=Heading.STARTING,
        rank=30,
        cost=Cost(boards=1),
        run=ForPlayer(join),
    ),
    Form(
        "unseek",
        Withdraw,
        (_NUMBER, *OWN),
        heading=Heading.STARTING,
        rank=40,
        run=ForPlayer(withdraw),
    ),
)
