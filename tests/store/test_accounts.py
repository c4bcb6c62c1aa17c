"""Accounts in the database: they come back whole, and those of others change with them."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import (
    merged,
    rejected_by,
    with_rejected,
    with_watched,
)
from pbm_oust.store.accounts import (
    merge_accounts,
    read_account,
    remove_account,
    rename_account,
    write_account,
)
from pbm_oust.store.database import Database, Transaction
from tests.support.account_store import ALICE, BOB, CAROL, read, rows_of, tried, write
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
