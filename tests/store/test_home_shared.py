"""A home that several threads and processes work on at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName
from tests.support.processes import files, run_at_once


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path)
    home.prepare(["oust"])
    return home


def test_a_board_is_held_by_one_at_a_time(home: Home) -> None:
    home.create_history("oust", 1, "")
    waiting = Event()

    def append() -> None:
        waiting.set()
        with home.locked_history("oust", 1) as file:
            file.append("second\n", after=len(file.data))

    with ThreadPoolExecutor() as pool:
        with home.locked_history("oust", 1) as file:
            done = pool.submit(append)
            waiting.wait()
            time.sleep(0.05)  # so that a thread that does not wait would be first
            file.append("first\n", after=len(file.data))
        done.result()
    assert home.history(BoardName("oust", 1)) == b"first\nsecond\n"


def test_no_number_is_used_twice_by_many_threads_of_many_processes(home: Home) -> None:
    script = """
from concurrent.futures import ThreadPoolExecutor
def create(_):
    with home.next_board("oust") as number:
        home.create_history("oust", number, f"{number}\\n")
        return number
with ThreadPoolExecutor(5) as pool:
    print(*pool.map(create, range(10)))
"""
    printed = run_at_once(home, *[script] * 4)
    assert sorted(int(word) for line in printed for word in line.split()) == list(range(1, 41))
    assert all(
        home.history(BoardName("oust", number)) == b"%d\n" % number for number in range(1, 41)
    )


def test_two_processes_that_append_to_one_board_lose_nothing(home: Home) -> None:
    home.create_history("oust", 1, "")
    script = """
for number in range(300):
    with home.locked_history("oust", 1) as file:
        file.append(f"{len(file.data.splitlines())} {number}\\n", after=len(file.data))
"""
    run_at_once(home, script, script)
    lines = [line.split() for line in home.history(BoardName("oust", 1)).decode().splitlines()]
    assert [int(place) for place, _ in lines] == list(range(600))
    assert sorted(int(number) for _, number in lines) == sorted([*range(300)] * 2)


def test_a_reader_sees_an_account_whole_while_it_is_replaced(home: Home) -> None:
    texts = {"a" * 10_000, "b" * 20_000}
    home.write_player("alice", "a" * 10_000)

    def write() -> None:
        for text in [*texts] * 20:
            home.write_player("alice", text)

    with ThreadPoolExecutor() as pool:
        done = pool.submit(write)
        seen = {home.read_player("alice")}
        while not done.done():
            seen.add(home.read_player("alice"))
        done.result()
    assert seen <= texts
    assert files(home.players) == ["alice.txt"]


def test_accounts_are_held_by_one_process_at_a_time(home: Home) -> None:
    script = """
for _ in range(50):
    with home.locked_players():
        home.write_player("count", str(int(home.read_player("count")) + 1))
"""
    home.write_player("count", "0")
    run_at_once(home, script, script)
    assert home.read_player("count") == "100"
