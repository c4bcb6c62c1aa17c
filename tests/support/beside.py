"""Python processes beside the test: run at once, or until they are killed."""

import subprocess
import sys
from pathlib import Path

from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[2]


def start_script(script: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """Start a Python process that finds its arguments in `sys.argv[1:]`."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def run_scripts(script: str, *arguments: tuple[str | Path, ...]) -> list[str]:
    """Run a process for each tuple of arguments, and return what they printed.

    All begin at the same time: each prints a first line when it is ready, then waits for a line.
    """
    processes = [start_script(script, *each) for each in arguments]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    printed = [process.communicate(timeout=PATIENCE)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return printed
