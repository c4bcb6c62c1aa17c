"""Python processes that work on one home at the same time, and what they leave behind."""

from pathlib import Path

from pbm_oust.store.home import Home
from tests.support.beside import run_scripts

OPENING = """
import sys
from pathlib import Path
from pbm_oust.store.home import Home

home = Home(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
exec(sys.argv[2])
"""


def run_at_once(home: Home, *scripts: str) -> list[str]:
    """Run Python processes that all begin at the same time, and return what they printed.

    They find the home in their variable `home`.
    """
    return run_scripts(OPENING, *((home.path, script) for script in scripts))


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
