"""Bounces: which letters came back from an address since its owner last wrote.

Addresses are the same if `normal_address` says so.
"""

from collections.abc import Iterable
from itertools import groupby

from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.bounces import MOST_DAYS, Bounce, Returned, is_hard
from pbm_oust.store.columns import moment_of, seconds
from pbm_oust.store.database import Row, Snapshot, Transaction

MOST_KEPT = 10
"""How many bounces are kept for an address, the latest ones, besides one of a few days before."""
_DAY = 24 * 3600


def bounces_of(snapshot: Snapshot, address: str) -> Returned:
    """Return the bounces of an address."""
    rows = snapshot.rows(
        "SELECT id, address, at, status, letter, subject FROM bounces WHERE normal = ?",
        normal_address(address),
    )
    # Where there is hardly ever a row, SQLite takes long to prepare for sorting them.
    return _returned([row[1:] for row in sorted(rows)]) if rows else Returned(address, ())


def note_bounce(transaction: Transaction, address: str, bounce: Bounce) -> Returned:
    """Record a bounce, unless it is known, and return all bounces of the address."""
    normal = normal_address(address)
    transaction.run(
        "INSERT INTO bounces (normal, address, at, status, letter, subject)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (normal, letter) DO NOTHING",
        normal,
        address,
        seconds(bounce.at),
        bounce.status,
        bounce.letter,
        bounce.subject,
    )
    rows = transaction.rows("SELECT id, at, status FROM bounces WHERE normal = ?", normal)
    # Of the days before the latest bounces, the ones count on which the mailbox refused letters.
    older = sorted(rows, reverse=True)[MOST_KEPT:]
    days = {at // _DAY: id_ for id_, at, status in older if is_hard(status)}
    kept = sorted(days.values(), reverse=True)[:MOST_DAYS]
    for id_ in (row[0] for row in older if row[0] not in kept):
        transaction.run("DELETE FROM bounces WHERE id = ?", id_)
    return bounces_of(transaction, address)


def forget_bounces(transaction: Transaction, address: str) -> bool:
    """Forget the bounces of an address; return whether there were any."""
    return transaction.run("DELETE FROM bounces WHERE normal = ?", normal_address(address)) > 0


def all_bounces(snapshot: Snapshot) -> list[Returned]:
    """Return the bounces of every address that has any."""
    rows = snapshot.rows(
        "SELECT address, at, status, letter, subject, normal FROM bounces ORDER BY normal, id"
    )
    return [_returned(group) for _, group in groupby(rows, key=lambda row: row[5])]


def _returned(rows: Iterable[Row]) -> Returned:
    found = list(rows)
    bounces = (Bounce(moment_of(at), *words) for _, at, *words in (row[:5] for row in found))
    return Returned(found[0][0], tuple(bounces))
