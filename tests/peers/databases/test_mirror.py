"""A folder of files that follows the histories on a server."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from pbm_oust.store.postgresql.histories import HistoryRows
from pbm_oust.store.postgresql.mirror import NOTE, Mirror

from pbm_oust.cli.mirroring import follow
from pbm_oust.cli.operator import Refused
from pbm_oust.store.disk import Disk
from pbm_oust.store.engines import Engine
from pbm_oust.store.entries import BoardName
from pbm_oust.store.home import Home
from tests.peers.databases.conftest import Host, mailed
from tests.support.home_by_mail import ALICE, BOB
from tests.support.postgresql import DatabaseServer, engine_on
from tests.support.waiting import PATIENCE, wait_until

ONE, TWO = BoardName("oust", 1), BoardName("oust", 2)


@pytest.fixture
def engine(postgresql: DatabaseServer, tmp_path: Path) -> Iterator[Engine]:
    with engine_on(postgresql, tmp_path / "home") as engine:
        yield engine


@pytest.fixture
def begun(engine: Engine, tmp_path: Path) -> Callable[[], Mirror]:
    """What begins to copy into the folder, as a process does."""

    def begin() -> Mirror:
        (tmp_path / "copy").mkdir(exist_ok=True)
        assert isinstance(engine.histories, HistoryRows)
        mirror = Mirror(engine.histories, tmp_path / "copy", Disk())
        mirror.begin()
        return mirror

    return begin


def append(engine: Engine, name: BoardName, line: bytes) -> None:
    """Append a line to a history."""
    with engine.histories.held(name) as held:
        held.append(line, len(held.found.data))


def files(path: Path) -> dict[str, bytes]:
    """Return what the folder shows to readers."""
    return {file.name: file.read_bytes() for file in (path / "copy").glob("oust/[!.]*")}


def test_what_is_new_is_copied_and_nothing_else(
    engine: Engine, begun: Callable[[], Mirror], tmp_path: Path
) -> None:
    engine.histories.create(ONE, b"one\n")
    engine.histories.create(TWO, b"two\n")
    mirror = begun()
    assert (mirror.catch_up(), mirror.catch_up()) == (2, 0)
    append(engine, TWO, b"more\n")
    assert (mirror.catch_up(), mirror.catch_up()) == (1, 0)
    assert files(tmp_path) == {"1.txt": b"one\n", "2.txt": b"two\nmore\n"}
    append(engine, ONE, b"and more\n")
    again = begun()
    assert (again.catch_up(), again.catch_up()) == (1, 0)
    assert files(tmp_path) == {"1.txt": b"one\nand more\n", "2.txt": b"two\nmore\n"}


def test_who_was_interrupted_goes_on(
    engine: Engine, begun: Callable[[], Mirror], tmp_path: Path
) -> None:
    for number in range(1, 6):
        engine.histories.create(BoardName("oust", number), b"%d\n" % number)
    answers = iter([True, True, False])
    assert begun().catch_up(lambda: next(answers)) == 2
    assert set(files(tmp_path)) == {"1.txt", "2.txt"}
    begun().catch_up()
    assert files(tmp_path) == {f"{number}.txt": b"%d\n" % number for number in range(1, 6)}


def test_files_that_were_lost_or_cut_are_copied_again(
    engine: Engine, begun: Callable[[], Mirror], tmp_path: Path
) -> None:
    for name in (ONE, TWO):
        engine.histories.create(name, b"one\ntwo\n")
    mirror = begun()
    mirror.catch_up()
    mirror.catch_up()
    (tmp_path / "copy" / "oust" / "1.txt").unlink()
    (tmp_path / "copy" / "oust" / "2.txt").write_bytes(b"one\ntw")
    (tmp_path / "copy" / "oust" / ".2.txt.1.1.draft").write_bytes(b"one\ntw")
    assert begun().catch_up() == 0
    assert files(tmp_path) == {"1.txt": b"one\ntwo\n", "2.txt": b"one\ntwo\n"}
    assert not list((tmp_path / "copy").glob("oust/.*"))


def test_who_drew_a_lower_version_and_commits_later_is_copied_too(
    engine: Engine, begun: Callable[[], Mirror], tmp_path: Path
) -> None:
    engine.histories.create(ONE, b"one\n")
    mirror = begun()
    assert mirror.catch_up() == 1
    entered, may_leave = threading.Event(), threading.Event()

    def append_slowly() -> None:
        with engine.histories.held(ONE) as held:
            held.append(b"late\n", len(held.found.data))
            entered.set()
            may_leave.wait(PATIENCE)

    writing = threading.Thread(target=append_slowly)
    writing.start()
    assert entered.wait(PATIENCE)
    engine.histories.create(TWO, b"two\n")
    assert [mirror.catch_up() for _ in range(4)] == [1, 0, 0, 0]
    again = begun()
    again.catch_up()
    may_leave.set()
    writing.join()
    for each in (mirror, again):
        assert each.catch_up() == 1
        assert files(tmp_path) == {"1.txt": b"one\nlate\n", "2.txt": b"two\n"}


def test_another_database_is_copied_from_the_beginning(
    engine: Engine, begun: Callable[[], Mirror], tmp_path: Path
) -> None:
    engine.histories.create(ONE, b"one\n")
    mirror = begun()
    mirror.catch_up()
    mirror.catch_up()
    note = tmp_path / "copy" / NOTE
    note.write_text(note.read_text().replace('"database": [', '"database": [1, '))
    assert begun().catch_up() == 1


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

    def replace(self, path: Path, data: bytes, mode: int) -> None:
        super().replace(path, data, mode)
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
