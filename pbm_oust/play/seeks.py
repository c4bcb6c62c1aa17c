"""Open challenges: those that wait for somebody who joins them."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.seeks import LIFETIME, Seek, seeks_of
from pbm_oust.accounts.status import disabled_since, signed_off_since
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind
from pbm_oust.store.open_boards import seeks_taken

Taken = dict[str, set[int]]
"""The numbers of open challenges that boards have taken, by the name of the game."""


def open_seeks(kinds: list[Kind], work: UnitOfWork) -> list[tuple[Seek, str]]:
    """Return the open challenges of some games with the userids of those who made them."""
    all_taken = taken(work)
    seeks = [
        (each, account)
        for account in readable_accounts(work)
        if not (signed_off_since(account) or disabled_since(account))
        for each in open_of(account, all_taken, work.now())
    ]
    return [
        (each, account.userid)
        for kind in kinds
        for each, account in sorted(seeks, key=lambda pair: pair[0].number)
        if each.kind == kind.name
    ]


def readable_accounts(work: UnitOfWork) -> Iterator[Account]:
    """Yield the accounts whose challenges can be read; a damaged one keeps nobody from others."""
    for userid in work.home.userids():
        with suppress(BadAccount, NotAllowed):
            account = work.account(userid)
            seeks_of(account)
            yield account


def open_of(account: Account, taken: Taken, now: datetime) -> list[Seek]:
    """Return the challenges of a player that wait: neither too old nor taken."""
    seeks = (each for each in seeks_of(account) if each.is_open(now) and each.kind in KINDS)
    return [each for each in seeks if each.number not in taken[each.kind]]


def taken(work: UnitOfWork) -> Taken:
    """Return the numbers of the challenges that boards have taken, by game."""
    since = work.now() - LIFETIME
    return {name: seeks_taken(work.home, kind, since) for name, kind in KINDS.items()}
