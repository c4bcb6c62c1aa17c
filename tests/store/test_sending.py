"""The way to the relay: letters to one address keep their order, and others need not wait."""

from collections.abc import Callable
from datetime import datetime, timedelta

import apsw
import pytest

from pbm_oust.store.database import Database, Snapshot, Transaction
from pbm_oust.store.letters import (
    State,
    add_letter,
    addresses_waiting,
    begin_sending,
    due_letters,
    fail_letter,
    has_waiting,
    hold_waiting,
    put_off,
    remove_letter,
    retry_letter,
    stop_sending,
    turn_into_files,
)
from tests.store.posting import head, ids, letter, post

ALICE, BOB = "alice@example.org", "bob@example.net"
MINUTE = timedelta(minutes=1)


def due(database: Database, at: datetime, most: int = 100) -> list[int]:
    with database.read() as snapshot:
        return [each.id for each in due_letters(snapshot, at, most)]


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


def test_it_is_kept_since_when_an_address_is_put_off_until_a_letter_is_tried_anew(
    database: Database, now: datetime
) -> None:
    first, second = (post(database, head(), now) for _ in range(2))
    assert letter(database, first).put_off_since is None
    wait(database, first, now + MINUTE)
    wait(database, second, now + 2 * MINUTE)
    assert [letter(database, each).put_off_since for each in (first, second)] == [now, now]
    database.write(lambda transaction: fail_letter(transaction, first, "4.2.1"))
    database.write(lambda transaction: retry_letter(transaction, first, now))
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

    def begin(transaction: Transaction) -> list[int]:
        remove_letter(transaction, second)
        return begin_sending(transaction, [first, second, third], now)

    assert database.write(begin) == [first, third]
    assert letter(database, first).is_leaving
    assert letter(database, third).is_leaving
    wait(database, first, now + MINUTE)
    assert not letter(database, first).is_leaving
    database.write(lambda transaction: stop_sending(transaction, [third]))
    assert not letter(database, third).is_leaving


def test_what_was_leaving_is_held_with_all_that_waits(database: Database, now: datetime) -> None:
    first, second, third = (post(database, head(address), now) for address in (ALICE, BOB, BOB))
    database.write(lambda transaction: begin_sending(transaction, [first, second], now))
    database.write(lambda transaction: fail_letter(transaction, third, "550 no"))
    assert database.write(hold_waiting) == 2
    assert ids(database, State.HELD) == [first, second]
    assert not letter(database, first).is_leaving
    assert database.write(lambda transaction: begin_sending(transaction, [first], now)) == []


def test_a_letter_that_failed_is_tried_again_when_the_operator_says_so(
    database: Database, now: datetime
) -> None:
    number = post(database, head(), now)
    wait(database, number, now + MINUTE)
    database.write(lambda transaction: fail_letter(transaction, number, "550 no"))
    later = now + 2 * MINUTE
    assert database.write(lambda transaction: retry_letter(transaction, number, later))
    assert not database.write(lambda transaction: retry_letter(transaction, number, later))
    assert due(database, later) == [number]
    assert letter(database, number).failures == 0
    assert ids(database, State.FAILED) == []


# However many letters wait


@pytest.mark.parametrize(
    "question",
    [
        lambda at, now: due_letters(at, now, 5),
        lambda at, now: due_letters(at, now, 5, [ALICE]),
        lambda at, _: has_waiting(at),
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
            add_letter(transaction, head(f"{number}@example.org"), b"x", at, State.WAITING)

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


def test_letters_to_some_addresses_become_files(database: Database, now: datetime) -> None:
    first, second, third = (post(database, head(address), now) for address in (BOB, ALICE, BOB))
    with database.read() as snapshot:
        assert addresses_waiting(snapshot) == [ALICE, BOB]
    database.write(lambda transaction: turn_into_files(transaction, [BOB]))
    states = [letter(database, each).state for each in (first, second, third)]
    assert states == [State.FILE, State.WAITING, State.FILE]
