"""Runs a program and ends it, with all that it has started, when whoever asked for it is gone.

Called with the command. It lasts until its standard input is closed, which the system does as well
when the process that holds the other end is killed.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


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
