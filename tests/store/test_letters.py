"""Letters of the outbox: kept whole, found by whom they go to and by what they tell."""

from datetime import datetime

import pytest

from pbm_oust.store.database import Database
from pbm_oust.store.letters import (
    About,
    Head,
    State,
    begin_sending,
    content_of,
    count_letters,
    fail_letter,
    find_letter,
    may_show_board_since,
    remove_letter,
    remove_letters_to,
    unsent_about,
)
from tests.store.posting import head, ids, letter, post

ALICE, BOB = "alice@example.org", "bob@example.net"
SIX, SEVEN = About("oust", 17, 6), About("oust", 17, 7)


def make_account(database: Database, userid: str) -> None:
    insert = "INSERT INTO accounts (userid, document) VALUES (?, '{}')"
    database.write(lambda transaction: transaction.run(insert, userid))


def change(database: Database, statement: str) -> None:
    database.write(lambda transaction: transaction.run(statement))


def unsent(database: Database, *addresses: str, since: int = 6) -> list[int]:
    with database.read() as snapshot:
        return [each.id for each in unsent_about(snapshot, addresses, "oust", 17, since)]


def may_show(database: Database, address: str, since: int) -> bool:
    with database.read() as snapshot:
        return may_show_board_since(snapshot, [address], since)


def test_a_letter_is_found_as_it_was_added(database: Database, now: datetime) -> None:
    make_account(database, "alice")
    known = Head(ALICE, "<6@example.com>", "oust 17 #6", "alice", SIX, 2, True, True)
    content = bytes(range(256)) * 50
    number = post(database, known, now, content)
    found = letter(database, number)
    assert (found.head, found.posted, found.state) == (known, now, State.WAITING)
    assert (found.next_try, found.failures, found.reason) == (now, 0, "")
    assert (found.is_leaving, found.file) == (False, "")
    with database.read() as snapshot:
        assert content_of(snapshot, number) == content
        assert content_of(snapshot, number + 1) is None
        assert find_letter(snapshot, number + 1) is None


def test_an_id_is_never_given_twice(database: Database, now: datetime) -> None:
    first = post(database, head(), now)
    assert database.write(lambda transaction: remove_letter(transaction, first))
    assert not database.write(lambda transaction: remove_letter(transaction, first))
    assert post(database, head(), now) == first + 1


def test_a_letter_stays_when_its_reader_leaves_and_follows_a_new_userid(
    database: Database, now: datetime
) -> None:
    make_account(database, "alice")
    number = post(database, head(userid="alice"), now)
    change(database, "UPDATE accounts SET userid = 'alicia'")
    assert letter(database, number).head.userid == "alicia"
    change(database, "DELETE FROM accounts")
    assert letter(database, number).head.userid is None


def test_letters_are_listed_and_counted_by_their_state(database: Database, now: datetime) -> None:
    first, second = post(database, head(), now), post(database, head(BOB), now)
    third = post(database, head(), now, state=State.FILE)
    fourth = post(database, head(), now, state=State.HELD)
    database.write(lambda transaction: fail_letter(transaction, second, "550 no"))
    assert ids(database, State.WAITING) == [first]
    assert ids(database, State.FAILED) == [second]
    assert ids(database, State.FILE) == [third]
    assert ids(database, State.HELD) == [fourth]
    with database.read() as snapshot:
        assert count_letters(snapshot) == dict.fromkeys(State, 1)


def test_the_letters_to_an_address_are_removed_however_it_is_written(
    database: Database, now: datetime
) -> None:
    for address in (ALICE, "Alice+tag@example.org", BOB):
        post(database, head(address), now)
    failed = post(database, head(ALICE), now)
    database.write(lambda transaction: fail_letter(transaction, failed, "550 no"))
    database.write(lambda transaction: remove_letters_to(transaction, ALICE))
    assert ids(database, State.FAILED) == []
    assert [letter(database, each).head.recipient for each in ids(database, State.WAITING)] == [BOB]


# What a player has not been told


@pytest.mark.parametrize("state", [State.WAITING, State.FILE])
def test_letters_about_records_from_one_on_are_found(
    state: State, database: Database, now: datetime
) -> None:
    six = post(database, head(ALICE, about=SIX), now, state=state)
    seven = post(database, head("ALICE@example.org", about=SEVEN), now, state=state)
    post(database, head(BOB, about=SEVEN), now, state=state)
    post(database, head(ALICE, about=About("oust", 18, 7)), now, state=state)
    post(database, head(ALICE), now, state=state)
    assert unsent(database, ALICE) == [six, seven]
    assert unsent(database, ALICE, since=7) == [seven]
    assert unsent(database, "carol@example.org") == []


def test_a_letter_that_the_relay_may_have_says_so(database: Database, now: datetime) -> None:
    six = post(database, head(ALICE, about=SIX), now)
    database.write(lambda transaction: begin_sending(transaction, [six], now))
    with database.read() as snapshot:
        (found,) = unsent_about(snapshot, [ALICE], "oust", 17, 6)
    assert found.is_leaving


def test_another_letter_may_show_the_board(database: Database, now: datetime) -> None:
    first = post(database, head(ALICE, may_show_any_board=True), now)
    six = post(database, head(ALICE, about=SIX), now)
    assert may_show(database, ALICE, first)
    assert not may_show(database, ALICE, six)
    post(database, head(BOB, may_show_any_board=True), now)
    assert not may_show(database, ALICE, six)
    post(database, head("Alice+x@example.org", may_show_any_board=True), now)
    assert may_show(database, ALICE, six)
