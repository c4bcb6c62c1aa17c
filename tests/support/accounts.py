"""Accounts made for a test as an operator makes them, and codes as their readers find them."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import all_codes
from tests.support.outbox import letters

JOINED = datetime(2026, 11, 1, tzinfo=UTC)
SALT = bytes(16)
"""The salt of all passwords here, so that each is hashed once in a run."""


CODE_LINE = re.compile(r"^  (?:verify|verifie) ([a-z2-7]{16})\b", re.MULTILINE)
"""Where a letter has a code."""


def make_account(home: Home, userid: str, password: str, *addresses: str) -> None:
    """Make an account without a verification of its addresses."""
    account = Account(userid, hash_password(Secret(password), SALT), addresses, JOINED)
    home.save(account)


def account_of(home: Home, userid: str) -> Account:
    """Return the account of a player."""
    account = home.account(userid)
    assert account is not None
    return account


def change_account(home: Home, userid: str, change: Callable[[Account], Account]) -> None:
    """Change the account of a player."""
    home.save(change(account_of(home, userid)))


def remove_account(home: Home, userid: str) -> None:
    """Remove the account of a player, as if it had never been made."""
    home.do(ACCOUNTS.remove, account_of(home, userid))


def damage_account(home: Home, userid: str) -> None:
    """Add a plan to an account that nobody can read."""
    statement = "INSERT INTO queue VALUES (?, 99, 'oust', 1, 1, 'x', NULL, 'D4')"
    home.do(ACCOUNTS.write, account_of(home, userid))
    home.database.write(lambda transaction: transaction.run(statement, userid))


def codes(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the address and the code of each letter in the outbox that has one, oldest first."""
    for letter in letters(home):
        code = CODE_LINE.search(letter.text)
        if code:
            yield letter.to, code[1]


def count_waiting(home: Home) -> int:
    """Return how many requests wait for their codes."""
    return len(home.ask(all_codes))
