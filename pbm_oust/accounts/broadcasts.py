"""When a player wrote to everybody. Pure."""

from datetime import datetime, timedelta

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept
from pbm_oust.board.notation import format_time

MOST_A_DAY = 3
"""How often a player may write to everybody within a day."""
_DAY = timedelta(days=1)

BROADCASTS: Kept[tuple[datetime, ...]] = Kept(
    name="broadcasts",
    key="Broadcast",
    columns=(Column("at", Holds.TIME),),
    empty=(),
    to_rows=lambda times: [(at,) for at in times],
    of_rows=lambda rows: tuple(at for (at,) in rows),
    to_lines=lambda times: map(format_time, times),
)


def broadcasts_of(account: Account) -> tuple[datetime, ...]:
    """Return when a player wrote to everybody, as far as it is kept."""
    return BROADCASTS.of(account)


def with_broadcast(account: Account, at: datetime) -> Account | None:
    """Return an account that writes to everybody at a time; None where that is too often.

    Times that lie far ahead are those of a wrong clock.
    """
    latest = [each for each in broadcasts_of(account) if abs(each - at) < _DAY]
    if len(latest) >= MOST_A_DAY:
        return None
    return BROADCASTS.put(account, (*latest, at))
