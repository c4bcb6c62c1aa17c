"""Accounts made for a test as an operator makes them, and codes as their readers find them."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.store.accounts import remove_account as remove
from pbm_oust.store.accounts import whole_account, write_account
from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.home import Home
from tests.support.outbox import letters

JOINED = datetime(2026, 11, 1, tzinfo=UTC)
SALT = bytes(16)
"""The salt of all passwords here, so that each is hashed once in a run."""


CODE_LINE = re.compile(r"^  (?:verify|verifie) ([a-z2-7]{16})\b", re.MULTILINE)
"""Where a letter has a code."""


def make_account(home: Home, userid: str, password: str, *addresses: str) -> None:
    """Make an account without a verification of its addresses."""
    account = Account(userid, hash_password(Secret(password), SALT), addresses, JOINED)
    home.do(write_account, account)


def account_of(home: Home, userid: str) -> Account:
    """Return the account of a player."""
    account = home.ask(whole_account, userid)
    assert account is not None
    return account


def change_account(home: Home, userid: str, change: Callable[[Account], Account]) -> None:
    """Change the account of a player."""
    home.do(write_account, change(account_of(home, userid)))


def remove_account(home: Home, userid: str) -> None:
    """Remove the account of a player, as if it had never been made."""
    home.do(remove, userid)


def damage_account(home: Home, userid: str) -> None:
    """Add a plan to an account that nobody can read."""
    plan = '{"kind":"oust","board":1,"record":1,"message_key":"x","answer":"D4"}'
    change_document(home.database, userid, "queue", f"[{plan}]")


def change_document(database: Database, userid: str, name: str, value: str) -> None:
    """Put JSON into a field of the document of an account, as somebody does by hand."""

    def change(transaction: Transaction) -> None:
        row = transaction.row("SELECT document FROM accounts WHERE userid = ?", userid)
        assert row
        document = json.dumps({**json.loads(row[0]), name: json.loads(value)})
        statement = "UPDATE accounts SET document = ? WHERE userid = ?"
        transaction.run(statement, document, userid)

    database.write(change)


def codes(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the address and the code of each letter in the outbox that has one, oldest first."""
    for letter in letters(home):
        code = CODE_LINE.search(letter.text)
        if code:
            yield letter.to, code[1]


def all_codes(snapshot: Snapshot) -> list[str]:
    """Return the hashes of all codes that requests wait for, in order."""
    return [code for (code,) in snapshot.rows("SELECT code FROM verifications ORDER BY code")]
