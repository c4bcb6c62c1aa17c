"""When a player wrote to everybody. Pure."""

from datetime import datetime

from pbm_oust.accounts.account import Account, BroadcastAt
from pbm_oust.accounts.vacations import DAY
from pbm_oust.frozen import replace

MOST_A_DAY = 3
"""How often a player may write to everybody within a day."""


def with_broadcast(account: Account, at: datetime) -> Account | None:
    """Return an account that writes to everybody at a time; None where that is too often.

    Times that lie far ahead are those of a wrong clock.
    """
    latest = [each for each in account.broadcasts if abs(each.at - at) < DAY]
    if len(latest) >= MOST_A_DAY:
        return None
    return replace(account, broadcasts=(*latest, BroadcastAt(at)))
