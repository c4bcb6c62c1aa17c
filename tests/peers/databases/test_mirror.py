"""A folder of files that follows the histories on a server."""

import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from pbm_oust.cli.common import Refused
from pbm_oust.cli.home import follow
from pbm_oust.store.database import Database, Transaction
from pbm_oust.store.disk import Disk
from pbm_oust.store.home import OVERLAP, Home, open_server
from pbm_oust.store.postgresql import PostgresqlDatabase
from pbm_oust.store.publishing import MARK, Publisher
from tests.peers.databases.conftest import Host, mailed
from tests.store.kept import Kept, played
from tests.support.home_by_mail import ALICE, BOB
from tests.support.postgresql import DatabaseServer, database_on
from tests.support.waiting import PATIENCE, wait_until


@pytest.fixture
def database(postgresql: DatabaseServer, tmp_path: Path) -> Iterator[Database]:
    with database_on(postgresql, tmp_path / "home") as database:
        yield database


@pytest.fixture
def kept(database: Database, tmp_path: Path) -> Kept:
    """The boards on the server, of which no files are published beside the commits."""
    kept = Kept(tmp_path / "home", database=database)
    kept.database.after = kept.remember
    return kept


def begun(kept: Kept, folder: Path) -> Publisher:
    """Return what publishes into a folder, as a process that has just begun."""
    folder.mkdir(exist_ok=True)
    publisher = Publisher(folder, kept.database, kept.boards, Disk(), overlap=OVERLAP)
    publisher.prepare()
    publisher.remove_drafts()
    return publisher


def files(path: Path) -> dict[str, bytes]:
    """Return what the folder shows to readers."""
    return {file.name: file.read_bytes() for file in (path / "copy").glob("oust/[!.]*")}


def histories(kept: Kept) -> dict[str, bytes]:
    """Return what it should show."""
    rows = kept.rows("SELECT board FROM boards ORDER BY board")
    return {f"{number}.txt": kept.read(number).data for (number,) in rows}


def test_what_is_new_or_was_lost_is_copied_and_nothing_else(kept: Kept, tmp_path: Path) -> None:
    folder = tmp_path / "copy" / "oust"
    for _ in range(3):
        kept.start("x C3")
    answers = iter([True, True, False])
    assert begun(kept, tmp_path / "copy").catch_up(lambda: next(answers)) == 2
    assert set(files(tmp_path)) == {"1.txt", "2.txt"}
    publisher = begun(kept, tmp_path / "copy")
    assert (publisher.catch_up(), publisher.catch_up()) == (1, 0)
    kept.play(2, "o E5")
    assert (publisher.catch_up(), publisher.catch_up()) == (1, 0)
    assert files(tmp_path) == histories(kept)
    kept.play(1, "o E5")
    (folder / "2.txt").unlink()
    (folder / "3.txt").write_bytes((folder / "3.txt").read_bytes()[:-10])
    (folder / ".2.txt.1.1.draft").write_bytes(b"one")
    assert begun(kept, tmp_path / "copy").catch_up() == 3
    assert files(tmp_path) == histories(kept)
    assert not list(folder.glob(".*"))


def test_another_database_is_copied_from_the_beginning(kept: Kept, tmp_path: Path) -> None:
    kept.start()
    begun(kept, tmp_path / "copy").catch_up()
    note, file = tmp_path / "copy" / MARK, tmp_path / "copy" / "oust" / "1.txt"
    note.write_text(note.read_text().replace('"database": [', '"database": [1, '))
    file.unlink()
    assert begun(kept, tmp_path / "copy").catch_up() == 1


def test_who_drew_a_lower_version_and_commits_later_is_copied_too(
    kept: Kept, postgresql: DatabaseServer, database: Database, tmp_path: Path
) -> None:
    """Two servers move at the same time, and wait for one another neither there nor here."""
    assert isinstance(database, PostgresqlDatabase)
    kept.start()
    kept.start()
    publisher = begun(kept, tmp_path / "copy")
    assert publisher.catch_up() == 2
    entered, may_leave = threading.Event(), threading.Event()
    other = Kept(tmp_path / "other", database=open_server(tmp_path, database.url))
    board = other.read(1)

    def move_slowly(transaction: Transaction) -> None:
        other.boards.append(transaction, board, played(board.game, "x C3"))
        entered.set()
        may_leave.wait(PATIENCE)

    writing = threading.Thread(
        target=other.database.write, args=[move_slowly], kwargs={"shares": True}
    )
    writing.start()
    assert entered.wait(PATIENCE)
    second = kept.read(2)
    acted = played(second.game, "x C3")
    kept.database.write(lambda each: kept.boards.append(each, second, acted), shares=True)
    assert [publisher.catch_up() for _ in range(4)] == [1, 0, 0, 0]
    again = begun(kept, tmp_path / "copy")
    again.catch_up()
    may_leave.set()
    writing.join()
    assert publisher.catch_up() == 1
    assert again.catch_up() == 0
    assert files(tmp_path) == histories(kept)
    other.database.close()


def test_readers_see_whole_lines_while_moves_come_in(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, other = hosts
    copy = tmp_path / "copy"
    deliver(one, 1, ALICE, "oust challenge alice bob wonderland -size=5")
    running = one.begin(*following(one, copy))
    file = copy / "oust" / "1.txt"
    wait_until(file.exists, "the history is copied")
    seen, stop = set[bytes](), threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(file.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    deliver(other, 2, ALICE, "oust move 1 alice wonderland C3")
    deliver(one, 3, BOB, "oust move 1 bob lookingglass E5")
    whole = other.run("games", "history", "oust", "1").stdout
    wait_until(lambda: file.read_bytes() == whole, "the moves are copied")
    stop.set()
    reader.join()
    assert all(whole.startswith(each) and each.endswith(b"\n") for each in seen)
    running.process.kill()
    running.process.communicate()
    deliver(one, 4, ALICE, "oust challenge alice bob wonderland -size=7")
    again = one.begin(*following(one, copy))
    assert again.process.stdout
    # The one that was killed may have copied a history that it had not noted yet.
    assert again.process.stdout.readline() in {
        f"{copy} is up to date; copied: {number}\n".encode() for number in (1, 2)
    }
    assert (copy / "oust" / "2.txt").exists()
    refused = other.run(*following(other, copy))
    assert (refused.returncode, b"another process" in refused.stderr) == (1, True)
    again.process.send_signal(signal.SIGTERM)
    done = again()
    assert (done.returncode, done.stdout) == (0, b"")
    assert other.run(*following(other, copy), "--once").stdout.endswith(b"copied: 0\n")


def test_a_server_that_was_away_is_followed_again(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    one, copy = hosts[0], tmp_path / "copy"
    deliver(one, 1, ALICE, "oust challenge alice bob wonderland -size=5")
    running = one.begin(*following(one, copy))
    wait_until((copy / "oust" / "1.txt").exists, "the history is copied")
    url = one.home().configured.store
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    deliver(one, 2, ALICE, "oust challenge alice bob wonderland -size=7")
    wait_until((copy / "oust" / "2.txt").exists, "the other history is copied")
    running.process.send_signal(signal.SIGINT)
    assert running().returncode == 0


class StoppingDisk(Disk):
    """A disk on which the process is told to stop as soon as a first file has been written."""

    def create(self, path: Path, data: bytes, mode: int, **named: bool) -> None:
        super().create(path, data, mode, **named)
        if "replaces" not in named:
            signal.raise_signal(signal.SIGTERM)


def test_who_is_told_to_stop_before_all_is_copied_says_so(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    one, copy = hosts[0], tmp_path / "copy"
    for number in range(1, 4):
        deliver(one, number, ALICE, "oust challenge alice bob wonderland -size=5")
    with (
        closing(Home(one.folder, StoppingDisk())) as home,
        signals_as_before(),
        pytest.raises(Refused, match=f"{copy} is not up to date"),
    ):
        follow(home, copy, once=True)
    assert set(files(tmp_path)) == {"1.txt"}
    assert one.run(*following(one, copy), "--once").returncode == 0
    assert set(files(tmp_path)) == {"1.txt", "2.txt", "3.txt"}


@contextmanager
def signals_as_before() -> Iterator[None]:
    """Let signals have the same effect after the body as before it."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def following(host: Host, folder: Path) -> list[str]:
    """Return the command that keeps the histories of a host's home in a folder."""
    return ["home", "copy", str(host.folder), "--follow", str(folder)]


def deliver(host: Host, number: int, sender: str, line: str) -> None:
    """Let a host take a mail."""
    done = host.run("deliver", "--sender", sender, given=mailed(sender, line, number))
    assert done.returncode == 0, done.stderr
