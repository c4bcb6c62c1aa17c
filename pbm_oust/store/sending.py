"""Sending letters to the relay: what is due, leaving, put off, held back or failed.

Letters to one address leave in the order in which they were added: if one is put off, so are those
after it.
"""

from collections.abc import Iterable
from datetime import datetime

from pbm_oust.store.columns import seconds
from pbm_oust.store.connections import Snapshot, Transaction
from pbm_oust.store.letters import SELECT, Letter, State, letter_of


def due_letters(snapshot: Snapshot, now: datetime, most: int) -> list[Letter]:
    """Return letters to hand to the relay, those to one address in their order."""
    rows = snapshot.rows(
        f"{SELECT} WHERE state = 'waiting' AND next_try <= ? ORDER BY next_try, id LIMIT ?",
        seconds(now),
        most,
    )
    return [letter_of(row) for row in rows]


def latest_letter(snapshot: Snapshot) -> int:
    """Return the number of the letter that was added last, 0 if there is none."""
    ((latest,),) = snapshot.rows("SELECT ifnull(max(id), 0) FROM letters")
    return int(latest)


def number_waiting(snapshot: Snapshot, until: int) -> int:
    """Return how many letters wait for the relay, without those added after a letter."""
    ((number,),) = snapshot.rows(
        "SELECT count(*) FROM letters WHERE state = 'waiting' AND id <= ?", until
    )
    return int(number)


def begin_sending(transaction: Transaction, letters: Iterable[int]) -> list[int]:
    """Mark letters as leaving, and return those that still wait.

    From now on nobody may take them back, as the relay may have them.
    """
    mark = "UPDATE letters SET is_leaving = 1 WHERE id = ? AND state = 'waiting'"
    return [letter for letter in letters if transaction.run(mark, letter)]


def stop_sending(transaction: Transaction, letters: Iterable[int]) -> None:
    """Mark letters as waiting again, which were not handed to the relay after all."""
    for letter in letters:
        transaction.run("UPDATE letters SET is_leaving = 0 WHERE id = ?", letter)


def put_off(
    transaction: Transaction, letter: int, now: datetime, until: datetime, reason: str
) -> None:
    """Put off a letter that the relay does not take now, and all others to its address."""
    row = transaction.row(
        "UPDATE letters SET failures = failures + 1, reason = ? WHERE id = ? RETURNING normal",
        reason,
        letter,
    )
    if row:
        transaction.run(
            "UPDATE letters SET next_try = max(next_try, ?), is_leaving = 0,"
            " put_off_since = ifnull(put_off_since, ?) WHERE normal = ? AND state = 'waiting'",
            seconds(until),
            seconds(now),
            row[0],
        )


def fail_letter(transaction: Transaction, letter: int, reason: str) -> None:
    """Mark a letter as failed."""
    transaction.run(
        "UPDATE letters SET state = 'failed', is_leaving = 0, reason = ? WHERE id = ?",
        reason,
        letter,
    )


def retry_letter(transaction: Transaction, letter: int, now: datetime) -> bool:
    """Let a letter that failed wait for the relay again; return whether it had failed."""
    changed = transaction.run(
        "UPDATE letters SET state = 'waiting', next_try = ?, failures = 0, put_off_since = NULL"
        " WHERE id = ? AND state = 'failed'",
        seconds(now),
        letter,
    )
    return changed > 0


def hold_letters(transaction: Transaction) -> int:
    """Hold back all letters that would leave, and return their number. They have no files then."""
    return transaction.run(
        "UPDATE letters SET state = 'held', file = NULL, is_leaving = 0"
        " WHERE state IN ('waiting', 'file')"
    )


def release_held(transaction: Transaction, state: State, now: datetime) -> int:
    """Give all letters that are held back another state, and return their number."""
    return transaction.run(
        "UPDATE letters SET state = ?, next_try = ?, failures = 0, put_off_since = NULL"
        " WHERE state = 'held'",
        state.value,
        seconds(now),
    )
