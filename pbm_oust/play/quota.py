"""Quotas: what a mail may still cause. They are asked before anything is done for it."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from pbm_oust.accounts.verification import Purpose
from pbm_oust.frozen import frozen
from pbm_oust.play.request import Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Refusal
from pbm_oust.store.limits import Counted
from pbm_oust.store.rate_limits import Charge, count, end_of_limit


@frozen
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


@frozen
class TooMuch(NotAllowedReason):
    """A limit is reached."""

    charge: Charge
    most: int
    ends: datetime

    @property
    def limit(self) -> str:
        """The name of the limit."""
        return self.charge.counted.value.word


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


def of_equal(refusal: Refusal, request: Request, *, is_guess: bool) -> tuple[Charge, Charge]:
    """Return what a refused mail is charged together with those like it, and what by itself.

    Those with wrong passwords are alike, whatever their lines.
    """
    line = "" if is_guess else request.line
    alike = "\0".join([request.sender, refusal.reason.word(), line])
    mail = Charge(Counted.REFUSED_MAILS, f"{alike}\0{request.identity}")
    counted = Counted.ANSWERED_GUESSES if is_guess else Counted.EQUAL_REFUSALS
    return Charge(counted, alike), mail


def of_player(cost: Cost, userid: str) -> Iterator[Charge]:
    """Yield what a command that proves whose it is is charged."""
    if cost.work:
        yield Charge(Counted.MOVES, userid, cost.work)


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
