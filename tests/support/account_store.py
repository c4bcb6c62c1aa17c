"""The accounts of a database in tests."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TypeVar

import pytest

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.items import Seek
from pbm_oust.accounts.settings import MailWhen, Settings
from pbm_oust.board.header import Terms
from pbm_oust.rules.grid import square
from pbm_oust.store.accounts import find_account, whole, write_account
from pbm_oust.store.database import Database, Row, Snapshot, Transaction
from tests.support.kept import HASH, NOON

T = TypeVar("T")

ALICE = Account("alice", HASH, ("alice@example.org",), NOON)
BOB = Account("bob", HASH, ("bob@example.net", "Bob+oust@example.com"), NOON, "feedfeedfeedfeed")
CAROL = Account("carol", HASH, ("carol@example.org",), NOON)
DIGEST = Settings(mail=MailWhen.DIGEST)


class Undone(Exception):
    """Ends a piece of work that must not stay."""


def tried(database: Database, work: Callable[[Transaction], None]) -> None:
    """Do some work and undo it."""

    def undone(transaction: Transaction) -> None:
        work(transaction)
        raise Undone

    with pytest.raises(Undone):
        database.write(undone)


def write(database: Database, *some: Account) -> None:
    for each in some:
        database.write(partial(write_account, account=each))


def read_account(snapshot: Snapshot, userid: str) -> Account | None:
    """Return an account, which must not be damaged, or None if there is none."""
    account = find_account(snapshot, userid)
    return account and whole(account)


def read(database: Database, userid: str) -> Account:
    with database.read() as snapshot:
        account = read_account(snapshot, userid)
    assert account
    return account


def rows_of(database: Database, statement: str, *values: str) -> list[Row]:
    return ask(database, lambda snapshot: snapshot.rows(statement, *values))


def ask(database: Database, query: Callable[[Snapshot], T]) -> T:
    with database.read() as snapshot:
        return query(snapshot)


def seek(number: int, kind: str = "oust", days: int = 0) -> Seek:
    return Seek.of(number, kind, NOON + timedelta(days=days), None, square(5, 5), Terms())
