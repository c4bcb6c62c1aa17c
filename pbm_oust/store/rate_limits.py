"""Rate limits: how often something was done lately, for an address or a userid.

The database holds a hash of the address or the userid, and the time. What no longer counts is
forgotten.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from pbm_oust.accounts.address import normal_address
from pbm_oust.store.columns import seconds
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.faults import Stale


@dataclass(frozen=True, slots=True)
class Limit:
    """How often something may be done within some time."""

    word: str
    most: int
    within: timedelta


class Counted(Enum):
    """What is counted, and how often it may happen."""

    CODES = Limit("codes", 3, timedelta(days=1))
    """Mails with a verification code to one address, whoever asked for them."""
    ANSWERS = Limit("answers", 20, timedelta(hours=1))
    """Answers to one address that belongs to no account."""
    WRONG_PASSWORDS_FROM_ELSEWHERE = Limit("wrong passwords elsewhere", 5, timedelta(hours=1))
    """Wrong passwords for one userid from addresses that the account does not have."""
    WRONG_PASSWORDS_FROM_OWN_ADDRESS = Limit("wrong passwords", 20, timedelta(hours=1))
    """Wrong passwords for one userid from addresses of the account."""
    UNREADABLE_ANSWERS = Limit("unreadable answers", 10, timedelta(hours=1))
    """Answers to the letters of one userid that could not be read."""
    UNREADABLE_MAILS = Limit("unreadable mails", 60, timedelta(hours=1))
    """Other mails from one address that could not be read."""
    ANSWERS_TO_PLAYERS = Limit("answers to players", 100, timedelta(hours=1))
    """Answers to one address of an account, to mails that prove nothing."""
    EQUAL_REFUSALS = Limit("equal refusals", 3, timedelta(hours=1))
    """Mails that prove nothing, from one address, with one line, refused for one reason."""
    REFUSED_MAILS = Limit("refused mails", 1, timedelta(hours=1))
    """The same one of these mails."""
    UNCONFIRMED = Limit("unconfirmed challenges refused", 1, timedelta(days=1))
    """Refusals of challenges that nothing proves, because too many wait for one userid."""
    REMARKS = Limit("remarks", 20, timedelta(hours=1))
    """Answers to letters of one userid that were passed on."""


LONGEST = max(counted.value.within for counted in Counted)


def is_limit_reached(
    snapshot: Snapshot, counted: Counted, subject: str, now: datetime, more: int = 0
) -> bool:
    """Return whether an address or a userid has reached its limit.

    `more` is the number of times that are about to be added.
    """
    return number_counted(snapshot, counted, subject, now) + more >= counted.value.most


def number_counted(snapshot: Snapshot, counted: Counted, subject: str, now: datetime) -> int:
    """Return how often something that counts was done for an address or a userid."""
    limit = counted.value
    (found,) = snapshot.rows(
        "SELECT count(*) FROM rate_limits WHERE word = ? AND subject = ? AND at > ?",
        limit.word,
        _hash_of(subject),
        seconds(now - limit.within),
    )
    return int(found[0])


def count_once(transaction: Transaction, counted: Counted, subject: str, now: datetime) -> None:
    """Record that something was done."""
    transaction.run(
        "INSERT INTO rate_limits (word, subject, at) VALUES (?, ?, ?)",
        counted.value.word,
        _hash_of(subject),
        seconds(now),
    )


def count_within_limit(
    transaction: Transaction, counted: Counted, subject: str, now: datetime
) -> None:
    """Record that something was done. Raises Stale if the limit has been reached meanwhile."""
    if is_limit_reached(transaction, counted, subject, now):
        raise Stale(f"the limit of {counted.value.word}")
    count_once(transaction, counted, subject, now)


def forget_old_counts(transaction: Transaction, now: datetime) -> int:
    """Forget what no longer counts; return how much."""
    return transaction.run("DELETE FROM rate_limits WHERE at <= ?", seconds(now - LONGEST))


def _hash_of(subject: str) -> str:
    """Return the hash for a userid, or for an address however it is written.

    What is counted for an address and something else has both, with a NUL between them.
    """
    address, *others = subject.split("\0")
    plain = "\0".join([normal_address(address) if "@" in address else address, *others])
    return hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:16]
