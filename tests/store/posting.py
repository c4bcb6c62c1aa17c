"""Letters added to an outbox in a line of a test."""

from datetime import datetime
from typing import Any

from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.letters import Draft, Head, Letter, LetterState, add_letters, all_letters


def head(recipient: str = "alice@example.org", **facts: Any) -> Head:
    """Return what is known of a letter."""
    return Head(recipient, facts.pop("message_id", "<1@example.com>"), "help", **facts)


def post(
    database: Database,
    known: Head,
    at: datetime,
    content: bytes = b"To: alice\n\nHello\n",
    state: LetterState = LetterState.WAITING,
) -> int:
    """Add a letter and return its id."""

    def work(transaction: Transaction) -> int:
        add_letters(transaction, [Draft(known, content, at)], state)
        return latest_letter(transaction)

    return database.write(work)


def latest_letter(snapshot: Snapshot) -> int:
    """Return the id of the letter that was added last."""
    ((latest,),) = snapshot.rows("SELECT max(id) FROM letters")
    return int(latest)


def letter(database: Database, number: int) -> Letter:
    """Return a letter that is there."""
    with database.read() as snapshot:
        letters = all_letters(snapshot)
    (found,) = [each for each in letters if each.id == number]
    return found


def ids(database: Database, state: LetterState) -> list[int]:
    """Return the ids of the letters in a state."""
    with database.read() as snapshot:
        return [each.id for each in all_letters(snapshot, state)]
