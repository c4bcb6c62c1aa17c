"""Workers: who only prove nothing wait for one another."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from pbm_oust.mail.workers import FORGOTTEN_AFTER, MOST_ORIGINS, MOST_UNPROVED, WORKERS, Workers
from tests.support.waiting import PATIENCE


class Clock:
    """A clock that stands."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workers(clock: Clock) -> Iterator[Workers]:
    with Workers(clock) as workers:
        yield workers


def lane(workers: Workers, origin: str) -> str:
    """Return the lane of mail from somewhere, by the name of its thread."""
    worker = workers.submit(origin, threading.current_thread).result(PATIENCE)
    return worker.name.rpartition("_")[0]


def note(workers: Workers, origin: str, times: int, is_proved: bool = False) -> None:
    for _ in range(times):
        workers.note(origin, is_proved)


def test_a_few_mails_that_prove_nothing_are_as_fast_as_others(workers: Workers) -> None:
    note(workers, "192.0.2.1", MOST_UNPROVED - 1)
    assert lane(workers, "192.0.2.1") == "worker"
    note(workers, "192.0.2.1", 1)
    assert lane(workers, "192.0.2.1") == "slow worker"
    assert lane(workers, "192.0.2.2") == "worker"


def test_what_proves_something_makes_up_for_it(workers: Workers) -> None:
    note(workers, "192.0.2.1", MOST_UNPROVED)
    note(workers, "192.0.2.1", 1, is_proved=True)
    assert lane(workers, "192.0.2.1") == "worker"


def test_it_is_forgotten_in_time(workers: Workers, clock: Clock) -> None:
    note(workers, "192.0.2.1", 1000)
    clock.now += MOST_UNPROVED * FORGOTTEN_AFTER
    assert lane(workers, "192.0.2.1") == "slow worker"
    clock.now += 1
    assert lane(workers, "192.0.2.1") == "worker"


def test_the_slow_lane_keeps_no_others_waiting(workers: Workers) -> None:
    note(workers, "192.0.2.1", MOST_UNPROVED)
    goes_on = threading.Event()
    waiting: list[Callable[[], object]] = [
        workers.submit("192.0.2.1", lambda: goes_on.wait(PATIENCE)).result
        for _ in range(3 * WORKERS)
    ]
    assert lane(workers, "192.0.2.2") == "worker"
    goes_on.set()
    for wait in waiting:
        assert wait()


def test_no_more_origins_are_kept_than_memory_is_meant_for(workers: Workers) -> None:
    for number in range(MOST_ORIGINS + 5):
        workers.note(str(number), is_proved=False)
    assert len(workers._scores) == MOST_ORIGINS


STEPPED_BACK = """
import os
from pbm_oust.mail.workers import Workers
os.nice(15)
if not os.getuid():
    os.setuid(65534)
with Workers() as workers:
    print(workers.hash("192.0.2.1", lambda: os.getpriority(os.PRIO_PROCESS, 0)).result())
"""


def test_whoever_hashes_steps_back_no_less_than_a_server_that_steps_back_itself() -> None:
    command = [sys.executable, "-c", STEPPED_BACK]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    # No process steps back further than 19, and this one may have stepped back already.
    lowest = min(os.getpriority(os.PRIO_PROCESS, 0) + 15, 19)
    assert told.stdout == f"{lowest}\n", told.stderr
