"""Open challenges, which wait for somebody to join them."""

from datetime import datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.seeks import LIFETIME, Seek
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store import accounts


def open_seeks(kinds: list[Kind], work: UnitOfWork) -> list[tuple[Seek, str]]:
    """Return the open challenges of some games with the userids of those who made them."""
    since = work.now() - LIFETIME
    return [each for kind in kinds for each in work.home.ask(accounts.open_seeks, kind.name, since)]


def open_seeks_of(userid: str, work: UnitOfWork) -> list[Seek]:
    """Return the open challenges of a player; none of somebody who has signed off."""
    account = work.account_if_any(userid)
    return open_of(account, work.now()) if account and accounts.is_there(account) else []


def open_of(account: Account, now: datetime) -> list[Seek]:
    """Return the challenges of a player that are not too old."""
    return [each for each in account.seeks if each.is_open(now) and each.kind in KINDS]
