"""When a player's daily mail is due. Pure."""

from datetime import UTC, datetime, time, timedelta, tzinfo

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.kept import Column, Holds, Kept
from pbm_oust.accounts.settings import MailWhen, settings_of
from pbm_oust.accounts.vacations import absences_of, away_at
from pbm_oust.board.notation import format_time
from pbm_oust.frozen import frozen

HOUR = 7
"""The hour of the day, in the player's time zone."""


@frozen
class Digested:
    """When a player's boards were last looked at, and when the player was last mailed of them."""

    looked: datetime
    sent: datetime


DIGEST: Kept[Digested | None] = Kept(
    name="digests",
    key="Digest",
    columns=(Column("looked", Holds.TIME), Column("sent", Holds.TIME)),
    empty=None,
    to_rows=lambda last: [(last.looked, last.sent)] if last else [],
    of_rows=lambda rows: Digested(*rows[-1]),
    to_lines=lambda last: [f"{format_time(last.looked)} {format_time(last.sent)}"] if last else [],
)


def digested(account: Account) -> Digested:
    """Return when the boards were last looked at; for the first digest, when the player joined."""
    return DIGEST.of(account) or Digested(account.joined, account.joined)


def with_digested(account: Account, last: Digested) -> Account:
    """Return an account that says so."""
    return DIGEST.put(account, last)


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
    absences = absences_of(account)
    slot = next_slot(digested(account).looked, settings.zone)
    while away := away_at(absences, slot):
        slot = next_slot(away.end, settings.zone)
    return slot


def _slot(moment: datetime, zone: tzinfo, *, days: int) -> datetime:
    """Return when digests go out some days after the day in which a moment lies."""
    day = moment.astimezone(zone).date() + timedelta(days=days)
    return datetime.combine(day, time(HOUR), zone).astimezone(UTC)
