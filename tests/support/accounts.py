"""Accounts made for a test as an operator makes them, and codes as their readers answer them."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.account_file import format_account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.store.home import Home

JOINED = datetime(2026, 11, 1, tzinfo=UTC)


def make_account(home: Home, userid: str, password: str, *addresses: str) -> None:
    """Make an account without a proof of its addresses."""
    account = Account(userid, hash_password(Secret(password)), addresses, JOINED)
    home.write_player(userid, format_account(account))


def codes(home: Home) -> Iterator[tuple[str, str]]:
    """Yield the address and the code of each letter in the outbox that has one, oldest first."""
    for name in home.outbox.letters():
        letter = message_from_bytes(home.outbox.read(name))
        code = re.fullmatch(r"[a-z]+ ([a-z2-7]{16})", letter["Subject"])
        if code:
            yield letter["To"], code[1]
