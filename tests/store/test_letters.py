"""Letters of the outbox: kept whole, found by whom they go to and by what they tell."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial

import apsw
import pytest

from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.letters import (
    About,
    Draft,
    Head,
    LetterState,
    add_letters,
    begin_sending,
    fail_letter,
    first_due,
    hold_letters,
    let_leave,
    may_show_board_since,
    next_due,
    put_off,
    read_letter,
    recall_letter,
    remove_letters,
    stop_sending,
    unsent_about,
)
from tests.store.posting import head, letter, post

ALICE, BOB = "alice@example.org", "bob@example.net"
SIX, SEVEN = About("oust", 17, 6), About("oust", 17, 7)


def content_of(snapshot: Snapshot, number: int) -> bytes | None:
    found = read_letter(snapshot, number)
    return found[1] if found else None


def make_account(database: Database, userid: str) -> None:
    insert = "INSERT INTO accounts (userid, document) VALUES (?, '{}')"
    database.write(lambda transaction: transaction.run(insert, userid))


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
    assert (found.head, found.posted, found.state) == (known, now, LetterState.WAITING)
    assert (found.next_try, found.failures, found.reason) == (now, 0, "")
    assert (found.is_leaving, found.file) == (False, "")
    with database.read() as snapshot:
        assert content_of(snapshot, number) == content
        assert content_of(snapshot, number + 1) is None


# What a player has not been told


@pytest.mark.parametrize("state", [LetterState.WAITING, LetterState.FILE])
def test_letters_about_records_from_one_on_are_found(
    state: LetterState, database: Database, now: datetime
) -> None:
    six = post(database, head(ALICE, about=SIX), now, state=state)
    seven = post(database, head("ALICE@example.org", about=SEVEN), now, state=state)
    post(database, head(BOB, about=SEVEN), now, state=state)
    post(database, head(ALICE, about=About("oust", 18, 7)), now, state=state)
    post(database, head(ALICE), now, state=state)
    failed = post(database, head(ALICE, about=SEVEN), now)
    database.write(lambda transaction: fail_letter(transaction, failed, "550 no"))
    assert unsent(database, ALICE) == [six, seven]
    assert unsent(database, ALICE, since=7) == [seven]
    assert unsent(database, "carol@example.org") == []


def test_another_letter_may_show_the_board(database: Database, now: datetime) -> None:
    first = post(database, head(ALICE, may_show_any_board=True), now)
    six = post(database, head(ALICE, about=SIX), now)
    assert may_show(database, ALICE, first)
    assert not may_show(database, ALICE, six)
    post(database, head(BOB, may_show_any_board=True), now)
    assert not may_show(database, ALICE, six)
    post(database, head("Alice+x@example.org", may_show_any_board=True), now)
    assert may_show(database, ALICE, six)


# The way to the relay: letters to one address keep their order, and others need not wait


MINUTE = timedelta(minutes=1)


class Undone(Exception):
    """What a test has tried is undone."""


def due(database: Database, at: datetime) -> list[int]:
    """Return the letters that are due, in the order in which they leave."""
    found = list[int]()

    def leave(transaction: Transaction) -> None:
        found.clear()
        while next_one := next_due(transaction, at):
            found.append(next_one.id)
            remove_letters(transaction, [next_one.id])
        raise Undone

    with suppress(Undone):
        database.write(leave)
    return found


def wait(database: Database, number: int, until: datetime, reason: str = "451 later") -> None:
    database.write(lambda to: put_off(to, number, until - MINUTE, until, reason))


def test_what_is_put_off_puts_off_what_goes_to_the_same_address(
    database: Database, now: datetime
) -> None:
    first, other = post(database, head(ALICE), now), post(database, head(BOB), now)
    second = post(database, head("Alice@example.org"), now)
    wait(database, first, now + MINUTE)
    third = post(database, head(ALICE), now)
    assert due(database, now) == [other]
    assert due(database, now + MINUTE) == [other, first, second, third]
    assert [letter(database, each).failures for each in (first, second, third)] == [1, 0, 0]
    assert letter(database, first).reason == "451 later"


def test_a_letter_does_not_wait_for_one_that_is_held_back(
    database: Database, now: datetime
) -> None:
    first = post(database, head(ALICE), now)
    wait(database, first, now + MINUTE)
    database.write(hold_letters)
    second = post(database, head(ALICE), now)
    assert due(database, now) == [second]


def test_what_waits_longer_goes_on_waiting_when_another_letter_is_put_off(
    database: Database, now: datetime
) -> None:
    first, second = (post(database, head(ALICE), now) for _ in range(2))
    wait(database, first, now + 2 * MINUTE)
    wait(database, second, now + MINUTE)
    assert due(database, now + MINUTE) == []
    assert due(database, now + 2 * MINUTE) == [first, second]


def test_a_letter_that_was_held_back_meanwhile_is_not_recalled(
    database: Database, now: datetime
) -> None:
    number = post(database, head(ALICE), now, state=LetterState.FILE)
    before = letter(database, number)
    database.write(hold_letters)
    database.write(lambda transaction: recall_letter(transaction, before))
    assert letter(database, number).state is LetterState.HELD


def test_it_is_kept_since_when_an_address_is_put_off_until_a_letter_is_tried_anew(
    database: Database, now: datetime
) -> None:
    first, second = (post(database, head(), now) for _ in range(2))
    assert letter(database, first).put_off_since is None
    wait(database, first, now + MINUTE)
    wait(database, second, now + 2 * MINUTE)
    assert [letter(database, each).put_off_since for each in (first, second)] == [now, now]
    database.write(lambda transaction: fail_letter(transaction, first, "4.2.1"))
    states = LetterState.FAILED, LetterState.WAITING
    assert database.write(lambda each: let_leave(each, *states, now, first)) == 1
    assert letter(database, first).put_off_since is None


def test_letters_stay_in_their_order_when_the_clock_is_set_back(
    database: Database, now: datetime
) -> None:
    first = post(database, head(), now)
    second = post(database, head(), now - MINUTE)
    assert due(database, now - MINUTE) == []
    assert due(database, now) == [first, second]


def test_what_is_leaving_is_marked_until_the_relay_has_answered(
    database: Database, now: datetime
) -> None:
    first, second, third = (post(database, head(address), now) for address in (ALICE, BOB, BOB))
    database.write(lambda transaction: remove_letters(transaction, [second]))
    for each in (first, third):
        content = database.write(partial(begin_sending, letter=each))
        with database.read() as snapshot:
            assert content == content_of(snapshot, each)
        assert letter(database, each).is_leaving
    wait(database, first, now + MINUTE)
    assert not letter(database, first).is_leaving
    database.write(lambda transaction: stop_sending(transaction, third))
    assert not letter(database, third).is_leaving
    database.write(lambda transaction: begin_sending(transaction, third))
    waiting = [LetterState.WAITING]
    assert database.write(lambda each: hold_letters(each, waiting)) == 2
    assert not letter(database, third).is_leaving
    wait(database, second, now, "it is gone")


# However many letters wait


@pytest.mark.parametrize(
    "question",
    [
        lambda at, now: next_due(at, now),
        lambda at, now: next_due(at, now, [ALICE]),
        lambda at, _: first_due(at),
    ],
)
def test_what_is_asked_for_each_flush_takes_as_many_steps_whatever_waits(
    question: Callable[[Snapshot, datetime], object], database: Database, now: datetime
) -> None:
    post(database, head(BOB), now)
    few = steps(database, lambda snapshot: question(snapshot, now))

    def post_many(transaction: Transaction) -> None:
        for number in range(400):
            at = now + MINUTE if number % 2 else now - MINUTE
            draft = Draft(head(f"{number}@example.org"), b"x", at)
            add_letters(transaction, [draft], LetterState.WAITING)

    database.write(post_many)
    many = steps(database, lambda snapshot: question(snapshot, now))
    assert many < few + 5 * STEPS_FOR_A_LETTER


STEPS_FOR_A_LETTER = 60


def steps(database: Database, question: Callable[[Snapshot], object]) -> int:
    """Return how many steps SQLite takes for the answer to a question."""
    taken = 0

    def step() -> bool:
        nonlocal taken
        taken += 1
        return False

    def watch(connection: apsw.Connection) -> None:
        connection.set_progress_handler(step, 1)

    database.close()
    apsw.connection_hooks.append(watch)
    try:
        with database.read() as snapshot:
            taken = 0
            question(snapshot)
            return taken
    finally:
        apsw.connection_hooks.remove(watch)
        database.close()
