"""Accounts in the database: read whole; only what has changed is written.

    account = ACCOUNTS.read(snapshot, "alice")
    database.write(lambda transaction: ACCOUNTS.write(transaction, with_note(account, ..)))

What cannot be read troubles nobody but its owner: the account says so (`damaged`), seems to keep
nothing of it, and is written without touching it.

An account knows its version. If the database has another version than the one that was read,
writing changes nothing and raises AccountChanged, and the caller reads again.

All methods may raise DatabaseFault.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import takewhile

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.digest import next_digest
from pbm_oust.accounts.merging import merged, with_renamed
from pbm_oust.accounts.registry import KEPT, Nouns
from pbm_oust.frozen import replace
from pbm_oust.store.account_tables import ADDRESSES, Table, Tables, value_of
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.connections import Row, Snapshot, Transaction
from pbm_oust.store.faults import AccountDamaged, Stale, ValueDamaged

_JOINED = "joined"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands in the place of a time that cannot be read."""
_NEXT_VERSION = "UPDATE account_versions SET latest = latest + 1 WHERE id = 1 RETURNING latest"


class AccountChanged(Stale):
    """An account is no longer as it was read; nothing has been written."""


class Accounts:
    """The accounts of a home with these nouns. It holds only statements."""

    def __init__(self, nouns: Nouns = KEPT) -> None:
        self._nouns = nouns
        self.tables = Tables(nouns)

    def read(self, snapshot: Snapshot, userid: str) -> Account | None:
        """Return an account with everything that it keeps, or None if there is none.

        Raises AccountDamaged if a part of it cannot be read.
        """
        row = self.row_of(snapshot, userid)
        return whole(self.read_with(snapshot, userid, row)) if row else None

    def row_of(self, snapshot: Snapshot, userid: str) -> Row | None:
        """Return the row of an account, which differs after each change; None if there is none."""
        statement = (
            "SELECT password, joined, signup_key, version, changed FROM accounts WHERE userid = ?"
        )
        return snapshot.row(statement, userid)

    def read_with(self, snapshot: Snapshot, userid: str, row: Row) -> Account:
        """Return the account whose row was read from a snapshot, as far as it can be read."""
        password, joined, signup_key, version, changed = row
        rows = self.tables.rows_of(snapshot, userid)
        damaged, since = dict[str, str](), _NEVER
        try:
            since, changed = moment_of(joined), changed and moment_of(changed)
        except ValueDamaged as damage:
            changed = None
            damaged[_JOINED] = f"the account {userid} is damaged: {damage}"
        account = Account(
            userid,
            password,
            tuple(address for (address,) in rows[ADDRESSES]),
            since,
            signup_key or "",
            version=version,
            changed=changed,
            damaged=damaged,
        )
        for table in self.tables:
            if kept := rows[table.noun.name]:
                try:
                    account = table.noun.put(account, value_of(table.noun, userid, kept))
                except AccountDamaged as damage:
                    damaged[table.noun.name] = str(damage)
        return account

    def write(self, transaction: Transaction, account: Account) -> Account:
        """Write an account over the version that it was made from, and return it.

        A new account has version 0. The work raises AccountChanged.
        """
        next_version = transaction.send(_NEXT_VERSION)
        kept = transaction.send(self.tables.select, account.userid)
        transaction.wait()
        ((version,),), found = next_version.rows, self.tables.parted(kept.rows)
        changed = AccountChanged(account.userid)
        stored = (
            account.password,
            None if _JOINED in account.damaged else seconds(account.joined),
            account.message_key or None,
            _seconds_or_none(next_digest(account)),
            _seconds_or_none(account.changed),
            version,
            account.userid,
        )
        known = transaction.saved.get(account.userid, account.version)
        if known:
            statement = (
                "UPDATE accounts SET password = ?, joined = coalesce(?, joined), signup_key = ?, "
                "digest_due = ?, changed = ?, version = ? WHERE userid = ? AND version = ? "
                "RETURNING 1"
            )
            transaction.require(changed, statement, *stored, known)
        else:
            statement = (
                "INSERT INTO accounts "
                "(password, joined, signup_key, digest_due, changed, version, userid) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1"
            )
            transaction.require(changed, statement, *stored)
        self._write_addresses(transaction, account, found[ADDRESSES])
        for table in self.tables:
            if table.noun.name in account.damaged:
                continue
            wanted = [table.stored(row) for row in table.noun.rows_of(account)]
            self._write_rows(transaction, account.userid, table, found[table.noun.name], wanted)
        transaction.saved[account.userid] = version
        return replace(account, version=version)

    def check(self, transaction: Transaction, accounts: Iterable[Account]) -> None:
        """Let the work raise AccountChanged if some account is no longer as it was read."""
        statement = "SELECT 1 FROM accounts WHERE userid = ? AND version = ?"
        for account in accounts:
            changed = AccountChanged(account.userid)
            known = transaction.saved.get(account.userid, account.version)
            transaction.require(changed, statement, account.userid, known)

    def remove(self, transaction: Transaction, account: Account) -> None:
        """Remove an account, and its userid from the accounts of others.

        Raises AccountChanged.
        """
        self._delete(transaction, account)
        self._rename_elsewhere(transaction, account.userid, None)

    def rename(self, transaction: Transaction, account: Account, new: str) -> Account:
        """Give an account another userid, also in the accounts of others, and return it.

        Raises AccountChanged, also if somebody else has the userid.
        """
        old = account.userid
        renamed = replace(account, userid=new)
        if transaction.row("SELECT 1 FROM accounts WHERE userid = ?", new):
            raise AccountChanged(new)
        self.check(transaction, [account])
        transaction.run("UPDATE accounts SET userid = ? WHERE userid = ?", new, old)
        if old in transaction.saved:
            transaction.saved[new] = transaction.saved.pop(old)
        renamed = self.write(transaction, renamed)
        self._rename_elsewhere(transaction, old, new)
        return renamed

    def merge(self, transaction: Transaction, account: Account, other: Account) -> Account:
        """Merge `other` into an account, also in the accounts of others, and return the account.

        Raises AccountChanged.
        """
        self._delete(transaction, other)
        both = self.write(transaction, merged(account, other, self._nouns))
        self._rename_elsewhere(transaction, other.userid, account.userid)
        return both

    def mentioning(self, snapshot: Snapshot, userid: str) -> list[str]:
        """Return the userids of accounts that name a player, for example as rejected."""
        found = {
            each
            for table in self.tables
            for statement in table.mentions
            for (each,) in snapshot.rows(statement, userid)
        }
        return sorted(found)

    def _rename_elsewhere(self, transaction: Transaction, old: str, new: str | None) -> None:
        for userid in self.mentioning(transaction, old):
            if account := self.read(transaction, userid):
                self.write(transaction, with_renamed(account, old, new, self._nouns))

    def _delete(self, transaction: Transaction, account: Account) -> None:
        statement = "DELETE FROM accounts WHERE userid = ? AND version = ?"
        known = transaction.saved.get(account.userid, account.version)
        if not transaction.run(statement, account.userid, known):
            raise AccountChanged(account.userid)
        transaction.saved[account.userid] = 0

    def _write_addresses(
        self, transaction: Transaction, account: Account, found: list[Row]
    ) -> None:
        if [(address,) for address in account.addresses] == found:
            return
        transaction.send("DELETE FROM addresses WHERE userid = ?", account.userid)
        for position, address in enumerate(account.addresses):
            transaction.send(
                "INSERT INTO addresses (userid, position, address, normal) VALUES (?, ?, ?, ?)",
                account.userid,
                position,
                address,
                normal_address(address),
            )

    def _write_rows(
        self,
        transaction: Transaction,
        userid: str,
        table: Table,
        found: list[Row],
        wanted: list[Row],
    ) -> None:
        """Write the rows of a noun, starting with the first that differs."""
        pairs = zip(found, wanted, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if same < len(found):
            transaction.send(table.delete, userid, same)
        for position in range(same, len(wanted)):
            transaction.send(table.insert, userid, position, *wanted[position])


def whole(account: Account) -> Account:
    """Return an account that could be read whole. Raises AccountDamaged for another one."""
    for damage in account.damaged.values():
        raise AccountDamaged(damage)
    return account


ACCOUNTS = Accounts()
"""The accounts with all nouns of the program."""


def _seconds_or_none(at: datetime | None) -> int | None:
    return None if at is None else seconds(at)
