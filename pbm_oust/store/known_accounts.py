"""The accounts that were read last: whether they are still as they were takes one statement."""

from pbm_oust.accounts.account import Account
from pbm_oust.store.account_queries import userids_at
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.connections import Identity, Row, Snapshot, Transaction
from pbm_oust.store.latest import Latest

MOST_ACCOUNTS = 5000

_Key = tuple[Identity | None, Row]
"""A file of a database, and the row of an account in it, which has another version after each
change."""


class KnownAccounts:
    """Reads accounts, and remembers them. Any number of threads may use it."""

    def __init__(self, most: int = MOST_ACCOUNTS) -> None:
        self._latest = Latest[str, tuple[_Key, Account]](most)

    def at_address(self, snapshot: Snapshot, address: str) -> list[Account]:
        """Return the accounts that have an address, however it is written."""
        found = (self.read(snapshot, userid) for userid in userids_at(snapshot, address))
        return [account for account in found if account]

    def read(self, snapshot: Snapshot, userid: str) -> Account | None:
        """Return an account as far as it can be read; None if there is none. Raises DatabaseFault.

        What a transaction has written itself is not remembered, as it may be undone.
        """
        row = ACCOUNTS.row_of(snapshot, userid)
        if row is None:
            return None
        if isinstance(snapshot, Transaction) and userid in snapshot.saved:
            return ACCOUNTS.read_with(snapshot, userid, row)
        key = snapshot.identity, row
        known = self._latest.get(userid)
        if known and known[0] == key:
            return known[1]
        account = ACCOUNTS.read_with(snapshot, userid, row)
        self._latest.put(userid, (key, account))
        return account
