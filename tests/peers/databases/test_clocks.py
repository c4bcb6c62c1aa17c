"""Hosts go by the clock of their database, however wrong their own one is."""

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from pbm_oust.store.postgresql import SharedClock
from tests.peers.databases.conftest import Host, mailed
from tests.support.home_by_mail import ALICE, BOB
from tests.support.waiting import PATIENCE

HOUR = 3600
MINUTES = 1800
"""Seconds: less than clocks are wrong, and more than a test takes on a busy machine and than are
counted together for a limit."""
WRONG_CLOCK = """
import time
right = time.time
time.time = lambda: right() + {ahead}
from pbm_oust.cli.main import main
main()
"""
"""A host that takes the time for another one."""


def ticking(*times: float) -> Callable[[], float]:
    """Return a clock that tells these times, one after the other."""
    left = iter(times)
    return lambda: next(left)


def test_a_clock_is_put_right_as_far_as_it_is_wrong_for_certain() -> None:
    clock = SharedClock(ticking(101.0, 102.0, 103.0, 110.0, 111.0))
    clock.put_right(asked=100.0, told=500.5)  # it is ahead by 399.5 to 400.5
    assert clock.time() == 102.0 + 399.5
    clock.put_right(asked=100.0, told=501.0)  # by 398 to 401
    clock.put_right(asked=109.0, told=508.0)  # by 398 to 399
    assert clock.time() == 111.0 + 399.0


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_a_host_whose_clock_is_wrong_goes_by_the_right_time(
    hosts: tuple[Host, Host], ahead: int
) -> None:
    begun = time.time()
    lines = ["oust challenge alice bob wonderland", "oust move 1 alice wonderland D4"]
    for number, line in enumerate(lines):
        assert hosts[0].run("deliver", "--sender", ALICE, given=mailed(ALICE, line, number))
    deliver = ["--home", str(hosts[1].folder), "deliver", "--sender", BOB]
    done = subprocess.run(
        [sys.executable, "-c", WRONG_CLOCK.format(ahead=ahead), *deliver],
        input=mailed(BOB, "oust move 1 bob lookingglass E6", 9),
        capture_output=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    *_, record = hosts[0].run("games", "history", "oust", "1").stdout.decode().splitlines()
    at = datetime.strptime(record.split()[-2], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert record.split()[1:3] == ["o", "E6"]
    home = hosts[0].home()
    with home.database.read() as snapshot:
        rows = snapshot.rows("SELECT at FROM rate_limits UNION SELECT posted FROM letters")
    home.close()
    assert rows
    for second in (at.timestamp(), *(float(second) for (second,) in rows)):
        assert abs(second - begun) < MINUTES
