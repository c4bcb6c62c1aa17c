"""Whom players want no games with, and how many boards at once they want. Pure."""

from collections.abc import Iterable

from pbm_oust.accounts.account import Account, BoardLimit, Rejection
from pbm_oust.frozen import replace


def limit_of(account: Account) -> int:
    """Return on how many active boards a player wants to be at once; 0 for any number."""
    return account.board_limits[0].boards if account.board_limits else 0


def with_limit(account: Account, limit: int) -> Account:
    """Return an account with this limit; 0 takes it away."""
    return replace(account, board_limits=(BoardLimit(limit),) if limit else ())


def rejected_by(account: Account) -> tuple[str, ...]:
    """Return the userids of those by whom a player is not to be challenged."""
    return tuple(each.rejected for each in account.rejections)


def with_rejected(account: Account, userids: Iterable[str]) -> Account:
    """Return an account that rejects these players and no others."""
    return replace(account, rejections=tuple(map(Rejection, dict.fromkeys(userids))))
