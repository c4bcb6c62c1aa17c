"""Accounts in the database: they come back whole, and those of others change with them."""

from dataclasses import replace

import apsw
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import (
    merged,
    rejected_by,
    with_note,
    with_rejected,
    with_watched,
)
from pbm_oust.store.accounts import (
    merge_accounts,
    remove_account,
    rename_account,
    write_account,
)
from pbm_oust.store.database import Database, Transaction
from pbm_oust.store.faults import AccountDamaged
from tests.support.account_store import (
    ALICE,
    BOB,
    CAROL,
    ask,
    read,
    read_account,
    rows_of,
    tried,
    write,
)
from tests.support.accounts import change_document
from tests.support.kept import accounts
from tests.support.rings import examples

a_few = examples(50)

# Reading and writing


@a_few
@given(st.data())
def test_an_account_comes_back_as_it_was_written(shared: Database, data: st.DataObject) -> None:
    def work(transaction: Transaction) -> None:
        first = data.draw(accounts())
        write_account(transaction, first)
        assert read_account(transaction, first.userid) == first
        other = data.draw(accounts(st.just(first.userid)))
        write_account(transaction, other)
        assert read_account(transaction, first.userid) == other

    tried(shared, work)


def test_there_is_no_account_of_a_userid_that_nobody_has(database: Database) -> None:
    assert ask(database, lambda snapshot: read_account(snapshot, "alice")) is None
    write(database, BOB)
    assert ask(database, lambda snapshot: read_account(snapshot, "alice")) is None


def test_only_tables_with_something_else_in_them_are_written(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = with_watched(with_note(ALICE, "oust 1", "corners"), ["oust 1", "oust 2"])
    write(database, account)
    changed = []

    def work(transaction: Transaction) -> None:
        run = transaction.run

        def watched(statement: str, *values: int | float | str | bytes | None) -> int:
            changed.append(" ".join(statement.split()[:3]))
            return run(statement, *values)

        monkeypatch.setattr(transaction, "run", watched)
        write_account(transaction, with_watched(account, ["oust 1", "oust 3"]))

    database.write(work)
    assert changed == ["INSERT INTO accounts", "DELETE FROM watched", "INSERT INTO watched"]


def test_a_document_that_says_nothing_is_a_fault_of_the_database(database: Database) -> None:
    write(database, ALICE)
    change_document(database, "alice", "queue", '[{"kind":"oust"}]')
    with pytest.raises(AccountDamaged, match="the account alice in the database is damaged, queue"):
        read(database, "alice")


# Removing, renaming, merging


def test_nobody_goes_on_rejecting_a_player_who_is_gone(database: Database) -> None:
    write(database, ALICE, with_rejected(BOB, ["alice", "carol"]), CAROL)
    database.write(lambda transaction: remove_account(transaction, "alice"))
    assert rejected_by(read(database, "bob")) == ("carol",)


def test_what_an_account_kept_goes_with_it(database: Database) -> None:
    write(database, with_rejected(with_watched(ALICE, ["oust 1"]), ["bob"]))
    database.write(lambda transaction: remove_account(transaction, "alice"))
    for table in ("accounts", "addresses", "watched", "seeks", "mentions"):
        assert rows_of(database, f"SELECT * FROM {table}") == []  # noqa: S608 - a name of ours


@a_few
@given(st.data())
def test_a_renamed_account_is_the_same_under_another_userid(
    shared: Database, data: st.DataObject
) -> None:
    def work(transaction: Transaction) -> None:
        first = data.draw(accounts(st.just("alice")))
        write_account(transaction, first)
        write_account(transaction, with_rejected(BOB, ["alice"]))
        renamed = rename_account(transaction, first, "alicia")
        assert read_account(transaction, "alice") is None
        assert renamed == read_account(transaction, "alicia") == replace(first, userid="alicia")
        found = read_account(transaction, "bob")
        assert found
        assert rejected_by(found) == ("alicia",)

    tried(shared, work)


def test_nobody_gets_the_userid_of_somebody_else(database: Database) -> None:
    write(database, ALICE, BOB)
    with pytest.raises((apsw.ConstraintError, psycopg.IntegrityError)):
        database.write(lambda transaction: rename_account(transaction, ALICE, "bob"))
    assert read(database, "alice") == ALICE


@a_few
@given(st.data())
def test_a_merged_account_has_what_both_had(shared: Database, data: st.DataObject) -> None:
    def work(transaction: Transaction) -> None:
        alice = data.draw(accounts(st.just("alice")))
        bob = replace(data.draw(accounts(st.just("bob"))), seeks=())
        for account in (alice, bob, with_rejected(CAROL, ["bob"])):
            write_account(transaction, account)
        both = merge_accounts(transaction, alice, bob)
        assert both == read_account(transaction, "alice") == merged(alice, bob)
        assert read_account(transaction, "bob") is None
        carol = read_account(transaction, "carol")
        assert carol
        assert rejected_by(carol) == ("alice",)

    tried(shared, work)
