"""How often something was done lately, for an address, a userid or a host.

The database holds a hash of what it is counted for, and the time. What no longer counts is
forgotten.
"""

import hashlib
from datetime import datetime, timedelta

from pbm_oust.accounts.address import normal_address
from pbm_oust.frozen import frozen
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.limits import LONGEST, Counted, Limits

_EXACT = 120
"""Up to so many are counted by the second; of more, that many rows at most are kept."""
_COUNT = (
    "INSERT INTO rate_limits (word, subject, at, number) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (word, subject, at) DO UPDATE"
    " SET number = rate_limits.number + excluded.number"
)


@frozen
class Charge:
    """That something is done, some times, for a subject: an address, a userid, a host."""

    counted: Counted
    subject: str
    number: int = 1


def number_counted(snapshot: Snapshot, counted: Counted, subject: str, now: datetime) -> int:
    """Return how often something that counts was done for a subject."""
    ((number,),) = snapshot.rows(
        "SELECT coalesce(sum(number), 0) FROM rate_limits"
        " WHERE word = ? AND subject = ? AND at > ? AND at <= ?",
        *_that_count(counted, subject, now),
    )
    return int(number)


def end_of_limit(
    snapshot: Snapshot, charge: Charge, limits: Limits, now: datetime
) -> datetime | None:
    """Return when a charge is within its limit again, or None if it is now.

    A charge that is over the limit by itself is within it when nothing else counts.
    """
    most = limits.most(charge.counted)
    if not most:
        return now + charge.counted.value.within
    done = number_counted(snapshot, charge.counted, charge.subject, now)
    over = done + charge.number - max(most, charge.number)
    if over <= 0:
        return None
    for at, number in _counts(snapshot, charge.counted, charge.subject, now):
        over -= number
        if over <= 0:
            return moment_of(at) + charge.counted.value.within
    raise AssertionError("a charge is within its limit when nothing else counts")


def count(transaction: Transaction, charge: Charge, now: datetime) -> None:
    """Record that something was done."""
    transaction.send(_COUNT, *_counted(charge, now))


def forget_old_counts(transaction: Transaction, now: datetime) -> int:
    """Forget what no longer counts; return how much."""
    return transaction.run("DELETE FROM rate_limits WHERE at <= ?", seconds(now - LONGEST))


def _counts(
    snapshot: Snapshot, counted: Counted, subject: str, now: datetime
) -> list[tuple[int, int]]:
    """Return in which second something was done that still counts, and how often, oldest first."""
    return snapshot.rows(
        "SELECT at, number FROM rate_limits WHERE word = ? AND subject = ? AND at > ? AND at <= ?"
        " ORDER BY at",
        *_that_count(counted, subject, now),
    )


def _that_count(counted: Counted, subject: str, now: datetime) -> tuple[str, str, int, int]:
    """Return the word and the subject of rows that count, and between which seconds they do.

    What lies further ahead than a limit lasts was counted while a clock was ahead.
    """
    limit = counted.value
    lately = seconds(now - limit.within), seconds(now + limit.within)
    return limit.word, _hash_of(subject), *lately


def _counted(charge: Charge, now: datetime) -> tuple[str, str, int, int]:
    """Return the row of something that is done."""
    step = _step(charge.counted)
    second = seconds(now) // step * step
    return charge.counted.value.word, _hash_of(charge.subject), second, charge.number


def _step(counted: Counted) -> int:
    """Return how many seconds are counted together."""
    limit = counted.value
    return 1 if limit.most <= _EXACT else limit.within // timedelta(seconds=_EXACT)


def _hash_of(subject: str) -> str:
    """Return the hash of a subject: the same for an address however it is written.

    A subject that is several things has a NUL between them.
    """
    parts = (normal_address(part) if "@" in part else part for part in subject.split("\0"))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
