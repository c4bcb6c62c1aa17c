"""Whose command it is, as proved by a password or by the letter that it answers."""

from dataclasses import dataclass

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import (
    NOBODYS_PASSWORD,
    Secret,
    is_password,
    is_password_but_for_case,
)
from pbm_oust.accounts.status import disabled_since
from pbm_oust.accounts.tags import Claim, Credential, Reply, verified
from pbm_oust.play.request import Actor, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, NotAllowedReason
from pbm_oust.store.rate_limits import Counted, count_once, is_limit_reached


@dataclass(frozen=True, slots=True)
class WrongPassword(NotAllowedReason):
    """The password is not that of the account, or there is no account."""


@dataclass(frozen=True, slots=True)
class WrongPasswordCase(NotAllowedReason):
    """The password would be right if its first letter were of the other case."""


@dataclass(frozen=True, slots=True)
class TooManyWrong(NotAllowedReason):
    """Too many passwords were wrong, so none is tried for a while."""


@dataclass(frozen=True, slots=True)
class Disabled(NotAllowedReason):
    """The operator has disabled an account."""

    userid: str
    own: bool
    """Whether the command came from its player."""


def authenticate(userid: str, proof: Credential, request: Request, work: UnitOfWork) -> Actor:
    """Return the player who gave their password, or who answers a letter.

    Raises NotAllowed for a wrong password, and for an account that the operator has disabled. An
    unknown userid is refused like a wrong password, and after the same work. After too many wrong
    passwords all are refused for a while, right or not.
    """
    account = work.account_if_any(userid)
    if isinstance(proof, Reply):
        is_own = account is not None and userid == proof.userid
        reply: Reply | None = proof
    else:
        is_own = _has_password(account, userid, proof, request, work)
        reply = None
    if account is None or not is_own:
        raise NotAllowed(WrongPassword(), userid)
    if disabled_since(account):
        raise NotAllowed(Disabled(userid, own=True))
    return Actor(account, request.message_key(userid), reply)


def verify(claim: Claim, work: UnitOfWork) -> Reply | None:
    """Return the answer that a claim proves a mail to be, or None. Raises AccountDamaged."""
    account = work.account_if_any(claim.userid)
    return verified(claim, work.home.key(), account) if account else None


def _has_password(
    account: Account | None, userid: str, password: Secret, request: Request, work: UnitOfWork
) -> bool:
    """Return whether an account has a password; count a wrong one. Raises NotAllowed."""
    is_from_own = account is not None and account.has_address(request.sender)
    counted = (
        Counted.WRONG_PASSWORDS_FROM_OWN_ADDRESS
        if is_from_own
        else Counted.WRONG_PASSWORDS_FROM_ELSEWHERE
    )
    stored = account.password if account else NOBODYS_PASSWORD
    is_right = (password, stored) in work.proved or is_password(password, stored)
    if work.home.ask(is_limit_reached, counted, userid, work.now()):
        raise NotAllowed(TooManyWrong(), userid)
    if account and is_right:
        work.proved.add((password, stored))
        return True
    work.home.do(count_once, counted, userid, work.now())
    if is_password_but_for_case(password, stored) and account:
        raise NotAllowed(WrongPasswordCase(), userid)
    return False
