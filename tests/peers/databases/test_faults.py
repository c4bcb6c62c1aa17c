"""A database server that is away or does not do what is asked: a sentence, and service again."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from pbm_oust.store.database import Transaction
from pbm_oust.store.faults import DatabaseBusy, DatabaseFailing, DatabaseLocked
from pbm_oust.store.home import open_server
from pbm_oust.store.message_keys import KeyOutcome, note_key, outcome_of
from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.peers.databases.conftest import Host
from tests.support import tables
from tests.support.home_by_mail import NOON
from tests.support.postgresql import DatabaseServer, database_server
from tests.support.waiting import PATIENCE, wait_until

tabled = tables.tabled(__file__)

FORGETTING = "DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$"
"""A statement behind which nothing is prepared, of which the library learns nothing."""

SENT_BEFORE_PREPARED = 5
"""How often the library sends a statement until it has it prepared."""
DOUBLED, BY_ZERO = "SELECT 2 * 2", "SELECT 1 / 0"
UNHURRIED = "SELECT set_config('idle_in_transaction_session_timeout', '0', true)"
"""The statement after which who writes may say nothing for as long as it likes."""


@pytest.fixture
def own() -> Iterator[DatabaseServer]:
    """A server that may be ended, and keeps what is committed."""
    with database_server(is_durable=True) as server:
        yield server


@pytest.fixture
def url(postgresql: DatabaseServer) -> str:
    return postgresql.make_database()


@pytest.fixture
def database(url: str) -> Iterator[PostgresqlDatabase]:
    database = PostgresqlDatabase(url)
    database.patience = PATIENCE
    yield database
    database.close()


def noting(key: str) -> Callable[[Transaction], bool]:
    """Return a work that notes a message key."""
    return lambda transaction: note_key(transaction, key, KeyOutcome.DONE, NOON)


def has_key(database: PostgresqlDatabase, key: str) -> bool:
    """Return whether a message key is known."""
    with database.read() as snapshot:
        return outcome_of(snapshot, key) is not None


def test_what_was_committed_survives_whatever_ends_the_server(own: DatabaseServer) -> None:
    database = PostgresqlDatabase(own.make_database())
    assert database.write(noting("a"))
    own.stop()
    own.start()
    assert has_key(database, "a")
    assert database.write(noting("b"))

    def work(transaction: Transaction) -> bool:
        is_new = note_key(transaction, "c", KeyOutcome.DONE, NOON)
        own.kill()
        return is_new

    with pytest.raises(DatabaseFailing):
        database.write(work)
    with pytest.raises(DatabaseFailing, match=r"the database home.* cannot be used: connection"):
        database.write(noting("d"))
    own.start()
    assert [has_key(database, key) for key in "abcd"] == [True, True, False, False]
    assert database.write(noting("c"))
    database.close()


def test_a_database_that_does_not_exist_is_named(postgresql: DatabaseServer) -> None:
    database = PostgresqlDatabase(postgresql.url("nowhere"))
    reason = r'the database nowhere at .* "nowhere" does not exist'
    with pytest.raises(DatabaseFailing, match=reason):
        database.write(noting("a"))


@tabled("behind", "secret")
def test_a_url_that_cannot_be_used_is_a_sentence_without_it(
    behind: str, secret: str, tmp_path: Path
) -> None:
    for command in (["players", "list"], ["home", "upgrade", "--owner", f"postgresql://{behind}"]):
        settings = f'store = "postgresql://{behind}"\nrelay = "smtp://127.0.0.1:1"\n'
        (tmp_path / "pbm_oust.toml").write_text("" if "--owner" in command else settings)
        done = Host(tmp_path).run(*command)
        said = (done.stdout + done.stderr).decode().replace(str(tmp_path), "")
        assert done.returncode in (1, 2)
        assert secret not in said
        assert "Traceback" not in said
        assert "USER@HOST/DATABASE" in said
    with pytest.raises(OSError, match=r"A password belongs in ~/\.pgpass|percent") as raised:
        open_server(tmp_path, f"postgresql://{behind}")
    assert secret not in str(raised.value)


@tabled("behind", "where")
def test_a_url_names_hosts_as_postgresql_does(behind: str, where: str, tmp_path: Path) -> None:
    database = open_server(tmp_path, f"postgresql://{behind}")
    assert isinstance(database, PostgresqlDatabase)
    assert database.where == where


def test_no_message_shows_a_password() -> None:
    server = PostgresqlDatabase("postgresql://games:secret@127.0.0.1:1/home")
    with pytest.raises(DatabaseFailing) as raised:
        server.connect()
    assert "secret" not in str(raised.value)
    assert str(raised.value).startswith("the database home at 127.0.0.1 cannot be used")


def test_who_writes_for_too_long_makes_others_come_again(
    database: PostgresqlDatabase, url: str
) -> None:
    is_writing, may_end = threading.Event(), threading.Event()
    other = PostgresqlDatabase(url)
    database.patience = 0.5

    def long(transaction: Transaction) -> bool:
        transaction.rows(UNHURRIED)
        is_writing.set()
        may_end.wait(PATIENCE)
        return note_key(transaction, "a", KeyOutcome.DONE, NOON)

    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(other.write, long)
        assert is_writing.wait(PATIENCE)
        with pytest.raises(DatabaseLocked, match="is locked by another server for too long"):
            database.write(noting("b"))
        may_end.set()
        assert end.result(timeout=PATIENCE)
    assert database.write(noting("b"))
    other.close()


def test_ctrl_c_ends_a_command_that_waits_for_another_host(hosts: tuple[Host, Host]) -> None:
    home = hosts[0].home()
    assert isinstance(home.database, PostgresqlDatabase)
    writing = home.database.connect()
    writing.begin(writes=True)
    writing.execute(UNHURRIED)
    waits = hosts[1].begin("sweep")
    wait_until_somebody_waits(home.database.url)
    waits.process.send_signal(signal.SIGINT)
    done = waits()
    assert (done.returncode, done.stderr.split()) == (130, [b"Aborted!"])
    writing.close()
    home.close()


def test_a_statement_that_was_cancelled_is_no_lock(database: PostgresqlDatabase) -> None:
    def slow(transaction: Transaction) -> None:
        transaction.run("SET LOCAL statement_timeout = '50ms'")
        transaction.rows("SELECT pg_sleep(20)")

    with pytest.raises(DatabaseFailing, match="cannot be used: canceling statement due"):
        database.write(slow)
    assert database.write(noting("a"))


def test_a_connection_that_has_lost_what_was_prepared_is_not_used_again(
    database: PostgresqlDatabase,
) -> None:
    for number in range(20):
        assert database.write(noting(f"{number}"))
    with pytest.raises(DatabaseFailing, match=r"prepared statement .* does not exist"):
        database.write(lambda transaction: transaction.run(FORGETTING))
    assert database.write(noting("a"))


def test_what_an_error_has_kept_from_being_prepared_works_later(
    database: PostgresqlDatabase,
) -> None:
    """The library counts the end of the first work before it has anything prepared."""

    def failing(transaction: Transaction) -> None:
        for _ in range(SENT_BEFORE_PREPARED):
            transaction.run(DOUBLED)
        transaction.run(BY_ZERO)
        transaction.run(DOUBLED)

    for work in (lambda transaction: transaction.run(BY_ZERO), failing):
        with pytest.raises(psycopg.errors.DivisionByZero):
            database.write(work)
    assert database.write(lambda transaction: transaction.rows(DOUBLED)) == [(4,)]


def test_a_pool_without_connections_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresqlDatabase, "most_readers", 1)
    database = PostgresqlDatabase(url)
    assert database.lent == 0
    with database.lend():
        assert database.lent == 1
        database.patience = 0.2
        with (
            pytest.raises(DatabaseBusy, match="all 1 connections of this process are in use"),
            database.lend(),
        ):
            pass
        database.patience = PATIENCE
    with database.lend():
        assert database.lent == 1
    assert database.lent == 0
    database.close()


def test_a_work_that_others_get_in_the_way_of_is_done_again(
    database: PostgresqlDatabase, url: str
) -> None:
    """Somebody locks tables in another order than we do, and does not give in."""
    attempts = list[int]()
    with psycopg.connect(url) as somebody, ThreadPoolExecutor(1) as pool:
        database.write(noting("a"))
        somebody.execute("SET deadlock_timeout = '1h'")
        somebody.execute("LOCK TABLE message_keys")

        def lock() -> None:
            somebody.execute("LOCK TABLE letters")
            somebody.rollback()

        def work(transaction: Transaction) -> bool:
            attempts.append(1)
            transaction.run("DELETE FROM letters WHERE id = 1")
            if len(attempts) == 1:
                transaction.rows(UNHURRIED)
                pool.submit(lock)
                wait_until_somebody_waits(url)
            return note_key(transaction, "b", KeyOutcome.DONE, NOON)

        assert database.write(work)
    assert len(attempts) == 2
    assert has_key(database, "b")


def wait_until_somebody_waits(url: str) -> None:
    """Wait until somebody waits for a lock."""
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with psycopg.connect(url, autocommit=True) as watching:
        wait_until(lambda: watching.execute(waiting).fetchone() != (0,), "somebody to wait")


def test_a_host_that_falls_silent_while_it_writes_loses_its_lock(
    database: PostgresqlDatabase, url: str
) -> None:
    database.write(noting("a"))
    silent = PostgresqlDatabase(url).connect()
    silent.begin(writes=True)
    silent.execute("SET LOCAL idle_in_transaction_session_timeout = '300ms'")
    assert database.write(noting("b"))
    with pytest.raises(DatabaseFailing, match="idle-in-transaction timeout"):
        silent.execute("SELECT 1")
    silent.close()
