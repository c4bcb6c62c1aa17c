"""Taking accounts from one home to another, as lines of JSON (`accounts/document.py`)."""

from collections.abc import Callable, Iterable, Iterator

from msgspec import structs

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.accounts.document import format_json, parse_json
from pbm_oust.accounts.reserved import is_reserved
from pbm_oust.accounts.status import is_placeholder
from dataclasses import replace
from pbm_oust.store.accounts import (
    all_accounts,
    next_seek_number,
    those_with_accounts,
    whole,
    write_account,
)
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.faults import AccountDamaged


class UseridsTaken(Exception):
    """Accounts with these userids already exist; nothing has been written."""

    def __init__(self, userids: Iterable[str]) -> None:
        self.userids = tuple(sorted(userids))
        super().__init__(f"there are accounts already of {', '.join(self.userids)}")


def export_accounts(snapshot: Snapshot) -> tuple[list[str], list[str]]:
    """Return a line of JSON for each account, in the order of their userids.

    The second list says what is wrong with those that cannot be read; they are left out.
    """
    lines, damage = list[str](), list[str]()
    for account in all_accounts(snapshot):
        try:
            lines.append(format_json(whole(account)))
        except AccountDamaged as error:
            damage.append(str(error))
    return lines, damage


def parse_accounts(
    lines: Iterable[str], check: Callable[[Account], None] = lambda _: None
) -> list[Account]:
    """Return the accounts in lines of JSON; empty lines are left out.

    `check` raises BadAccount for one that is not taken. Raises BadAccount, which names the line,
    also if a userid occurs twice or is reserved.
    """
    accounts: dict[str, Account] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            account = parse_json(line)
            check(account)
            if account.userid in accounts:
                raise BadAccount(f"the userid {account.userid} stands further above, too")
            if is_reserved(account.userid) or is_placeholder(account.userid):
                raise BadAccount(
                    f"the userid {account.userid} is reserved: rename the player first"
                )
        except BadAccount as error:
            raise BadAccount(f"line {number}: {error}") from None
        accounts[account.userid] = account
    return list(accounts.values())


def import_accounts(transaction: Transaction, accounts: Iterable[Account]) -> None:
    """Write accounts that come from elsewhere, all or none of them.

    Open challenges whose numbers were used here before get new ones. Raises UseridsTaken.
    """
    coming = list(accounts)
    if taken := those_with_accounts(transaction, (account.userid for account in coming)):
        raise UseridsTaken(taken)
    for account in _numbered(transaction, coming):
        write_account(transaction, account)


def _numbered(snapshot: Snapshot, accounts: list[Account]) -> Iterator[Account]:
    """Yield accounts whose open challenges have numbers that are free here."""
    seeks = [seek for account in accounts for seek in account.seeks]
    free = {kind: next_seek_number(snapshot, kind) for kind in {seek.kind for seek in seeks}}
    used: set[tuple[str, int]] = set()
    following = {
        kind: max([first, *(seek.number + 1 for seek in seeks if seek.kind == kind)])
        for kind, first in free.items()
    }
    for account in accounts:
        kept = []
        for seek in account.seeks:
            number = seek.number
            if number < free[seek.kind] or (seek.kind, number) in used:
                number = following[seek.kind]
                following[seek.kind] += 1
            used.add((seek.kind, number))
            kept.append(structs.replace(seek, number=number))
        yield replace(account, seeks=tuple(kept))
