"""Accounts in the database: they come back whole, and nobody writes over what they did not read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.invitations import rejected_by, with_rejected
from pbm_oust.accounts.kept import Column, Holds, Kept
from pbm_oust.accounts.merging import merged
from pbm_oust.accounts.notes import note_about, with_note
from pbm_oust.accounts.registry import KEPT
from pbm_oust.accounts.seeks import SEEKS
from pbm_oust.accounts.watched import with_watched
from pbm_oust.store.accounts import ACCOUNTS, AccountChanged, Accounts
from pbm_oust.store.connections import Answer, Database, Transaction
from pbm_oust.store.faults import AccountDamaged
from tests.support.account_store import ALICE, BOB, CAROL, ask, read, rows_of, tried, write
from tests.support.kept import accounts
from tests.support.rings import examples

a_few = examples(50)

# Reading and writing


@a_few
@given(st.data())
def test_an_account_comes_back_as_it_was_written(shared: Database, data: st.DataObject) -> None:
    def work(transaction: Transaction) -> None:
        first = data.draw(accounts())
        written = ACCOUNTS.write(transaction, first)
        found = ACCOUNTS.read(transaction, first.userid)
        assert (found, written.version) == (first, found and found.version)
        other = data.draw(accounts(st.just(first.userid)))
        ACCOUNTS.write(transaction, replace(other, version=written.version))
        assert ACCOUNTS.read(transaction, first.userid) == other

    tried(shared, work)


def test_there_is_no_account_of_a_userid_that_nobody_has(database: Database) -> None:
    assert ask(database, lambda snapshot: ACCOUNTS.read(snapshot, "alice")) is None
    write(database, BOB)
    assert ask(database, lambda snapshot: ACCOUNTS.read(snapshot, "alice")) is None


def test_every_change_of_an_account_makes_another_version(database: Database) -> None:
    (first,) = write(database, ALICE)
    (second,) = write(database, with_note(first, "oust 1", "corners"))
    assert read(database, "alice").version == second.version > first.version > 0


def test_an_account_that_was_changed_meanwhile_is_not_written_over(database: Database) -> None:
    (first,) = write(database, ALICE)
    write(database, with_note(first, "oust 1", "corners"))
    with pytest.raises(AccountChanged):
        write(database, with_note(first, "oust 1", "edges"))
    assert note_about(read(database, "alice"), "oust 1") == "corners"


def test_an_account_is_not_made_over_another(database: Database) -> None:
    write(database, ALICE)
    with pytest.raises(AccountChanged):
        write(database, replace(ALICE, addresses=("mallory@example.org",)))
    assert read(database, "alice") == ALICE


def test_an_account_that_is_gone_is_not_written_again(database: Database) -> None:
    (first,) = write(database, ALICE)
    database.write(lambda transaction: ACCOUNTS.remove(transaction, first))
    with pytest.raises(AccountChanged):
        write(database, first)
    (other,) = write(database, ALICE)
    assert other.version > first.version
    with pytest.raises(AccountChanged):
        write(database, first)


def test_what_was_only_read_is_checked_before_a_commit(database: Database) -> None:
    alice, bob = write(database, ALICE, BOB)
    database.write(lambda transaction: ACCOUNTS.check(transaction, [alice, bob]))
    write(database, bob)
    with pytest.raises(AccountChanged, match="bob"):
        database.write(lambda transaction: ACCOUNTS.check(transaction, [alice, bob]))


def test_only_tables_with_something_else_in_them_are_written(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = with_watched(with_note(ALICE, "oust 1", "corners"), ["oust 1", "oust 2"])
    (account,) = write(database, account)
    changed = []

    def work(transaction: Transaction) -> None:
        send = transaction.send

        def watched(statement: str, *values: int | float | str | bytes | None) -> Answer:
            changed.append(" ".join(statement.split()[:3]))
            return send(statement, *values)

        monkeypatch.setattr(transaction, "send", watched)
        ACCOUNTS.write(transaction, with_watched(account, ["oust 1", "oust 2", "oust 3"]))

    database.write(work)
    written = [each for each in changed if not each.startswith("SELECT")]
    assert written == ["UPDATE account_versions SET", "UPDATE accounts SET", "INSERT INTO watched"]


def test_rows_that_say_nothing_are_a_fault_of_the_database(database: Database) -> None:
    write(database, ALICE)
    database.write(
        lambda to: to.run("INSERT INTO queue VALUES ('alice', 0, 'oust', 1, 1, 'x', NULL, 'D4')")
    )
    with pytest.raises(AccountDamaged, match="the account alice in the database is damaged, queue"):
        read(database, "alice")


# Removing, renaming, merging


def test_nobody_goes_on_rejecting_a_player_who_is_gone(database: Database) -> None:
    alice, _, _ = write(database, ALICE, with_rejected(BOB, ["alice", "carol"]), CAROL)
    database.write(lambda transaction: ACCOUNTS.remove(transaction, alice))
    assert rejected_by(read(database, "bob")) == ("carol",)


def test_what_an_account_kept_goes_with_it(database: Database) -> None:
    (alice,) = write(database, with_note(with_watched(ALICE, ["oust 1"]), "oust 1", "corners"))
    database.write(lambda transaction: ACCOUNTS.remove(transaction, alice))
    for noun in KEPT:
        assert rows_of(database, f"SELECT * FROM {noun.name}") == []  # noqa: S608 - a name of ours
    assert rows_of(database, "SELECT * FROM addresses") == []


@a_few
@given(st.data())
def test_a_renamed_account_is_the_same_under_another_userid(
    shared: Database, data: st.DataObject
) -> None:
    def work(transaction: Transaction) -> None:
        first = ACCOUNTS.write(transaction, data.draw(accounts(st.just("alice"))))
        bob = ACCOUNTS.write(transaction, with_rejected(BOB, ["alice"]))
        renamed = ACCOUNTS.rename(transaction, first, "alicia")
        assert ACCOUNTS.read(transaction, "alice") is None
        assert renamed == ACCOUNTS.read(transaction, "alicia") == replace(first, userid="alicia")
        assert renamed.version > first.version
        found = ACCOUNTS.read(transaction, "bob")
        assert found
        assert rejected_by(found) == ("alicia",)
        assert found.version > bob.version

    tried(shared, work)


def test_nobody_gets_the_userid_of_somebody_else(database: Database) -> None:
    alice, _ = write(database, ALICE, BOB)
    with pytest.raises(AccountChanged, match="bob"):
        database.write(lambda transaction: ACCOUNTS.rename(transaction, alice, "bob"))
    assert read(database, "alice") == ALICE


@a_few
@given(st.data())
def test_a_merged_account_has_what_both_had(shared: Database, data: st.DataObject) -> None:
    def work(transaction: Transaction) -> None:
        alice = data.draw(accounts(st.just("alice")))
        bob = SEEKS.put(data.draw(accounts(st.just("bob"))), ())
        into, other = ACCOUNTS.write(transaction, alice), ACCOUNTS.write(transaction, bob)
        ACCOUNTS.write(transaction, with_rejected(CAROL, ["bob"]))
        both = ACCOUNTS.merge(transaction, into, other)
        assert both == ACCOUNTS.read(transaction, "alice") == merged(alice, bob)
        assert ACCOUNTS.read(transaction, "bob") is None
        carol = ACCOUNTS.read(transaction, "carol")
        assert carol
        assert rejected_by(carol) == ("alice",)

    tried(shared, work)


# Another noun


FRIENDS: Kept[tuple[str, ...]] = Kept(
    name="friends",
    key="Friend",
    columns=(Column("friend", Holds.USERID), Column("since", Holds.TIME, is_optional=True)),
    empty=(),
    to_rows=lambda friends: [(friend, None) for friend in friends],
    of_rows=lambda rows: tuple(friend for friend, _ in rows),
    to_lines=lambda friends: friends,
    renamed=lambda friends, old, new: tuple(
        each for each in (new if friend == old else friend for friend in friends) if each
    ),
)


def test_another_noun_is_one_descriptor_and_one_table(shared: Database) -> None:
    table = """
        CREATE TABLE friends (
            userid TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE ON UPDATE CASCADE,
            position INTEGER NOT NULL,
            friend TEXT NOT NULL,
            since INTEGER,
            PRIMARY KEY (userid, position)
        )
    """
    some = Accounts((*KEPT, FRIENDS))

    def work(transaction: Transaction) -> None:
        transaction.run(table)
        alice = some.write(transaction, FRIENDS.put(ALICE, ("bob", "carol")))
        bob = some.write(transaction, BOB)
        assert some.read(transaction, "alice") == alice
        assert some.mentioning(transaction, "bob") == ["alice"]
        some.rename(transaction, bob, "bobby")
        found = some.read(transaction, "alice")
        assert found
        assert FRIENDS.of(found) == ("bobby", "carol")
        some.remove(transaction, found)
        assert transaction.rows("SELECT * FROM friends") == []

    tried(shared, work)
