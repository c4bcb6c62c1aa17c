"""The accounts that were read last: whether they are still as they were takes one statement."""

from pbm_oust.accounts.account import Account
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.connections import Identity, Row, Snapshot
from pbm_oust.store.latest import Latest

MOST_ACCOUNTS = 5000

_Key = tuple[Identity | None, Row]
"""A file of a database, and the row of an account in it, which has another version after each
change."""


class KnownAccounts:
    """Reads accounts, and remembers them. Any number of threads may use it."""

    def __init__(self, most: int = MOST_ACCOUNTS) -> None:
        self._latest = Latest[str, tuple[_Key, Account]](most)

    def read(self, snapshot: Snapshot, userid: str) -> Account | None:
        """Return an account, or None if there is none. Raises DatabaseFault, AccountDamaged.

        The snapshot holds what is committed.
        """
        row = ACCOUNTS.row_of(snapshot, userid)
        if row is None:
            return None
        key = snapshot.identity, row
        known = self._latest.get(userid)
        if known and known[0] == key:
            return known[1]
        account = ACCOUNTS.read_with(snapshot, userid, row)
        self._latest.put(userid, (key, account))
        return account
