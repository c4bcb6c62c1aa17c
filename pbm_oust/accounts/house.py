"""The house players: accounts that every home has without keeping them. Pure.

They have no address and no password, so nobody else can be one. An account of a person who had the
userid before is that person's.
"""

from datetime import UTC, datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import nobodys_password

HOUSE = ("house", "house1", "house2", "house3")
"""The userids of the house players: the first plays as the second does."""
_JOINED = datetime(2026, 11, 23, tzinfo=UTC)


def house_account(userid: str) -> Account | None:
    """Return the account of a house player; None for any other userid."""
    if userid not in HOUSE:
        return None
    return Account(userid, nobodys_password(userid), (), _JOINED)


def is_house(account: Account) -> bool:
    """Return whether an account is that of a house player."""
    return account.userid in HOUSE and not account.addresses
