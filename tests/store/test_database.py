"""The database of a home: what its readers see, and what threads that write do to one another."""

import errno
import fcntl
import os
import signal
import stat
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from pbm_oust.store import sqlite
from pbm_oust.store.database import LATEST, Snapshot, Task, Transaction
from pbm_oust.store.faults import (
    DatabaseDamaged,
    DatabaseFailing,
    DatabaseFault,
    DatabaseFull,
    DatabaseLocked,
    DatabaseTooNew,
)
from pbm_oust.store.sqlite import SqliteDatabase
from tests.store.kept import write_all
from tests.support.trouble import Fault, FaultyVfs, Trouble
from tests.support.vfs import WatchedVfs
from tests.support.waiting import PATIENCE, wait_until


class Wrong(Exception):
    """What works raise in these tests."""


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(tmp_path / "pbm_oust.db")
    database.patience = PATIENCE
    yield database
    database.close()


@pytest.fixture
def impatient(database: SqliteDatabase) -> Iterator[SqliteDatabase]:
    """The same database, opened by somebody who does not wait long for others."""
    impatient = SqliteDatabase(database.path)
    impatient.patience = 0.2
    yield impatient
    impatient.close()


def add(transaction: Transaction, key: str) -> str:
    transaction.run("INSERT INTO message_keys VALUES (?, 'done', 0)", key)
    return key


def write(database: SqliteDatabase, *keys: str) -> None:
    for key in keys:
        database.write(adding(key))


def keys(database: SqliteDatabase) -> list[str]:
    with database.read() as snapshot:
        return keys_in(snapshot)


def keys_in(snapshot: Snapshot) -> list[str]:
    return [key for (key,) in snapshot.rows("SELECT message_key FROM message_keys")]


# Reading


def test_a_home_without_a_database_reads_as_an_empty_one_and_stays_as_it_is(
    database: SqliteDatabase,
) -> None:
    assert keys(database) == []
    assert list(database.path.parent.iterdir()) == []


def test_a_reader_cannot_write(database: SqliteDatabase) -> None:
    write(database, "a")
    with database.read() as snapshot, pytest.raises(DatabaseFault):
        snapshot.rows("DELETE FROM message_keys")
    assert keys(database) == ["a"]


# Writing


@pytest.mark.parametrize("opens", [keys, lambda database: write(database, "b")])
def test_whoever_has_a_snapshot_or_a_transaction_opens_no_other(
    opens: Callable[[SqliteDatabase], object], database: SqliteDatabase
) -> None:
    write(database, "a")
    with database.read(), pytest.raises(RuntimeError, match="must use"):
        opens(database)
    with pytest.raises(RuntimeError, match="must use"):
        database.write(lambda _: opens(database))
    write(database, "c")
    assert keys(database) == ["a", "c"]


PAGES = 1000
"""After how many pages SQLite moves the log into the file."""


def test_a_long_log_is_brought_into_the_file(database: SqliteDatabase) -> None:
    write(database, *(letter * 4096 * (PAGES // 4) for letter in "abcdefgh"))
    log = database.path.with_name("pbm_oust.db-wal")
    assert log.stat().st_size < 4096 * PAGES * 1.5
    assert [key[0] for key in keys(database)] == list("abcdefgh")


def test_the_file_is_for_its_owner_alone_and_keeps_a_log(database: SqliteDatabase) -> None:
    write(database, "a")
    paths = sorted(database.path.parent.iterdir())
    assert [path.name for path in paths] == ["pbm_oust.db", "pbm_oust.db-shm", "pbm_oust.db-wal"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
    database.close()
    assert list(database.path.parent.iterdir()) == [database.path]
    assert database.path.read_bytes()[18:20] == b"\2\2"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_makes_belongs_to_the_owner_of_the_home(database: SqliteDatabase) -> None:
    os.chown(database.path.parent, 4711, 4712)
    write(database, "a")
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in database.path.parent.iterdir()}
    assert owners == {(4711, 4712)}


_SHARED_LOCK, _SHARED_SIZE = 128, 3
"""What SQLite locks in the file that processes share while it is in use, and how it begins."""


@pytest.fixture
def owned(monkeypatch: pytest.MonkeyPatch) -> Iterator[SqliteDatabase]:
    """A closed database of another user, who waits as long as it takes for what root makes.

    It lies where others come to, whatever TMPDIR says.
    """
    monkeypatch.setattr(sqlite, "FOR_ROOT", PATIENCE)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        os.chown(folder, 4711, 4712)
        database = SqliteDatabase(Path(folder) / "pbm_oust.db")
        write(database, "a")
        database.close()
        yield database


# Python warns of a process with threads that forks; what is forked uses none of them.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_owner_waits_until_it_may_write_to_what_root_has_made(
    owned: SqliteDatabase,
) -> None:
    hears, tells = os.pipe()

    def read_and_write() -> None:
        os.read(hears, 1)
        own = SqliteDatabase(owned.path)
        assert keys(own) == ["a"]
        write(own, "b")

    child = begun_by_owner(read_and_write)
    assert keys(owned) == ["a"]
    shared = owned.path.with_name("pbm_oust.db-shm")
    os.chown(shared, 0, 0)
    shared.chmod(0o644)
    os.write(tells, b"x")
    time.sleep(0.2)
    os.chown(shared, 4711, 4712)
    _, status = os.waitpid(child, 0)
    assert keys(owned) == ["a", "b"]
    owned.close()
    os.close(hears)
    os.close(tells)
    assert status == 0


# Python warns of a process with threads that forks; what is forked uses none of them.
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_owner_waits_until_root_has_filled_what_it_has_made(owned: SqliteDatabase) -> None:
    """It can be read from the moment at which root gives it away, and is empty then."""
    shared = owned.path.with_name("pbm_oust.db-shm")
    shared.write_bytes(bytes(_SHARED_SIZE))
    shared.chmod(0o644)
    with shared.open("r+b") as made:
        fcntl.lockf(made, fcntl.LOCK_SH, 1, _SHARED_LOCK)
        child = begun_by_owner(lambda: open_and_close(owned.path))
        time.sleep(0.2)
        os.chown(shared, 4711, 4712)
    _, status = os.waitpid(child, 0)
    assert status == 0


def begun_by_owner(deed: Callable[[], object]) -> int:
    """Begin a process of another user that does something; it ends with 0 if that works."""
    child = os.fork()
    if child == 0:
        try:
            os.setresuid(4711, 4711, 4711)
            deed()
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(1)
    return child


def open_and_close(path: Path) -> None:
    """Open a database whose files are made anew for that, and removed thereafter."""
    database = SqliteDatabase(path)
    try:
        assert keys(database) == ["a"]
    finally:
        database.close()


# Threads that write at once


class SyncCounter(WatchedVfs):
    """A disk on which syncs are counted."""

    def __init__(self) -> None:
        super().__init__("counter")
        self.syncs = 0

    def sync(self, path: str, with_folder: bool, do: Callable[[], None]) -> None:
        self.syncs += 1
        do()


def wait_until_queued(database: SqliteDatabase, number: int) -> None:
    """Wait until so many works wait for their turn."""
    wait_until(lambda: len(database._waiting) >= number, "works that wait")


def write_together(
    database: SqliteDatabase, *works: Callable[[Transaction], str]
) -> list[Future[str]]:
    """Let threads write in one transaction: the first work goes on when all others wait."""

    def first(transaction: Transaction) -> str:
        wait_until_queued(database, len(works))
        return add(transaction, "first")

    with ThreadPoolExecutor(len(works) + 1) as pool:
        futures = [pool.submit(database.write, first)]
        wait_until(lambda: database._turn.locked(), "somebody who writes")
        for number, work in enumerate(works, 1):
            futures.append(pool.submit(database.write, work))
            if number < len(works):
                wait_until_queued(database, number)
    return futures


def adding(key: str) -> Callable[[Transaction], str]:
    return lambda transaction: add(transaction, key)


def wrong(transaction: Transaction) -> str:
    add(transaction, "wrong")
    raise Wrong


def test_threads_that_write_at_once_share_one_sync(tmp_path: Path) -> None:
    counter = SyncCounter()
    with counter.in_use():
        database = SqliteDatabase(tmp_path / "pbm_oust.db")
        write(database, "before")
        before = counter.syncs
        futures = write_together(database, *map(adding, "abcdefghij"))
        assert [future.result() for future in futures] == ["first", *"abcdefghij"]
        assert counter.syncs == before + 1
        assert keys(database) == sorted(["before", "first", *"abcdefghij"])
        database.close()


def test_a_commit_that_fails_fails_for_all_who_share_it(tmp_path: Path) -> None:
    trouble = Trouble()

    def last(transaction: Transaction) -> str:
        trouble.steps, trouble.at, trouble.fault = 0, 1, Fault.STAYS
        return add(transaction, "last")

    with FaultyVfs(trouble).in_use():
        database = SqliteDatabase(tmp_path / "pbm_oust.db")
        write(database, "before")
        futures = write_together(database, adding("a"), wrong, last)
        errors = [future.exception() for future in futures]
        assert {type(error) for error in errors} == {DatabaseFailing}
        assert len(set(map(id, errors))) == 4
        trouble.end()
        assert keys(database) == ["before"]
        assert [future.result() for future in write_together(database, adding("a"))]
        assert keys(database) == ["a", "before", "first"]
        database.close()


def test_a_work_that_hides_a_fault_does_not_write_past_its_transaction(
    database: SqliteDatabase,
) -> None:

    def hides(transaction: Transaction) -> str:
        add(transaction, "lost")
        connection = transaction._connection
        connection.execute("ROLLBACK")  # as SQLite does by itself after some faults
        connection.fault = DatabaseFailing("the disk fails")
        with suppress(DatabaseFault):
            add(transaction, "past")
        return "hidden"

    errors = [future.exception() for future in write_together(database, adding("a"), hides)]
    assert [str(error) for error in errors] == ["the disk fails"] * 3
    assert keys(database) == []


def test_a_thread_that_waits_for_its_turn_may_give_up(database: SqliteDatabase) -> None:
    """As when the operator presses Ctrl-C: what was not begun is not done later."""
    gave_up = threading.Event()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def lead(transaction: Transaction) -> str:
        assert gave_up.wait(PATIENCE)
        return add(transaction, "leads")

    def give_up() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        write(database, "gives up")

    before = signal.signal(signal.SIGALRM, interrupt)
    with ThreadPoolExecutor(1) as pool:
        leading = pool.submit(database.write, lead)
        wait_until(lambda: database._turn.locked(), "somebody who writes")
        with pytest.raises(KeyboardInterrupt):
            give_up()
        signal.signal(signal.SIGALRM, before)
        gave_up.set()
        leading.result(PATIENCE)
    write(database, "later")
    assert keys(database) == ["later", "leads"]


# What does not wait


def begun(database: SqliteDatabase, *tasks: Task[str]) -> list[Task[str]]:
    """Return tasks that are begun: the database has been written to before."""
    write(database, "before")
    listed = list(tasks)
    database.enqueue(listed)
    assert database.begin(listed)
    return listed


def test_what_is_begun_is_there_for_others_when_it_is_finished(database: SqliteDatabase) -> None:
    (task,) = tasks = begun(database, Task(adding("a")))
    assert not task.done()
    assert keys(database) == ["before"]
    with ThreadPoolExecutor(1) as pool:
        pool.submit(database.finish, tasks).result(PATIENCE)
    assert task.result() == "a"
    write(database, "b")
    assert keys(database) == ["a", "b", "before"]


def test_of_works_that_are_begun_the_first_may_fail_and_the_others_are_done(
    database: SqliteDatabase,
) -> None:
    failing, *others = tasks = begun(database, Task(wrong), *map(Task, map(adding, "ab")))
    database.finish(tasks)
    with pytest.raises(Wrong):
        failing.result()
    assert [task.result() for task in others] == ["a", "b"]
    assert keys(database) == ["a", "b", "before"]


@pytest.mark.parametrize("cancelled", ["a", "b", "ab"])
def test_a_work_that_is_cancelled_in_time_is_not_done(
    database: SqliteDatabase, cancelled: str
) -> None:
    tasks = {key: Task(adding(key)) for key in "ab"}
    for key in cancelled:
        tasks[key].cancel()
    database.finish(begun(database, *tasks.values()))
    write(database, "c")
    assert keys(database) == [*sorted({*"ab"} - {*cancelled}), "before", "c"]


# What follows from a commit


def following(key: str) -> Callable[[Transaction], str]:
    """Return a work that adds a key, from which something follows."""

    def work(transaction: Transaction) -> str:
        transaction.follows[key] = True
        return add(transaction, key)

    return work


def test_others_write_while_somebody_does_what_follows(database: SqliteDatabase) -> None:
    is_following, may_end = threading.Event(), threading.Event()

    def after(transactions: Sequence[Transaction]) -> None:
        assert [dict(each.follows) for each in transactions] == [{"a": True}]
        is_following.set()
        assert may_end.wait(PATIENCE)

    database.after = after
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(database.write, following("a"))
        assert is_following.wait(PATIENCE)
        write(database, "b")
        assert not writing.done()
        may_end.set()
        assert writing.result(PATIENCE) == "a"
    assert keys(database) == ["a", "b"]


def test_nothing_follows_from_what_was_undone(database: SqliteDatabase) -> None:
    followed = list[Hashable]()
    database.after = lambda transactions: followed.extend(
        k for t in transactions for k in t.follows
    )

    def work(transaction: Transaction) -> None:
        following("a")(transaction)
        with suppress(Wrong), transaction.part():
            following("b")(transaction)
            raise Wrong

    def fails(transaction: Transaction) -> None:
        following("c")(transaction)
        raise Wrong

    _, second = write_all(database, work, fails)
    assert isinstance(second.exception(), Wrong)
    assert followed == ["a"]
    assert keys(database) == ["a"]


def test_a_mistake_in_what_follows_is_told_to_whom_it_follows_from(
    database: SqliteDatabase,
) -> None:
    def after(_transactions: Sequence[Transaction]) -> None:
        raise Wrong

    database.after = after
    with pytest.raises(Wrong):
        database.write(following("a"))
    assert keys(database) == ["a"]


# Trouble


def test_a_copy_that_finds_no_room_says_so(database: SqliteDatabase, tmp_path: Path) -> None:
    write(database, "a")
    trouble = Trouble(1, Fault.STAYS, errno.ENOSPC)
    with FaultyVfs(trouble).in_use(), pytest.raises(DatabaseFull, match=r"copy\.db: the disk"):
        database.copied_to(tmp_path / "copy.db").__enter__()
    assert keys(database) == ["a"]


def other(database: SqliteDatabase) -> apsw.Connection:
    """Return a connection of somebody who heeds none of our rules."""
    return apsw.Connection(str(database.path))


def test_a_database_that_others_hold_for_long_is_locked(
    database: SqliteDatabase, impatient: SqliteDatabase
) -> None:
    write(database, "a")
    holder = other(database)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseLocked, match=r"pbm_oust\.db is locked by another program"):
        write(impatient, "b")
    assert keys(impatient) == ["a"]
    holder.execute("COMMIT")
    write(database, "b")
    assert keys(impatient) == ["a", "b"]
    holder.close()


def test_a_database_that_others_hold_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "pbm_oust.db")
    write(database, "a")
    holder = other(database)
    holder.execute("BEGIN IMMEDIATE")
    threading.Timer(0.2, lambda: holder.execute("COMMIT")).start()
    write(database, "b")
    assert keys(database) == ["a", "b"]
    holder.close()
    database.close()


def read_everything(database: SqliteDatabase) -> None:
    with database.read() as snapshot:
        for statement in ("SELECT * FROM accounts", "SELECT * FROM seeks"):
            snapshot.rows(statement)


def root_of(database: SqliteDatabase, table: str) -> int:
    """Return where the first page of a table begins in the file, in bytes."""
    with database.read() as snapshot:
        ((page,),) = snapshot.rows("SELECT rootpage FROM sqlite_schema WHERE name = ?", table)
        ((size,),) = snapshot.rows("PRAGMA page_size")
    return (int(page) - 1) * int(size)


@pytest.mark.parametrize("place", [0, 40, "accounts", "seeks"])
def test_a_damaged_file_is_named_with_what_to_do_about_it(
    database: SqliteDatabase, place: int | str
) -> None:
    write(database, *"abcdefgh")
    start = root_of(database, place) if isinstance(place, str) else place
    database.close()
    content = bytearray(database.path.read_bytes())
    content[start : start + 512] = b"damage!!" * 64
    database.path.write_bytes(content)
    with pytest.raises(DatabaseDamaged) as caught:
        read_everything(database)
    assert str(caught.value).startswith(f"{database.path} is damaged (")
    assert "restore a backup" in str(caught.value)
    assert "pbm_oust.db-wal" in str(caught.value)


def test_an_emptied_file_is_damaged_and_not_begun_anew(database: SqliteDatabase) -> None:
    write(database, "a")
    database.close()
    database.path.write_bytes(b"")
    with pytest.raises(DatabaseDamaged):
        write(database, "b")
    with pytest.raises(DatabaseDamaged):
        keys(database)
    assert database.path.stat().st_size == 0


def test_a_database_of_a_later_version_is_refused(database: SqliteDatabase) -> None:
    write(database, "a")
    with other(database) as newer:
        newer.execute(f"PRAGMA user_version = {LATEST + 1}")
    sentence = rf"pbm_oust\.db was written by a newer pbm_oust: .* {LATEST + 1}, .* {LATEST}\."
    with pytest.raises(DatabaseTooNew, match=sentence):
        write(database, "b")
    with pytest.raises(DatabaseTooNew, match=sentence):
        keys(database)
    newer.execute(f"PRAGMA user_version = {LATEST}")
    newer.close()
    write(database, "b")
    assert keys(database) == ["a", "b"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open everything")
def test_a_file_of_somebody_else_cannot_be_opened(database: SqliteDatabase) -> None:
    write(database, "a")
    database.close()
    database.path.chmod(0)
    with pytest.raises(DatabaseFailing, match="cannot be opened: Permission denied"):
        write(database, "b")


def test_a_database_that_is_put_in_the_place_of_another_is_used_from_then_on(
    database: SqliteDatabase, tmp_path: Path
) -> None:
    write(database, "a")
    before = database.moment()
    restored = SqliteDatabase(tmp_path / "restored.db")
    write(restored, "b")
    restored.close()
    restored.path.rename(database.path)
    for companion in ("pbm_oust.db-wal", "pbm_oust.db-shm"):
        (tmp_path / companion).unlink()
    assert keys(database) == ["b"]
    assert database.moment() != before
    write(database, "c")
    assert keys(database) == ["b", "c"]


def test_a_log_that_is_left_of_a_removed_database_does_not_come_back(
    database: SqliteDatabase,
) -> None:
    write(database, "a")
    log = database.path.with_name("pbm_oust.db-wal")
    content = log.read_bytes()
    database.close()
    database.path.unlink()
    log.write_bytes(content)
    write(database, "b")
    assert keys(database) == ["b"]


def test_a_home_that_is_not_there_cannot_be_written(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "none" / "pbm_oust.db")
    with pytest.raises(DatabaseFailing, match="No such file or directory"):
        write(database, "a")
    tasks = [Task(adding("a")), Task(adding("b"))]
    tasks[0].cancel()
    database.enqueue(tasks)
    database.finish(tasks)
    assert isinstance(tasks[1].exception(), DatabaseFailing)
