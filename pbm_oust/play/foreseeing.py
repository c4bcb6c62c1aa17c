"""What a mail will ask the database, as far as that can be told before it is carried out.

Where the database is a server, that is asked together. What is left out here only takes longer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any

from pbm_oust.accounts.tags import BoardClaim, Claim
from pbm_oust.board.notation import USERID
from pbm_oust.grammar.command import Command
from pbm_oust.grammar.line import Line
from pbm_oust.grammar.values import BoardAt
from pbm_oust.play.authentication import is_guess, stored_password, verify
from pbm_oust.play.forms import CommandForm
from pbm_oust.play.quota import (
    Cost,
    of_boards,
    of_challenged,
    of_equal,
    of_player,
    of_stranger,
)
from pbm_oust.play.request import Request, message_key
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import Refusal
from pbm_oust.rules.position import Kind
from pbm_oust.store import index
from pbm_oust.store.account_queries import watchers
from pbm_oust.store.board_queries import has_played, started_by
from pbm_oust.store.bounces import bounces_of
from pbm_oust.store.connections import Question, Snapshot
from pbm_oust.store.limits import Counted
from pbm_oust.store.message_keys import outcome_of
from pbm_oust.store.open_boards import questions
from pbm_oust.store.rate_limits import Charge, end_of_limit, number_counted
from pbm_oust.store.waiting import BoardName

_MOST_NAMED = 5
"""Of how many boards, claims or words something is asked beforehand."""


def asked_by_answer(
    claims: Sequence[Claim], sender: str, identity: str, work: UnitOfWork
) -> Iterator[Question]:
    """Yield what a mail asks that may answer a letter. `identity` is that of the mail."""
    for claim in claims[:_MOST_NAMED]:
        yield partial(bounces_of, address=sender)
        yield partial(_verify, claim=claim, work=work)
        if isinstance(claim.of, BoardClaim):
            userid, key = claim.of.userid, message_key(claim.of.userid, identity)
            yield from _asked_by_players([userid], [key], Cost(), work)
            yield from questions(work.home, BoardName(claim.of.kind, claim.of.board), [userid])


def asked_by_command(
    form: CommandForm[Any], command: Command, request: Request, work: UnitOfWork
) -> Iterator[Question]:
    """Yield what a command asks."""
    given, signers = form.given(command), form.signers_of(command)
    named = given.get("userid")
    userids = sorted(signers | {named} if isinstance(named, str) else signers)
    cost, keys = form.cost_of(command), list(map(request.message_key, userids))
    yield partial(bounces_of, address=request.sender)
    if not (request.is_proved or form.claims_proof(command)):
        yield from _asked_by_stranger(cost, request, work)
    yield from _asked_by_players(userids, keys, cost, work)
    if not request.is_proved:
        yield from _asked_about_passwords(userids, work)
    for name in _boards_in(given):
        yield from questions(work.home, name, userids)
    kind = given.get("kind")
    if cost.boards and isinstance(kind, Kind):
        yield from (partial(started_by, key=key) for key in keys)
        for userid, other in permutations(userids, 2):
            yield from _asked_about(of_challenged(userid, other), work)
        yield partial(work.home.boards.next_number, kind=kind)
        yield partial(_watching_next, kind=kind)


def asked_by_refusal(
    refusal: Refusal, line: Line, request: Request, work: UnitOfWork
) -> Iterator[Question]:
    """Yield what is asked when a mail is refused."""
    reply = request.reply
    if reply:
        unread = Charge(Counted.UNREADABLE_ANSWERS, reply.userid)
        yield from _asked_about([unread], work)
    if not request.is_proved:
        yield from _asked_by_stranger(Cost(), request, work)
        equal = of_equal(refusal, request, is_guess=is_guess(refusal.reason))
        yield from _asked_about(equal, work)
    words = {word.lower() for word in line.words[:_MOST_NAMED]}
    for word in filter(USERID.fullmatch, sorted(words)):
        yield partial(work.home.known_accounts.read, userid=word)
        yield partial(has_played, userid=word)


def _asked_by_stranger(cost: Cost, request: Request, work: UnitOfWork) -> Iterator[Question]:
    """Yield what a mail asks that proves nothing: who wrote it, and what it is charged."""
    yield lambda _: work.sender_of(request)
    for is_known in (False, True):
        yield from _asked_about(of_stranger(cost, request, is_known=is_known), work)


def _asked_by_players(
    userids: Iterable[str], keys: Iterable[str], cost: Cost, work: UnitOfWork
) -> Iterator[Question]:
    """Yield what players ask whose mail has these message keys: who they are, what they do."""
    for userid, key in zip(userids, keys, strict=True):
        yield from work.home.known_accounts.questions(userid)
        yield partial(outcome_of, key=key)
        yield from _asked_about(of_player(cost, userid), work)
        yield from _asked_about(of_boards(cost.boards, userid), work)


def _asked_about_passwords(userids: Iterable[str], work: UnitOfWork) -> Iterator[Question]:
    """Yield what is asked about passwords, as they are remembered: how many wrong ones came."""
    counted = Counted.WRONG_PASSWORDS_OF_ACCOUNT
    for userid in userids:
        if account := work.home.known_accounts.remembered(userid):
            stored = stored_password(account, userid)
            yield partial(number_counted, counted=counted, subject=stored, now=work.now())


def _asked_about(charges: Iterable[Charge], work: UnitOfWork) -> Iterator[Question]:
    """Yield what is asked about charges."""
    for charge in charges:
        yield partial(end_of_limit, charge=charge, limits=work.limits, now=work.now())


def _boards_in(given: Mapping[str, object]) -> Iterator[BoardName]:
    """Yield the boards that a command names."""
    kind, number, boards = (given.get(name) for name in ("kind", "board", "boards"))
    if not isinstance(kind, Kind):
        return
    if isinstance(number, int):
        yield BoardName(kind.name, number)
    if isinstance(boards, tuple):
        for each in boards[:_MOST_NAMED]:
            if isinstance(each, BoardAt):
                yield BoardName(kind.name, each.board)


def _watching_next(snapshot: Snapshot, kind: Kind) -> object:
    """Ask who watches the board that will be the next one."""
    return watchers(snapshot, kind.name, index.highest_number(snapshot, kind.name) + 1)


def _verify(_: Snapshot, claim: Claim, work: UnitOfWork) -> object:
    return verify(claim, work)
