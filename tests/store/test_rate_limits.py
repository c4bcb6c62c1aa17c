"""Rate limits: counted over midnights, for addresses however they are written."""

from datetime import datetime, timedelta

import pytest

from pbm_oust.store.database import Database
from pbm_oust.store.rate_limits import (
    LONGEST,
    Counted,
    count_once,
    forget_old_counts,
    is_limit_reached,
)

ALICE, MALLORY = "alice@example.org", "mallory@example.com"


def count(database: Database, counted: Counted, subject: str, at: datetime) -> None:
    database.write(lambda transaction: count_once(transaction, counted, subject, at))


def is_reached(database: Database, counted: Counted, subject: str, at: datetime) -> bool:
    with database.read() as snapshot:
        return is_limit_reached(snapshot, counted, subject, at)


@pytest.mark.parametrize("counted", Counted)
@pytest.mark.parametrize("minutes", [0, 8 * 60 + 14])
def test_a_limit_is_reached_and_passes(
    counted: Counted, minutes: int, database: Database, now: datetime
) -> None:
    limit, begun = counted.value, now + timedelta(minutes=minutes)
    for nth in range(limit.most):
        at = begun + nth * limit.within / limit.most / 2
        assert not is_reached(database, counted, ALICE, at)
        count(database, counted, ALICE, at)
    last = begun + limit.within - timedelta(seconds=1)
    assert is_reached(database, counted, ALICE, last)
    assert not is_reached(database, counted, ALICE, begun + limit.within)


def test_several_in_one_second_count_each(database: Database, now: datetime) -> None:
    for _ in range(Counted.CODES.value.most):
        assert not is_reached(database, Counted.CODES, ALICE, now)
        count(database, Counted.CODES, ALICE, now)
    assert is_reached(database, Counted.CODES, ALICE, now)


def test_an_address_is_counted_however_it_is_written_and_no_other_is(
    database: Database, now: datetime
) -> None:
    for address in (ALICE, "Alice+tag@Example.ORG", ALICE.upper()):
        count(database, Counted.CODES, address, now)
    assert is_reached(database, Counted.CODES, ALICE, now)
    assert not is_reached(database, Counted.CODES, MALLORY, now)
    assert not is_reached(database, Counted.WRONG_PASSWORDS_FROM_ELSEWHERE, ALICE, now)


def test_no_address_stands_in_what_is_counted(database: Database, now: datetime) -> None:
    count(database, Counted.CODES, ALICE, now)
    database.close()
    assert b"alice" not in database.path.read_bytes()


def test_old_counts_are_forgotten(database: Database, now: datetime) -> None:
    count(database, Counted.ANSWERS, ALICE, now)
    before = now + LONGEST - timedelta(seconds=1)
    assert database.write(lambda transaction: forget_old_counts(transaction, before)) == 0
    assert database.write(lambda transaction: forget_old_counts(transaction, now + LONGEST)) == 1
