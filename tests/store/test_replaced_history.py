"""A history that is written whole while others wait for it."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from pbm_oust.store.home import Home
from pbm_oust.store.waiting import BoardName


def test_who_waited_for_a_history_that_was_replaced_appends_to_the_new_one(home: Home) -> None:
    home.create_history("oust", 1, "old\n")
    waiting = Event()

    def append() -> bytes:
        waiting.set()
        with home.locked_history("oust", 1) as file:
            file.append("later\n", after=len(file.data))
            return file.data

    with ThreadPoolExecutor() as pool:
        with home.locked_history("oust", 1) as file:
            done = pool.submit(append)
            waiting.wait()
            time.sleep(0.05)  # so that the thread waits for the file that goes
            file.replace(b"new\n")
        assert done.result() == b"new\n"
    assert home.history(BoardName("oust", 1)) == b"new\nlater\n"


def test_a_replaced_history_is_open_to_the_same_people(home: Home) -> None:
    home.create_history("oust", 1, "old\n")
    path = home.history_path(BoardName("oust", 1))
    path.chmod(0o600)
    with home.locked_history("oust", 1) as file:
        file.replace(b"new\n")
    assert path.stat().st_mode & 0o777 == 0o600
