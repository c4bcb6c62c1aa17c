"""Quotas: what a mail may still cause. They are asked before anything is done, and said once."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from pbm_oust.accounts.verification import Purpose
from dataclasses import dataclass
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal, Unreadable
from pbm_oust.store.limits import Charge, Counted, count, end_of_limit, number_counted
from pbm_oust.store.open_boards import started_by


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command may cause."""

    work: int = 1
    """How many usual answers it is worth; nothing if others pay for it."""
    is_help: bool = False
    """Whether its answer is the help, which anybody may read longer."""
    boards: int = 0
    """Boards that it starts."""
    accounts: int = 0
    """Accounts that it asks for."""
    codes: int = 0
    """Mails with a code."""


@dataclass(frozen=True, slots=True)
class TooMuch(NotAllowedReason):
    """A limit is reached."""

    charge: Charge
    most: int
    ends: datetime

    @property
    def limit(self) -> str:
        """The name of the limit."""
        return self.charge.counted.word


def spend(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Count what is about to be done. Raises NotAllowed at a limit."""
    charges = list(charges)
    ask(charges, work)
    record(charges, work)


def spend_once(charge: Charge, work: UnitOfWork) -> bool:
    """Return whether something is within its limit; if so, count it."""
    if work.home.ask(end_of_limit, charge, work.limits, work.now()):
        return False
    record([charge], work)
    return True


def record(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Count what is done."""
    for charge in charges:
        work.home.do(count, charge, work.now())


def ask(charges: Iterable[Charge], work: UnitOfWork) -> None:
    """Check that something may be done. Raises NotAllowed at a limit."""
    for charge in charges:
        ends = work.home.ask(end_of_limit, charge, work.limits, work.now())
        if ends:
            raise NotAllowed(TooMuch(charge, work.limits.most(charge.counted), ends))


def charge_stranger(cost: Cost, request: Request, work: UnitOfWork) -> None:
    """Ask whether a mail that proves nothing may cause what it asks for. Raises NotAllowed."""
    spend(of_stranger(cost, request, is_known=work.is_known(request.sender)), work)


def charge_player(cost: Cost, actor: Actor | None, request: Request, work: UnitOfWork) -> None:
    """Ask whether whoever has proved a command may cause what it asks for. Raises NotAllowed.

    A mail that has come again is answered as it was, whatever the player may do now.
    """
    userid = actor.userid if actor else request.sender
    if request.writer and not actor:
        userid = request.writer
    try:
        ask([*of_codes(cost.codes, userid), *of_boards(cost.boards, userid)], work)
        spend([Charge(Counted.MOVES, userid, cost.work)] if cost.work else [], work)
    except NotAllowed:
        is_repeated = work.was_done(userid, request)
        if not (is_repeated or started_by(work.home, request.message_key(userid))):
            raise


def charge_refusal(
    refusal: Refusal, request: Request, work: UnitOfWork, *, is_charged: bool
) -> bool:
    """Ask whether a refusal may be answered, unless that was asked before. Raises NotAllowed.

    `is_charged`: whether it was, with the command. Return whether it is the last answer for a while
    to an answer that cannot be read.
    """
    reply = request.reply
    if isinstance(refusal.reason, TooMuch):
        return False
    if reply and isinstance(refusal, Unreadable):
        counted = Counted.UNREADABLE_ANSWERS
        before = work.home.ask(number_counted, counted, reply.userid, work.now())
        spend([Charge(counted, reply.userid)], work)
        return before + 1 >= work.limits.most(counted)
    if not (request.is_proved or is_charged):
        charge_stranger(Cost(), request, work)
    return False


def is_to_be_told(limit: TooMuch, work: UnitOfWork) -> bool:
    """Return whether to say that a limit is reached, which is done once until it ends."""
    told = Charge(Counted.TOLD, f"{limit.charge.subject}\0{limit.limit}\0{limit.ends}")
    is_first = spend_once(told, work)
    if not is_first:
        work.home.tally.add(Counted.SILENCES, limit.limit)
    return is_first


def number_left(refusal: Refusal, request: Request, work: UnitOfWork, *, is_guess: bool) -> int:
    """Count a refused mail; return how many more like it are answered at one address.

    Those have the same line and the same reason, so that robots end there and people do not, or
    wrong passwords, whatever their lines (`is_guess`). The same mail counts once, however often it
    comes. A negative number says that this one is not answered; nothing is written then.
    """
    line = "" if is_guess else request.line
    alike = "\0".join([request.sender, refusal.reason.word(), line])
    counted = Counted.ANSWERED_GUESSES if is_guess else Counted.EQUAL_REFUSALS
    before = work.home.ask(number_counted, counted, alike, work.now())
    left = work.limits.most(counted) - before
    if left <= 0:
        work.home.tally.add(Counted.SILENCES, counted.word)
        return -1
    if not spend_once(Charge(Counted.REFUSED_MAILS, f"{alike}\0{request.identity}"), work):
        return left
    record([Charge(counted, alike)], work)
    return left - 1


def of_stranger(cost: Cost, request: Request, *, is_known: bool) -> Iterator[Charge]:
    """Yield what a mail that proves nothing is charged.

    Where it comes from is a host or network or, through our own mail servers, its address.
    `is_known`: whether some account has the address of its sender.
    """
    if cost.work:
        answers = Counted.ANSWERS_TO_PLAYERS if is_known else Counted.ANSWERS
        answers = Counted.HELP if cost.is_help else answers
        yield Charge(answers, request.sender, cost.work)
        if request.source:
            yield Charge(Counted.ANSWERS_TO_SOURCE, request.source, cost.work)
        yield Charge(Counted.ALL_ANSWERS, "", cost.work)
    if cost.accounts:
        yield Charge(Counted.SIGNUPS_OF_SOURCE, origin(request), cost.accounts)
        yield Charge(Counted.ALL_SIGNUPS, "", cost.accounts)
    if cost.codes:
        yield Charge(Counted.CODES_OF_ASKER, request.sender, cost.codes)
        if request.source:
            yield Charge(Counted.CODES_OF_SOURCE, request.source, cost.codes)
        yield Charge(Counted.ALL_CODES, "", cost.codes)


def of_boards(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for boards that a player starts."""
    if number:
        yield Charge(Counted.CHALLENGES, userid, number)
        yield Charge(Counted.BOARDS, "", number)


def of_challenged(userid: str, other: str) -> Iterator[Charge]:
    """Yield what is charged for a challenge of a player to another one."""
    yield Charge(Counted.CHALLENGES_TO_ONE, f"{userid}\0{other}")


def of_codes(number: int, userid: str) -> Iterator[Charge]:
    """Yield what is charged for mails with a code to new addresses that a player asks for."""
    if number:
        yield Charge(Counted.CODES_OF_ASKER, userid, number)


def of_owner(purpose: Purpose, account: str, request: Request) -> Iterator[Charge]:
    """Yield what is charged for a mail with a code to the addresses of an account.

    That is counted for the account alone, so that nothing else keeps its player from getting one;
    and for who asks, so that one stranger does not.
    """
    of = f"{purpose.value}\0{account}"
    yield Charge(Counted.OWNER_CODES_OF_ASKER, f"{of}\0{origin(request)}")
    yield Charge(Counted.OWNER_CODES, of)


def of_texts(author: str, readers: Iterable[str]) -> Iterator[Charge]:
    """Yield what is charged for a text that a player has passed on to others."""
    readers = list(readers)
    if readers:
        yield Charge(Counted.MESSAGES, author, len(readers))
    for reader in readers:
        yield Charge(Counted.MESSAGES_TO_ONE, f"{author}\0{reader}")


def origin(request: Request) -> str:
    """Return where a mail comes from, as far as that is known."""
    return request.source or request.sender
