"""Message keys: which commands have come before, what became of them, and which records they made.

A key is written within the transaction of its command, so that the command is done once however
often its mail comes. It is kept for 30 days, which is longer than mail servers try.
"""

from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct

from pbm_oust.board import Game
from pbm_oust.store.database import Snapshot, Transaction, moment_of, seconds
from pbm_oust.store.faults import Stale

MEMORY = timedelta(days=30)


class KeyOutcome(Enum):
    """What became of a command."""

    DONE = "done"
    REFUSED = "refused"
    """Its writer was told that nothing was done, so it stays refused when it comes again."""


def outcome_of(snapshot: Snapshot, key: str) -> KeyOutcome | None:
    """Return what became of a command, or None."""
    row = snapshot.row("SELECT outcome FROM message_keys WHERE message_key = ?", key)
    return KeyOutcome(row[0]) if row else None


def note_key(transaction: Transaction, key: str, outcome: KeyOutcome, at: datetime) -> bool:
    """Record what became of a command; return False if that was settled before, and stays so."""
    note = (
        "INSERT INTO message_keys (message_key, outcome, at) VALUES (?, ?, ?)"
        " ON CONFLICT DO NOTHING"
    )
    return bool(transaction.run(note, key, outcome.value, seconds(at)))


def settle_key(transaction: Transaction, key: str, outcome: KeyOutcome, at: datetime) -> None:
    """Record what became of a command. The work raises Stale if that was settled before."""
    if not note_key(transaction, key, outcome, at):
        raise Stale(f"the message key {key}")


LIFETIME = timedelta(days=365)
"""How long a cause is kept; imports stay known."""


class Incoming(Struct, frozen=True):
    """A mail that leads to records."""

    userid: str
    """The player whose mail it is."""
    came: datetime
    sender: str
    """The address that it came from."""
    message_id: str
    """Its Message-ID; empty if it has none."""


class Cause(Struct, frozen=True):
    """The mail that led to some records, or that these were imported."""

    record: int
    """The number of the first one. Those after it followed at once, from queues."""
    until: int
    """The number of the last one."""
    came: datetime
    """When the mail came, or the records were imported."""
    mail: Incoming | None
    """None if the records were imported."""


def keep_cause(
    transaction: Transaction, game: Game, first: int, at: datetime, mail: Incoming | None
) -> None:
    """Keep which mail led to the records of a game from the first one on, if its player is known.

    Without a mail, they were imported. They are written with the same transaction.
    """
    header, key = game.header, game.records[first - 1].message_key
    written = (mail.sender, mail.message_id, mail.userid) if mail else ("", "", None)
    transaction.run(
        "INSERT INTO causes"
        " (kind, board, record, until, message_key, came, sender, message_id, userid)"
        " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?"
        " WHERE ? OR EXISTS (SELECT 1 FROM accounts WHERE userid = ?)"
        " ON CONFLICT (kind, board, record) DO UPDATE SET until = excluded.until,"
        " message_key = excluded.message_key, came = excluded.came, userid = excluded.userid,"
        " sender = excluded.sender, message_id = excluded.message_id",
        *(header.kind.name, header.board, first, len(game.records), key),
        *(seconds(at), *written, mail is None, written[-1]),
    )


def find_cause(snapshot: Snapshot, game: Game, record: int) -> Cause | None:
    """Return what led to a record of a game, or None if that is not kept."""
    row = snapshot.row(
        "SELECT record, until, message_key, came, userid, sender, message_id FROM causes"
        " WHERE kind = ? AND board = ? AND record <= ? ORDER BY record DESC LIMIT 1",
        game.header.kind.name,
        game.header.board,
        record,
    )
    if row is None:
        return None
    first, until, key, came, userid, sender, message_id = row
    if record > until or game.records[first - 1].message_key != key:
        return None
    at = moment_of(came)
    mail = None if userid is None else Incoming(userid, at, sender, message_id)
    return Cause(first, until, at, mail)


def give_causes(transaction: Transaction, userid: str, to: str) -> None:
    """Give the mails of a player to another one, who takes over their boards."""
    transaction.run("UPDATE causes SET userid = ? WHERE userid = ?", to, userid)
