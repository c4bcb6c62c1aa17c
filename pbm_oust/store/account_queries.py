"""Finding accounts: by address, by what they watch or want, and by what is due.

Each query is served by an index. All functions may raise DatabaseFault.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.address import normal_address, unicode_address
from pbm_oust.accounts.seeks import SEEKS, SOURCE, Seek
from pbm_oust.accounts.vacations import DAY
from pbm_oust.board.game import AHEAD
from pbm_oust.store.account_tables import value_of
from pbm_oust.store.accounts import ACCOUNTS
from pbm_oust.store.board_queries import highest_source
from pbm_oust.store.columns import seconds, words_list
from pbm_oust.store.connections import Snapshot
from pbm_oust.store.faults import AccountDamaged

Reading = Callable[[Snapshot, Iterable[str]], Iterator[Account]]
"""Reads the accounts of some userids."""

HAS_ACCOUNT = "SELECT 1 FROM accounts WHERE userid = ?"
WITH_ACCOUNTS = "SELECT userid FROM accounts WHERE userid IN (SELECT value FROM json_each(?))"
AT_ADDRESS = "SELECT DISTINCT userid FROM addresses WHERE normal IN (?, ?) ORDER BY userid"
WATCHERS = "SELECT userid FROM watched WHERE kind = ? AND board = ?"
WANTING_BROADCASTS = """
SELECT userid FROM accounts WHERE userid > ?
AND NOT EXISTS (SELECT 1 FROM disabled WHERE userid = accounts.userid)
AND NOT EXISTS (SELECT 1 FROM signed_off WHERE userid = accounts.userid)
AND NOT EXISTS (
    SELECT 1 FROM settings
    WHERE userid = accounts.userid AND name = 'broadcasts' AND value = 'off'
)
ORDER BY userid LIMIT ?
"""
DIGEST_DUE = """
SELECT userid FROM accounts WHERE digest_due <= ? OR digest_due > ? ORDER BY digest_due
"""
OPEN_SEEKS = """
SELECT userid, kind, number, at, side, grid, terms FROM seeks WHERE kind = ? AND at > ?
AND NOT EXISTS (SELECT 1 FROM disabled WHERE userid = seeks.userid)
AND NOT EXISTS (SELECT 1 FROM signed_off WHERE userid = seeks.userid)
ORDER BY number
"""
SEEKER = "SELECT userid FROM seeks WHERE kind = ? AND number = ?"
HIGHEST_SEEK = "SELECT highest FROM seek_numbers WHERE kind = ?"

PAGE = 500
"""How many accounts are read at a time."""


def has_account(snapshot: Snapshot, userid: str) -> bool:
    """Return whether there is an account of this userid."""
    return snapshot.row(HAS_ACCOUNT, userid) is not None


def those_with_accounts(snapshot: Snapshot, userids: Iterable[str]) -> frozenset[str]:
    """Return those userids that have accounts."""
    return frozenset(_firsts(snapshot, WITH_ACCOUNTS, words_list(userids)))


def all_userids(snapshot: Snapshot) -> list[str]:
    """Return the userids of all accounts, in order."""
    return _firsts(snapshot, "SELECT userid FROM accounts ORDER BY userid")


def userids_at(snapshot: Snapshot, address: str) -> list[str]:
    """Return the userids of the accounts that have an address, however it is written."""
    normal = normal_address(address)
    # Earlier versions stored domains beyond ASCII as they were written.
    return _firsts(snapshot, AT_ADDRESS, normal, unicode_address(normal))


def is_known(snapshot: Snapshot, address: str) -> bool:
    """Return whether some account has an address, however it is written."""
    return bool(userids_at(snapshot, address))


def watchers(snapshot: Snapshot, kind: str, board: int) -> list[Account]:
    """Return the accounts of those who watch a board; damaged ones are left out."""
    return list(_readable(snapshot, sorted(_firsts(snapshot, WATCHERS, kind, board))))


def wanting_broadcasts(snapshot: Snapshot) -> Iterator[Account]:
    """Yield the accounts of those who want broadcasts.

    Players who have signed off and accounts that are disabled or damaged are left out.
    """
    return _accounts(snapshot, WANTING_BROADCASTS, _readable)


def accounts_wanting_broadcasts(snapshot: Snapshot) -> list[Account]:
    """Return the accounts of those who want broadcasts."""
    return list(wanting_broadcasts(snapshot))


def with_digest_due(snapshot: Snapshot, now: datetime) -> list[str]:
    """Return the userids of those whose digest is due, oldest first.

    Those come last who are to wait for days: they are away, or a clock was ahead.
    """
    return _firsts(snapshot, DIGEST_DUE, seconds(now), seconds(now + AHEAD + 2 * DAY))


def open_seeks(snapshot: Snapshot, kind: str, since: datetime) -> list[tuple[Seek, str]]:
    """Return the open challenges of a game that are newer than `since`, with the seekers' userids.

    Those of players who have signed off or whose accounts are disabled are left out, and those that
    cannot be read.
    """
    found = []
    for userid, *row in snapshot.rows(OPEN_SEEKS, kind, seconds(since)):
        with suppress(AccountDamaged):
            (seek,) = value_of(SEEKS, userid, [row])
            found.append((seek, userid))
    return found


def seeker(snapshot: Snapshot, kind: str, number: int) -> Account | None:
    """Return the account that made the open challenge with this number, or None."""
    found = snapshot.row(SEEKER, kind, number)
    return ACCOUNTS.read(snapshot, found[0]) if found else None


def next_seek_number(snapshot: Snapshot, kind: str) -> int:
    """Return the number for the next open challenge of a game; numbers are never used twice."""
    found = snapshot.row(HIGHEST_SEEK, kind)
    return 1 + max(found[0] if found else 0, highest_source(snapshot, kind, SOURCE))


def _firsts(snapshot: Snapshot, statement: str, *values: int | str) -> list[str]:
    """Return the first column of all rows."""
    return [str(first) for first, *_ in snapshot.rows(statement, *values)]


def _accounts(snapshot: Snapshot, statement: str, read: Reading) -> Iterator[Account]:
    """Yield the accounts that a statement gives page by page; each is read when needed."""
    userids = _firsts(snapshot, statement, "", PAGE)
    while userids:
        yield from read(snapshot, userids)
        userids = _firsts(snapshot, statement, userids[-1], PAGE)


def _read(snapshot: Snapshot, userids: Iterable[str]) -> Iterator[Account]:
    for userid in userids:
        if account := ACCOUNTS.read(snapshot, userid):
            yield account


def _readable(snapshot: Snapshot, userids: Iterable[str]) -> Iterator[Account]:
    """Yield accounts as `_read` does, but leave out damaged ones."""
    for userid in userids:
        with suppress(AccountDamaged):
            yield from _read(snapshot, [userid])
