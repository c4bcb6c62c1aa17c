"""Sending letters to the relay: what is due, leaving, put off, held back or failed.

Letters to one address leave in the order in which they were added: if one is put off, so are those
after it.
"""

from collections.abc import Iterable
from datetime import datetime

from pbm_oust.store.columns import moment_of, seconds, words_list
from pbm_oust.store.database import Snapshot, Transaction
from pbm_oust.store.letters import SELECT, Letter, State, letter_of


def task_of(address: str) -> str:
    """Return the task of handing over the letters to an address in its normal form."""
    return f"letters to {address}"


def addresses_waiting(snapshot: Snapshot) -> list[str]:
    """Return the addresses, in their normal forms, of the letters that wait for the relay."""
    rows = snapshot.rows("SELECT normal FROM letters WHERE state = 'waiting'")
    return sorted({normal for (normal,) in rows})


def due_letters(
    snapshot: Snapshot, now: datetime, most: int, without: Iterable[str] = ()
) -> list[Letter]:
    """Return letters to hand to the relay, those to one address in their order.

    Those to the addresses `without`, in their normal forms, are left out.
    """
    rows = snapshot.rows(
        f"{SELECT} WHERE state = 'waiting' AND next_try <= ? AND normal NOT IN"  # noqa: S608 - the names are ours # nosec B608
        " (SELECT value FROM json_each(?)) ORDER BY next_try, id LIMIT ?",
        seconds(now),
        words_list(without),
        most,
    )
    return [letter_of(row) for row in rows]


def has_waiting(snapshot: Snapshot) -> bool:
    """Return whether a letter waits for the relay."""
    return snapshot.row("SELECT 1 FROM letters WHERE state = 'waiting' LIMIT 1") is not None


def first_due(snapshot: Snapshot) -> datetime | None:
    """Return since when a letter is due, or when the first one will be; None if none waits."""
    ((first,),) = snapshot.rows("SELECT min(next_try) FROM letters WHERE state = 'waiting'")
    return None if first is None else moment_of(first)


def wait_beyond(snapshot: Snapshot, longest: datetime) -> bool:
    """Return whether a letter waits for a later moment than any letter is put off to.

    It was written or put off while a clock was ahead.
    """
    search = "SELECT 1 FROM letters WHERE state = 'waiting' AND next_try > ? LIMIT 1"
    return snapshot.row(search, seconds(longest)) is not None


def wait_no_more(transaction: Transaction, now: datetime, longest: datetime) -> None:
    """Let letters leave now that wait for a later moment than `longest`."""
    transaction.run(
        "UPDATE letters SET next_try = ?1,"
        " put_off_since = CASE WHEN put_off_since > ?1 THEN ?1 ELSE put_off_since END"
        " WHERE state = 'waiting' AND next_try > ?2",
        seconds(now),
        seconds(longest),
    )


def begin_sending(transaction: Transaction, letters: Iterable[int], now: datetime) -> list[int]:
    """Mark letters as leaving, and return those that are still due.

    From now on nobody may take them back, as the relay may have them.
    """
    mark = "UPDATE letters SET is_leaving = 1 WHERE id = ? AND state = 'waiting' AND next_try <= ?"
    marked = {letter: transaction.send(mark, letter, seconds(now)) for letter in letters}
    transaction.wait()
    return [letter for letter, answer in marked.items() if answer.changed]


def stop_sending(transaction: Transaction, letters: Iterable[int]) -> None:
    """Mark letters as waiting again, which were not handed to the relay after all."""
    for letter in letters:
        transaction.send("UPDATE letters SET is_leaving = 0 WHERE id = ?", letter)


def put_off(
    transaction: Transaction, letter: int, now: datetime, until: datetime, reason: str
) -> int:
    """Put off a letter that the relay does not take now, and all others to its address.

    Returns how many these are.
    """
    row = transaction.row(
        "UPDATE letters SET failures = failures + 1, reason = ? WHERE id = ? RETURNING normal",
        reason,
        letter,
    )
    if row is None:
        return 0
    return transaction.run(
        "UPDATE letters SET next_try = CASE WHEN next_try > ?1 THEN next_try ELSE ?1 END,"
        " is_leaving = 0, put_off_since = coalesce(put_off_since, ?2)"
        " WHERE normal = ?3 AND state = 'waiting'",
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


def turn_into_files(transaction: Transaction, addresses: Iterable[str]) -> None:
    """Let the letters that wait for a relay and go to some addresses go into the Maildir."""
    transaction.send(
        "UPDATE letters SET state = 'file', is_leaving = 0, failures = 0, put_off_since = NULL"
        " WHERE state = 'waiting' AND normal IN (SELECT value FROM json_each(?))",
        words_list(addresses),
    )


def hold_letters(transaction: Transaction) -> int:
    """Hold back all letters that would leave, and return their number. They have no files then."""
    return transaction.run(
        "UPDATE letters SET state = 'held', file = NULL, is_leaving = 0"
        " WHERE state IN ('waiting', 'file')"
    )


def hold_waiting(transaction: Transaction) -> int:
    """Hold back all letters that wait, and return their number.

    A relay that runs may still hand over those that it has marked as leaving.
    """
    return transaction.run(
        "UPDATE letters SET state = 'held', is_leaving = 0 WHERE state = 'waiting'"
    )


def release_held(transaction: Transaction, state: State, now: datetime) -> int:
    """Give all letters that are held back another state, and return their number."""
    return transaction.run(
        "UPDATE letters SET state = ?, next_try = ?, failures = 0, put_off_since = NULL"
        " WHERE state = 'held'",
        state.value,
        seconds(now),
    )
