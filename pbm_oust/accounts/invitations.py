"""Whom a player wants no games with, and how many boards at once he wants. Pure.

Limit: 5
Reject: bob
"""

import re
from collections.abc import Iterable

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import USERID

LIMIT_KEY = "Limit"
REJECT_KEY = "Reject"
HIGHEST_LIMIT = 999

_LIMIT = re.compile(r"[1-9][0-9]{0,2}")


def limit_of(account: Account) -> int:
    """Return on how many active boards a player wants to be at once; 0 for any number.

    Raises BadAccount.
    """
    values = account.values(LIMIT_KEY)
    if not values:
        return 0
    if len(values) > 1 or not _LIMIT.fullmatch(values[0]):
        raise BadAccount(f"the limit {' '.join(values)!r} is no number from 1 to {HIGHEST_LIMIT}")
    return int(values[0])


def with_limit(account: Account, limit: int) -> Account:
    """Return an account with this limit; 0 takes it away."""
    return account.with_values(LIMIT_KEY, [str(limit)] if limit else [])


def rejected_by(account: Account) -> tuple[str, ...]:
    """Return the userids of those by whom a player is not to be challenged. Raises BadAccount."""
    userids = account.values(REJECT_KEY)
    for userid in userids:
        if not USERID.fullmatch(userid):
            raise BadAccount(f"the rejected {userid!r} is no userid")
    return userids


def with_rejected(account: Account, userids: Iterable[str]) -> Account:
    """Return an account that rejects these players and no others."""
    return account.with_values(REJECT_KEY, dict.fromkeys(userids))


def with_other_userid(account: Account, old: str, new: str | None) -> Account:
    """Return an account that rejects a player by his new userid, or no longer, as he has none."""
    rejected = rejected_by(account)
    if old not in rejected:
        return account
    renamed = (new if userid == old else userid for userid in rejected)
    return with_rejected(account, (each for each in renamed if each and each != account.userid))
