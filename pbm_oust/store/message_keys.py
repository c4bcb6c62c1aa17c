"""Message keys: which commands have come before, and what became of them.

A key is written within the transaction of its command, so that the command is done once however
often its mail comes. It is kept for 30 days, which is longer than mail servers try.
"""

from datetime import datetime, timedelta
from enum import Enum

from dataclasses import dataclass
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.faults import Stale

MEMORY = timedelta(days=30)


_NOTE = (
    "INSERT INTO message_keys (message_key, outcome, at, progress) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (message_key) DO UPDATE"
    " SET outcome = excluded.outcome, at = excluded.at, progress = excluded.progress"
    " WHERE message_keys.outcome = 'begun' RETURNING 1"
)
"""The statement that records what becomes of a command, and gives a row if it does."""


class KeyOutcome(Enum):
    """What became of a command."""

    BEGUN = "begun"
    """A part of it was done; its progress says which."""
    DONE = "done"
    REFUSED = "refused"
    """Its writer was told that nothing was done, so it stays refused when it comes again."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a message key."""

    outcome: KeyOutcome
    at: datetime
    progress: str
    """What a command that was interrupted needs to go on, as the command wrote it."""


def find_key(snapshot: Snapshot, key: str) -> Known | None:
    """Return what is known of a message key, or None."""
    row = snapshot.row("SELECT outcome, at, progress FROM message_keys WHERE message_key = ?", key)
    return Known(KeyOutcome(row[0]), moment_of(row[1]), row[2]) if row else None


def note_key(
    transaction: Transaction, key: str, outcome: KeyOutcome, at: datetime, progress: str = ""
) -> bool:
    """Record what becomes of a command; return False if that was settled before.

    A command that has begun may go on or be done. One that is done or refused stays so, and
    nothing is written.
    """
    return bool(transaction.rows(_NOTE, key, outcome.value, seconds(at), progress))


def outcome_of(snapshot: Snapshot, key: str) -> KeyOutcome | None:
    """Return what became of a command, or None."""
    known = find_key(snapshot, key)
    return known.outcome if known else None


def settle_key(transaction: Transaction, key: str, outcome: KeyOutcome, at: datetime) -> None:
    """Record what became of a command. The work raises Stale if that was settled before."""
    settled = Stale(f"the message key {key}")
    transaction.require(settled, _NOTE, key, outcome.value, seconds(at), "")


def forget_old_keys(transaction: Transaction, now: datetime) -> int:
    """Forget the keys that nobody will ask for any more; return their number."""
    return transaction.run("DELETE FROM message_keys WHERE at < ?", seconds(now - MEMORY))
