"""The accounts that were read last: whether they are still as they were takes one statement."""

from collections.abc import Iterator
from functools import partial

from pbm_oust.accounts.account import Account
from pbm_oust.store.account_queries import userids_at
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.bounces import bounces_of
from pbm_oust.store.connections import Identity, Question, Row, Snapshot
from pbm_oust.store.latest import Latest

MOST_ACCOUNTS = 5000

_Key = tuple[Identity | None, Row]
"""A file of a database, and the row of an account in it, which has another version after each
change."""


class KnownAccounts:
    """Reads accounts, and remembers them. Any number of threads may use it."""

    def __init__(self, most: int = MOST_ACCOUNTS) -> None:
        self._latest = Latest[str, tuple[_Key, Account]](most)

    def questions(self, userid: str) -> Iterator[Question]:
        """Yield what is asked about a player who is written to, as far as they are remembered."""
        yield partial(self.read, userid=userid)
        known = self.remembered(userid)
        for address in known.addresses if known else ():
            yield partial(bounces_of, address=address)

    def remembered(self, userid: str) -> Account | None:
        """Return an account as it was when it was last read; None if it is not remembered."""
        known = self._latest.get(userid)
        return known[1] if known else None

    def at_address(self, snapshot: Snapshot, address: str) -> list[Account]:
        """Return the accounts that have an address, however it is written."""
        found = (self.read(snapshot, userid) for userid in userids_at(snapshot, address))
        return [account for account in found if account]

    def read(self, snapshot: Snapshot, userid: str) -> Account | None:
        """Return an account as far as it can be read; None if there is none. Raises DatabaseFault.

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
