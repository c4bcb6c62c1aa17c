"""Rate limits: counted over midnights, for addresses however they are written."""

from datetime import datetime, timedelta

import pytest

from pbm_oust.store.database import Database
from pbm_oust.store.limits import (
    LONGEST,
    USUAL_LIMITS,
    Charge,
    Counted,
    Limits,
    count,
    end_of_limit,
    forget_old_counts,
    number_counted,
)
from pbm_oust.store.sqlite import SqliteDatabase

ALICE, MALLORY = "alice@example.org", "mallory@example.com"


def note(database: Database, counted: Counted, subject: str, at: datetime, number: int = 1) -> None:
    database.write(lambda transaction: count(transaction, Charge(counted, subject, number), at))


def end(
    database: Database,
    counted: Counted,
    subject: str,
    at: datetime,
    number: int = 1,
    limits: Limits = USUAL_LIMITS,
) -> datetime | None:
    with database.read() as snapshot:
        return end_of_limit(snapshot, Charge(counted, subject, number), limits, at)


@pytest.mark.parametrize("counted", [each for each in Counted if each is not Counted.SILENCES])
@pytest.mark.parametrize("minutes", [0, 8 * 60 + 14])
def test_a_limit_is_reached_and_says_when_it_passes(
    counted: Counted, minutes: int, database: Database, now: datetime
) -> None:
    limit, begun = counted, now + timedelta(minutes=minutes)
    assert end(database, counted, ALICE, begun) is None
    note(database, counted, ALICE, begun, limit.most - 1)
    assert end(database, counted, ALICE, begun) is None
    note(database, counted, ALICE, begun)
    passes = end(database, counted, ALICE, begun)
    assert passes is not None
    # Large numbers are counted in steps of a part of the time.
    assert begun + limit.within * 119 / 120 <= passes <= begun + limit.within
    assert end(database, counted, ALICE, passes - timedelta(seconds=1)) == passes
    assert end(database, counted, ALICE, passes) is None


def test_what_is_over_a_limit_by_itself_is_allowed_when_nothing_else_counts(
    database: Database, now: datetime
) -> None:
    most = Counted.CODES_OF_ASKER.most
    assert end(database, Counted.CODES_OF_ASKER, ALICE, now, most + 1) is None
    note(database, Counted.CODES_OF_ASKER, ALICE, now)
    assert end(database, Counted.CODES_OF_ASKER, ALICE, now, most + 1)


def test_a_million_of_something_take_few_rows(database: Database, now: datetime) -> None:
    for nth in range(1000):
        at = now + timedelta(seconds=3.6 * nth)
        note(database, Counted.ALL_ANSWERS, "", at, 1000)
    with database.read() as snapshot:
        assert number_counted(snapshot, Counted.ALL_ANSWERS, "", now) == 1_000_000
        ((rows,),) = snapshot.rows("SELECT count(*) FROM rate_limits")
    assert rows == 120


def test_an_address_is_counted_however_it_is_written_and_no_other_is(
    database: Database, now: datetime
) -> None:
    for address in (ALICE, "Alice+tag@Example.ORG", ALICE.upper()):
        note(database, Counted.CODES, address, now)
    assert end(database, Counted.CODES, ALICE, now)
    assert end(database, Counted.CODES, MALLORY, now) is None
    assert end(database, Counted.OWN_CODES, ALICE, now) is None


def test_no_address_stands_in_what_is_counted(embedded: SqliteDatabase, now: datetime) -> None:
    note(embedded, Counted.CODES, ALICE, now)
    embedded.close()
    assert b"alice" not in embedded.path.read_bytes()


def test_old_counts_are_forgotten(database: Database, now: datetime) -> None:
    note(database, Counted.ANSWERS, ALICE, now)
    before = now + LONGEST - timedelta(seconds=1)
    assert database.write(lambda transaction: forget_old_counts(transaction, before)) == 0
    assert database.write(lambda transaction: forget_old_counts(transaction, now + LONGEST)) == 1


def test_nothing_is_allowed_by_a_limit_of_nothing(database: Database, now: datetime) -> None:
    limits = Limits({Counted.MESSAGES: 0})
    assert end(database, Counted.MESSAGES, "alice", now, limits=limits)
