"""Accounts in the database: reading, writing and finding them.

    account = find_account(snapshot, "alice")
    database.write(lambda transaction: write_account(transaction, with_note(account, ..)))

An account is one document (`accounts/document.py`) in one row. What accounts are found by stands in
tables beside it, which are written from the document with it, where that says something else:

    addresses      in the form in which they are compared
    watched        the boards that players watch
    seeks          open challenges
    mentions       the userids of others, which change or go
    daily_puzzles  when players are mailed the next puzzle of the day

What cannot be read troubles nobody but its owner: the account says so (`damaged`), seems to keep
nothing of it, and is written without touching it.

All functions may raise DatabaseFault.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import count

from msgspec import structs

from pbm_oust.accounts.account import (
    Account,
    BadAccount,
    house_account,
    is_placeholder,
    is_reserved,
)
from pbm_oust.accounts.address import normal_address
from pbm_oust.accounts.document import format_document, format_json, parse_json, read_document
from pbm_oust.accounts.items import SOURCE, Seek
from pbm_oust.accounts.settings import Switch
from pbm_oust.accounts.vacations import DAY
from pbm_oust.board.game import AHEAD
from pbm_oust.board.notation import USERID
from pbm_oust.store.database import Row, Snapshot, Transaction, moment_of, seconds, words_list
from pbm_oust.store.faults import AccountDamaged, ValueDamaged
from pbm_oust.store.index import highest_source
from pbm_oust.store.tournaments import note_absence

_DOCUMENTS = "SELECT userid, changed, document FROM accounts WHERE userid"
"""The beginning of a query with rows for `account_of`."""
_AT = "(SELECT userid FROM addresses WHERE normal = ?)"
_MENTIONING = "(SELECT userid FROM mentions WHERE mentioned = ?)"
_WATCHING = "(SELECT userid FROM watched WHERE kind = ? AND board = ?)"
_SEEKING = "(SELECT userid FROM seeks WHERE kind = ? AND at > ?)"
_SOME = "(SELECT value FROM json_each(?))"
_SEEKER = "(SELECT userid FROM seeks WHERE kind = ? AND number = ?)"
_NOTE_NUMBER = (
    "INSERT INTO seek_numbers (kind, highest) VALUES (?, ?) ON CONFLICT (kind)"
    " DO UPDATE SET highest = excluded.highest WHERE seek_numbers.highest < excluded.highest"
)
"""The statement that marks the number of an open challenge as used."""
PAGE = 500
"""The number of accounts read at a time."""

# Reading


def find_account(snapshot: Snapshot, userid: str) -> Account | None:
    """Return an account as far as it can be read, or None if there is none."""
    row = snapshot.row(f"{_DOCUMENTS} = ?", userid)
    return account_of(row) if row else None


def readable_account(snapshot: Snapshot, userid: str) -> Account | None:
    """Return an account as far as it can be read, or None if there is none.

    House players have an account without a row.
    """
    if not USERID.fullmatch(userid):
        return None
    return find_account(snapshot, userid) or house_account(userid)


def whole(account: Account) -> Account:
    """Return an account without damage. Raises AccountDamaged for any other."""
    for name, reason in account.damaged.items():
        raise AccountDamaged(
            f"the account {account.userid} in the database is damaged, {name}: {reason}"
        )
    return account


def whole_account(snapshot: Snapshot, userid: str) -> Account | None:
    """Return an account, or None if there is none. Raises AccountDamaged."""
    account = readable_account(snapshot, userid)
    return account and whole(account)


def accounts_at(snapshot: Snapshot, address: str) -> list[Account]:
    """Return the accounts with an address, in any spelling."""
    rows = snapshot.rows(f"{_DOCUMENTS} IN {_AT} ORDER BY userid", normal_address(address))
    return list(map(account_of, rows))


def account_of(row: Row) -> Account:
    """Return the account in a row: its userid, when it changed last, and its document."""
    userid, changed, document = row
    at = None
    with suppress(ValueDamaged):
        at = changed and moment_of(changed)
    return structs.replace(read_document(userid, document), changed=at)


# Writing


def write_account(transaction: Transaction, account: Account) -> None:
    """Write an account, new or already stored."""
    replace_account(transaction, find_account(transaction, account.userid), account)


def replace_account(transaction: Transaction, before: Account | None, account: Account) -> None:
    """Write an account in place of the one that is stored under its userid, if any."""
    due, changed = account.next_digest(), account.changed
    transaction.run(
        "INSERT INTO accounts (userid, document, digest_due, changed) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (userid) DO UPDATE SET document = excluded.document,"
        " digest_due = excluded.digest_due, changed = excluded.changed",
        account.userid,
        format_document(account),
        seconds(due) if due else None,
        seconds(changed) if changed else None,
    )
    _write_beside(transaction, before, account)
    if before and is_there(before) and not is_there(account):
        note_absence(transaction, account.userid)


def remove_account(transaction: Transaction, userid: str) -> None:
    """Remove an account, and its userid from the accounts of others."""
    transaction.run("DELETE FROM accounts WHERE userid = ?", userid)
    _rename_elsewhere(transaction, userid, None)


def rename_account(transaction: Transaction, account: Account, new: str) -> Account:
    """Change an account's userid, also in the accounts of others, and return the account.

    Nobody may have the new userid.
    """
    old, renamed = account.userid, structs.replace(account, userid=new)
    transaction.run("UPDATE accounts SET userid = ? WHERE userid = ?", new, old)
    write_account(transaction, renamed)
    _rename_elsewhere(transaction, old, new)
    return renamed


def merge_accounts(transaction: Transaction, account: Account, other: Account) -> Account:
    """Merge `other` into an account, also in the accounts of others, and return the account."""
    transaction.run("DELETE FROM accounts WHERE userid = ?", other.userid)
    both = account.merged(other)
    write_account(transaction, both)
    _rename_elsewhere(transaction, other.userid, account.userid)
    return both


def _rename_elsewhere(transaction: Transaction, old: str, new: str | None) -> None:
    rows = transaction.rows(f"{_DOCUMENTS} IN {_MENTIONING} ORDER BY userid", old)
    for account in map(account_of, rows):
        write_account(transaction, account.with_renamed(old, new))


_BESIDE: dict[str, tuple[str, ...]] = {
    "addresses": ("normal",),
    "watched": ("kind", "board"),
    "seeks": ("kind", "number", "at"),
    "mentions": ("mentioned",),
    "daily_puzzles": ("due",),
}
"""The tables beside the documents, with their columns apart from the userid."""


def _rows_beside(account: Account) -> dict[str, set[Row]]:
    """Return the rows of an account in each of those tables."""
    due = account.next_puzzle()
    return {
        "addresses": {(normal_address(each),) for each in account.addresses},
        "watched": {(each.kind, each.board) for each in account.watched},
        "seeks": {(each.kind, each.number, seconds(each.at)) for each in account.seeks},
        "mentions": {(each,) for each in account.mentioned()},
        "daily_puzzles": {(seconds(due),)} if due else set(),
    }


def _write_beside(transaction: Transaction, before: Account | None, account: Account) -> None:
    """Update the other tables for a changed document."""
    old = _rows_beside(before) if before else {}
    for table, new in _rows_beside(account).items():
        gone, columns = old.get(table, set()), _BESIDE[table]
        if gone == new:
            continue
        is_one = " AND ".join(f"{column} = ?" for column in columns)
        delete = f"DELETE FROM {table} WHERE userid = ? AND {is_one}"  # noqa: S608 - the names are ours # nosec B608
        names, places = ", ".join(columns), ", ".join("?" for _ in columns)
        insert = f"INSERT INTO {table} (userid, {names}) VALUES (?, {places})"  # noqa: S608 - the names are ours # nosec B608
        for row in gone - new:
            transaction.run(delete, account.userid, *row)
        for row in new - gone:
            transaction.run(insert, account.userid, *row)
            if table == "seeks":
                transaction.run(_NOTE_NUMBER, *row[:2])


# Finding


def has_account(snapshot: Snapshot, userid: str) -> bool:
    """Return whether a userid has an account."""
    return snapshot.row("SELECT 1 FROM accounts WHERE userid = ?", userid) is not None


def all_userids(snapshot: Snapshot) -> list[str]:
    """Return the userids of all accounts, in order."""
    return _userids(snapshot, "SELECT userid FROM accounts ORDER BY userid")


def accounts_after(snapshot: Snapshot, userid: str, most: int) -> list[Account]:
    """Return the next accounts after a userid, in the order of userids."""
    rows = snapshot.rows(f"{_DOCUMENTS} > ? ORDER BY userid LIMIT ?", userid, most)
    return list(map(account_of, rows))


def is_known(snapshot: Snapshot, address: str) -> bool:
    """Return whether some account has an address, in any spelling."""
    search = "SELECT 1 FROM addresses WHERE normal = ?"
    return snapshot.row(search, normal_address(address)) is not None


def accounts_about(
    snapshot: Snapshot, kind: str, board: int, userids: Sequence[str]
) -> dict[str, Account | None]:
    """Return the accounts with some userids, None where there is none, and all that watch a board.

    They are by their userids, those that watch in the order of these.
    """
    search = f"{_DOCUMENTS} IN {_SOME} OR userid IN {_WATCHING} ORDER BY userid"
    rows = snapshot.rows(search, words_list(userids), kind, board)
    found = {account.userid: account for account in map(account_of, rows)}
    return found | {userid: house_account(userid) for userid in userids if userid not in found}


def wanting_broadcasts(snapshot: Snapshot) -> list[Account]:
    """Return the accounts that want broadcasts.

    Players who have signed off and accounts that are disabled or damaged are left out.
    """
    found = filter(is_there, all_accounts(snapshot))
    return [
        account
        for account in found
        if account.all_settings.broadcasts is Switch.ON and not account.damaged
    ]


def all_accounts(snapshot: Snapshot) -> Iterator[Account]:
    """Yield all accounts as far as they can be read, in order of userids."""
    search, latest = f"{_DOCUMENTS} > ? ORDER BY userid LIMIT ?", ""
    while page := snapshot.rows(search, latest, PAGE):
        yield from map(account_of, page)
        latest = page[-1][0]


def with_digest_due(snapshot: Snapshot, now: datetime) -> list[str]:
    """Return the userids with a digest due, oldest first.

    Players who are to wait for days come last: they are away, or a clock was ahead.
    """
    search = (
        "SELECT userid FROM accounts WHERE digest_due <= ? OR digest_due > ? ORDER BY digest_due"
    )
    return _userids(snapshot, search, seconds(now), seconds(now + AHEAD + 2 * DAY))


def with_puzzle_due(snapshot: Snapshot, now: datetime) -> list[str]:
    """Return the userids with a puzzle of the day due, oldest first."""
    search = "SELECT userid FROM daily_puzzles WHERE due <= ? ORDER BY due, userid"
    return _userids(snapshot, search, seconds(now))


def open_seeks(snapshot: Snapshot, kind: str, since: datetime) -> list[tuple[Seek, str]]:
    """Return the open challenges of a game newer than `since`, with their seekers' userids.

    They are in the order of their numbers. Unreadable ones are left out, and so are those of
    players who have signed off or are disabled.
    """
    rows = snapshot.rows(f"{_DOCUMENTS} IN {_SEEKING}", kind, seconds(since))
    found = [
        (seek, account.userid)
        for account in map(account_of, rows)
        for seek in account.seeks
        if is_there(account) and seek.kind == kind and seek.at > since
    ]
    return sorted(found, key=lambda each: each[0].number)


def seeker(snapshot: Snapshot, kind: str, number: int) -> Account | None:
    """Return the account with the open challenge of this number, or None."""
    found = snapshot.row(f"{_DOCUMENTS} IN {_SEEKER}", kind, number)
    return whole(account_of(found)) if found else None


def next_seek_number(snapshot: Snapshot, kind: str) -> int:
    """Return the number for the next open challenge of a game; numbers are never used twice."""
    highest = snapshot.number("SELECT highest FROM seek_numbers WHERE kind = ?", kind)
    return 1 + max(highest, highest_source(snapshot, kind, SOURCE))


def present(snapshot: Snapshot, userids: Iterable[str]) -> frozenset[str]:
    """Return those players who have an account, and are neither signed off nor disabled."""
    rows = snapshot.rows(f"{_DOCUMENTS} IN {_SOME}", words_list(userids))
    return frozenset(each.userid for each in map(account_of, rows) if is_there(each))


def is_there(account: Account) -> bool:
    """Return whether an account is neither signed off nor disabled."""
    return not (account.signed_off_since or account.disabled_since)


def _userids(snapshot: Snapshot, statement: str, *values: int | str) -> list[str]:
    """Return the userids in the first column of a query."""
    return [str(userid) for userid, *_ in snapshot.rows(statement, *values)]


def export_accounts(snapshot: Snapshot) -> tuple[list[str], list[str]]:
    """Return a line of JSON for each account, in order of userids, and the errors of others.

    Accounts that cannot be read are left out.
    """
    lines, damage = list[str](), list[str]()
    for account in all_accounts(snapshot):
        try:
            lines.append(format_json(whole(account)))
        except AccountDamaged as error:
            damage.append(str(error))
    return lines, damage


def parse_accounts(
    lines: Iterable[str], check: Callable[[Account], None] = lambda _: None
) -> list[Account]:
    """Return the accounts in lines of JSON; empty lines are skipped.

    `check` raises BadAccount for an account that is refused. Raises BadAccount with the line, also
    if a userid occurs twice or is reserved.
    """
    accounts: dict[str, Account] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            account = parse_json(line)
            check(account)
            if account.userid in accounts:
                raise BadAccount(f"the userid {account.userid} stands further above, too")
            if is_reserved(account.userid) or is_placeholder(account.userid):
                raise BadAccount(
                    f"the userid {account.userid} is reserved: rename the player first"
                )
        except BadAccount as error:
            raise BadAccount(f"line {number}: {error}") from None
        accounts[account.userid] = account
    return list(accounts.values())


def check_free(snapshot: Snapshot, accounts: Iterable[Account]) -> None:
    """Raise BadAccount if the userid of one of these accounts is taken."""
    search = (
        "SELECT userid FROM accounts WHERE userid IN (SELECT value FROM json_each(?))"
        " ORDER BY userid"
    )
    if taken := _userids(snapshot, search, words_list(account.userid for account in accounts)):
        raise BadAccount(f"there are accounts already of {', '.join(taken)}")


def import_accounts(transaction: Transaction, accounts: Sequence[Account]) -> None:
    """Write accounts from elsewhere, all or none of them.

    Open challenges whose numbers were used here before get new ones. Raises BadAccount as
    `check_free` does.
    """
    check_free(transaction, accounts)
    for account in _numbered(transaction, accounts):
        write_account(transaction, account)


def _numbered(snapshot: Snapshot, accounts: Sequence[Account]) -> Iterator[Account]:
    """Yield accounts with free numbers for their open challenges."""
    seeks = [seek for account in accounts for seek in account.seeks]
    first = {kind: next_seek_number(snapshot, kind) for kind in {seek.kind for seek in seeks}}
    following = {
        kind: count(max([number, *(seek.number + 1 for seek in seeks if seek.kind == kind)]))
        for kind, number in first.items()
    }
    used: set[tuple[str, int]] = set()
    for account in accounts:
        kept = []
        for seek in account.seeks:
            is_free = seek.number >= first[seek.kind] and (seek.kind, seek.number) not in used
            used.add((seek.kind, seek.number))
            number = seek.number if is_free else next(following[seek.kind])
            kept.append(structs.replace(seek, number=number))
        yield structs.replace(account, seeks=tuple(kept))
