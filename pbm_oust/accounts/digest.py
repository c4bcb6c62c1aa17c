"""When a player's daily mail is due. Pure."""

from datetime import UTC, datetime, time, timedelta, tzinfo

from pbm_oust.accounts.account import Account, Digested
from pbm_oust.accounts.settings import MailWhen, settings_of
from pbm_oust.accounts.vacations import away_at
from dataclasses import replace

HOUR = 7
"""The hour of the day, in the player's time zone."""


def digested(account: Account) -> Digested:
    """Return when the boards were last looked at; for the first digest, when the player joined."""
    return account.digests[-1] if account.digests else Digested(account.joined, account.joined)


def with_digested(account: Account, last: Digested) -> Account:
    """Return an account that says so."""
    return replace(account, digests=(last,))


def latest_slot(now: datetime, zone: tzinfo) -> datetime:
    """Return the latest moment up to `now` at which digests go out in a time zone, in UTC."""
    slots = (_slot(now, zone, days=-back) for back in range(2))
    return next(slot for slot in slots if slot <= now)


def next_slot(after: datetime, zone: tzinfo) -> datetime:
    """Return the first moment after another at which digests go out in a time zone, in UTC."""
    slots = (_slot(after, zone, days=ahead) for ahead in range(3))
    return next(slot for slot in slots if slot > after)


def next_digest(account: Account) -> datetime | None:
    """Return when a player's boards are to be looked at; None for players without digests."""
    settings = settings_of(account)
    if settings.mail is not MailWhen.DIGEST:
        return None
    slot = next_slot(digested(account).looked, settings.zone)
    while away := away_at(account.vacations, slot):
        slot = next_slot(away.end, settings.zone)
    return slot


def _slot(moment: datetime, zone: tzinfo, *, days: int) -> datetime:
    """Return when digests go out some days after the day in which a moment lies."""
    day = moment.astimezone(zone).date() + timedelta(days=days)
    return datetime.combine(day, time(HOUR), zone).astimezone(UTC)
