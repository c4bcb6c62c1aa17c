"""What requests are charged: limits are asked before anything is done, and said once."""

from collections.abc import Iterator

from pbm_oust.play.authentication import is_guess
from pbm_oust.play.quota import (
    Cost,
    TooMuch,
    ask,
    of_boards,
    of_codes,
    of_equal,
    of_player,
    of_stranger,
    record,
    spend,
    spend_once,
)
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Refusal, Unreadable
from pbm_oust.service.reading import Read
from pbm_oust.service.table import form_of
from pbm_oust.store.limits import Counted
from pbm_oust.store.open_boards import started_by
from pbm_oust.store.rate_limits import Charge, number_counted


def charge_stranger(cost: Cost, request: Request, work: UnitOfWork) -> None:
    """Ask whether a mail that proves nothing may cause what it asks for. Raises NotAllowed."""
    spend(_of_stranger(cost, request, work), work)


def charge_player(cost: Cost, actor: Actor | None, request: Request, work: UnitOfWork) -> None:
    """Ask whether whoever has proved a command may cause what it asks for. Raises NotAllowed.

    A mail that has come again is answered as it was, whatever the player may do now.
    """
    userid = actor.userid if actor else request.sender
    if request.writer and not actor:
        userid = request.writer
    try:
        ask(of_codes(cost.codes, userid), work)
        ask(of_boards(cost.boards, userid), work)
        moves = list(of_player(cost, userid))
        ask(moves, work)
        record(moves, work)
    except NotAllowed:
        is_repeated = work.was_done(userid, request)
        if not (is_repeated or started_by(work.home, request.message_key(userid))):
            raise


def charge_refusal(refusal: Refusal, read: Read, request: Request, work: UnitOfWork) -> bool:
    """Ask whether a refusal may be answered, unless that was asked before. Raises NotAllowed.

    Return whether it is the last answer for a while to an answer that cannot be read.
    """
    command, reply = read.command, request.reply
    if isinstance(refusal.reason, TooMuch):
        return False
    if reply and isinstance(refusal, Unreadable):
        counted = Counted.UNREADABLE_ANSWERS
        before = work.home.ask(number_counted, counted, reply.userid, work.now())
        spend([Charge(counted, reply.userid)], work)
        return before + 1 >= work.limits.most(counted)
    is_charged = not isinstance(command, Unreadable) and not form_of(command).claims_proof(command)
    if not (request.is_proved or is_charged):
        spend(_of_stranger(Cost(), request, work), work)
    return False


def is_to_be_told(limit: TooMuch, work: UnitOfWork) -> bool:
    """Return whether to say that a limit is reached, which is done once until it ends."""
    told = Charge(Counted.TOLD, f"{limit.charge.subject}\0{limit.limit}\0{limit.ends}")
    is_first = spend_once(told, work)
    if not is_first:
        work.home.tally.add(Counted.SILENCES, limit.limit)
    return is_first


def number_left(refusal: Refusal, request: Request, work: UnitOfWork) -> int:
    """Count a refused mail; return how many more like it are answered at one address.

    Those have the same line and the same reason, so that robots end there and people do not, or
    wrong passwords. The same mail counts once, however often it comes. A negative number says that
    this one is not answered; nothing is written then.
    """
    equal, mail = of_equal(refusal, request, is_guess=is_guess(refusal.reason))
    before = work.home.ask(number_counted, equal.counted, equal.subject, work.now())
    left = work.limits.most(equal.counted) - before
    if left <= 0:
        work.home.tally.add(Counted.SILENCES, equal.counted.value.word)
        return -1
    if not spend_once(mail, work):
        return left
    record([equal], work)
    return left - 1


def _of_stranger(cost: Cost, request: Request, work: UnitOfWork) -> Iterator[Charge]:
    return of_stranger(cost, request, is_known=work.is_known(request.sender))
