"""What both engines promise: files with SQLite, and a server of PostgreSQL."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import product
from pathlib import Path

import pytest
from msgspec import structs

from pbm_oust.accounts.asks import mail_id
from pbm_oust.store.configuration import server_in
from pbm_oust.store.database import Database, Task, Transaction
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import open_database, open_server
from pbm_oust.store.index import (
    BoardName,
    BoardState,
    Mark,
    find_entry,
    first_placements,
    walk_back,
)
from pbm_oust.store.message_keys import (
    Cause,
    Incoming,
    KeyOutcome,
    find_cause,
    keep_cause,
    note_key,
    outcome_of,
)
from pbm_oust.store.postgresql import PostgresqlDatabase
from tests.store.kept import Kept, write_all
from tests.store.test_renaming import renamed
from tests.support import tables
from tests.support.account_store import ALICE, write
from tests.support.waiting import PATIENCE, wait_until

tabled = tables.tabled(__file__)

NAME = BoardName("oust", 7)
TEXTS = [
    b"one\n",
    b"one\ntwo\n",
    b"\n\n\n",
    b"no end",
    b"one\nno end",
    b"bytes \xff\x00\r\n\x0b\x85\nend\n",
    b"".join(b"%d\n" % number for number in range(300)),
]


MISTAKES = [
    "SELECT 1 FROM nowhere",
    "INSERT INTO message_keys (message_key, outcome, at) VALUES ('a', 'done', 0)",
]


class Wrong(Exception):
    """What a work fails with."""


@pytest.fixture
def other(database: Database, tmp_path: Path) -> Iterator[Database]:
    """The same home, as another process has it."""
    if isinstance(database, PostgresqlDatabase):
        other = open_server(tmp_path, database.url)
    else:
        other = open_database(tmp_path, Disk())
    yield other
    other.close()


def noting(key: str, now: datetime) -> Callable[[Transaction], bool]:
    """Return a work that notes a message key."""
    return lambda transaction: note_key(transaction, key, KeyOutcome.DONE, now)


def has_key(database: Database, key: str) -> bool:
    """Return whether a message key is known."""
    with database.read() as snapshot:
        return outcome_of(snapshot, key) is not None


# Boards


def test_boards_are_kept_with_the_same_bytes(database: Database, tmp_path: Path) -> None:
    in_files = Kept(tmp_path / "files")
    kept = Kept(tmp_path / "kept", database=database)
    for each in (in_files, kept):
        number = each.start("x C3")
        each.play(number, "o E5")
        each.play(number, "x A1", "o resign")
        renamed(each, "alice", "alicia")
        assert each.catch_up() == 0
        assert each.file(number).read_bytes() == each.read(number).data
    assert kept.file(number).read_bytes() == in_files.file(number).read_bytes()
    assert kept.kept_counts() == in_files.kept_counts() == kept.counts()


@pytest.mark.parametrize("text", TEXTS)
def test_a_damaged_history_comes_back_byte_by_byte(
    database: Database, text: bytes, tmp_path: Path
) -> None:
    kept = Kept(tmp_path / "kept", database=database)
    kept.database.write(lambda each: kept.boards.put(each, NAME, None, text))
    with kept.database.read() as snapshot:
        assert kept.boards.history(snapshot, NAME) == text


STARTED = "INSERT INTO boards (kind, board, version, state, grid, x, o, result, is_rated, started,"
ENDED = " latest, records) VALUES (?, ?, ?, 'over', 'hex 2', 'alice', ?, 'x resign', 1, 0, ?, 2)"
OWNED = "INSERT INTO board_userids VALUES (?, ?, ?, 'over', 1)"


def test_all_boards_are_walked_back_through_in_parts(database: Database) -> None:
    """Those of one second are in one order, too, whatever their games."""
    rows = [
        (kind, board, second, ("bob", "carol")[board % 2])
        for second, board, kind in product((5, 6, 7), range(1, 7), ("churn", "oust"))
        if second == 5 + board % 3
    ]

    def work(transaction: Transaction) -> None:
        for number, (kind, board, second, other) in enumerate(rows):
            transaction.run(STARTED + ENDED, kind, board, number, other, second)
            for userid in ("alice", other):
                transaction.run(OWNED, userid, kind, board)

    database.write(work)
    for players in ((), ("alice",), ("alice", "bob"), ("carol", "alice")):
        wanted = {(s, b, k) for k, b, s, other in rows if {"alice", other} >= set(players)}
        walked, after = list[Mark](), None
        with database.read() as snapshot:
            while part := walk_back(
                snapshot, ("oust", "churn"), list(BoardState), players, 5, after
            ):
                walked += map(Mark.of, part)
                after = walked[-1]
        assert [structs.astuple(each) for each in walked] == sorted(wanted, reverse=True)


def test_the_first_placements_of_boards_are_read_without_the_rest(
    database: Database, tmp_path: Path
) -> None:
    kept = Kept(tmp_path / "kept", database=database)
    number = kept.start("x C3", "o swap", "o E5", "x A1", "o B3")
    with database.read() as snapshot:
        entry = find_entry(snapshot, name := BoardName("oust", number))
        assert entry
        assert first_placements(snapshot, [entry], 3) == {name: ("C3", "E5", "A1")}


# The database


def test_the_key_of_a_home_is_made_once(database: Database, other: Database) -> None:
    database.put_key(key := bytes(range(32)))
    other.put_key(bytes(32))
    assert database.read_key() == other.read_key() == key


def test_a_work_that_fails_leaves_nothing(database: Database, now: datetime) -> None:
    def work(transaction: Transaction) -> None:
        note_key(transaction, "a", KeyOutcome.DONE, now)
        raise Wrong

    with pytest.raises(Wrong):
        database.write(work)
    assert not has_key(database, "a")
    assert database.write(noting("b", now))


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_statement_undoes_its_work_alone(
    database: Database, mistake: str, place: int, now: datetime
) -> None:
    def work(transaction: Transaction) -> None:
        note_key(transaction, "wrong", KeyOutcome.DONE, now)
        transaction.run(mistake)

    database.write(noting("a", now))
    works: list[Callable[[Transaction], object]] = [noting("b", now), noting("c", now)]
    works.insert(place, work)
    tasks = write_all(database, *works)
    with pytest.raises(Exception, match=r"(?i)nowhere|unique"):
        tasks.pop(place).result()
    assert [task.result() for task in tasks] == [True, True]
    assert [has_key(database, key) for key in ("a", "b", "c", "wrong")] == [True] * 3 + [False]


def test_a_snapshot_is_of_one_moment(database: Database, other: Database, now: datetime) -> None:
    database.write(noting("a", now))
    with database.read() as snapshot:
        assert outcome_of(snapshot, "a")
        other.write(noting("b", now))
        assert not outcome_of(snapshot, "b")
    assert has_key(database, "b")


def test_each_commit_is_another_moment(database: Database, other: Database, now: datetime) -> None:
    database.write(noting("a", now))
    before = database.moment()
    assert database.moment() == before
    other.write(noting("b", now))
    assert database.moment() != before


def test_it_is_the_same_moment_while_others_read(database: Database, now: datetime) -> None:
    database.write(noting("a", now))
    before = database.moment()
    with database.read():
        assert database.moment() == before


def test_what_two_processes_count_is_counted_together(database: Database, other: Database) -> None:
    count = "INSERT INTO rate_limits (word, subject, at, number) VALUES ('w', 's', 1, 1)"
    count += " ON CONFLICT (word, subject, at) DO UPDATE SET number = rate_limits.number + 1"
    databases = [database, other]
    with ThreadPoolExecutor(6) as pool:
        for end in [
            pool.submit(databases[number % 2].write, lambda transaction: transaction.run(count))
            for number in range(60)
        ]:
            end.result(timeout=PATIENCE)
    with database.read() as snapshot:
        assert snapshot.row("SELECT number FROM rate_limits") == (60,)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_who_does_not_wait_writes_nothing_while_another_process_writes(
    database: Database, other: Database, now: datetime
) -> None:
    database.write(noting("a", now))
    is_writing, may_end = threading.Event(), threading.Event()

    def long(transaction: Transaction) -> bool:
        is_writing.set()
        may_end.wait(PATIENCE)
        return note_key(transaction, "b", KeyOutcome.DONE, now)

    other.write(noting("c", now))
    tasks = [Task(noting("d", now))]
    database.enqueue(tasks)
    with ThreadPoolExecutor(1) as pool:
        end = pool.submit(other.write, long)
        assert is_writing.wait(PATIENCE)
        assert not database.begin(tasks)
        may_end.set()
        assert end.result(timeout=PATIENCE)
    wait_until(lambda: database.begin(tasks), "nobody writes")
    assert not has_key(other, "d")
    database.finish(tasks)
    assert tasks[0].result()
    assert [has_key(other, key) for key in "abcd"] == [True] * 4


@pytest.mark.slow
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_who_does_not_wait_writes_nothing_to_a_server(database: Database, now: datetime) -> None:
    database.write(noting("a", now))
    tasks = [Task(noting("b", now))]
    database.enqueue(tasks)
    assert not database.begin(tasks)
    assert not has_key(database, "b")
    database.finish(tasks)
    assert has_key(database, "b")


def test_a_host_takes_what_no_other_has(database: Database, other: Database) -> None:
    is_shared = isinstance(database, PostgresqlDatabase)
    with database.leases() as one, other.leases() as two:
        assert one.take(["a", "b"]) == {"a", "b"}
        assert two.take(["b", "c"]) == ({"c"} if is_shared else {"b", "c"})
        one.give_back(["b"])
        assert two.take(["b"]) == {"b"}
        assert one.is_sure
    with other.leased(["a", "c"]) as ours:
        assert ours == {"a", "c"}


@pytest.mark.parametrize("userid", ["alice", "nobody"])
def test_the_mail_of_a_player_with_an_account_is_kept_as_the_cause_of_records(
    database: Database, userid: str, tmp_path: Path, now: datetime
) -> None:
    kept = Kept(tmp_path / "kept", database=database)
    write(database, ALICE)
    game = kept.read(kept.start("x C3", "o E5")).game
    mail = Incoming(userid, now, "alice@example.org", "<1@example.org>", mail_id("<1@example.org>"))
    database.write(lambda each: keep_cause(each, game, 2, now, mail))
    with database.read() as snapshot:
        found = find_cause(snapshot, game, 2)
    assert found == (Cause(2, 2, now, mail) if userid == "alice" else None)
    database.write(lambda each: keep_cause(each, game, 2, now, mail=None))
    with database.read() as snapshot:
        assert find_cause(snapshot, game, 2) == Cause(2, 2, now, None)


# Which engine a home has


@tabled("text")
def test_a_home_is_in_files_unless_its_configuration_names_a_server(text: str) -> None:
    assert server_in(text) == ""


@pytest.mark.parametrize("key", ["store", "  store", '"store"', "'store'", '"\\u0073tore"'])
def test_a_server_is_found_however_its_key_is_written(key: str) -> None:
    assert server_in(f'{key} = "postgresql://games@db/games"\ncolour = 1\n') == (
        "postgresql://games@db/games"
    )


@tabled("text", "reason")
def test_a_store_that_is_no_server_makes_no_home_of_files(
    text: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "pbm_oust.toml").write_text(f"{text}\n")
    with pytest.raises(OSError, match=r"pbm_oust\.toml: .*" + reason) as raised:
        open_database(tmp_path, Disk())
    assert "cret" not in str(raised.value)
    assert not (tmp_path / "key").exists()
