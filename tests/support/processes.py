"""Python processes that work on one home at the same time, and what they leave behind."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pbm_oust.store.home import Home
from tests.support.waiting import PATIENCE

OPENING = """
import sys
from pathlib import Path
from pbm_oust.store.home import Home

home = Home(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
"""


def run_at_once(home: Home, *scripts: str) -> list[str]:
    """Run Python processes that all begin at the same time, and return what they printed.

    They find the home in their variable `home`.
    """
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", OPENING + script, str(home.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for script in scripts
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    with ThreadPoolExecutor() as pool:
        printed = list(pool.map(lambda each: each.communicate("\n", timeout=PATIENCE), processes))
    assert [process.returncode for process in processes] == [0] * len(processes)
    return [output for output, _ in printed]


def files(folder: Path) -> list[str]:
    """Return the names of all files below a folder, including those that begin with a dot."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def children_of(process: int) -> list[int]:
    """Return the processes that a process has started; none if it is gone."""
    path = Path(f"/proc/{process}/task/{process}/children")
    try:
        return [int(word) for word in path.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def processes_of(process: int, word: str) -> list[int]:
    """Return the processes below a process whose command line has a word."""
    found = list[int]()
    for child in children_of(process):
        if word in _command_of(child):
            found.append(child)
        found += processes_of(child, word)
    return found


def _command_of(process: int) -> list[str]:
    """Return the command line of a process; nothing if it is gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except (FileNotFoundError, ProcessLookupError):
        return []
