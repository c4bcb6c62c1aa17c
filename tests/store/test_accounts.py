"""Accounts in the database: they come back whole, and those of others change with them."""

from datetime import datetime, timedelta

import apsw
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pbm_oust.accounts.account import Digested, is_placeholder, is_reserved
from pbm_oust.accounts.settings import Settings, Switch
from pbm_oust.store import accounts as queries
from pbm_oust.store.accounts import (
    all_userids,
    export_accounts,
    import_accounts,
    mentioning,
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
    DIGEST,
    ask,
    read,
    read_account,
    rows_of,
    seek,
    tried,
    write,
)
from tests.support.kept import NOON, accounts, userids
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
    write(database, ALICE, BOB.with_rejected(["alice", "carol"]), CAROL)
    database.write(lambda transaction: remove_account(transaction, "alice"))
    assert read(database, "bob").rejected == ("carol",)


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


def test_nobody_gets_the_userid_of_somebody_else(database: Database) -> None:
    write(database, ALICE, BOB)
    with pytest.raises((apsw.ConstraintError, psycopg.IntegrityError)):
        database.write(lambda transaction: rename_account(transaction, ALICE, "bob"))
    assert read(database, "alice") == ALICE


# Which accounts: each query finds those that it asks for, by an index


def test_accounts_are_found_by_address_however_it_is_written(database: Database) -> None:
    carol = replace(CAROL, addresses=("carol@example.org", "ALICE+both@example.org"))
    write(database, ALICE, BOB, carol)

    def userids_at(address: str) -> list[str]:
        found = ask(database, lambda snapshot: queries.userids_at(snapshot, address))
        assert ask(database, lambda snapshot: queries.is_known(snapshot, address)) is bool(found)
        return found

    assert userids_at("Alice+x@Example.org") == ["alice", "carol"]
    assert userids_at("bob@example.com") == ["bob"]
    assert userids_at("dora@example.org") == []


def test_all_who_want_broadcasts_are_found_however_many_pages(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(database, CAROL, ALICE, BOB)
    for page in (1, 2, 3, 4):
        monkeypatch.setattr(queries, "PAGE", page)
        assert ask(database, queries.wanting_broadcasts) == [ALICE, BOB, CAROL]


def test_those_who_watch_a_board_are_found(database: Database) -> None:
    alice, bob = ALICE.with_watched(["oust 1"]), BOB.with_watched(["churn 1", "oust 1"])
    write(database, alice, bob, CAROL.with_watched(["churn 1"]))
    assert ask(database, lambda snapshot: queries.watchers(snapshot, "oust", 1)) == [alice, bob]
    assert ask(database, lambda snapshot: queries.watchers(snapshot, "oust", 2)) == []


def test_broadcasts_go_to_those_who_want_them_and_are_there(database: Database) -> None:
    write(
        database,
        ALICE,
        BOB.with_settings(Settings(broadcasts=Switch.OFF)),
        CAROL.with_settings(DIGEST),
        replace(ALICE, userid="dora").with_disabled(NOON),
        replace(ALICE, userid="emma").with_signed_off(NOON),
    )
    found = ask(database, lambda snapshot: queries.wanting_broadcasts(snapshot))
    assert [each.userid for each in found] == ["alice", "carol"]


def test_digests_are_due_at_their_next_hour(database: Database) -> None:
    alice, bob = ALICE.with_settings(DIGEST), BOB.with_settings(DIGEST)
    write(database, alice, bob, CAROL)
    due = alice.next_digest()
    assert due

    def due_at(moment: datetime) -> list[str]:
        return ask(database, lambda snapshot: queries.with_digest_due(snapshot, moment))

    assert due_at(due - timedelta(seconds=1)) == []
    assert due_at(due) == ["alice", "bob"]
    write(database, alice.with_digested(Digested(due, due)), bob.with_settings(Settings()))
    assert due_at(due) == []
    assert due_at(due + timedelta(days=1)) == ["alice"]


def test_open_challenges_are_found_by_game_in_the_order_of_their_numbers(
    database: Database,
) -> None:
    alice = replace(ALICE, seeks=(seek(3), seek(1), seek(1, "churn")))
    write(database, alice, replace(BOB, seeks=(seek(2, days=5),)))
    write(database, replace(CAROL.with_disabled(NOON), seeks=(seek(4),)))
    write(database, replace(replace(CAROL, userid="dora").with_signed_off(NOON), seeks=(seek(5),)))

    def open_since(days: int) -> list[tuple[int, str]]:
        since = NOON + timedelta(days=days)
        found = ask(database, lambda snapshot: queries.open_seeks(snapshot, "oust", since))
        return [(each.number, userid) for each, userid in found]

    assert open_since(-1) == [(1, "alice"), (2, "bob"), (3, "alice")]
    assert open_since(0) == [(2, "bob")]
    assert ask(database, lambda snapshot: queries.seeker(snapshot, "oust", 3)) == alice
    assert ask(database, lambda snapshot: queries.seeker(snapshot, "oust", 6)) is None


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


def test_those_who_reject_a_player_are_found(database: Database) -> None:
    write(database, ALICE, BOB.with_rejected(["alice"]), CAROL.with_rejected(["bob"]))
    assert ask(database, lambda snapshot: mentioning(snapshot, "alice")) == ["bob"]
    assert ask(database, lambda snapshot: mentioning(snapshot, "bob")) == ["carol"]


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
