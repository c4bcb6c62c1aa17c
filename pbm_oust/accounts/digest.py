"""When a player's daily mail is due, kept in his account as `Digest: LOOKED SENT`. Pure.

LOOKED is when the server last looked whether boards wait for the player, and SENT when it last
mailed him about them.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from pbm_oust.accounts.account import Account, BadAccount
from pbm_oust.board.notation import format_time, parse_time

KEY = "Digest"
HOUR = 7
"""The hour of the day, in the player's time zone."""


@dataclass(frozen=True, slots=True)
class Digested:
    """When a player's boards were last looked at, and when he was last mailed about them."""

    looked: datetime
    sent: datetime


def digested(account: Account) -> Digested:
    """Return what an account says; for a player without a digest so far, that he joined.

    Raises BadAccount.
    """
    lines = account.values(KEY)
    if not lines:
        return Digested(account.joined, account.joined)
    looked, _, sent = lines[-1].partition(" ")
    try:
        return Digested(parse_time(looked), parse_time(sent))
    except ValueError as error:
        raise BadAccount(f"the digest: {error}") from None


def with_digested(account: Account, last: Digested) -> Account:
    """Return an account that says so."""
    return account.with_values(KEY, [f"{format_time(last.looked)} {format_time(last.sent)}"])


def latest_slot(now: datetime, zone: tzinfo) -> datetime:
    """Return the latest moment up to `now` at which digests go out in a time zone, in UTC."""
    day = now.astimezone(zone).date()
    slots = (
        datetime.combine(day - timedelta(days=back), time(HOUR), zone).astimezone(now.tzinfo)
        for back in range(2)
    )
    return next(slot for slot in slots if slot <= now)
