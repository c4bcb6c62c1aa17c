"""Who writes sees all that was committed before, however the server is set up."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import pytest

from pbm_oust.store.database import Transaction
from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.support.postgresql import DatabaseServer
from tests.support.waiting import PATIENCE, wait_until

TIMES = 30


@pytest.fixture(params=["read committed", "repeatable read", "serializable"])
def url(request: pytest.FixtureRequest, postgresql: DatabaseServer) -> Iterator[str]:
    """A database whose transactions have some isolation, if they do not say which."""
    url = postgresql.make_tables()
    name = url.removeprefix("postgresql://postgres@/").partition("?")[0]
    level = f"default_transaction_isolation = '{request.param}'"
    postgresql.do(f"ALTER DATABASE {name} SET {level}")
    yield url
    postgresql.do(f"ALTER DATABASE {name} RESET ALL")


def count(transaction: Transaction) -> None:
    """Write a number that is one higher than the one that is there."""
    row = transaction.row("SELECT number FROM rate_limits")
    number = row[0] + 1 if row else 1
    transaction.run("DELETE FROM rate_limits")
    transaction.run(
        "INSERT INTO rate_limits (word, subject, at, number) VALUES ('w', 's', 1, ?)", number
    )


def test_hosts_that_share_the_lock_and_change_the_same_lose_nothing(url: str) -> None:
    """Each is done again alone, if another one came first; no sender hears of that."""
    with (
        closing(PostgresqlDatabase(url)) as one,
        closing(PostgresqlDatabase(url)) as other,
        ThreadPoolExecutor(6) as pool,
    ):
        one.write(count)
        ends = [
            pool.submit(database.write, count, shares=nth % 3 < 2)
            for nth in range(2 * TIMES)
            for database in (one, other)
        ]
        for end in ends:
            end.result(timeout=PATIENCE)
        with one.read() as snapshot:
            assert snapshot.row("SELECT number FROM rate_limits") == (4 * TIMES + 1,)


def test_a_work_that_comes_while_others_are_done_sees_what_was_committed_before(url: str) -> None:
    """It is not taken into a transaction that began earlier."""
    has_begun, may_end = Event(), Event()

    def slow(_transaction: Transaction) -> None:
        has_begun.set()
        may_end.wait(PATIENCE)

    with (
        closing(PostgresqlDatabase(url)) as one,
        closing(PostgresqlDatabase(url)) as other,
        ThreadPoolExecutor(2) as pool,
    ):
        one.write(count)
        slowly = pool.submit(one.write, slow, shares=True)
        assert has_begun.wait(PATIENCE)
        other.write(count, shares=True)
        reading = pool.submit(
            one.write, lambda each: each.rows("SELECT number FROM rate_limits"), shares=True
        )
        wait_until(lambda: bool(one._waiting), "the work waits")
        may_end.set()
        slowly.result(timeout=PATIENCE)
        assert reading.result(timeout=PATIENCE) == [(2,)]
