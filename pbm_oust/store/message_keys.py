"""Message keys: the commands that came before, with their outcomes and their records.

A key is written within the transaction of its command, so that the command is done once however
often its mail comes. It is kept for 30 days, which is longer than mail servers try.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct

from pbm_oust.accounts.asks import mail_id
from pbm_oust.board import Game
from pbm_oust.store.database import Snapshot, Transaction, moment_of, seconds, words_list

MEMORY = timedelta(days=30)


class KeyOutcome(Enum):
    """The outcome of a command."""

    DONE = "done"
    REFUSED = "refused"
    """Refused, and so refused again when the mail comes again."""


def outcome_of(snapshot: Snapshot, key: str) -> KeyOutcome | None:
    """Return the outcome of a command, or None."""
    row = snapshot.row("SELECT outcome FROM message_keys WHERE message_key = ?", key)
    return KeyOutcome(row[0]) if row else None


def note_key(transaction: Transaction, key: str, outcome: KeyOutcome, at: datetime) -> bool:
    """Record the outcome of a command; return False if there was one before, which stays."""
    note = (
        "INSERT INTO message_keys (message_key, outcome, at) VALUES (?, ?, ?)"
        " ON CONFLICT DO NOTHING"
    )
    return bool(transaction.run(note, key, outcome.value, seconds(at)))


_UPGRADED = "upgraded"
"""The message key that marks keys of an earlier version; no mail has one like it."""


def note_upgrade(transaction: Transaction, keys: Iterable[str], at: datetime) -> None:
    """Record that an earlier version has carried out commands, those with these keys among them."""
    for key in {_UPGRADED, *keys}:
        note_key(transaction, key, KeyOutcome.DONE, at)


def was_upgraded(snapshot: Snapshot) -> bool:
    """Return whether there may be keys of an earlier version."""
    return outcome_of(snapshot, _UPGRADED) is not None


class Occasion(Enum):
    """What all processes of a home know the latest time of: message keys that no mail has."""

    BACKUP = "backed up"
    OUTAGE = "letters stay"
    """It began, and is not over."""
    OUTAGE_TOLD = "letters stay, as the log was told"


def note_occasion(transaction: Transaction, occasion: Occasion, at: datetime | None) -> None:
    """Record when something was the last time, or with None that it is over."""
    transaction.run("DELETE FROM message_keys WHERE message_key = ?", occasion.value)
    if at:
        note_key(transaction, occasion.value, KeyOutcome.DONE, at)


def time_of(snapshot: Snapshot, occasion: Occasion) -> datetime | None:
    """Return when something was the last time; None if that is longer ago than keys are kept."""
    row = snapshot.row("SELECT at FROM message_keys WHERE message_key = ?", occasion.value)
    return moment_of(row[0]) if row else None


def former_key(snapshot: Snapshot, keys: Iterable[str]) -> str | None:
    """Return the key of a command among keys of earlier versions, or None."""
    row = snapshot.row(
        "SELECT message_key FROM message_keys"
        " WHERE message_key IN (SELECT value FROM json_each(?)) LIMIT 1",
        words_list(keys),
    )
    return row[0] if row else None


_NAMELESS = "#"
"""Stands before the short id of a mail that has no Message-ID, in the place of that."""
LIFETIME = timedelta(days=365)
"""The time for which a cause is kept; imports stay known."""


class Incoming(Struct, frozen=True):
    """The mail behind some records."""

    userid: str
    """The player who sent it."""
    came: datetime
    sender: str
    """The sender's address."""
    message_id: str
    """The Message-ID; empty if there is none."""
    mail_id: str
    """The short id, which the log has too."""


class Cause(Struct, frozen=True):
    """The cause of some records: a mail, or an import."""

    record: int
    """The number of the first record. Further ones followed at once, from queues."""
    until: int
    """The number of the last record."""
    came: datetime
    """The time of the mail or the import."""
    mail: Incoming | None
    """The mail; None for an import."""


def keep_cause(
    transaction: Transaction, game: Game, first: int, at: datetime, mail: Incoming | None
) -> None:
    """Record the mail behind a game's records from the first one on, if its player is known.

    Without a mail, they were imported. They are written with the same transaction.
    """
    header, key = game.header, game.records[first - 1].message_key
    named = mail and (mail.message_id or f"{_NAMELESS}{mail.mail_id}")
    written = (mail.sender, named, mail.userid) if mail else ("", "", None)
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
    """Return the cause of a record, or None if it is not kept."""
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
    if userid is None:
        return Cause(first, until, at, None)
    known = "" if message_id.startswith(_NAMELESS) else message_id
    short = mail_id(known) if known else message_id.removeprefix(_NAMELESS)
    return Cause(first, until, at, Incoming(userid, at, sender, known, short))


def give_causes(transaction: Transaction, userid: str, to: str) -> None:
    """Give the mails of a player to another one, who takes over their boards."""
    transaction.run("UPDATE causes SET userid = ? WHERE userid = ?", to, userid)
