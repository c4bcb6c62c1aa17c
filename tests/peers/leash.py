"""Programs that end with the test that needs them, also when the test is killed.

Run with a command, this module runs that, and ends it, with all that it has started, when its
standard input is closed: the system does so as well when the process at the other end is killed.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import PATIENCE

_ROOT = Path(__file__).parents[2]
_PR_SET_CHILD_SUBREAPER = 36


@contextmanager
def leashed(
    command: Sequence[str | Path], environment: Mapping[str, str], printed: Path
) -> Iterator[None]:
    """Run a program for the body of the `with`; what it writes goes into a file."""
    with printed.open("wb") as output:
        leash = subprocess.Popen(
            [sys.executable, "-m", "tests.peers.leash", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=dict(environment),
            cwd=_ROOT,
        )
    try:
        yield
    finally:
        assert leash.stdin is not None
        leash.stdin.close()
        leash.wait(timeout=PATIENCE)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started and that are not waited for."""
    found = ""
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        found += task.read_text() + " "
    return [int(child) for child in found.split()]


def end_all() -> None:
    """End all processes below this one; those whose parents have ended belong to this one."""
    while below := children(os.getpid()):
        for pid in below:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    sys.stdin.read()
    program.terminate()
    for _ in range(50):
        if program.poll() is not None:
            break
        time.sleep(0.02)
    end_all()
