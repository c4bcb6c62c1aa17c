"""Rate limits: counted over midnights, for addresses however they are written."""

from datetime import datetime, timedelta
from functools import partial

import pytest

from pbm_oust.store.database import Database, Transaction
from pbm_oust.store.home import Home
from pbm_oust.store.limits import (
    MOST_SUBJECTS,
    USUAL_LIMITS,
    USUALLY_KEPT,
    Charge,
    Counted,
    Tally,
    count,
    end_of_limit,
    number_counted,
)
from pbm_oust.store.sqlite import SqliteDatabase
from pbm_oust.store.upkeep import forget_old

ALICE = "alice@example.org"
WRONG = Counted.WRONG_PASSWORDS_FOR_ONE


def note(database: Database, counted: Counted, subject: str, at: datetime, number: int = 1) -> None:
    database.write(lambda transaction: count(transaction, Charge(counted, subject, number), at))


def end(database: Database, counted: Counted, at: datetime, number: int = 1) -> datetime | None:
    with database.read() as snapshot:
        return end_of_limit(snapshot, Charge(counted, ALICE, number), USUAL_LIMITS, at)


@pytest.mark.parametrize("counted", [each for each in Counted if each is not Counted.SILENCES])
@pytest.mark.parametrize("minutes", [0, 8 * 60 + 14])
def test_a_limit_is_reached_and_says_when_it_passes(
    counted: Counted, minutes: int, database: Database, now: datetime
) -> None:
    limit, begun = counted, now + timedelta(minutes=minutes)
    assert end(database, counted, begun) is None
    note(database, counted, ALICE, begun, limit.most - 1)
    assert end(database, counted, begun) is None
    note(database, counted, ALICE, begun)
    passes = end(database, counted, begun)
    assert passes is not None
    # Large numbers are counted in steps of a part of the time.
    assert begun + limit.within * 119 / 120 <= passes <= begun + limit.within
    assert end(database, counted, passes - timedelta(seconds=1)) == passes
    assert end(database, counted, passes) is None


def test_what_is_over_a_limit_by_itself_is_allowed_when_nothing_else_counts(
    database: Database, now: datetime
) -> None:
    most = Counted.CODES_OF_ASKER.most
    assert end(database, Counted.CODES_OF_ASKER, now, most + 1) is None
    note(database, Counted.CODES_OF_ASKER, ALICE, now)
    assert end(database, Counted.CODES_OF_ASKER, now, most + 1)


def test_a_million_of_something_take_few_rows(database: Database, now: datetime) -> None:
    def answer_often(transaction: Transaction) -> None:
        for nth in range(1000):
            at = now + timedelta(seconds=3.6 * nth)
            count(transaction, Charge(Counted.ALL_ANSWERS, "", 1000), at)

    database.write(answer_often)
    with database.read() as snapshot:
        assert number_counted(snapshot, Counted.ALL_ANSWERS, "", now) == 1_000_000
        ((rows,),) = snapshot.rows("SELECT count(*) FROM rate_limits")
    assert rows == 120


def test_an_address_is_counted_however_it_is_written_and_no_other_is(
    database: Database, now: datetime
) -> None:
    note(database, Counted.CODES, "mallory@example.com", now, Counted.CODES.most)
    assert end(database, Counted.CODES, now) is None
    for address in (ALICE, "Alice+tag@Example.ORG", ALICE.upper()):
        note(database, Counted.CODES, address, now)
    assert end(database, Counted.CODES, now)
    assert end(database, Counted.OWN_CODES, now) is None


def test_nor_does_it_matter_how_an_address_is_written_beside_something_else(
    database: Database, now: datetime
) -> None:
    note(database, WRONG, f"{ALICE}\0refused\0Show me", now)
    with database.read() as snapshot:
        counted = [
            number_counted(snapshot, WRONG, f"{address}\0refused\0{line}", now)
            for address, line in (
                ("Alice+tag@Example.ORG", "Show me"),
                (ALICE, "show me"),
                ("bob@example.net", "Show me"),
            )
        ]
    assert counted == [1, 0, 0]


def test_what_was_counted_while_a_clock_was_far_ahead_does_not_count(
    database: Database, now: datetime
) -> None:
    note(database, WRONG, ALICE, now + WRONG.within + timedelta(seconds=1))
    note(database, WRONG, ALICE, now + WRONG.within)
    with database.read() as snapshot:
        assert number_counted(snapshot, WRONG, ALICE, now) == 1


def test_no_address_stands_in_what_is_counted(embedded: SqliteDatabase, now: datetime) -> None:
    note(embedded, Counted.CODES, ALICE, now)
    embedded.close()
    assert b"alice" not in embedded.path.read_bytes()


@pytest.mark.parametrize(
    ("counted", "lifetime"),
    [(Counted.ANSWERS, USUALLY_KEPT), (Counted.INVITED, timedelta(days=30))],
)
def test_old_counts_are_forgotten(
    counted: Counted, lifetime: timedelta, database: Database, now: datetime
) -> None:
    note(database, counted, ALICE, now)
    for later, number in ((lifetime - timedelta(seconds=1), 1), (lifetime, 0)):
        database.write(partial(forget_old, now=now + later))
        with database.read() as snapshot:
            assert number_counted(snapshot, counted, ALICE, now) == number


def test_whoever_wants_no_invitations_is_never_forgotten(database: Database, now: datetime) -> None:
    note(database, Counted.UNINVITED, ALICE, now)
    years = now + timedelta(days=50 * 365)
    database.write(partial(forget_old, now=years))
    with database.read() as snapshot:
        assert number_counted(snapshot, Counted.UNINVITED, ALICE, years) == 1


# The tally: counted in memory, written now and then, and bounded


def test_what_is_counted_is_written_once(home: Home, now: datetime) -> None:
    for _ in range(3):
        home.tally.add(WRONG, ["alice"])
    home.tally.add(WRONG, ["bob"])
    assert home.tally.number(WRONG, "alice") == 3
    assert home.ask(number_counted, WRONG, "alice", now) == 0
    home.write_tally(now)
    home.write_tally(now)
    assert home.tally.number(WRONG, "alice") == 0
    assert home.ask(number_counted, WRONG, "alice", now) == 3
    assert home.ask(number_counted, WRONG, "bob", now) == 1


def test_no_more_subjects_are_counted_than_memory_is_meant_for() -> None:
    tally = Tally()
    for nth in range(MOST_SUBJECTS + 10):
        tally.add(WRONG, [str(nth)])
    assert len(tally.take()) == MOST_SUBJECTS
