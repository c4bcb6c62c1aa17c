"""When a player wrote to everybody, kept in his account as `Broadcast: TIME`. Pure."""

from datetime import datetime, timedelta

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import format_time, parse_time

KEY = "Broadcast"
MOST_A_DAY = 3
"""How often a player may write to everybody within a day."""
_DAY = timedelta(days=1)


def broadcasts_of(account: Account) -> tuple[datetime, ...]:
    """Return when a player wrote to everybody, as far as it is kept. Raises BadAccount."""
    try:
        return tuple(parse_time(value) for value in account.values(KEY))
    except ValueError as error:
        raise BadAccount(f"broadcast: {error}") from None


def with_broadcast(account: Account, at: datetime) -> Account | None:
    """Return an account that writes to everybody at a time; None where that is too often."""
    latest = [each for each in broadcasts_of(account) if each > at - _DAY]
    if len(latest) >= MOST_A_DAY:
        return None
    return account.with_values(KEY, (format_time(each) for each in (*latest, at)))
