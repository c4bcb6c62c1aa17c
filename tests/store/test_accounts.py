"""Accounts in the database: they come back whole, and those of others change with them."""

import apsw
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.account import is_placeholder, is_reserved
from pbm_oust.store import accounts as queries
from pbm_oust.store.accounts import (
    all_userids,
    export_accounts,
    import_accounts,
    merge_accounts,
    parse_accounts,
    remove_account,
    rename_account,
    write_account,
)
from pbm_oust.store.database import Database, Transaction
from tests.support.account_store import (
    ALICE,
    BOB,
    CAROL,
    ask,
    read,
    read_account,
    rows_of,
    seek,
    tried,
    write,
)
from tests.support.kept import accounts, userids
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


def test_what_an_account_kept_goes_with_it(database: Database) -> None:
    write(database, ALICE.with_watched(["oust 1"]).with_rejected(["bob"]))
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
        write_account(transaction, BOB.with_rejected(["alice"]))
        renamed = rename_account(transaction, first, "alicia")
        assert read_account(transaction, "alice") is None
        assert renamed == read_account(transaction, "alicia") == replace(first, userid="alicia")
        found = read_account(transaction, "bob")
        assert found
        assert found.rejected == ("alicia",)

    tried(shared, work)


@a_few
@given(st.data())
def test_a_merged_account_has_what_both_had(shared: Database, data: st.DataObject) -> None:
    def work(transaction: Transaction) -> None:
        alice = data.draw(accounts(st.just("alice")))
        bob = replace(data.draw(accounts(st.just("bob"))), seeks=())
        for account in (alice, bob, CAROL.with_rejected(["bob"])):
            write_account(transaction, account)
        both = merge_accounts(transaction, alice, bob)
        assert both == read_account(transaction, "alice") == alice.merged(bob)
        assert read_account(transaction, "bob") is None
        carol = read_account(transaction, "carol")
        assert carol
        assert carol.rejected == ("alice",)

    tried(shared, work)


# Which accounts: each query finds those that it asks for, by an index


def test_all_who_want_broadcasts_are_found_however_many_pages(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(database, CAROL, ALICE, BOB)
    for page in (1, 2, 3, 4):
        monkeypatch.setattr(queries, "PAGE", page)
        assert ask(database, queries.wanting_broadcasts) == [ALICE, BOB, CAROL]


def test_no_open_challenge_gets_a_number_that_another_had(database: Database) -> None:
    def following(kind: str) -> int:
        return ask(database, lambda snapshot: queries.next_seek_number(snapshot, kind))

    assert following("oust") == 1
    write(database, replace(ALICE, seeks=(seek(1), seek(7))))
    write(database, replace(BOB, seeks=(seek(5),)))
    write(database, ALICE)
    database.write(lambda transaction: remove_account(transaction, "alice"))
    assert (following("oust"), following("churn")) == (8, 1)


def test_two_open_challenges_never_have_one_number(database: Database) -> None:
    write(database, replace(ALICE, seeks=(seek(1),)))
    with pytest.raises((apsw.ConstraintError, psycopg.IntegrityError)):
        write(database, replace(BOB, seeks=(seek(1),)))
    assert ask(database, lambda snapshot: read_account(snapshot, "bob")) is None


# Accounts that are taken from one home to another


@a_few
@given(st.data())
def test_exported_accounts_come_back_in_another_home(shared: Database, data: st.DataObject) -> None:
    free = userids.filter(lambda each: not (is_reserved(each) or is_placeholder(each)))
    some = data.draw(st.lists(accounts(free), max_size=4, unique_by=lambda each: each.userid))
    seen: set[tuple[str, int]] = set()
    for number, account in enumerate(some):
        seeks = [each for each in account.seeks if (each.kind, each.number) not in seen]
        seen.update((each.kind, each.number) for each in seeks)
        some[number] = replace(account, seeks=tuple(seeks))
    lines: list[str] = []

    def export(transaction: Transaction) -> None:
        for account in some:
            write_account(transaction, account)
        lines.extend(export_accounts(transaction)[0])

    def import_(transaction: Transaction) -> None:
        import_accounts(transaction, parse_accounts(lines))
        assert export_accounts(transaction) == (lines, [])
        found = [read_account(transaction, each) for each in all_userids(transaction)]
        assert found == sorted(some, key=lambda account: account.userid)

    tried(shared, export)
    tried(shared, import_)


def test_open_challenges_from_elsewhere_get_numbers_that_were_never_given_here(
    database: Database,
) -> None:
    write(database, replace(BOB, seeks=(seek(3),)))
    write(database, BOB)
    coming = [
        replace(ALICE, seeks=(seek(2), seek(5))),
        replace(CAROL, seeks=(seek(1), seek(1, "churn"))),
    ]
    database.write(lambda transaction: import_accounts(transaction, coming))
    assert [each.number for each in read(database, "alice").seeks] == [6, 5]
    assert [each.number for each in read(database, "carol").seeks] == [7, 1]
